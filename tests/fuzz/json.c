/*
 * Fuzz target: bytes as the JSON form of a request and of a response. What is taken must come back the same when
 * it is written and read again; what is refused must be named.
 */
#include "support.h"

#include <hoop/json.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_request(const json_t *value)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = NULL, *again = NULL;
    hoop_error error = { 0, "" };
    if (hoop_request_from_json(arena, value, &req, &error) == 0) {
        json_t *written = hoop_request_to_json(req);
        if (!written || hoop_request_from_json(arena, written, &again, &error) ||
            !hoop_request_equal(req, again))
            abort();
        json_t *twice = hoop_request_to_json(again);
        if (!json_equal(written, twice))
            abort();
        json_decref(written);
        json_decref(twice);
    } else if (!error.text[0] || req) {
        abort();
    }
    hoop_arena_free(arena);
}

static void try_response(const json_t *value)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *res = NULL, *again = NULL;
    hoop_error error = { 0, "" };
    if (hoop_response_from_json(arena, value, &res, &error) == 0) {
        json_t *written = hoop_response_to_json(res);
        if (!written || hoop_response_from_json(arena, written, &again, &error) ||
            !hoop_response_equal(res, again))
            abort();
        json_decref(written);
    } else if (!error.text[0] || res) {
        abort();
    }
    hoop_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 20000)
        return 0;
    json_t *value = json_loadb((const char *)data, size,
                               JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, NULL);
    if (!value)
        return 0;
    try_request(value);
    try_response(value);
    json_decref(value);
    return 0;
}
