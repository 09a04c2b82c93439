/*
 * Fuzz target: bytes as the response of a handler. Whatever status, headers and body it makes, what is sent
 * must be one response that a strict reader takes for the same: nothing can be put in between.
 */
#include "../unit/http1/driver.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the input says; the rest of it is texts that end with a NUL. */
#define PREFIX 6

struct made {
    struct hoop__source source;
    const uint8_t *data;
    size_t size, at;
    hoop_str body; /* what was to be sent, if the response was made */
    int status;
    int finished, streamed, broken;
};

static hoop_str next_text(struct made *m)
{
    const char *text = (const char *)m->data + m->at;
    size_t n = strnlen(text, m->size - m->at);
    m->at += n + (m->at + n < m->size);
    return hoop_str_n(text, n);
}

static char *c_text(const hoop_request *req, hoop_str s)
{
    char *text = hoop_alloc(req, s.len + 1);
    memcpy(text, s.data, s.len);
    text[s.len] = 0;
    return text;
}

static int pull(struct hoop__source *source, char *buffer, size_t cap, size_t *ret_len)
{
    struct made *m = (struct made *)source;
    size_t left = m->body.len - m->at, n = 1 + m->data[3];
    if (m->data[4] && m->data[4] == left % 256) {
        m->broken = 1;
        return HOOP_EPROTO;
    }
    n = n < cap ? n : cap;
    n = n < left ? n : left;
    memcpy(buffer, m->body.data + m->at, n);
    *ret_len = n;
    m->at += n;
    return m->at == m->body.len ? HOOP_EOF : 0;
}

static void finish(struct hoop__source *source, int code)
{
    ((struct made *)source)->finished++;
}

static const hoop_response *make(const hoop_request *req, void *data)
{
    struct made *m = data;
    const hoop_response *res;
    int status = 100 + (m->data[0] | m->data[1] << 8) % 900;
    unsigned flags = m->data[2];
    m->at = PREFIX;
    m->body = next_text(m);
    if (flags & 1) {
        m->source.pull = pull;
        m->source.finished = finish;
        m->source.length = flags & 2 ? m->body.len : HOOP__LENGTH_UNKNOWN;
        m->streamed = 1;
        res = hoop__respond_source(req, status, NULL, &m->source);
    } else {
        res = hoop_bytes(req, status, NULL, m->body);
    }
    for (int i = 0; i < 20 && m->at < m->size; i++) {
        char *name = c_text(req, next_text(m)), *value = c_text(req, next_text(m));
        const hoop_response *with = flags & 4 ? hoop_with_header(req, res, name, value)
                                              : hoop_add_header(req, res, name, value);
        res = with ? with : res; /* what can't be sent is refused, and the rest goes on */
    }
    m->at = 0;
    if (flags & 8 && !m->streamed)
        res = hoop_freeze(req->arena, res);
    m->status = res ? res->status : 0;
    return res;
}

static void expect(int right, const char *what, const struct driver *d)
{
    if (right)
        return;
    fprintf(stderr, "%s:\n%.*s\n", what, (int)d->got_len, d->got);
    abort();
}

/* The value of the one header of this name; -1 as its length if there is none. */
static const char *find(const char *head, const char *end, const char *name, size_t *ret_len,
                        const struct driver *d)
{
    const char *found = NULL;
    size_t n = strlen(name);
    *ret_len = SIZE_MAX;
    for (const char *p = head; p < end;) {
        const char *eol = memchr(p, '\r', (size_t)(end - p));
        expect(eol && eol[1] == '\n' && !memchr(p, '\n', (size_t)(eol - p)), "a line", d);
        expect(p == head || memchr(p, ':', (size_t)(eol - p)) != NULL, "a field", d);
        if (p != head && (size_t)(eol - p) > n + 1 && strncasecmp(p, name, n) == 0 && p[n] == ':') {
            expect(!found, "one field of the name", d);
            found = p + n + 2;
            *ret_len = (size_t)(eol - found);
        }
        p = eol + 2;
    }
    return found;
}

static size_t unchunk(struct driver *d, size_t from, char *to)
{
    size_t len = 0;
    for (;;) {
        char *end;
        size_t n = strtoul(d->got + from, &end, 16);
        from = (size_t)(end - d->got) + 2;
        expect(memcmp(end, "\r\n", 2) == 0 && from + n + 2 <= d->got_len, "a chunk", d);
        memcpy(to + len, d->got + from, n);
        expect(memcmp(d->got + from + n, "\r\n", 2) == 0, "the end of a chunk", d);
        len += n;
        from += n + 2;
        if (!n)
            break;
    }
    expect(from == d->got_len, "nothing behind the last chunk", d);
    return len;
}

static void check(struct driver *d, struct made *m, const char *method)
{
    if (!m->status)
        return; /* the handler failed: a constant was sent */
    const char *end = memmem(d->got, d->got_len, "\r\n\r\n", 4);
    expect(end && memcmp(d->got, "HTTP/1.1 ", 9) == 0, "a head", d);
    expect(atoi(d->got + 9) == m->status || atoi(d->got + 9) == 500, "the status", d);
    if (atoi(d->got + 9) != m->status)
        return;
    size_t body = (size_t)(end - d->got) + 4, left = d->got_len - body, len, coding, close;
    const char *length = find(d->got, end + 2, "Content-Length", &len, d);
    find(d->got, end + 2, "Transfer-Encoding", &coding, d);
    const char *connection = find(d->got, end + 2, "Connection", &close, d);
    int told = connection && close == 5 && memcmp(connection, "close", 5) == 0;
    expect(!length || coding == SIZE_MAX, "one framing", d);
    expect(told == d->closed || m->broken, "closing is told", d);
    int status = m->status;
    if (strcmp(method, "HEAD") == 0 || status < 200 || status == 204 || status == 205 ||
        status == 304) {
        expect(!left, "no body", d);
        return;
    }
    if (m->broken) {
        expect(d->closed && left <= m->body.len * 8 + 16, "a broken body", d);
        return;
    }
    char *got = malloc(left + 1);
    if (coding != SIZE_MAX) {
        left = unchunk(d, body, got);
    } else {
        memcpy(got, d->got + body, left);
        expect(!length || strtoul(length, NULL, 10) == left, "the length", d);
        expect(length || d->closed, "an end", d);
    }
    expect(left == m->body.len && !memcmp(got, m->body.data, left), "the body", d);
    free(got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const methods[] = { "GET", "HEAD", "POST", "OPTIONS" };
    if (size < PREFIX + 1 || size > 20000)
        return 0;
    const char *method = methods[data[5] % 4];
    for (int minor = 0; minor < 2; minor++) {
        struct made m = { .data = data, .size = size };
        struct driver_options options = { .out_cap = data[5] & 16 ? 600 : 0,
                                          .take = data[5] & 32 ? 7 : 0 };
        struct driver d;
        char input[100];
        snprintf(input, sizeof input, "%s / HTTP/1.%d\r\nHost: a\r\n%s\r\n", method, minor,
                 data[5] & 64 ? "Connection: close\r\n"
                 : minor      ? ""
                              : "Connection: keep-alive\r\n");
        driver_init(&d, make, &m, &options);
        driver_text(&d, input);
        check(&d, &m, method);
        driver_done(&d);
        if (m.finished != m.streamed)
            abort();
    }
    return 0;
}
