/*
 * What JSON costs to write, beside jansson in the same run: CPU nanoseconds, the median of the rounds, in which
 * all take turns. The large text is an array of body-4k.json, repeated.
 *
 *     json_write BODY-4K.json [ROUNDS [MEGABYTES [NAME]]]   NAME: how what is measured begins
 */
#include "base/arena.h"

#include <hoop.h>
#include <hoop/json.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static hoop_arena *arena;
static char *arena_start; /* what the arena is set back to before each text */
static json_t *small, *body, *large;
static hoop_str small_text, body_text, large_text;
static const hoop_request *req;
static const hoop_json_doc *body_doc;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int checking; /* set for one run before each that is measured */

static void check(hoop_str text, hoop_str want)
{
    if (!checking || hoop_str_eq(text, want))
        return;
    fprintf(stderr, "another text than was to be written\n");
    exit(1);
}

/* --- what is measured --------------------------------------------------------------------------- */

/* The calls that write a value, recorded, so that walking the tree is not measured. */
struct call {
    hoop_str text;
    int64_t number;
    int kind; /* of the writer's functions, see play() */
};

static struct call *calls;
static size_t call_count;

static void record(json_t *value)
{
    static const int kinds[] = { '{', '[', 's', 'i', 'd', 't', 't', 'n' };
    struct call *call = &calls[call_count++];
    call->kind = kinds[json_typeof(value)];
    if (json_is_object(value)) {
        for (void *i = json_object_iter(value); i; i = json_object_iter_next(value, i)) {
            calls[call_count].kind = 'k';
            calls[call_count++].text =
                hoop_str_n(json_object_iter_key(i), json_object_iter_key_len(i));
            record(json_object_iter_value(i));
        }
        calls[call_count++].kind = '}';
    } else if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++)
            record(json_array_get(value, i));
        calls[call_count++].kind = ']';
    } else if (json_is_string(value)) {
        call->text = hoop_str_n(json_string_value(value), json_string_length(value));
    } else {
        call->number = json_is_integer(value) ? json_integer_value(value) : json_is_true(value);
    }
}

static void play(hoop_json_writer *w)
{
    for (size_t i = 0; i < call_count; i++) {
        const struct call *call = &calls[i];
        switch (call->kind) {
        case '{':
            hoop_json_begin_object(w);
            break;
        case '}':
            hoop_json_end_object(w);
            break;
        case '[':
            hoop_json_begin_array(w);
            break;
        case ']':
            hoop_json_end_array(w);
            break;
        case 'k':
            hoop_json_write_key_str(w, call->text);
            break;
        case 's':
            hoop_json_write_str(w, call->text);
            break;
        case 'i':
            hoop_json_write_int(w, call->number);
            break;
        case 'n':
            hoop_json_write_null(w);
            break;
        default:
            hoop_json_write_bool(w, (int)call->number);
        }
    }
}

static hoop_str finished(hoop_json_writer *w)
{
    hoop_str text = hoop_str_none();
    hoop_json_writer_finish(w, &text, NULL);
    return text;
}

static void small_writer(void)
{
    hoop_json_writer *w = hoop_json_writer_new(arena);
    hoop_json_begin_object(w);
    hoop_json_write_key(w, "message");
    hoop_json_write_string(w, "Hello, World!");
    hoop_json_end_object(w);
    check(finished(w), small_text);
}

static void small_object(void)
{
    check(hoop_json_object(req, 200, HOOP_JSON_STR("message", "Hello, World!"))->body, small_text);
}

static void dump(const json_t *value, hoop_str want)
{
    hoop_str text = hoop_str_none();
    hoop_json_dump(arena, value, JSON_COMPACT, &text, NULL);
    check(text, want);
}

static void small_dump(void)
{
    dump(small, small_text);
}

static void jansson(const json_t *value, hoop_str want)
{
    char *text = json_dumps(value, JSON_COMPACT);
    check(hoop_str_c(text), want);
    free(text);
}

static void small_pack(void)
{
    json_t *value = json_pack("{s:s}", "message", "Hello, World!");
    jansson(value, small_text);
    json_decref(value);
}

static void body_writer(void)
{
    hoop_json_writer *w = hoop_json_writer_new(arena);
    play(w);
    check(finished(w), body_text);
}

static void body_dump(void)
{
    dump(body, body_text);
}

static void body_jansson(void)
{
    jansson(body, body_text);
}

static void body_node(void)
{
    hoop_str text = hoop_str_none();
    hoop_json_writer *w = hoop_json_writer_new(arena);
    hoop_json_write_node(w, hoop_doc_root(body_doc));
    hoop_json_writer_finish(w, &text, NULL);
    check(text, body_text);
}

static void large_writer(void)
{
    hoop_arena *own = hoop_arena_new();
    hoop_json_writer *w = hoop_json_writer_new(own);
    hoop_json_begin_array(w);
    for (size_t i = 0; i < json_array_size(large); i++)
        play(w);
    hoop_json_end_array(w);
    check(finished(w), large_text);
    hoop_arena_free(own);
}

static void large_dump(void)
{
    hoop_arena *own = hoop_arena_new();
    hoop_str text = hoop_str_none();
    hoop_json_dump(own, large, JSON_COMPACT, &text, NULL);
    check(text, large_text);
    hoop_arena_free(own);
}

static void large_jansson(void)
{
    jansson(large, large_text);
}

static int count_bytes(hoop_str bytes, void *data)
{
    *(size_t *)data += bytes.len;
    return 0;
}

static void large_flush(void)
{
    size_t count = 0;
    hoop_arena *own = hoop_arena_new();
    hoop_json_writer *w = hoop_json_writer_new_with(
        own, &(hoop_json_writer_options){ .flush = count_bytes, .data = &count });
    hoop_json_begin_array(w);
    for (size_t i = 0; i < json_array_size(large); i++)
        play(w);
    hoop_json_end_array(w);
    if (hoop_json_writer_finish(w, NULL, NULL) || count != large_text.len)
        exit(1);
    hoop_arena_free(own);
}

/* --- rounds ------------------------------------------------------------------------------------- */

struct work {
    const char *name;
    void (*run)(void);
    const hoop_str *text;
    double *times; /* of each round, per run */
};

static struct work works[] = {
    { "small, writer", small_writer, &small_text, NULL },
    { "small, hoop_json_object()", small_object, &small_text, NULL },
    { "small, json_t by hoop_json_dump()", small_dump, &small_text, NULL },
    { "small, json_pack() and json_dumps()", small_pack, &small_text, NULL },
    { "4 KB, writer", body_writer, &body_text, NULL },
    { "4 KB, tree by hoop_json_write_node()", body_node, &body_text, NULL },
    { "4 KB, json_t by hoop_json_dump()", body_dump, &body_text, NULL },
    { "4 KB, json_t by json_dumps()", body_jansson, &body_text, NULL },
    { "large, writer", large_writer, &large_text, NULL },
    { "large, writer, flushed", large_flush, &large_text, NULL },
    { "large, json_t by hoop_json_dump()", large_dump, &large_text, NULL },
    { "large, json_t by json_dumps()", large_jansson, &large_text, NULL },
};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double run_once(const struct work *work)
{
    size_t runs = work->text->len > 100000 ? 1 : 2000000 / (work->text->len + 100);
    checking = 1;
    work->run();
    checking = 0;
    arena->next = arena_start;
    double begin = now_ns();
    for (size_t i = 0; i < runs; i++) {
        work->run();
        arena->next = arena_start;
    }
    return (now_ns() - begin) / (double)runs;
}

static json_t *load(const char *path)
{
    json_error_t error;
    json_t *value = json_load_file(path, 0, &error);
    if (value)
        return value;
    fprintf(stderr, "%s: %s\n", path, error.text);
    exit(1);
}

static void set_up(const char *path, size_t megabytes)
{
    body = load(path);
    small = json_pack("{s:s}", "message", "Hello, World!");
    large = json_array();
    size_t count = megabytes * 1000000 / 4094;
    for (size_t i = 0; i < count; i++)
        json_array_append_new(large, json_deep_copy(body));
    small_text = hoop_str_c(json_dumps(small, JSON_COMPACT));
    body_text = hoop_str_c(json_dumps(body, JSON_COMPACT));
    large_text = hoop_str_c(json_dumps(large, JSON_COMPACT));
    calls = calloc(body_text.len, sizeof *calls);
    record(body);
    arena = hoop_arena_new_with(&(hoop_arena_options){ .block_size = 1 << 16 });
    req = hoop_mock(arena, "GET", "/", NULL);
    hoop_arena_alloc(arena, 1);
    if (hoop_doc_from_json(arena, body, &body_doc, NULL))
        exit(1);
    arena_start = arena->next;
}

int main(int argc, char **argv)
{
    size_t rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 21;
    if (argc < 2 || rounds == 0) {
        fprintf(stderr, "usage: json_write BODY-4K.json [ROUNDS [MEGABYTES]]\n");
        return 2;
    }
    set_up(argv[1], argc > 3 ? strtoul(argv[3], NULL, 10) : 10);
    size_t len = argc > 4 ? strlen(argv[4]) : 0, count = 0;
    for (size_t w = 0; w < HOOP_COUNT(works); w++)
        if (len == 0 || strncmp(works[w].name, argv[4], len) == 0)
            works[count++] = works[w];
    for (size_t w = 0; w < count; w++)
        works[w].times = calloc(rounds, sizeof(double));
    for (size_t r = 0; r < rounds; r++)
        for (size_t w = 0; w < count; w++)
            works[w].times[r] = run_once(&works[w]);
    printf("| what | ns | least | MB/s |\n| --- | ---: | ---: | ---: |\n");
    for (size_t w = 0; w < count; w++) {
        qsort(works[w].times, rounds, sizeof(double), compare);
        double median = works[w].times[rounds / 2];
        printf("| %s | %.0f | %.0f | %.0f |\n", works[w].name, median, works[w].times[0],
               (double)works[w].text->len / median * 1e3);
    }
    return 0;
}
