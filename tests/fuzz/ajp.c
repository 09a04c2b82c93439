/*
 * Fuzz target: bytes for the AJP engine. Whatever they are, cut differently they must lead to the same
 * answers, every packet that is sent must be one, and memory must be as it was.
 */
#include "../unit/ajp/tools.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const hoop_response *respond_by_path(const hoop_request *req, void *data)
{
    (void)data;
    hoop_ajp_get(req, HOOP_AJP_TLS_KEY_SIZE);
    hoop_request_url(req);
    hoop_remote_addr(req);
    hoop_client_cert(req);
    if (req->method_number == HOOP_METHOD_POST)
        return echo_text(req, NULL);
    return req->header_count % 2 ? show(req, NULL) : say(req, NULL);
}

/* The options and the seed come first, then what the proxy sends. */
#define PREFIX 2

static void run(struct driver *d, const uint8_t *data, size_t size, int cut)
{
    static hoop_listener listener;
    listener = (hoop_listener){ .protocol = HOOP_AJP,
                                .ajp_secret = data[0] & 8 ? "s3cr3t" : NULL,
                                .ajp_attributes = "X_*,tenant",
                                .ajp_trust_user = 1 };
    struct driver_options options = { .limits = { .max_body = 5000,
                                                  .max_head = 3000,
                                                  .max_target = 1000,
                                                  .max_discard = 100,
                                                  .max_headers = 30,
                                                  .max_requests = 20 },
                                      .out_cap = cut && data[0] & 1 ? 8192 : 0,
                                      .config = &listener };
    const char *bytes = (const char *)data + PREFIX;
    uint32_t seed = data[1];
    ajp_init(d, respond_by_path, NULL, &options);
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

/* Nothing but whole packets of the kinds that a server sends; at most the last response is cut. */
static void check_packets(const struct driver *d)
{
    size_t at = 0;
    while (at < d->got_len) {
        const char *p = d->got + at;
        if (d->got_len - at < 5 || p[0] != 'A' || p[1] != 'B' || p[4] < 3 || p[4] > 9 ||
            p[4] == 7 || p[4] == 8)
            abort();
        size_t n = hoop__ajp_get16(p + 2);
        if (n + 4 > 8192 || n + 4 > d->got_len - at)
            abort();
        if (p[4] == HOOP__AJP_SEND_BODY_CHUNK && hoop__ajp_get16(p + 5) + 4 != n)
            abort();
        at += n + 4;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct driver whole, cut;
    if (size < PREFIX || size > 100000)
        return 0;
    run(&whole, data, size, /* cut= */ 0);
    run(&cut, data, size, /* cut= */ 1);
    check_packets(&whole);
    check_packets(&cut);
    /* With little room the cuts of a body differ; then only how much there is can be compared. */
    int same = whole.got_len == cut.got_len && memcmp(whole.got, cut.got, cut.got_len) == 0;
    if (!same && !(data[0] & 1))
        abort();
    if (!whole.closed || !cut.closed)
        abort(); /* behind the end of the input nothing is owed here */
    driver_done(&whole);
    driver_done(&cut);
    return 0;
}
