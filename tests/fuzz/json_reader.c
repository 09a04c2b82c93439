/*
 * Fuzz target: bytes as a JSON text, read piece by piece. The first byte says how it is cut. However it is cut, the
 * events and the error are the same; one text is taken exactly if it is taken into a tree.
 */
#include "support.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int right)
{
    if (!right)
        abort();
}

/* What was told, as a checksum in which the pieces of a string make no difference. */
struct sum {
    uint64_t hash;
};

static int add(struct sum *sum, int kind, hoop_str text)
{
    for (size_t i = 0; i < text.len; i++)
        sum->hash = (sum->hash ^ (unsigned char)text.data[i]) * UINT64_C(1099511628211);
    if (kind)
        sum->hash = (sum->hash ^ (unsigned)kind << 8) * UINT64_C(1099511628211);
    return 0;
}

static int object_begin(void *sum)
{
    return add(sum, '{', hoop_str_none());
}

static int object_end(void *sum)
{
    return add(sum, '}', hoop_str_none());
}

static int array_begin(void *sum)
{
    return add(sum, '[', hoop_str_none());
}

static int array_end(void *sum)
{
    return add(sum, ']', hoop_str_none());
}

static int key(hoop_str text, void *sum)
{
    return add(sum, ':', text);
}

static int number(hoop_str text, void *sum)
{
    return add(sum, '0', text);
}

static int boolean(int value, void *sum)
{
    return add(sum, value ? 't' : 'f', hoop_str_none());
}

static int null(void *sum)
{
    return add(sum, 'n', hoop_str_none());
}

static int text_end(void *sum)
{
    return add(sum, ';', hoop_str_none());
}

static int string(hoop_str piece, int last, void *sum)
{
    return add(sum, last ? '"' : 0, piece);
}

static int broken(const hoop_json_error *error, void *sum)
{
    return add(sum, '!', hoop_str_c(error->text));
}

static int read_all(hoop_str text, size_t step, uint32_t framing, int goes_on, struct sum *sum,
                    hoop_json_error *ret_error)
{
    const hoop_json_events events = { object_begin,
                                      object_end,
                                      array_begin,
                                      array_end,
                                      key,
                                      number,
                                      boolean,
                                      null,
                                      text_end,
                                      string,
                                      goes_on ? broken : NULL };
    const hoop_json_reader_options options = {
        .framing = framing, .max_depth = 64, .max_key = 100, .max_number = 100
    };
    hoop_arena *arena = hoop_arena_new();
    hoop_json_reader *reader = hoop_json_reader_new(arena, &events, sum, &options);
    int rc = 0;
    for (size_t at = 0; rc == 0 && at < text.len; at += step) {
        size_t len = step < text.len - at ? step : text.len - at;
        char *piece = malloc(len);
        memcpy(piece, text.data + at, len);
        rc = hoop_json_reader_feed(reader, hoop_str_n(piece, len));
        free(piece);
    }
    if (rc == 0)
        rc = hoop_json_reader_end(reader);
    if (rc)
        *ret_error = *hoop_json_reader_error(reader);
    hoop_arena_free(arena);
    return rc;
}

static void same(const hoop_json_error *a, const hoop_json_error *b)
{
    must(a->code == b->code && a->offset == b->offset && a->line == b->line &&
         a->column == b->column && strcmp(a->text, b->text) == 0);
}

/* A limit on keys is only the reader's. */
static void compare(hoop_str text, int rc, const hoop_json_error *error)
{
    const hoop_doc_options options = { .duplicates = HOOP_DOC_FIRST, .max_depth = 64 };
    const hoop_json_doc *doc;
    hoop_json_error tree_error;
    hoop_arena *arena = hoop_arena_new();
    int tree = hoop_doc_parse(arena, text, &doc, &tree_error, &options);
    if (rc != HOOP_ETOOBIG || tree == HOOP_ETOOBIG) {
        must(rc == tree);
        if (rc)
            same(error, &tree_error);
    }
    hoop_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 4096)
        return 0;
    hoop_str text = hoop_str_n((const char *)data + 1, size - 1);
    for (uint32_t framing = HOOP_JSON_ONE; framing <= HOOP_JSON_SEQ; framing++) {
        for (int goes_on = 0; goes_on < 2; goes_on++) {
            struct sum whole = { 7 }, cut = { 7 };
            hoop_json_error error, cut_error;
            int rc = read_all(text, size, framing, goes_on, &whole, &error);
            must(read_all(text, data[0] % 16 + 1, framing, goes_on, &cut, &cut_error) == rc);
            if (rc)
                same(&error, &cut_error);
            /* A key or number over its limit may end before or behind what is told of it. */
            if (rc != HOOP_ETOOBIG && !goes_on)
                must(whole.hash == cut.hash);
            if (framing == HOOP_JSON_ONE)
                compare(text, rc, &error);
        }
    }
    return 0;
}
