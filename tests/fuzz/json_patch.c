/*
 * Fuzz target: an array of a document, a patch and a merge patch. Whatever the patches are, the document and they
 * stay as they were, a failure is named, and a result can be written and read again.
 */
#include "support.h"

#include <hoop/json.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int right)
{
    if (!right)
        abort();
}

static void check_result(json_t *result)
{
    char *text = json_dumps(result, JSON_ENCODE_ANY);
    json_t *again = text ? json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL) : NULL;
    check(again && json_equal(again, result));
    json_decref(again);
    free(text);
}

static void try_pointer(const json_t *document, const json_t *text)
{
    hoop_error error = { 0, "" };
    if (json_is_string(text) && !hoop_json_pointer_get(document, json_string_value(text), &error))
        check(error.code < 0 && error.text[0]);
}

static void try_all(json_t *document, json_t *patch, json_t *merge)
{
    hoop_json_patch_options options = { .max_operations = 100, .max_nodes = 2000 };
    json_t *result = NULL;
    hoop_error error = { 0, "" };
    int rc = hoop_json_patch(document, patch, &result, &error, &options);
    check((rc == 0) == (result != NULL) && (rc == 0) == (error.text[0] == '\0'));
    if (result)
        check_result(result);
    json_decref(result);
    result = NULL;
    check(hoop_json_merge_patch(document, merge, &result, NULL) == 0);
    check_result(result);
    json_decref(result);
    try_pointer(document, merge);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 5000)
        return 0;
    json_t *all =
        json_loadb((const char *)data, size, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, NULL);
    if (json_is_array(all) && json_array_size(all) == 3) {
        json_t *before = json_deep_copy(all);
        try_all(json_array_get(all, 0), json_array_get(all, 1), json_array_get(all, 2));
        check(json_equal(all, before));
        json_decref(before);
    }
    json_decref(all);
    return 0;
}
