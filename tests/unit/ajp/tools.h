/*
 * What the tests of the AJP engine share: packets as a proxy builds them, answers as they must be, byte
 * by byte; the host without sockets is the one of HTTP/1's tests. No test lives here.
 */
#ifndef HOOP_TEST_AJP_TOOLS_H
#define HOOP_TEST_AJP_TOOLS_H

#include "../http1/driver.h"

#include "ajp/ajp.h"

/* --- bytes ------------------------------------------------------------------------------------ */

/* Bytes that grow; zeroed before the first use. */
struct bytes {
    char *data;
    size_t len, cap;
    size_t packet; /* where the packet at hand begins */
};

static inline void put(struct bytes *b, const void *data, size_t len)
{
    driver_add(&b->data, &b->len, &b->cap, data, len);
}

static inline void put8(struct bytes *b, unsigned n)
{
    char c = (char)n;
    put(b, &c, 1);
}

static inline void put16(struct bytes *b, unsigned n)
{
    put8(b, n >> 8 & 0xff);
    put8(b, n & 0xff);
}

/* A string; NULL is null. */
static inline void put_string(struct bytes *b, const char *text)
{
    put16(b, text ? (unsigned)strlen(text) : 0xffff);
    if (text)
        put(b, text, strlen(text) + 1);
}

static inline void begin(struct bytes *b, const char *magic)
{
    b->packet = b->len;
    put(b, magic, 2);
    put16(b, 0);
}

/* Writes the length of the packet that was begun. */
static inline void end(struct bytes *b)
{
    size_t n = b->len - b->packet - 4;
    b->data[b->packet + 2] = (char)(n >> 8);
    b->data[b->packet + 3] = (char)n;
}

static inline void bytes_done(struct bytes *b)
{
    free(b->data);
    memset(b, 0, sizeof *b);
}

/* --- from the proxy --------------------------------------------------------------------------- */

#define TO_SERVER "\x12\x34"
#define OPTIONS   1
#define GET       2
#define HEAD      3
#define POST      4
#define STORED    255

/* What a request begins with; zero means what most have. */
struct start {
    unsigned method; /* 0: GET */
    const char *protocol, *uri, *remote, *name;
    unsigned port; /* 0: 80 */
    unsigned secure;
    unsigned fields; /* how many will follow */
    int no_remote, no_name;
};

static inline void begin_request(struct bytes *b, const struct start *s)
{
    begin(b, TO_SERVER);
    put8(b, 2);
    put8(b, s->method ? s->method : GET);
    put_string(b, s->protocol ? s->protocol : "HTTP/1.1");
    put_string(b, s->uri ? s->uri : "/");
    put_string(b, s->no_remote ? NULL : s->remote ? s->remote : "192.0.2.7");
    put_string(b, NULL);
    put_string(b, s->no_name ? NULL : s->name ? s->name : "example.org");
    put16(b, s->port ? s->port : 80);
    put8(b, s->secure);
    put16(b, s->fields);
}

static inline void end_request(struct bytes *b)
{
    put8(b, 0xff);
    end(b);
}

static inline void put_coded(struct bytes *b, unsigned code, const char *value)
{
    put16(b, code);
    put_string(b, value);
}

static inline void put_field(struct bytes *b, const char *name, const char *value)
{
    put_string(b, name);
    put_string(b, value);
}

static inline void put_attribute(struct bytes *b, unsigned code, const char *value)
{
    put8(b, code);
    put_string(b, value);
}

static inline void put_named(struct bytes *b, const char *name, const char *value)
{
    put8(b, 10);
    put_string(b, name);
    put_string(b, value);
}

/* GET / with nothing but a host. */
static inline void put_get(struct bytes *b, const char *uri)
{
    begin_request(b, &(struct start){ .uri = uri, .fields = 1 });
    put_coded(b, 0xa00b, "a");
    end_request(b);
}

/* POST / with this length, or (NULL) chunked. */
static inline void put_post(struct bytes *b, const char *length)
{
    begin_request(b, &(struct start){ .method = POST, .fields = 2 });
    put_coded(b, 0xa00b, "a");
    if (length)
        put_coded(b, 0xa008, length);
    else
        put_field(b, "Transfer-Encoding", "chunked");
    end_request(b);
}

static inline void put_data(struct bytes *b, const char *data, size_t len)
{
    begin(b, TO_SERVER);
    put16(b, (unsigned)len);
    put(b, data, len);
    end(b);
}

#define PING      "\x12\x34\0\1\x0a", 5
#define END_DATA  "\x12\x34\0\2\0\0", 6 /* mod_proxy_ajp's end of a body */
#define END_EMPTY "\x12\x34\0\0", 4     /* and mod_jk's */

/* --- from the server -------------------------------------------------------------------------- */

#define PONG      "AB\0\1\x09", 5
#define ASK       "AB\0\3\6\x1f\xfa", 7
#define END_KEEP  "AB\0\2\5\1", 6
#define END_CLOSE "AB\0\2\5\0", 6
#define FLUSH     "AB\0\4\3\0\0\0", 8

static inline void begin_headers(struct bytes *b, int status, const char *reason, unsigned count)
{
    begin(b, "AB");
    put8(b, 4);
    put16(b, (unsigned)status);
    put_string(b, reason);
    put16(b, count);
}

/* SEND_HEADERS of a text: type, length and date. */
static inline void put_text_head(struct bytes *b, int status, size_t len)
{
    char length[24];
    snprintf(length, sizeof length, "%zu", len);
    begin_headers(b, status, hoop_reason(status), 3);
    put_coded(b, 0xa001, "text/plain; charset=utf-8");
    put_coded(b, 0xa003, length);
    put_coded(b, 0xa004, DRIVER_DATE);
    end(b);
}

static inline void put_chunk(struct bytes *b, const char *data, size_t len)
{
    begin(b, "AB");
    put8(b, 3);
    put16(b, (unsigned)len);
    put(b, data, len);
    put8(b, 0);
    end(b);
}

/* The whole answer of a text; an empty one has no chunk. */
static inline void put_ok(struct bytes *b, const char *text)
{
    put_text_head(b, 200, strlen(text));
    if (*text)
        put_chunk(b, text, strlen(text));
    put(b, END_KEEP);
}

/* The answer to what can't be served. */
static inline void put_rejection(struct bytes *b, int status)
{
    char text[64];
    snprintf(text, sizeof text, "%s\n", hoop_reason(status));
    put_text_head(b, status, strlen(text));
    put_chunk(b, text, strlen(text));
    put(b, END_CLOSE);
}

/* --- running ---------------------------------------------------------------------------------- */

static inline void ajp_init(struct driver *d, hoop_handler_fn *fn, void *data,
                            const struct driver_options *options)
{
    struct driver_options o = options ? *options : (struct driver_options){ 0 };
    o.protocol = &hoop__ajp;
    driver_init(d, fn, data, &o);
}

#define assert_sent(d, want) \
    assert_bytes((d)->got, (d)->got_len, (want)->data ? (want)->data : "", (want)->len)

/*
 * Runs `in` whole, byte by byte, and cut at every position (large inputs: at some); every run must
 * send `want` and close alike. `close`: 0 stays open, 1 closes, 2 closes and lingers. Frees both.
 */
static inline void each_split(hoop_handler_fn *fn, void *data, const struct driver_options *options,
                              struct bytes *in, struct bytes *want, int close)
{
    size_t step = in->len > 2000 ? in->len / 97 : 1;
    for (size_t cut = in->len; cut != SIZE_MAX;
         cut = cut ? cut > step ? cut - step : 0 : SIZE_MAX) {
        struct driver d;
        ajp_init(&d, fn, data, options);
        driver_feed_cut(&d, in->data, in->len, cut);
        assert_sent(&d, want);
        assert_int_equal(d.closed, close > 0);
        assert_int_equal(d.linger, close == 2);
        driver_done(&d);
    }
    bytes_done(in);
    bytes_done(want);
}

/* The same for what is to be refused with this status; 0: without a word. */
static inline void refuses(const struct driver_options *options, struct bytes *in, int status)
{
    struct bytes want = { 0 };
    if (status)
        put_rejection(&want, status);
    each_split(say, NULL, options, in, &want, status ? 2 : 1);
}

/* The same for what `show` is to tell. */
static inline void shows(hoop_handler_fn *fn, const struct driver_options *options,
                         struct bytes *in, const char *text)
{
    struct bytes want = { 0 };
    put_ok(&want, text);
    each_split(fn, NULL, options, in, &want, 0);
}

#endif
