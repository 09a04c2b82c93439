/*
 * Fuzz target: bytes as a table of routes and paths asked of it. Whatever they are, what was built must
 * be found again: a table that the router refuses is no fault, a crash or two answers are.
 */
#include "handler/router.h"
#include "support.h"

#include <hoop/param.h>

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_ROUTES 24

static const hoop_response *answer(const hoop_request *req, void *data)
{
    (void)data;
    const hoop_route *route = hoop_request_route(req);
    if (!route || !hoop_path_info(req).len)
        abort();
    hoop_str value = hoop_param(req, "a");
    return hoop_bytes_static(req, 200, NULL, value);
}

/* What is asked must be what explain and reverse routing say, too. */
static void ask(hoop_arena *arena, hoop_handler handler, const char *method, const char *uri)
{
    const hoop_request *req = hoop_mock(arena, method, uri, NULL);
    if (!req)
        return; /* no request can have it */
    const hoop_response *res = hoop_call_sync(handler, req);
    hoop_str told = hoop_router_explain(arena, handler, method, req->uri.data);
    if (!res || hoop_str_is_none(told))
        abort();
    int chosen = strstr(told.data, "\nchosen: ") || memcmp(told.data, "chosen: ", 8) == 0;
    if (res->status == 200 && !hoop_is_pass(res) && !chosen)
        abort();
    if (hoop_is_pass(res) && chosen)
        abort();
}

/* The lines of the input: routes with '+' in front (or '*' for a mount), else paths. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const hoop_handler mounted = { answer, NULL };
    if (size < 2 || size > 4000)
        return 0;
    hoop_arena *arena = hoop_arena_new();
    hoop_route table[MAX_ROUTES];
    size_t count = 0;
    char *text = hoop_arena_alloc(arena, size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    memset(table, 0, sizeof table);
    const hoop_router_options options = { .slash = data[0] % 3, .flags = data[1] & 1 };
    const char *uris[64];
    size_t uri_count = 0;
    for (char *line = text + 2; *line;) {
        size_t len = strcspn(line, "\n");
        char *next = line + len + (line[len] != 0);
        line[len] = 0;
        if ((*line == '+' || *line == '*') && count < MAX_ROUTES) {
            table[count].path = line + 1;
            table[count].method = len % 3 == 0 ? "GET" : len % 3 == 1 ? "POST PUT" : NULL;
            table[count].handler = *line == '+' ? answer : NULL;
            table[count].mount = *line == '*' ? &mounted : NULL;
            count++;
        } else if (uri_count < HOOP_COUNT(uris)) {
            uris[uri_count++] = line;
        }
        line = next;
    }
    hoop_handler handler;
    hoop_error error;
    if (hoop_router_new_with(arena, table, count, &handler, &error, &options) == 0) {
        for (size_t i = 0; i < uri_count; i++)
            ask(arena, handler, i % 3 ? "GET" : "PUT", uris[i]);
        for (uint32_t format = 0; format < 3; format++)
            if (hoop_str_is_none(hoop_router_print(arena, handler, format)))
                abort();
    } else if (!error.text[0]) {
        abort();
    }
    hoop_arena_free(arena);
    return 0;
}
