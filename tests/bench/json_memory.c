/*
 * The most memory that reading and writing 10 MB of JSON takes: resident bytes at their peak, each way in a process of
 * its own, less what a process has that does nothing. Usage: bench_json_memory FILE; FILE is a JSON text of some
 * kilobytes, of which an array is made.
 */
#include <hoop.h>
#include <hoop/json.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE 10000000

static char piece[1 << 16];
static size_t piece_len;

static void must(int right)
{
    if (!right)
        _exit(1);
}

/* --- what is measured --------------------------------------------------------------------------- */

/* The body as it lies in an exchange, written here so that nothing else is resident. */
static hoop_str make_body(void)
{
    char *data = malloc(SIZE + sizeof piece), *p = data;
    must(data != NULL);
    *p++ = '[';
    while (p - data < SIZE) {
        memcpy(p, piece, piece_len);
        p += piece_len;
        *p++ = ',';
    }
    p[-1] = ']';
    return hoop_str_n(data, (size_t)(p - data));
}

static void nothing(void)
{
}

static void body(void)
{
    make_body();
}

static const hoop_json_doc *tree_in(hoop_arena *arena)
{
    const hoop_json_doc *doc;
    must(hoop_doc_parse(arena, make_body(), &doc, NULL,
                        &(hoop_doc_options){ .max_values = HOOP_OFF }) == 0);
    return doc;
}

static void tree(void)
{
    tree_in(hoop_arena_new());
}

static void events(void)
{
    hoop_str text = make_body();
    hoop_json_reader *reader = hoop_json_reader_new(hoop_arena_new(), NULL, NULL, NULL);
    must(hoop_json_reader_feed(reader, text) == 0 && hoop_json_reader_end(reader) == 0);
}

static const hoop_request *post(hoop_str text)
{
    const hoop_request *req = hoop_mock(hoop_arena_new(), "POST", "/", NULL);
    return hoop_mock_body(req, "application/json", text);
}

/* The mock's body is a copy, in the place of the one that would be read. */
static void value(void)
{
    hoop_str text = make_body();
    const hoop_request *req = post(text);
    free((void *)(uintptr_t)text.data);
    must(hoop_request_json(req, NULL) != NULL);
}

static void value_by_jansson(void)
{
    hoop_str text = make_body();
    must(json_loadb(text.data, text.len, 0, NULL) != NULL);
}

static void tree_rewritten(void)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_json_writer *w = hoop_json_writer_new(hoop_arena_new());
    hoop_json_write_node(w, hoop_doc_root(tree_in(arena)));
    must(hoop_json_writer_finish(w, NULL, NULL) == 0);
}

/* The piece again and again, without a tree of the whole. */
static void write_all(hoop_json_writer *w)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_json_doc *doc;
    must(hoop_doc_parse(arena, hoop_str_n(piece, piece_len), &doc, NULL, NULL) == 0);
    hoop_json_begin_array(w);
    for (size_t i = 0; i < SIZE / piece_len; i++)
        hoop_json_write_node(w, hoop_doc_root(doc));
    hoop_json_end_array(w);
    must(hoop_json_writer_finish(w, NULL, NULL) == 0);
}

static void written(void)
{
    write_all(hoop_json_writer_new(hoop_arena_new()));
}

static int drop(hoop_str bytes, void *data)
{
    return bytes.data == data;
}

static void flushed(void)
{
    write_all(
        hoop_json_writer_new_with(hoop_arena_new(), &(hoop_json_writer_options){ .flush = drop }));
}

static json_t *make_value(void)
{
    json_t *array = json_array(), *one = json_loadb(piece, piece_len, 0, NULL);
    for (size_t i = 0; i < SIZE / piece_len; i++)
        json_array_append_new(array, json_deep_copy(one));
    return array;
}

static void value_alone(void)
{
    make_value();
}

static void value_dumped(void)
{
    hoop_str text;
    must(hoop_json_dump(hoop_arena_new(), make_value(), JSON_COMPACT, &text, NULL) == 0);
}

/* --- processes ---------------------------------------------------------------------------------- */

/* Kilobytes at the peak of a process that does it. */
static long peak(void (*work)(void))
{
    struct rusage usage;
    int status = 1;
    pid_t pid = fork();
    if (pid == 0) {
        work();
        _exit(0);
    }
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status) {
        fprintf(stderr, "json_memory: it failed\n");
        exit(1);
    }
    return usage.ru_maxrss;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*work)(void);
    } works[] = {
        { "the body alone", body },
        { "tree, hoop_doc_parse()", tree },
        { "events, hoop_json_reader", events },
        { "json_t, hoop_request_json()", value },
        { "json_t, json_loadb()", value_by_jansson },
        { "tree, and the text of it again", tree_rewritten },
        { "writer", written },
        { "writer, flushed", flushed },
        { "a json_t alone", value_alone },
        { "a json_t, and hoop_json_dump()", value_dumped },
    };
    FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
    piece_len = f ? fread(piece, 1, sizeof piece, f) : 0;
    if (!piece_len) {
        fprintf(stderr, "usage: bench_json_memory FILE\n");
        return 2;
    }
    fclose(f);
    long least = peak(nothing);
    printf("| what | MB | times the text |\n| --- | ---: | ---: |\n");
    for (size_t i = 0; i < HOOP_COUNT(works); i++) {
        double bytes = (double)(peak(works[i].work) - least) * 1024;
        printf("| %s | %.1f | %.2f |\n", works[i].name, bytes / 1e6, bytes / SIZE);
    }
    return 0;
}
