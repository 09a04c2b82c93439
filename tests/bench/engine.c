/*
 * Drives the HTTP/1 engine without sockets, for counting instructions: `engine SCENARIO N` serves N
 * requests of 64 connections in turn; `engine --list` names the scenarios, `engine --about` tells how
 * it was built. The clock stands still, so that every run does the same.
 */
#include "app.h"

#include "base/loop.h"
#include "http1/http1.h"

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>

#define CONNECTIONS 64
#define MAX_DEPTH   16
#define OUT_SIZE    65536

/* TechEmpower's request: 169 bytes with the path /plaintext. */
#define TECHEMPOWER(path_)                                                                  \
    "GET " path_ " HTTP/1.1\r\n"                                                            \
    "Host: 127.0.0.1:8080\r\n"                                                              \
    "Accept: text/plain,text/html;q=0.9,application/xhtml+xml;q=0.9,application/xml;q=0.8," \
    "*/*;q=0.7\r\n"                                                                         \
    "Connection: keep-alive\r\n\r\n"

/* What a browser sends: 13 headers, 650 bytes. */
#define BROWSER                                                                            \
    "GET /plaintext HTTP/1.1\r\n"                                                          \
    "Host: www.example.com\r\n"                                                            \
    "Connection: keep-alive\r\n"                                                           \
    "Cache-Control: max-age=0\r\n"                                                         \
    "Upgrade-Insecure-Requests: 1\r\n"                                                     \
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "  \
    "Chrome/124.0.0.0 Safari/537.36\r\n"                                                   \
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp," \
    "*/*;q=0.8\r\n"                                                                        \
    "Sec-Fetch-Site: same-origin\r\n"                                                      \
    "Sec-Fetch-Mode: navigate\r\n"                                                         \
    "Sec-Fetch-Dest: document\r\n"                                                         \
    "Referer: https://www.example.com/articles/2024/04/measuring-http-services\r\n"        \
    "Accept-Encoding: gzip, deflate, br\r\n"                                               \
    "Accept-Language: en-GB,en;q=0.9,de;q=0.8\r\n"                                         \
    "Cookie: session=6f1d2c9ab4e07835; theme=dark; seen=1714060800; consent=yes\r\n\r\n"

/* A request of a connection's own User-Agent ('@'), with a cookie that counts up ('#'). */
#define VARYING                                                                             \
    "GET /plaintext HTTP/1.1\r\n"                                                           \
    "Host: 127.0.0.1:8080\r\n"                                                              \
    "User-Agent: bench/@@@@@@@@\r\n"                                                        \
    "Accept: text/plain,text/html;q=0.9,application/xhtml+xml;q=0.9,application/xml;q=0.8," \
    "*/*;q=0.7\r\n"                                                                         \
    "Cookie: session=########\r\n"                                                          \
    "Connection: keep-alive\r\n\r\n"

_Static_assert(sizeof TECHEMPOWER("/plaintext") - 1 == 169, "TechEmpower's request");
_Static_assert(sizeof BROWSER - 1 == 650, "the browser's request");

struct scenario {
    const char *name;
    const char *request;
    unsigned depth;  /* requests that come with one read */
    int llhttp_only; /* a bound: the parser without callbacks, nothing else */
};

static const struct scenario scenarios[] = {
    { "plain", TECHEMPOWER("/plaintext"), 1, 0 },
    { "pipe", TECHEMPOWER("/plaintext"), 16, 0 },
    { "text", TECHEMPOWER("/plaintext2"), 1, 0 },
    { "json", TECHEMPOWER("/json"), 1, 0 },
    { "json-writer", TECHEMPOWER("/json-writer"), 1, 0 },
    { "browser", BROWSER, 1, 0 },
    { "vary", VARYING, 1, 0 },
    { "vary-pipe", VARYING, 16, 0 },
    { "llhttp", TECHEMPOWER("/plaintext"), 1, 1 },
    { "llhttp-browser", BROWSER, 1, 1 },
};

/* A connection: what it sends again and again, and who reads it. */
struct connection {
    struct hoop__host host;
    struct hoop__engine *engine;
    char *input;
    size_t len;
    char *numbers[MAX_DEPTH]; /* where the last digits of the cookies stand */
    unsigned number_count;
};

/* Everything; there is one. */
struct bench {
    struct hoop_loop loop;
    hoop_limits limits;
    struct hoop__service service;
    struct hoop__out out;
    char data[OUT_SIZE];
    struct connection connections[CONNECTIONS];
    uint64_t sent; /* bytes of responses */
};

static struct bench bench;

static void die(const char *text)
{
    fprintf(stderr, "engine: %s\n", text);
    exit(1);
}

/* --- what the loop and the engine ask of their host ------------------------------------------ */

static void loop_wake(struct hoop_loop *loop)
{
    (void)loop;
}

static void loop_rearm(struct hoop_loop *loop, uint64_t due)
{
    (void)due; /* the clock stands still */
    loop->armed = HOOP__NEVER;
}

static int loop_block(struct hoop_loop *loop, struct hoop__job *job)
{
    (void)loop;
    (void)job;
    return HOOP_EBUSY;
}

static const struct hoop__loop_ops loop_ops = { loop_wake, loop_rearm, loop_block };

static int64_t fixed_wall(struct hoop_loop *loop)
{
    (void)loop;
    return 784111777; /* Sun, 06 Nov 1994 08:49:37 GMT */
}

static void host_wake(struct hoop__host *host)
{
    (void)host; /* all answers here are ready */
}

/* --- setting up ------------------------------------------------------------------------------ */

static void *need(void *memory)
{
    if (!memory)
        die("out of memory");
    return memory;
}

/* Writes `value` with leading zeros over the run of `mark`s in `text`. Its last digit, or NULL. */
static char *put_number(char *text, char mark, unsigned value)
{
    char *first = strchr(text, mark);
    if (!first)
        return NULL;
    char *last = first + strspn(first, (char[]){ mark, 0 }) - 1;
    for (char *p = last; p >= first; p--, value /= 10)
        *p = (char)('0' + value % 10);
    return last;
}

static void fill_input(struct connection *c, const struct scenario *scenario, unsigned index)
{
    size_t len = strlen(scenario->request);
    c->len = len * scenario->depth;
    c->input = need(malloc(c->len + 1));
    for (unsigned i = 0; i < scenario->depth; i++) {
        char *text = c->input + i * len;
        memcpy(text, scenario->request, len + 1);
        put_number(text, '@', index);
        char *last = put_number(text, '#', (index * MAX_DEPTH + i) * 10000);
        if (last)
            c->numbers[c->number_count++] = last;
    }
}

static void begin(const struct scenario *scenario, hoop_arena *arena)
{
    hoop_error error = { 0, "" };
    hoop__limits_fill(&bench.limits, NULL, 0);
    if (hoop__loop_init(&bench.loop, &loop_ops, &hoop__malloc, &bench.limits, /* now= */ 1000))
        die("no loop: out of memory");
    bench.loop.wall = fixed_wall;
    hoop__loop_enter(&bench.loop);
    if (app_new(arena, &bench.service.root, &error) || hoop_check(bench.service.root, &error))
        die(error.text);
    bench.service.limits = &bench.limits;
    bench.service.server_name = "hoop";
    bench.out.data = bench.data;
    bench.out.cap = OUT_SIZE;
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        struct connection *c = &bench.connections[i];
        fill_input(c, scenario, i);
        c->host.loop = &bench.loop;
        c->host.service = &bench.service;
        c->host.peer.family = 4;
        c->host.out = &bench.out;
        c->host.wake = host_wake;
        c->engine = need(malloc(hoop__http1.engine_size));
        hoop__http1.init(c->engine, &c->host);
    }
}

static void end(void)
{
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        struct connection *c = &bench.connections[i];
        c->engine->ops->stop(c->engine, HOOP_EGONE);
        free(c->engine);
        free(c->input);
    }
    hoop__loop_close(&bench.loop);
    hoop__exchange_orphan_all(&bench.loop);
    hoop__loop_done(&bench.loop);
}

/* --- running --------------------------------------------------------------------------------- */

/* Takes what is in out, as if it were sent at once. */
static size_t drain_out(struct hoop__engine *engine)
{
    struct hoop__out *out = &bench.out;
    size_t ref_len = out->ref_len;
    size_t put = out->len + ref_len;
    out->len = 0;
    out->ref_len = 0;
    if (ref_len)
        engine->ops->took(engine, ref_len);
    return put;
}

/* One read of a connection, served as a host does. */
static void serve(struct connection *c)
{
    struct hoop__engine *engine = c->engine;
    size_t at = 0, put, fed;
    do {
        fed = 0;
        if (at < c->len && (engine->want & HOOP__WANT_INPUT))
            fed = engine->ops->feed(engine, c->input + at, c->len - at);
        at += fed;
        if ((engine->want & HOOP__WANT_OUTPUT) && hoop__out_room(&bench.out))
            engine->ops->pull(engine, &bench.out);
        if (hoop__loop_has_ready(&bench.loop))
            hoop__loop_turn(&bench.loop);
        put = drain_out(engine);
        bench.sent += put;
    } while (at < c->len ? fed || put : put && (engine->want & HOOP__WANT_OUTPUT));
    if (at < c->len || engine->want != HOOP__WANT_INPUT)
        die("a connection is stuck or closed");
}

static void count_up(struct connection *c)
{
    for (unsigned i = 0; i < c->number_count; i++)
        for (char *p = c->numbers[i]; ++*p > '9'; p--)
            *p = '0';
}

static void run(const struct scenario *scenario, unsigned long count)
{
    static const char status[] = "HTTP/1.1 200 OK\r\n";
    uint64_t each = 0;
    for (unsigned long i = 0; i < count / scenario->depth; i++) {
        struct connection *c = &bench.connections[i % CONNECTIONS];
        count_up(c);
        serve(c);
        if (i == 0)
            each = bench.sent;
    }
    if (memcmp(bench.data, status, sizeof status - 1) != 0)
        die("the answer is not 200");
    if (bench.sent != each * (count / scenario->depth))
        die("answers differ in length");
}

static int on_complete(llhttp_t *parser)
{
    ++*(unsigned long *)parser->data;
    return 0;
}

static void run_llhttp(const struct scenario *scenario, unsigned long count)
{
    size_t len = strlen(scenario->request);
    unsigned long seen = 0;
    llhttp_settings_t settings;
    llhttp_t parser;
    llhttp_settings_init(&settings);
    settings.on_message_complete = on_complete;
    llhttp_init(&parser, HTTP_REQUEST, &settings);
    parser.data = &seen;
    for (unsigned long i = 0; i < count; i++)
        if (llhttp_execute(&parser, scenario->request, len) != HPE_OK)
            die("llhttp refuses the request");
    if (seen != count)
        die("llhttp has not seen all requests");
}

/* --- the command line ------------------------------------------------------------------------ */

static int about(void)
{
#if defined(__clang__)
    printf("compiler clang %d\n", __clang_major__);
#elif defined(__GNUC__)
    printf("compiler gcc %d\n", __GNUC__);
#else
    printf("compiler unknown\n");
#endif
#if defined(__x86_64__)
    printf("machine x86_64\n");
#else
    printf("machine other\n");
#endif
#if defined(__GLIBC__)
    printf("libc glibc %d.%d\n", __GLIBC__, __GLIBC_MINOR__);
#else
    printf("libc other\n");
#endif
    printf("llhttp %d.%d.%d\n", LLHTTP_VERSION_MAJOR, LLHTTP_VERSION_MINOR, LLHTTP_VERSION_PATCH);
    printf("jansson %s\n", JANSSON_VERSION);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--about") == 0)
        return about();
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (size_t i = 0; i < HOOP_COUNT(scenarios); i++)
            printf("%s\n", scenarios[i].name);
        return 0;
    }
    char *rest = NULL;
    unsigned long count = argc == 3 ? strtoul(argv[2], &rest, 10) : 0;
    if (argc != 3 || *rest || !count || count % (CONNECTIONS * MAX_DEPTH)) {
        fprintf(stderr, "usage: engine SCENARIO N | --list | --about   (N: a multiple of %d)\n",
                CONNECTIONS * MAX_DEPTH);
        return 2;
    }
    const struct scenario *scenario = NULL;
    for (size_t i = 0; i < HOOP_COUNT(scenarios); i++)
        if (strcmp(argv[1], scenarios[i].name) == 0)
            scenario = &scenarios[i];
    if (!scenario) {
        fprintf(stderr, "engine: no scenario '%s'; see --list\n", argv[1]);
        return 2;
    }
    if (scenario->llhttp_only) {
        run_llhttp(scenario, count);
        return 0;
    }
    hoop_arena *arena = need(hoop_arena_new());
    begin(scenario, arena);
    run(scenario, count);
    end();
    hoop_arena_free(arena);
    return 0;
}
