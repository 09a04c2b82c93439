/*
 * Fuzz target: bytes as a JSON text, read into a tree. Each node must be reachable in every way; where jansson has
 * the same value, the json_t made of the tree must be equal, and what one refuses the other must, too.
 */
#include "support.h"

#include <hoop/json.h>

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int right)
{
    if (!right)
        abort();
}

/* A number is the double that strtod() makes of it. */
static void check_double(hoop_arena *arena, hoop_str number, const hoop_json_node *node)
{
    double real = 0;
    const char *text = hoop_arena_printf(arena, "%.*s", (int)number.len, number.data).data;
    double want = strtod(text, NULL);
    int rc = hoop_doc_to_double(node, &real);
    if (hoop_str_is_none(number))
        must(rc == HOOP_EINVAL);
    else if (isinf(want))
        must(rc == HOOP_ETOOBIG);
    else
        must(rc == 0 && memcmp(&real, &want, sizeof real) == 0);
}

/* What a writer makes of the tree is the same value, and written again the same text. */
static void rewrite(hoop_arena *arena, const hoop_json_doc *doc, const json_t *value)
{
    hoop_str first, second;
    const hoop_json_doc *again = NULL;
    hoop_json_writer *w = hoop_json_writer_new(arena);
    hoop_json_write_node(w, hoop_doc_root(doc));
    must(hoop_json_writer_finish(w, &first, NULL) == 0);
    must(hoop_doc_parse(arena, first, &again, NULL, NULL) == 0);
    w = hoop_json_writer_new(arena);
    hoop_json_write_node(w, hoop_doc_root(again));
    must(hoop_json_writer_finish(w, &second, NULL) == 0 && hoop_str_eq(first, second));
    json_t *peer = value ? hoop_doc_to_json(hoop_doc_root(again), NULL) : NULL;
    must(!value || json_equal(value, peer));
    json_decref(peer);
}

/* By iteration, by index, by key and by pointer the nodes are the same. */
static void walk(hoop_arena *arena, const hoop_json_doc *doc, const hoop_json_node *node, int depth)
{
    hoop_str key;
    const hoop_json_node *value;
    size_t count = 0;
    hoop_str pointer = hoop_doc_pointer(arena, doc, node);
    must(!hoop_str_is_none(pointer));
    if (strlen(pointer.data) == pointer.len) /* no NUL in a name */
        must(hoop_doc_find(hoop_doc_root(doc), pointer.data) == node);
    check_double(arena, hoop_doc_number(node), node);
    hoop_json_iter iter = hoop_doc_iter(node);
    while (hoop_doc_next(&iter, &key, &value)) {
        if (hoop_str_is_none(key))
            must(hoop_doc_at(node, count) == value);
        else
            must(hoop_doc_get_str(node, key) == value);
        count++;
        if (depth < 20)
            walk(arena, doc, value, depth + 1);
    }
    must(count == hoop_doc_size(node));
}

/* The same text read with more allowed is taken, too, and keeps all members. */
static void loosely(hoop_arena *arena, hoop_str text, const hoop_json_doc *strict)
{
    const hoop_json_doc *doc = NULL;
    const hoop_doc_options options = { .duplicates = HOOP_DOC_LAST, .allow_nul = 1 };
    int rc = hoop_doc_parse(arena, text, &doc, NULL, &options);
    must(!strict ||
         (rc == 0 && hoop_doc_size(hoop_doc_root(doc)) == hoop_doc_size(hoop_doc_root(strict))));
    if (rc == 0)
        json_decref(hoop_doc_to_json(hoop_doc_root(doc), NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 4096)
        return 0;
    hoop_arena *arena = hoop_arena_new();
    hoop_str text = hoop_str_n((const char *)data, size);
    const hoop_json_doc *doc = NULL;
    hoop_json_error error;
    int rc = hoop_doc_parse(arena, text, &doc, &error, NULL);
    if (rc == 0)
        walk(arena, doc, hoop_doc_root(doc), 0);
    else
        must(error.code == rc && error.text[0] && error.offset <= size && error.line &&
             error.column);
    loosely(arena, text, doc);

    /* jansson drops a NUL behind a number. */
    if (!memchr(data, 0, size)) {
        json_t *value = doc ? hoop_doc_to_json(hoop_doc_root(doc), NULL) : NULL;
        json_t *peer = json_loadb(text.data, size, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
        must((value != NULL) == (peer != NULL));
        must(!value || json_equal(value, peer));
        if (doc)
            rewrite(arena, doc, value);
        json_decref(value);
        json_decref(peer);
    }
    hoop_arena_free(arena);
    return 0;
}
