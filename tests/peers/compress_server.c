/*
 * What compress.py asks: bodies and streams that are compressed, and an echo of bodies that came compressed.
 * Usage: compress_server PORT
 */
#include <hoop.h>

#include <stdio.h>
#include <stdlib.h>

#define MAX_BODY ((size_t)8 << 20)

static char *text; /* MAX_BODY digits, in a pattern that shows their order */

static size_t number(const hoop_request *req)
{
    size_t n = hoop_str_is_none(req->query_string) ? 0 : strtoul(req->query_string.data, NULL, 10);
    return n < MAX_BODY ? n : MAX_BODY;
}

static const hoop_response *bytes(const hoop_request *req, void *data)
{
    return hoop_bytes_static(req, 200, "text/plain", hoop_str_n(text, number(req)));
}

static int pull(hoop_sink *sink, char *buffer, size_t cap, size_t *ret_len, void *data)
{
    hoop_str *left = data;
    *ret_len = left->len < cap ? left->len : cap;
    memcpy(buffer, left->data, *ret_len);
    *left = hoop_str_n(left->data + *ret_len, left->len - *ret_len);
    return left->len ? 0 : HOOP_EOF;
}

static const hoop_response *stream(const hoop_request *req, void *data)
{
    hoop_str *left = hoop_alloc(req, sizeof *left);
    if (!left)
        return NULL;
    *left = hoop_str_n(text, number(req));
    return hoop_stream(req, 200, "text/plain",
                       &(hoop_stream_options){ .pull = pull, .data = left });
}

/* A line whenever a timer says so; the next one only when the client has asked for it by /next. */
static hoop_sink *waiting;

static const hoop_response *lines(const hoop_request *req, void *data)
{
    const hoop_response *res =
        hoop_stream(req, 200, "text/plain", &(hoop_stream_options){ .ret_sink = &waiting });
    hoop_stream_write(waiting, hoop_str_c("line 0\n"));
    return res;
}

static const hoop_response *next(const hoop_request *req, void *data)
{
    if (number(req))
        hoop_stream_printf(waiting, "line %zu\n", number(req));
    else
        hoop_stream_end(waiting);
    if (!number(req))
        hoop_stream_unref(waiting);
    return hoop_respond(req, 204);
}

static const hoop_response *echo(const hoop_request *req, void *data)
{
    return hoop_bytes_static(req, 200, "text/plain", hoop_body(req));
}

static const hoop_route routes[] = {
    HOOP_GET("/bytes", bytes, NULL), HOOP_GET("/stream", stream, NULL),
    HOOP_GET("/lines", lines, NULL), HOOP_POST("/next", next, NULL),
    HOOP_POST("/echo", echo, NULL),
};

static const hoop_compress_options all = { .codings = "gzip deflate br zstd" };
static const hoop_middleware chain[] = { HOOP_COMPRESS(&all), HOOP_DECOMPRESS(NULL) };

int main(int argc, char **argv)
{
    text = malloc(MAX_BODY + 1);
    if (!text)
        return 1;
    for (size_t i = 0; i < MAX_BODY; i += 8)
        snprintf(text + i, 9, "%08zu", i / 8);
    const hoop_limits limits = { .max_body = MAX_BODY };
    hoop_arena *app = hoop_arena_new();
    hoop_handler handler;
    hoop_error error = { 0, "" };
    int rc = hoop_router_new(app, routes, HOOP_COUNT(routes), &handler, &error);
    if (!rc)
        rc = hoop_chain_new(app, chain, HOOP_COUNT(chain), handler, &handler, &error);
    if (rc)
        fprintf(stderr, "%s\n", error.text);
    else
        rc = hoop_serve(handler, &(hoop_server_options){
                                     .port = argc > 1 ? (uint32_t)atoi(argv[1]) : 0,
                                     HOOP_LIMITS(&limits),
                                     .log = hoop_log_stderr,
                                 });
    hoop_arena_free(app);
    free(text);
    return rc ? 1 : 0;
}
