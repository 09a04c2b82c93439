/*
 * Benchmark: JSON read into a tree, as a stream, and into jansson's values by us and by jansson, in turns. CPU
 * time of this thread, medians. Usage: bench_json_read FILE [ROUNDS]; FILE is a JSON text of some kilobytes,
 * which is read as it is, and as an array of 10 MB.
 */
#include "base/arena.h"
#include "json/from_doc.h"

#include <hoop.h>
#include <jansson.h>

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MOST_ROUNDS 2001

enum what { TREE, STREAM, VALUES, JANSSON, KINDS };

static const char *const names[KINDS] = { "hoop_doc_parse", "hoop_json_reader",
                                          "json_t, by the tree", "json_t, by json_loadb" };

struct run {
    double read[MOST_ROUNDS], freed[MOST_ROUNDS];
};

static struct hoop__blocks blocks;

/* --- memory that stays ------------------------------------------------------------------------- */

/*
 * What is freed is kept for the next of its size, as it is in a server that has run for a while: the kernel's
 * part, which fills pages with zeros, costs more than the reading and is not what is measured. malloc is told
 * likewise, for jansson's values.
 */
struct kept {
    struct kept *next;
    size_t size;
};

static struct kept *kept;

static void *keep_alloc(size_t size, void *data)
{
    for (struct kept **at = &kept; *at; at = &(*at)->next) {
        struct kept *found = *at;
        if (found->size != size)
            continue;
        *at = found->next;
        return found + 1;
    }
    struct kept *made = malloc(sizeof *made + size);
    if (!made)
        return NULL;
    made->size = size;
    return made + 1;
}

static void keep_free(void *memory, void *data)
{
    struct kept *freed = memory;
    if (!memory)
        return;
    freed--;
    freed->next = kept;
    kept = freed;
}

static void *keep_realloc(void *memory, size_t size, void *data)
{
    return NULL; /* arenas don't */
}

static const hoop_allocator keeping = { keep_alloc, keep_realloc, keep_free, NULL };

static void keep_malloc(void)
{
#if defined(__GLIBC__)
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
#endif
}

/* --- runs -------------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, by_number);
    return times[count / 2];
}

static void must(int right, const char *what)
{
    if (!right) {
        fprintf(stderr, "json_read: %s failed\n", what);
        exit(1);
    }
}

static int count_event(void *data)
{
    ++*(size_t *)data;
    return 0;
}

static int count_string(hoop_str piece, int last, void *data)
{
    *(size_t *)data += piece.len;
    return 0;
}

static int count_key(hoop_str key, void *data)
{
    *(size_t *)data += key.len;
    return 0;
}

/* An arena as an exchange has it, on the loop's blocks. */
static void begin(struct hoop_arena *arena)
{
    hoop__arena_init(arena, &blocks, blocks.allocator, SIZE_MAX, NULL, NULL, 0);
}

static void read_once(enum what what, hoop_str text, double *ret_read, double *ret_freed,
                      size_t *ret_memory)
{
    struct hoop_arena arena;
    const hoop_json_doc *doc;
    json_t *value = NULL;
    size_t sum = 0;
    hoop_json_events events = { .object_begin = count_event,
                                .object_end = count_event,
                                .array_begin = count_event,
                                .array_end = count_event,
                                .key = count_key,
                                .string = count_string,
                                .number = count_key };
    const hoop_doc_options options = { .max_values = HOOP_OFF };
    begin(&arena);
    double from = now();
    if (what == TREE) {
        must(hoop_doc_parse(&arena, text, &doc, NULL, &options) == 0, names[what]);
    } else if (what == STREAM) {
        hoop_json_reader *reader = hoop_json_reader_new(&arena, &events, &sum, NULL);
        for (size_t at = 0; at < text.len; at += 65536)
            must(hoop_json_reader_feed(reader, hoop_str_n(text.data + at, text.len - at < 65536
                                                                              ? text.len - at
                                                                              : 65536)) == 0,
                 names[what]);
        must(hoop_json_reader_end(reader) == 0, names[what]);
    } else if (what == VALUES) {
        must(hoop_doc_parse(&arena, text, &doc, NULL, &options) == 0, names[what]);
        int deep;
        value = hoop__json_from_node(hoop_doc_root(doc), &deep);
        must(value != NULL, names[what]);
    } else {
        value = json_loadb(text.data, text.len, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
        must(value != NULL, names[what]);
    }
    *ret_read = now() - from;
    *ret_memory = hoop_arena_size(&arena);
    from = now();
    json_decref(value);
    *ret_freed = now() - from;
    hoop__arena_done(&arena);
    /* What malloc puts off at a free it does here, and not in the next one's time. */
    free(malloc(1 << 20));
}

/* What the clock itself takes, which is a part of each time. */
static double clock_cost(void)
{
    double times[101];
    for (size_t i = 0; i < HOOP_COUNT(times); i++) {
        double from = now();
        times[i] = now() - from;
    }
    return median(times, HOOP_COUNT(times));
}

static void measure(const char *title, hoop_str text, int rounds)
{
    static struct run runs[KINDS];
    size_t memory[KINDS];
    double clock = clock_cost();
    for (int i = 0; i < rounds; i++)
        for (int k = 0; k < KINDS; k++)
            read_once((enum what)k, text, &runs[k].read[i], &runs[k].freed[i], &memory[k]);
    printf("%s, %zu bytes, %d rounds\n", title, text.len, rounds);
    for (int k = 0; k < KINDS; k++) {
        double ns = median(runs[k].read, rounds) - clock;
        printf("  %-22s %12.2f us %8.0f MB/s   freed in %10.2f us   arena %zu\n", names[k],
               ns / 1e3, (double)text.len / ns * 1e3, median(runs[k].freed, rounds) / 1e3,
               memory[k]);
    }
}

static hoop_str read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    must(f != NULL, path);
    char *data = malloc(1 << 20);
    size_t len = fread(data, 1, 1 << 20, f);
    fclose(f);
    return hoop_str_n(data, len);
}

/* An array of the text again and again. */
static hoop_str repeat(hoop_str text, size_t size)
{
    char *data = malloc(size + text.len + 2), *p = data;
    *p++ = '[';
    while ((size_t)(p - data) < size) {
        memcpy(p, text.data, text.len);
        p += text.len;
        *p++ = ',';
    }
    p[-1] = ']';
    return hoop_str_n(data, (size_t)(p - data));
}

int main(int argc, char **argv)
{
    int rounds = argc > 2 ? atoi(argv[2]) : MOST_ROUNDS;
    if (argc < 2 || rounds < 1 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "usage: %s FILE [ROUNDS]\n", argv[0]);
        return 2;
    }
    keep_malloc();
    hoop__blocks_init(&blocks, &keeping, 64);
    hoop_str text = read_file(argv[1]);
    measure("as it is", text, rounds);
    measure("as an array of 10 MB", repeat(text, 10000000), rounds < 31 ? rounds : 31);
    return 0;
}
