/*
 * Fuzz target: bytes for the HTTP/1 engine. Whatever they are, cut differently, or with a header block
 * that the memo knows, they must lead to the same answers, and memory must be as it was.
 */
#include "../unit/http1/driver.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const hoop_response *respond_by_path(const hoop_request *req, void *data)
{
    (void)data;
    if (req->method_number == HOOP_METHOD_POST)
        return echo_text(req, NULL);
    return req->header_count % 2 ? show(req, NULL) : say(req, NULL);
}

/* The options and the seed come first, then what the client sends. */
#define PREFIX 2

static void run(struct driver *d, const uint8_t *data, size_t size, int cut)
{
    struct driver_options options = {
        .limits = { .max_body = 5000,
                    .max_head = 3000,
                    .max_target = 1000,
                    .max_discard = 100,
                    .max_chunk_extension = 50,
                    .max_trailer = 200,
                    .max_headers = 30,
                    .max_requests = 20 },
        .out_cap = cut && data[0] & 1 ? 600 : 0,
        .take = cut && data[0] & 2 ? 100 : 0,
    };
    const char *bytes = (const char *)data + PREFIX;
    uint32_t seed = data[1];
    driver_init(d, respond_by_path, NULL, &options);
    size -= PREFIX;
    if (!cut)
        driver_feed(d, bytes, size);
    while (cut && size) {
        seed = seed * 1103515245 + 12345;
        size_t n = 1 + (seed >> 16) % (data[0] & 4 ? 3 : 40);
        if (n > size)
            n = size;
        driver_feed(d, bytes, n);
        bytes += n;
        size -= n;
    }
    driver_eof(d);
}

/*
 * The same behind three requests with the header block of the first one, which the memo knows then; in
 * `changed` a byte of it is another one. Nonzero if the connection got that far.
 */
static int run_known(struct driver *d, const char *bytes, size_t size, const char *changed)
{
    const struct driver_options options = { .limits = { .max_body = 5000, .max_headers = 30 } };
    driver_init(d, respond_by_path, NULL, &options);
    const char *line = memchr(bytes, '\n', size), *end = bytes + size;
    for (const char *p = line; p && p + 4 <= end; p++)
        if (memcmp(p, "\n\r\n", 3) == 0) {
            for (int i = 0; i < 3; i++)
                driver_feed(d, bytes, (size_t)(p + 3 - bytes));
            break;
        }
    d->got_len = 0;
    if (d->closed || !d->loop.head_memo || d->in_len || ((struct hoop__h1 *)d->engine)->h)
        return 0;
    driver_feed(d, changed, size);
    return 1;
}

static void compare_known(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data + PREFIX;
    const struct driver_options options = { .limits = { .max_body = 5000, .max_headers = 30 } };
    size -= PREFIX;
    char *changed = malloc(size + 1);
    memcpy(changed, bytes, size);
    for (int i = 0; i < 2; i++) {
        struct driver knows, fresh;
        driver_init(&fresh, respond_by_path, NULL, &options);
        if (run_known(&knows, bytes, size, changed)) {
            driver_feed(&fresh, changed, size);
            if (knows.got_len != fresh.got_len ||
                memcmp(knows.got, fresh.got, fresh.got_len) != 0 || knows.closed != fresh.closed) {
                fprintf(stderr, "known:\n%.*s\nfresh:\n%.*s\n", (int)knows.got_len, knows.got,
                        (int)fresh.got_len, fresh.got);
                abort();
            }
        }
        driver_done(&knows);
        driver_done(&fresh);
        if (size)
            changed[(data[0] + 256u * data[1]) % size] ^= (char)(1 + data[1] % 127);
    }
    free(changed);
}

/* Whether 100 Continue is sent depends on whether the body was there already. */
static void drop_interim(struct driver *d)
{
    static const char interim[] = "HTTP/1.1 100 Continue\r\n\r\n";
    size_t n = sizeof interim - 1;
    for (char *p = strstr(d->got, interim); p; p = strstr(p, interim)) {
        memmove(p, p + n, d->got_len - (size_t)(p - d->got) - n + 1);
        d->got_len -= n;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct driver whole, cut;
    if (size < PREFIX || size > 100000)
        return 0;
    run(&whole, data, size, /* cut= */ 0);
    run(&cut, data, size, /* cut= */ 1);
    drop_interim(&whole);
    drop_interim(&cut);
    if (whole.got_len != cut.got_len || memcmp(whole.got, cut.got, cut.got_len) != 0) {
        fprintf(stderr, "whole:\n%.*s\ncut:\n%.*s\n", (int)whole.got_len, whole.got,
                (int)cut.got_len, cut.got);
        abort();
    }
    if (!whole.closed || !cut.closed)
        abort(); /* behind the end of the input nothing is owed here */
    driver_done(&whole);
    driver_done(&cut);
    compare_known(data, size);
    return 0;
}
