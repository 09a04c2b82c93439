/*
 * A bound, no server: libuv and llhttp, with the target and the headers as slices of the read buffer.
 * It checks nothing beyond what the parser does, has no limits and no timers, and a head that comes
 * in two reads would leave its slices dangling.
 */
#include "uv_peer.h"

#include <llhttp.h>

#define MAX_HEADERS 128
#define OUT_SIZE    262144
#define MAX_ANSWER  1024

struct slice {
    const char *data;
    size_t len;
};

struct header {
    struct slice name, value;
};

struct connection {
    struct uv_peer peer;
    llhttp_t parser;
};

/* Of the request that is just read: they serve all connections, one after the other. */
static struct slice target;
static struct header headers[MAX_HEADERS];
static size_t header_count;

static llhttp_settings_t settings;
static char out[OUT_SIZE];
static size_t out_len;
static char date[64];
static size_t date_len;

static void make_date(void)
{
    date_len = peer_date(date, sizeof date);
}

static void put(const char *data, size_t len)
{
    memcpy(out + out_len, data, len);
    out_len += len;
}

#define PUT(literal_) put(literal_, sizeof(literal_) - 1)

static void flush_out(struct connection *c)
{
    if (out_len)
        uv_peer_send(&c->peer, out, out_len);
    out_len = 0;
}

static int on_begin(llhttp_t *parser)
{
    target.len = 0;
    header_count = 0;
    return 0;
}

/* A slice may come in several pieces, which lie side by side. */
static void extend(struct slice *slice, const char *data, size_t len)
{
    if (!slice->len)
        slice->data = data;
    slice->len += len;
}

static int on_target(llhttp_t *parser, const char *data, size_t len)
{
    extend(&target, data, len);
    return 0;
}

static int on_name(llhttp_t *parser, const char *data, size_t len)
{
    if (header_count == MAX_HEADERS)
        return -1;
    headers[header_count++] = (struct header){ { data, len }, { data, 0 } };
    return 0;
}

static int on_value(llhttp_t *parser, const char *data, size_t len)
{
    extend(&headers[header_count - 1].value, data, len);
    return 0;
}

static int is_target(const char *path, size_t len)
{
    return target.len == len && memcmp(target.data, path, len) == 0;
}

static void put_json(void)
{
    char body[256], length[32];
    size_t len = peer_json(body, sizeof body);
    PUT("HTTP/1.1 200 OK\r\nServer: bound\r\n");
    put(date, date_len);
    PUT("Content-Type: application/json\r\nContent-Length: ");
    put(length, (size_t)snprintf(length, sizeof length, "%zu\r\n\r\n", len));
    put(body, len);
}

static int on_complete(llhttp_t *parser)
{
    if (out_len > OUT_SIZE - MAX_ANSWER)
        flush_out(parser->data);
    if (is_target("/plaintext", 10)) {
        PUT("HTTP/1.1 200 OK\r\nServer: bound\r\n");
        put(date, date_len);
        PUT("Content-Type: text/plain\r\nContent-Length: 13\r\n\r\n" PEER_TEXT);
    } else if (is_target("/json", 5)) {
        put_json();
    } else {
        PUT("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    }
    return 0;
}

static void open_connection(struct uv_peer *peer)
{
    struct connection *c = (struct connection *)peer;
    llhttp_init(&c->parser, HTTP_REQUEST, &settings);
    c->parser.data = c;
}

static int read_bytes(struct uv_peer *peer, const char *data, size_t len)
{
    struct connection *c = (struct connection *)peer;
    int failed = llhttp_execute(&c->parser, data, len) != HPE_OK;
    flush_out(c);
    return failed;
}

int main(int argc, char **argv)
{
    static const struct uv_peer_ops ops = {
        .size = sizeof(struct connection),
        .open = open_connection,
        .read = read_bytes,
        .second = make_date,
    };
    llhttp_settings_init(&settings);
    settings.on_message_begin = on_begin;
    settings.on_url = on_target;
    settings.on_header_field = on_name;
    settings.on_header_value = on_value;
    settings.on_message_complete = on_complete;
    return uv_peer_run(peer_port(argc, argv), &ops);
}
