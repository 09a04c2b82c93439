/*
 * What each middleware costs a request: nanoseconds, bytes and allocations in the exchange's arena, and,
 * under valgrind (middleware.py), instructions. All are those of a call through the middleware less
 * those of a call of the handler alone. A middleware has a row in the table below, or several.
 *
 *     middleware              every row
 *     middleware NAME ROUNDS  one row, as often as that; NAME "list" writes the names
 */
#include "handler/mock.h"
#include "middleware/session.h"

#include <hoop.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- rows ------------------------------------------------------------------------------------ */

struct row {
    const char *name;
    const hoop_middleware *entry; /* NULL: the handler alone */
    const char *method;
    const char *uri;
    const char *headers[8]; /* name, value, ... */
    const char *body;
    const char *content_type;    /* of the response */
    const char *location;        /* likewise; NULL: none */
    const hoop_defaults *bundle; /* in place of the entry */
};

/* The query that Ring and Donkey were measured with. */
#define QUERY \
    "/?foo=bar&city=New%20York&occupation=Shop%20Keeper&age=49&name=Greg%20Joy&duration=10000"

#define FORM_TYPE "content-type", "application/x-www-form-urlencoded"

#define PARTS_TYPE "content-type", "multipart/form-data; boundary=----boundary0123456789"

static char form_1k[1025], parts_1k[1025];

static const char *const origins[] = { "https://example.org", NULL };
static const hoop_cors_options cors_options = { .origins = origins };

static const hoop_middleware params = HOOP_PARAMS(NULL);
static const hoop_middleware compress = HOOP_COMPRESS(NULL);
static const hoop_middleware charset = HOOP_DEFAULT_CHARSET(NULL);
static const hoop_middleware cookies = HOOP_COOKIES(NULL);
static const hoop_middleware cors = HOOP_CORS(&cors_options);
static const hoop_middleware etag = HOOP_ETAG(NULL);
static const hoop_middleware formats = HOOP_FORMATS(NULL);
static const hoop_middleware json_params = HOOP_JSON_PARAMS(NULL);
static const hoop_middleware json_response = HOOP_JSON_RESPONSE(NULL);
static const hoop_multipart_params_options parts_options = { .store = HOOP_UPLOADS_IN_MEMORY };
static const hoop_middleware multipart_params = HOOP_MULTIPART_PARAMS(&parts_options);

/* As a function, on the body that was read: as a stream it would come by turns of the loop. */
static const hoop_response *wrap_parts(const hoop_request *req, hoop_handler next,
                                       const void *value)
{
    const hoop_response *answer = NULL;
    const hoop_request *more =
        hoop_multipart_params_request(req, &answer, (const hoop_multipart_params_options *)value);
    return more ? hoop_call(next, more) : answer;
}

static const hoop_middleware parts = HOOP_WRAP("parts", wrap_parts, &parts_options);
static const hoop_middleware nested_params = HOOP_NESTED_PARAMS(NULL);
static const hoop_defaults both_params = { .params = &params, .nested_params = &nested_params };
static const hoop_middleware not_modified = HOOP_NOT_MODIFIED(NULL);
static const hoop_middleware type = HOOP_CONTENT_TYPE(NULL);
static const hoop_middleware head = HOOP_HEAD(NULL);
static const hoop_middleware redirects = HOOP_ABSOLUTE_REDIRECTS(NULL);
static const hoop_middleware override = HOOP_METHOD_OVERRIDE(NULL);

#define ORIGIN    "origin", "https://example.org"
#define PREFLIGHT "access-control-request-method", "POST"
#define OVERRIDE  "x-http-method-override", "PUT"

static const char *const hosts[] = { "a.example", "*.b.example", "localhost" };
static const hoop_host_check_options host_options = { hosts, HOOP_COUNT(hosts) };
static const hoop_middleware host_check = HOOP_HOST_CHECK(&host_options);
static void drop_line(hoop_str line, void *data)
{
    (void)line;
    (void)data;
}

static const hoop_access_log_options log_options = { .write = drop_line };
static const hoop_middleware access_log = HOOP_ACCESS_LOG(&log_options);
static const hoop_middleware catch_errors = HOOP_CATCH_ERRORS(NULL);
static const hoop_concurrency_limit_options crowd_options = { .max = UINT64_MAX };
static const hoop_middleware concurrency_limit = HOOP_CONCURRENCY_LIMIT(&crowd_options);
static const hoop_middleware lint = HOOP_LINT(NULL);
static const hoop_middleware request_id = HOOP_REQUEST_ID(NULL);
static const hoop_middleware timeout = HOOP_TIMEOUT(NULL);
static const hoop_middleware traceparent = HOOP_TRACEPARENT(NULL);
static const char *const trusted[] = { "127.0.0.0/8" };
static const hoop_forwarded_options forwarded_options = { .trusted = trusted, .trusted_count = 1 };
static const hoop_middleware forwarded = HOOP_FORWARDED(&forwarded_options);
static const hoop_basic_user users[] = { { "ann", "secret" } };
static const hoop_basic_auth_options basic_options = { .users = users, .user_count = 1 };
static const hoop_middleware basic_auth = HOOP_BASIC_AUTH(&basic_options);
static const hoop_bearer_token tokens[] = { { "0123456789abcdef", "ann" } };
static const hoop_bearer_options bearer_options = { .tokens = tokens, .token_count = 1 };
static const hoop_middleware bearer = HOOP_BEARER(&bearer_options);
static const hoop_access_rule rules[] = {
    { "/login", NULL, hoop_access_anyone, NULL },
    { "/admin/*", NULL, hoop_access_authenticated, NULL },
    { "/*", NULL, hoop_access_anyone, NULL },
};
static const hoop_access_rules_options rule_options = { .rules = rules, .count = 3 };
static const hoop_middleware access_rules = HOOP_ACCESS_RULES(&rule_options);
static const hoop_rate_limit_options rate_options = { .requests = 1000000000 };
static const hoop_middleware rate_limit = HOOP_RATE_LIMIT(&rate_options);
static const hoop_middleware hsts = HOOP_HSTS(NULL);
static const hoop_middleware ssl_redirect = HOOP_SSL_REDIRECT(NULL);
static const hoop_middleware secure_headers = HOOP_SECURE_HEADERS(NULL);
static const hoop_csp_directive csp[] = { { "script-src", "'nonce' 'strict-dynamic'" } };
static const hoop_secure_headers_options nonce_options = { .csp = csp, .csp_count = 1 };
static const hoop_middleware nonce = HOOP_SECURE_HEADERS(&nonce_options);

static const hoop_session_options never = { .idle = HOOP_OFF, .lifetime = HOOP_OFF };
static hoop_session_options in_memory, in_cookie;
static const hoop_middleware session = HOOP_SESSION(&never);
static const hoop_middleware session_memory = HOOP_SESSION(&in_memory);
static const hoop_middleware session_sealed = HOOP_SESSION(&in_cookie);
static const hoop_middleware flash = HOOP_FLASH(NULL);
static const hoop_middleware anti_forgery = HOOP_ANTI_FORGERY(NULL);
static char memory_cookie[128], sealed_cookie[1024]; /* of sessions with two values */
/* What a browser sends along. */
#define BROWSER                                                                        \
    "accept", "text/html,*/*;q=0.8", "accept-encoding", "gzip, deflate", "user-agent", \
        "Mozilla/5.0", NULL

static const struct row rows[] = {
    { "handler", NULL, "GET", "/", { NULL }, NULL, "text/html" },
    { "absolute_redirects, changed", &redirects, "GET", "/a", { NULL }, NULL, NULL, "/b" },
    { "absolute_redirects, no redirect", &redirects, "GET", "/a", { NULL }, NULL, NULL, NULL },
    { "access_log, less its line", &access_log, "GET", "/", { NULL }, NULL, NULL },
    { "access_rules, third of 3", &access_rules, "GET", "/a", { NULL }, NULL, NULL },
    { "basic_auth",
      &basic_auth,
      "GET",
      "/",
      { "authorization", "Basic YW5uOnNlY3JldA==" },
      NULL,
      NULL },
    { "bearer", &bearer, "GET", "/", { "authorization", "Bearer 0123456789abcdef" }, NULL, NULL },
    { "catch_errors", &catch_errors, "GET", "/", { NULL }, NULL, NULL },
    { "compress, too small",
      &compress,
      "GET",
      "/",
      { "accept-encoding", "gzip, deflate, br, zstd" },
      NULL,
      "text/html" },
    { "concurrency_limit", &concurrency_limit, "GET", "/", { NULL }, NULL, NULL },
    { "content_type, added", &type, "GET", "/a.html", { NULL }, NULL, NULL, NULL },
    { "content_type, there", &type, "GET", "/a.html", { NULL }, NULL, "text/css", NULL },
    { "cookies, none", &cookies, "GET", "/", { NULL }, NULL, NULL, NULL },
    { "cookies, three",
      &cookies,
      "GET",
      "/",
      { "cookie", "a=1; b=two; c=three" },
      NULL,
      NULL,
      NULL },
    { "cors, another origin", &cors, "GET", "/", { ORIGIN }, NULL, NULL, NULL },
    { "cors, no origin", &cors, "GET", "/", { NULL }, NULL, NULL, NULL },
    { "cors, preflight", &cors, "OPTIONS", "/", { ORIGIN, PREFLIGHT }, NULL, NULL, NULL },
    { "default_charset, added", &charset, "GET", "/", { NULL }, NULL, "text/html" },
    { "default_charset, there", &charset, "GET", "/", { NULL }, NULL, "text/html; charset=utf-8" },
    { "etag, 5 bytes", &etag, "GET", "/", { NULL }, NULL, NULL, NULL },
    { "formats, nothing to do", &formats, "GET", "/", { NULL }, NULL, NULL, NULL },
    { "forwarded, X-Forwarded-For",
      &forwarded,
      "GET",
      "/",
      { "x-forwarded-for", "192.0.2.1", "x-forwarded-proto", "https" },
      NULL,
      NULL },
    { "head, GET", &head, "GET", "/", { NULL }, NULL, NULL, NULL },
    { "head, HEAD", &head, "HEAD", "/", { NULL }, NULL, NULL, NULL },
    { "host_check, third of 3", &host_check, "GET", "/", { NULL }, NULL, NULL },
    { "session, no cookie", &session, "GET", "/", { NULL }, NULL, NULL, NULL },
    { "session, read from memory",
      &session_memory,
      "GET",
      "/",
      { "cookie", memory_cookie },
      NULL,
      NULL },
    { "session, read from a sealed cookie",
      &session_sealed,
      "GET",
      "/",
      { "cookie", sealed_cookie },
      NULL,
      NULL },
    { "flash, none", &flash, "GET", "/", { NULL }, NULL, NULL },
    { "anti_forgery, GET", &anti_forgery, "GET", "/", { NULL }, NULL, NULL },
    { "anti_forgery, same-origin POST",
      &anti_forgery,
      "POST",
      "/",
      { "sec-fetch-site", "same-origin" },
      NULL,
      NULL },
    { "hsts, over https", &hsts, "GET", "https://localhost/", { NULL }, NULL, NULL },
    { "json_params, another body", &json_params, "POST", "/", { FORM_TYPE }, form_1k, NULL, NULL },
    { "json_params, no body", &json_params, "GET", "/", { NULL }, NULL, NULL, NULL },
    { "json_response, no value", &json_response, "GET", "/", { NULL }, NULL, NULL, NULL },
    { "lint", &lint, "GET", "/", { NULL }, NULL, "text/html" },
    { "method_override, GET", &override, "GET", "/", { NULL }, NULL, NULL, NULL },
    { "method_override, by header", &override, "POST", "/", { OVERRIDE }, NULL, NULL, NULL },
    { "multipart_params, 1 KB in memory", &parts, "POST", "/", { PARTS_TYPE }, parts_1k, NULL },
    { "multipart_params, another body",
      &multipart_params,
      "POST",
      "/",
      { FORM_TYPE },
      form_1k,
      NULL },
    { "nested_params, no parameters", &nested_params, "GET", "/", { NULL }, NULL, NULL },
    { "nested_params and params, 86 bytes",
      NULL,
      "GET",
      QUERY,
      { NULL },
      NULL,
      NULL,
      .bundle = &both_params },
    { "nested_params and params, levels",
      NULL,
      "GET",
      "/?user[name]=ann&user[tags][]=a&user[tags][]=b",
      { NULL },
      NULL,
      NULL,
      .bundle = &both_params },
    { "not_modified, no condition", &not_modified, "GET", "/", { NULL }, NULL, NULL, NULL },
    { "params, 1 KB of form", &params, "POST", "/", { FORM_TYPE }, form_1k, NULL },
    { "params, 86 bytes of query", &params, "GET", QUERY, { NULL }, NULL, NULL },
    { "params, no query", &params, "GET", "/", { NULL }, NULL, NULL },
    { "rate_limit, in memory", &rate_limit, "GET", "/", { NULL }, NULL, NULL },
    { "request_id", &request_id, "GET", "/", { NULL }, NULL, NULL },
    { "secure_headers", &secure_headers, "GET", "/", { NULL }, NULL, "text/html" },
    { "secure_headers, with a nonce", &nonce, "GET", "/", { NULL }, NULL, "text/html" },
    { "ssl_redirect, from http", &ssl_redirect, "GET", "/", { NULL }, NULL, NULL },
    { "ssl_redirect, https", &ssl_redirect, "GET", "https://localhost/", { NULL }, NULL, NULL },
    { "timeout, ready", &timeout, "GET", "/", { NULL }, NULL, NULL },
    { "traceparent, begun", &traceparent, "GET", "/", { NULL }, NULL, NULL },
    { "bundle: api, no query",
      NULL,
      "GET",
      "/",
      { BROWSER },
      NULL,
      "application/json",
      .bundle = &hoop_defaults_api },
    { "bundle: api, 86 bytes of query",
      NULL,
      "GET",
      QUERY,
      { BROWSER },
      NULL,
      "application/json",
      .bundle = &hoop_defaults_api },
    { "bundle: site, no session",
      NULL,
      "GET",
      "/",
      { BROWSER },
      NULL,
      "text/html",
      .bundle = &hoop_defaults_site },
    { "bundle: secure, over https",
      NULL,
      "GET",
      "https://localhost/",
      { BROWSER },
      NULL,
      "text/html",
      .bundle = &hoop_defaults_secure },
};

/* 1,024 bytes of pairs, some of them with escapes. */
static void fill_form(void)
{
    static const char pair[] = "field_name=some+text+and%2Fmore&";
    for (size_t i = 0; i < sizeof form_1k - 1; i++)
        form_1k[i] = pair[i % (sizeof pair - 1)];
}

/* 1,024 bytes of a form: two fields, and a file that takes the rest. */
static void fill_parts(void)
{
#define PART(rest) "------boundary0123456789\r\nContent-Disposition: form-data; name=" rest
    static const char begin[] = PART("\"name\"\r\n\r\nann\r\n") PART("\"city\"\r\n\r\nOslo\r\n")
        PART("\"f\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\n");
    static const char end[] = "\r\n------boundary0123456789--\r\n";
    memset(parts_1k, 'x', sizeof parts_1k - 1);
    memcpy(parts_1k, begin, sizeof begin - 1);
    memcpy(parts_1k + sizeof parts_1k - sizeof end, end, sizeof end);
}

/* Writes a session of two values to a store; `cookie` is then what names it. */
static void fill_session(const hoop_session_store *store, char *cookie, size_t size)
{
    static const hoop_field items[] = { { { "user", 4 }, { "ann", 3 } },
                                        { { "theme", 5 }, { "dark", 4 } } };
    const struct hoop__session values = { items, 2, 1, 1 };
    hoop_arena *arena = hoop_arena_new();
    hoop_session_entry entry = { .id = hoop_str_none(), .ttl_ms = HOOP_OFF };
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    if (hoop__session_encode(arena, &values, &entry.data) ||
        !store->write(req, &entry, store->data))
        exit(1);
    snprintf(cookie, size, "session=%s", entry.id.data);
    hoop_arena_free(arena);
}

/* The stores, and sessions in them. Without libcrypto the row of sealed cookies has memory's. */
static void fill_sessions(hoop_arena *app)
{
    static const hoop_str key = { "0123456789abcdef0123456789abcdef", 32 };
    const hoop_session_sealed_options options = { &key, 1, NULL };
    in_memory = in_cookie = never;
    if (hoop_session_memory_new(app, &in_memory.store, NULL, NULL))
        exit(1);
    if (hoop_session_sealed_new(app, &in_cookie.store, NULL, &options))
        in_cookie.store = in_memory.store;
    fill_session(in_memory.store, memory_cookie, sizeof memory_cookie);
    fill_session(in_cookie.store, sealed_cookie, sizeof sealed_cookie);
}

/* --- calling --------------------------------------------------------------------------------- */

struct bench {
    hoop_arena *app;
    hoop_handler handler;
    struct hoop__request req; /* on an arena that is emptied before each call */
    hoop_arena *arena;
    char *start;
};

static const hoop_response *answer(const hoop_request *req, void *data)
{
    const struct row *row = data;
    const hoop_response *res = hoop_bytes_static(req, row->location ? 302 : 200, row->content_type,
                                                 hoop_str_n("hello", 5));
    return row->location ? hoop_add_header(req, res, "Location", row->location) : res;
}

static void die(const char *text)
{
    fprintf(stderr, "middleware: %s\n", text);
    exit(1);
}

/* The request with its body read, as a middleware finds it behind another that has read it. */
static const hoop_request *request_of(hoop_arena *app, const struct row *row)
{
    const hoop_request *req = hoop_mock(app, row->method, row->uri, row->body);
    for (size_t i = 0; row->headers[i]; i += 2)
        req = hoop_mock_header(req, row->headers[i], row->headers[i + 1]);
    if (!req)
        die("out of memory");
    struct hoop__body *body = &hoop__exchange_of(req)->body;
    if (row->body) {
        body->state = HOOP__BODY_COMPLETE;
        body->data = (char *)(uintptr_t)row->body;
        body->received = strlen(row->body);
    }
    return req;
}

static void open_bench(struct bench *bench, const struct row *row,
                       const hoop_arena_options *options)
{
    hoop_error error;
    bench->app = hoop_arena_new();
    bench->handler = hoop_fn(answer, (void *)(uintptr_t)row);
    if (row->entry &&
        hoop_chain_new(bench->app, row->entry, 1, bench->handler, &bench->handler, &error))
        die(error.text);
    if (row->bundle &&
        hoop_defaults_new(bench->app, row->bundle, bench->handler, &bench->handler, &error))
        die(error.text);
    bench->req = *hoop__request_of(request_of(bench->app, row));
    bench->arena = hoop_arena_new_with(options);
    hoop_arena_alloc(bench->arena, 1);
    bench->start = bench->arena->next;
    bench->req.pub.arena = bench->arena;
}

static void close_bench(struct bench *bench)
{
    hoop_arena_free(bench->arena);
    hoop_arena_free(bench->app);
}

/* What the exchange was asked to run at its end lies in an arena that is emptied: it is let go. */
static void call(struct bench *bench)
{
    if (!hoop_call(bench->handler, &bench->req.pub))
        die("the handler failed");
    struct hoop__exchange *x = bench->req.exchange;
    x->dones = x->cancels = NULL;
    x->canned_changes = NULL;
}

static const hoop_arena_options roomy = { NULL, 0, 1 << 20 };

static void repeat(struct bench *bench, size_t rounds)
{
    for (size_t i = 0; i < rounds; i++) {
        call(bench);
        hoop__arena_dispose(bench->arena); /* part of the cost, as freeing is */
        bench->arena->next = bench->start;
    }
}

/* --- measuring ------------------------------------------------------------------------------- */

struct cost {
    double ns;
    size_t bytes;
    size_t allocations;
};

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static size_t allocations;

static void *count_alloc(size_t size, void *data)
{
    (void)data;
    allocations++;
    return malloc(size);
}

static void *count_realloc(void *memory, size_t size, void *data)
{
    (void)data;
    return realloc(memory, size);
}

static void just_free(void *memory, void *data)
{
    (void)data;
    free(memory);
}

/* Of one call in an arena that asks for each piece anew. */
static size_t count_allocations(const struct row *row)
{
    static const hoop_allocator counting = { count_alloc, count_realloc, just_free, NULL };
    const hoop_arena_options tight = { &counting, 0, 1 };
    struct bench bench;
    open_bench(&bench, row, &tight);
    size_t before = allocations;
    call(&bench);
    close_bench(&bench);
    return allocations - before;
}

/* The fastest of some runs. */
static struct cost cost_of(const struct row *row)
{
    enum { ROUNDS = 20000, RUNS = 15 };
    struct bench bench;
    struct cost cost = { 1e30, 0, count_allocations(row) };
    open_bench(&bench, row, &roomy);
    for (int run = 0; run < RUNS; run++) {
        double begin = now_ns();
        repeat(&bench, ROUNDS);
        double ns = (now_ns() - begin) / ROUNDS;
        cost.ns = ns < cost.ns ? ns : cost.ns;
    }
    call(&bench);
    cost.bytes = (size_t)(bench.arena->next - bench.start);
    close_bench(&bench);
    return cost;
}

/* The handler alone, on the row's request and with the row's response. */
static struct row without(const struct row *row)
{
    struct row bare = *row;
    bare.entry = NULL;
    bare.bundle = NULL;
    return bare;
}

static void report(const struct row *row)
{
    struct row bare = without(row);
    struct cost cost = cost_of(row), base = cost_of(&bare);
    if (!row->entry && !row->bundle)
        memset(&base, 0, sizeof base);
    printf("%-32s %8.0f ns %7zu bytes %4zu allocations\n", row->name, cost.ns - base.ns,
           cost.bytes - base.bytes, cost.allocations - base.allocations);
}

int main(int argc, char **argv)
{
    int bare = argc > 3; /* with a third argument the handler alone, for what is subtracted */
    hoop_arena *app = hoop_arena_new();
    fill_form();
    fill_parts();
    fill_sessions(app);
    for (size_t i = 0; i < HOOP_COUNT(rows); i++) {
        struct row row = bare ? without(&rows[i]) : rows[i];
        if (argc < 2) {
            report(&rows[i]);
        } else if (strcmp(argv[1], "list") == 0) {
            puts(row.name);
        } else if (strcmp(argv[1], row.name) == 0 && argc > 2) {
            struct bench bench;
            open_bench(&bench, &row, &roomy);
            repeat(&bench, strtoul(argv[2], NULL, 10));
            close_bench(&bench);
        }
    }
    hoop_arena_free(app);
    return 0;
}
