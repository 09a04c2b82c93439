/* The router against a naive matcher that looks at every row: random tables, random paths, one answer. */
#include "router_tools.h"

#include "handler/router.h"

#define MAX_ROWS 12

static uint32_t seed = 20261130;

static uint32_t next_random(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

/* --- the model: strings alone, nothing of the library's parser ------------------------------------- */

struct part {
    char kind; /* 't' text, 'i' int, 'a' any, 'w' one of x|yy, 'e' NAME.EXT, 's' x-NAME */
    char text[4];
};

struct model_row {
    struct part parts[4];
    int count, rest;
    const char *method; /* NULL: any */
    char path[128];
};

static int is_int(const char *s)
{
    if (*s == '-')
        s++;
    return *s && strspn(s, "0123456789") == strlen(s);
}

static int fits(const struct part *p, const char *segment)
{
    switch (p->kind) {
    case 't':
        return strcmp(segment, p->text) == 0;
    case 'i':
        return is_int(segment);
    case 'w':
        return strcmp(segment, "x") == 0 || strcmp(segment, "yy") == 0;
    case 'e':
        return strchr(segment, '.') && segment[0] != '.' && strchr(segment, '.')[1];
    case 's':
        return strncmp(segment, "x-", 2) == 0 && segment[2];
    default:
        return *segment != 0;
    }
}

/* The lower, the earlier it is tried. */
static int rank(const struct part *p)
{
    switch (p->kind) {
    case 't':
        return 0;
    case 's':
        return 1; /* two bytes of text */
    case 'e':
        return 2; /* one byte */
    case 'w':
        return 3;
    case 'i':
        return 4;
    default:
        return 5;
    }
}

struct model_path {
    char segments[6][16];
    int count;
    char text[128];
};

static int row_matches(const struct model_row *row, const struct model_path *path)
{
    if (row->rest ? path->count <= row->count : path->count != row->count)
        return 0;
    for (int i = 0; i < row->count; i++)
        if (!fits(&row->parts[i], path->segments[i]))
            return 0;
    return 1;
}

/* Nonzero if `a` goes before `b`, both matching one path and method. */
static int before(const struct model_row *a, const struct model_row *b)
{
    for (int i = 0;; i++) {
        int a_end = i == a->count, b_end = i == b->count;
        if (a_end && b_end)
            return a->method && !b->method;
        if (a_end || b_end)
            return b_end; /* the rest comes last */
        if (rank(&a->parts[i]) != rank(&b->parts[i]))
            return rank(&a->parts[i]) < rank(&b->parts[i]);
    }
}

static int takes(const struct model_row *row, const char *method)
{
    return !row->method || strcmp(row->method, method) == 0;
}

static int model_find(const struct model_row *rows, int count, const struct model_path *path,
                      const char *method, int *ret_other_method)
{
    int best = -1;
    *ret_other_method = 0;
    for (int i = 0; i < count; i++) {
        if (!row_matches(&rows[i], path))
            continue;
        if (!takes(&rows[i], method))
            *ret_other_method = 1;
        else if (best < 0 || before(&rows[i], &rows[best]))
            best = i;
    }
    return best;
}

/* --- random tables and paths ------------------------------------------------------------------------ */

static void random_part(struct part *p)
{
    static const char kinds[] = "ttttaiwes";
    static const char *const texts[] = { "a", "b", "x", "yy", "7" };
    p->kind = kinds[next_random(sizeof kinds - 1)];
    strcpy(p->text, texts[next_random(HOOP_COUNT(texts))]);
}

static void random_row(struct model_row *row)
{
    static const char *const methods[] = { "GET", "GET", "POST", NULL };
    memset(row, 0, sizeof *row);
    row->count = (int)next_random(4);
    row->rest = next_random(6) == 0;
    if (!row->count && !row->rest)
        row->count = 1;
    row->method = methods[next_random(4)];
    char *out = row->path;
    for (int i = 0; i < row->count; i++) {
        struct part *p = &row->parts[i];
        random_part(p);
        out += p->kind == 't'   ? sprintf(out, "/%s", p->text)
               : p->kind == 'i' ? sprintf(out, "/{p%d:int}", i)
               : p->kind == 'w' ? sprintf(out, "/{p%d:x|yy}", i)
               : p->kind == 'e' ? sprintf(out, "/{p%d}.{q%d}", i, i)
               : p->kind == 's' ? sprintf(out, "/x-{p%d}", i)
                                : sprintf(out, next_random(2) ? "/:p%d" : "/{p%d}", i);
    }
    if (row->rest)
        strcpy(out, "/*rest");
}

static void random_path(struct model_path *path)
{
    static const char *const texts[] = { "a",   "b",   "x",  "yy", "7",   "-12",
                                         "x-1", "c.d", "zz", "",   "x-.y" };
    path->count = 1 + (int)next_random(4);
    char *out = path->text;
    for (int i = 0; i < path->count; i++) {
        strcpy(path->segments[i], texts[next_random(HOOP_COUNT(texts))]);
        *out++ = '/';
        for (const char *c = path->segments[i]; *c; c++)
            out += next_random(8) ? sprintf(out, "%c", *c) : sprintf(out, "%%%02X", (unsigned)*c);
    }
    *out = 0;
}

/* The index of the row that the router finds, -1 for none, -2 if only other methods fit. */
static int router_find(hoop_arena *scratch, hoop_handler handler, const char *method, hoop_str path,
                       struct hoop__search *s)
{
    const char *start;
    memset(s, 0, sizeof *s);
    s->router = hoop__router_of(handler);
    s->method_name = hoop_str_c(method);
    s->method = hoop__method_number(s->method_name);
    assert_int_equal(hoop__path_open(scratch, path, s, &start), 0);
    const struct hoop__row *row = hoop__route_find(s, start);
    return row ? (int)row->order : s->refused ? -2 : -1;
}

/* --- the comparison ---------------------------------------------------------------------------------- */

static const char *const methods[] = { "GET", "POST", "PUT" };

static void compare_table(hoop_arena *scratch)
{
    struct model_row rows[MAX_ROWS];
    hoop_route table[MAX_ROWS];
    int count = 1 + (int)next_random(MAX_ROWS);
    memset(table, 0, sizeof table);
    for (int i = 0; i < count; i++) {
        random_row(&rows[i]);
        table[i].method = rows[i].method;
        table[i].path = rows[i].path;
        table[i].handler = show;
    }
    hoop_handler handler;
    hoop_error error;
    int rc = hoop_router_new_with(scratch, table, (size_t)count, &handler, &error,
                                  &(hoop_router_options){ .flags = HOOP_ROUTE_OVERLAPS });
    if (rc)
        fail_msg("%s", error.text);
    for (int k = 0; k < 8; k++) {
        struct model_path path;
        struct hoop__search s;
        int other;
        const char *method = methods[next_random(3)];
        random_path(&path);
        int want = model_find(rows, count, &path, method, &other);
        if (want < 0 && other)
            want = -2;
        int got = router_find(scratch, handler, method, hoop_str_c(path.text), &s);
        if (got == want)
            continue;
        for (int i = 0; i < count; i++)
            fprintf(stderr, "%d %s %s\n", i, rows[i].method ? rows[i].method : "*", rows[i].path);
        fail_msg("%s %s: row %d, not %d", method, path.text, got, want);
    }
}

static void test_against_the_model(void **state)
{
    (void)state;
    int tables = test_sanitized() ? 10000 : 100000;
    for (int i = 0; i < tables; i += 50) {
        hoop_arena *scratch = hoop_arena_new();
        for (int k = 0; k < 50; k++)
            compare_table(scratch);
        hoop_arena_free(scratch);
    }
}

/* A table that was built without the flag has at most one answer to any request: the same naive matcher,
 * which now may find no second row of other specificity for a path. */
static void test_conflicts_against_the_model(void **state)
{
    (void)state;
    int refused = 0, built = 0, shown = 0, tables = test_sanitized() ? 2000 : 20000;
    hoop_arena *scratch = NULL;
    for (int i = 0; i < tables; i++) {
        struct model_row rows[2];
        hoop_route table[2];
        if (i % 100 == 0) {
            hoop_arena_free(scratch);
            scratch = hoop_arena_new();
        }
        memset(table, 0, sizeof table);
        for (int k = 0; k < 2; k++) {
            random_row(&rows[k]);
            table[k].method = rows[k].method = "GET";
            table[k].path = rows[k].path;
            table[k].handler = show;
        }
        hoop_handler handler;
        hoop_error error;
        int rc = hoop_router_new(scratch, table, 2, &handler, &error);
        refused += rc != 0;
        built += rc == 0;
        const char *example = rc ? strstr(error.text, "both match '") : NULL;
        if (example) {
            /* The path in the message must be one that both rows take. */
            struct hoop__search s;
            hoop_str path = hoop_str_c(example + strlen("both match '"));
            path.len--;
            for (int k = 0; k < 2; k++) {
                assert_int_equal(hoop_router_new(scratch, &table[k], 1, &handler, &error), 0);
                if (router_find(scratch, handler, "GET", path, &s) != 0)
                    fail_msg("%s does not take %.*s", rows[k].path, (int)path.len, path.data);
            }
            shown++;
            continue;
        }
        for (int k = 0; !rc && k < 50; k++) {
            struct model_path path;
            random_path(&path);
            if (row_matches(&rows[0], &path) && row_matches(&rows[1], &path))
                fail_msg("%s and %s both take %s", rows[0].path, rows[1].path, path.text);
        }
    }
    hoop_arena_free(scratch);
    assert_true(refused > tables / 20 && built > tables / 20 && shown > tables / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_the_model),
        cmocka_unit_test(test_conflicts_against_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
