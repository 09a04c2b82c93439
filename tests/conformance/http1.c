/*
 * Runs every case of http1.json on the engine without a socket: whole or split as the case says, byte
 * by byte, and against the narrower list of answers. How a case is judged stands in README.md.
 */
#define _POSIX_C_SOURCE 200809L

#include "../unit/http1/driver.h"

#include <jansson.h>

#include <ctype.h>

/* --- the handler: echoes what it was asked ---------------------------------------------------- */

static const hoop_response *echo_body(const hoop_request *req, hoop_str body, void *data)
{
    (void)data;
    if (req->method_number == HOOP_METHOD_POST && hoop_str_eq_c(req->uri, "/body"))
        return hoop_bytes(req, 200, "application/octet-stream", body);
    int query = !hoop_str_is_none(req->query_string);
    size_t target_len = req->uri.len + (size_t)query + req->query_string.len;
    char *target = hoop_alloc(req, target_len + 1);
    json_t *value = NULL;
    if (!target)
        return NULL;
    snprintf(target, target_len + 1, "%s%s%s", req->uri.data, query ? "?" : "",
             req->query_string.data);
    value = json_pack("{s:s, s:s%, s:I}", "method", req->method.data, "target", target, target_len,
                      "length", (json_int_t)body.len);
    char *text = value ? json_dumps(value, JSON_COMPACT) : NULL;
    const hoop_response *res = NULL;
    if (text)
        res = hoop_bytes(req, 200, "application/json", hoop_str_c(text));
    free(text);
    json_decref(value);
    return res;
}

static const hoop_response *echo(const hoop_request *req, void *data)
{
    return hoop_read_body(req, 0, echo_body, data);
}

/* --- reading the answers ---------------------------------------------------------------------- */

struct answer {
    int status;
    char *head; /* field lines, each with CRLF, names in lower case */
    char *body;
    size_t body_len;
};

struct answers {
    struct answer list[512];
    size_t count;
    char complaint[160]; /* why what was sent is no sequence of responses; "pending": incomplete */
};

static void answers_free(struct answers *a)
{
    for (size_t i = 0; i < a->count; i++) {
        free(a->list[i].head);
        free(a->list[i].body);
    }
}

static const char *find(const char *data, size_t len, const char *what)
{
    size_t n = strlen(what);
    for (size_t i = 0; i + n <= len; i++)
        if (memcmp(data + i, what, n) == 0)
            return data + i;
    return NULL;
}

/* The value of a field, as a new string; NULL if there is none. */
static char *field_of(const struct answer *r, const char *name)
{
    size_t n = strlen(name);
    for (const char *line = r->head; *line; line = strstr(line, "\r\n") + 2) {
        if (strncmp(line, name, n) != 0 || line[n] != ':')
            continue;
        const char *value = line + n + 1, *end = strstr(value, "\r\n");
        while (*value == ' ')
            value++;
        return strndup(value, (size_t)(end - value));
    }
    return NULL;
}

static int read_head(struct answers *a, struct answer *r, const char *p, const char *end)
{
    const char *line_end = find(p, (size_t)(end - p), "\r\n");
    if (strncmp(p, "HTTP/1.1 ", 9) != 0 || !isdigit(p[9]) || !isdigit(p[10]) || !isdigit(p[11]) ||
        p[12] != ' ') {
        snprintf(a->complaint, sizeof a->complaint, "bad status line");
        return -1;
    }
    r->status = atoi(p + 9);
    r->head = strndup(line_end + 2, (size_t)(end - line_end) - 2);
    for (char *line = r->head; *line;) {
        char *colon = strchr(line, ':'), *eol = strstr(line, "\r\n");
        if (!colon || !eol || colon > eol || colon == line) {
            snprintf(a->complaint, sizeof a->complaint, "bad field line in response");
            return -1;
        }
        for (char *c = line; c < colon; c++)
            *c = (char)tolower((unsigned char)*c);
        line = eol + 2;
    }
    return 0;
}

/* The bytes of a chunked body; returns what stands behind, NULL if it is incomplete. */
static const char *read_chunks(struct answer *r, const char *p, const char *end)
{
    for (;;) {
        char *digits_end;
        if (!find(p, (size_t)(end - p), "\r\n"))
            return NULL;
        size_t n = strtoul(p, &digits_end, 16);
        p = digits_end + 2;
        if ((size_t)(end - p) < n + 2)
            return NULL;
        r->body = realloc(r->body, r->body_len + n + 1);
        memcpy(r->body + r->body_len, p, n);
        r->body_len += n;
        p += n + 2;
        if (n == 0)
            return p;
    }
}

static const char *read_body(struct answers *a, struct answer *r, const char *p, const char *end,
                             int closed)
{
    char *length = field_of(r, "content-length"), *chunked = field_of(r, "transfer-encoding");
    const char *next = NULL;
    if (length && chunked) {
        snprintf(a->complaint, sizeof a->complaint, "Content-Length and Transfer-Encoding");
    } else if (chunked) {
        next = read_chunks(r, p, end);
    } else {
        size_t n = length ? strtoul(length, NULL, 10) : (size_t)(end - p);
        if ((size_t)(end - p) >= n && (length || closed)) {
            r->body = malloc(n + 1);
            memcpy(r->body, p, n);
            r->body_len = n;
            next = p + n;
        }
    }
    if (!next && !*a->complaint)
        snprintf(a->complaint, sizeof a->complaint, closed ? "body cut off" : "pending");
    free(length);
    free(chunked);
    return next;
}

static int is_in(const json_t *list, json_int_t n)
{
    size_t i;
    json_t *value;
    json_array_foreach(list, i, value)
    {
        if (json_integer_value(value) == n)
            return 1;
    }
    return 0;
}

static void read_answers(struct answers *a, const struct driver *d, const json_t *head)
{
    const char *p = d->got, *end = d->got + d->got_len;
    json_int_t finals = 0;
    memset(a, 0, sizeof *a);
    while (p && p < end && a->count < sizeof a->list / sizeof a->list[0]) {
        const char *head_end = find(p, (size_t)(end - p), "\r\n\r\n");
        if (!head_end) {
            snprintf(a->complaint, sizeof a->complaint, d->closed ? "head cut off" : "pending");
            return;
        }
        struct answer *r = &a->list[a->count++];
        if (read_head(a, r, p, head_end + 2))
            return;
        p = head_end + 4;
        if (r->status < 200)
            continue;
        if (!is_in(head, finals++) && r->status != 204 && r->status != 304)
            p = read_body(a, r, p, end, d->closed);
    }
}

/* --- judging ---------------------------------------------------------------------------------- */

static int check_echo(const json_t *want, const struct answer *r)
{
    json_t *got = json_loadb(r->body ? r->body : "", r->body_len, 0, NULL);
    static const char *const keys[] = { "method", "target", "length" };
    int bad = 0;
    for (size_t i = 0; i < 3 && json_is_object(got); i++) {
        const json_t *a = json_object_get(want, keys[i]), *b = json_object_get(got, keys[i]);
        bad |= a && b && !json_equal(a, b);
    }
    json_decref(got);
    return bad;
}

static size_t finals_of(struct answers *a, struct answer **finals)
{
    size_t n = 0;
    for (size_t i = 0; i < a->count; i++)
        if (a->list[i].status >= 200)
            finals[n++] = &a->list[i];
    return n;
}

static int judge_fields(const json_t *expect, const struct answer *r)
{
    size_t i;
    json_t *name;
    json_array_foreach(json_object_get(expect, "has"), i, name)
    {
        char *value = field_of(r, json_string_value(name));
        free(value);
        if (!value)
            return 1;
    }
    json_array_foreach(json_object_get(expect, "hasnot"), i, name)
    {
        char *value = field_of(r, json_string_value(name));
        free(value);
        if (value)
            return 1;
    }
    return 0;
}

/* NULL if the expectation is met, else why not. */
static const char *judge(const json_t *expect, struct answers *a, const struct driver *d,
                         int prefer)
{
    const json_t *allowed = json_object_get(expect, "status"), *close, *responses;
    if (prefer && json_array_size(json_object_get(expect, "prefer")))
        allowed = json_object_get(expect, "prefer");
    struct answer *finals[512];
    size_t count = finals_of(a, finals);
    json_int_t first = a->count ? a->list[0].status : d->got_len ? -1 : 0;
    if (!is_in(allowed, first))
        return "status";
    responses = json_object_get(expect, "responses");
    if (json_is_integer(responses) && (json_int_t)count != json_integer_value(responses) &&
        first > 0)
        return "number of responses";
    if (*a->complaint)
        return a->complaint;
    close = json_object_get(expect, "close");
    if (json_is_true(close) && !d->closed)
        return "connection left open";
    if (json_is_false(close) && d->closed)
        return "connection closed";
    size_t i;
    json_t *echo_want;
    json_array_foreach(json_object_get(expect, "echo"), i, echo_want)
    {
        if (json_is_object(echo_want) && i < count && finals[i]->status == 200 &&
            check_echo(echo_want, finals[i]))
            return "echo";
    }
    return count && judge_fields(expect, finals[0]) ? "fields" : NULL;
}

/* --- running ---------------------------------------------------------------------------------- */

/* One char of the case per byte (latin-1), out of JSON's UTF-8. */
static char *bytes_of(const char *utf8, size_t *ret_len)
{
    char *out = malloc(strlen(utf8) + 1), *p = out;
    for (const unsigned char *c = (const unsigned char *)utf8; *c; c++) {
        if (*c < 0x80)
            *p++ = (char)*c;
        else {
            *p++ = (char)((*c & 3) << 6 | (c[1] & 0x3f));
            c++;
        }
    }
    *ret_len = (size_t)(p - out);
    return out;
}

/* The same for a string that may have NULs. */
static char *input_of(const json_t *c, size_t *ret_len)
{
    const json_t *input = json_object_get(c, "input");
    size_t len = json_string_length(input), at = 0, total = 0;
    const char *text = json_string_value(input);
    char *out = malloc(len + 1);
    while (at < len) {
        size_t n;
        char *part = bytes_of(text + at, &n);
        memcpy(out + total, part, n);
        free(part);
        total += n;
        at += strlen(text + at);
        if (at < len) {
            out[total++] = 0;
            at++;
        }
    }
    *ret_len = total;
    return out;
}

static void feed_case(struct driver *d, const json_t *c, const char *input, size_t len,
                      int each_byte)
{
    size_t from = 0, i;
    json_t *cut;
    for (size_t at = 0; each_byte && at < len; at++)
        driver_feed(d, input + at, 1);
    if (each_byte)
        return;
    json_array_foreach(json_object_get(c, "split"), i, cut)
    {
        size_t to = (size_t)json_integer_value(cut);
        if (to <= from || to > len)
            continue;
        driver_feed(d, input + from, to - from);
        from = to;
    }
    driver_feed(d, input + from, len - from);
}

/* A connection that stays open must answer one more request. */
static const char *probe(struct driver *d, const json_t *c, size_t before)
{
    struct answers a;
    struct answer *finals[512];
    const char *why = NULL;
    driver_text(d, "GET /probe HTTP/1.1\r\nHost: probe\r\n\r\n");
    read_answers(&a, d, json_object_get(c, "head"));
    size_t count = finals_of(&a, finals);
    if (count != before + 1 || finals[count - 1]->status >= 400 || *a.complaint)
        why = "the follow-up request was not answered";
    answers_free(&a);
    return why;
}

static const char *judge_all(const json_t *c, struct answers *a, struct driver *d, int prefer,
                             int *ret_open)
{
    const json_t *expect = json_object_get(c, "expect");
    const char *why = judge(expect, a, d, prefer);
    *ret_open = !why && json_is_false(json_object_get(expect, "close"));
    size_t i;
    json_t *alt;
    json_array_foreach(json_object_get(c, "alt"), i, alt)
    {
        if (why && !(prefer && json_is_true(json_object_get(alt, "lenient"))) &&
            !judge(alt, a, d, prefer)) {
            why = NULL;
            *ret_open = json_is_false(json_object_get(alt, "close"));
        }
    }
    return why;
}

static int run_case(const json_t *c, int each_byte, int prefer)
{
    struct driver d;
    struct answers a;
    struct answer *finals[512];
    size_t len;
    int open;
    char *input = input_of(c, &len);
    driver_init(&d, echo, NULL, NULL);
    feed_case(&d, c, input, len, each_byte);
    if (json_is_true(json_object_get(c, "half_close")))
        driver_eof(&d);
    read_answers(&a, &d, json_object_get(c, "head"));
    const char *why = judge_all(c, &a, &d, prefer, &open);
    if (!why && open && !json_is_true(json_object_get(c, "no_probe")) &&
        !json_is_true(json_object_get(c, "half_close")))
        why = probe(&d, c, finals_of(&a, finals));
    if (why)
        print_message("%s%s%s: %s; %zu answers, first %d, %s\n",
                      json_string_value(json_object_get(c, "id")), each_byte ? " (each byte)" : "",
                      prefer ? " (prefer)" : "", why, a.count, a.count ? a.list[0].status : 0,
                      d.closed ? "closed" : "open");
    answers_free(&a);
    driver_done(&d);
    free(input);
    return why != NULL;
}

static json_t *cases;

static void run_all(int each_byte, int prefer)
{
    size_t i, failed = 0;
    json_t *c;
    json_array_foreach(cases, i, c) failed += (size_t)run_case(c, each_byte, prefer);
    print_message("%zu cases, %zu failed\n", json_array_size(cases), failed);
    assert_int_equal(failed, 0);
}

static void test_whole(void **state)
{
    (void)state;
    run_all(/* each_byte= */ 0, /* prefer= */ 0);
}

static void test_each_byte(void **state)
{
    (void)state;
    run_all(/* each_byte= */ 1, /* prefer= */ 0);
}

static void test_prefer(void **state)
{
    (void)state;
    run_all(/* each_byte= */ 0, /* prefer= */ 1);
}

static void test_prefer_each_byte(void **state)
{
    (void)state;
    run_all(/* each_byte= */ 1, /* prefer= */ 1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_each_byte),
        cmocka_unit_test(test_prefer),
        cmocka_unit_test(test_prefer_each_byte),
    };
    json_error_t error;
    cases = argc == 2 ? json_load_file(argv[1], JSON_ALLOW_NUL, &error) : NULL;
    if (!json_array_size(cases)) {
        fprintf(stderr, "usage: %s http1.json\n", argv[0]);
        return 2;
    }
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    json_decref(cases);
    return rc;
}
