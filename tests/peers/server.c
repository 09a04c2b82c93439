/*
 * What the front ends and clients of these tests talk to: small answers, large ones, conditional ones,
 * and what the server counts and takes the client for.
 *
 * Usage: server PORT [slow] [proxy TRUSTED]
 *
 * With `slow` every time is five seconds; with `proxy` the PROXY protocol is required, of the trusted
 * ("" is the default).
 */
#include <hoop.h>
#include <hoop/json.h>

#include "value/value.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BODY ((size_t)64 * 1024 * 1024)

/* A body of `left` bytes that is made while it is sent, chunked. */
struct zeros {
    struct hoop__source base; /* first */
    uint64_t left;
};

static hoop_server *server;
static char *bytes; /* MAX_BODY of them, in a pattern that shows their order */

static int pull_zeros(struct hoop__source *source, char *buffer, size_t cap, size_t *ret_len)
{
    struct zeros *zeros = (struct zeros *)(void *)source;
    *ret_len = zeros->left < cap ? (size_t)zeros->left : cap;
    memset(buffer, 0, *ret_len);
    zeros->left -= *ret_len;
    return zeros->left ? 0 : HOOP_EOF;
}

static void finished(struct hoop__source *source, int code)
{
    (void)source;
    (void)code;
}

static uint64_t number(const hoop_request *req)
{
    return hoop_str_is_none(req->query_string) ? 0 : strtoull(req->query_string.data, NULL, 10);
}

static const hoop_response *stream(const hoop_request *req)
{
    struct zeros *zeros = hoop_alloc(req, sizeof *zeros);
    if (!zeros)
        return NULL;
    memset(zeros, 0, sizeof *zeros);
    zeros->base.pull = pull_zeros;
    zeros->base.finished = finished;
    zeros->base.length = UINT64_MAX;
    zeros->left = number(req);
    return hoop__respond_source(req, 200, "application/octet-stream", &zeros->base);
}

static const hoop_response *conditional(const hoop_request *req)
{
    int same = hoop_str_eq_c(hoop_header(req, "if-none-match"), "\"v1\"");
    const hoop_response *res = same ? hoop_respond(req, 304) : hoop_text(req, 200, "version 1\n");
    res = hoop_with_header(req, res, "ETag", "\"v1\"");
    return hoop_with_header(req, res, "Cache-Control", "no-cache");
}

static const hoop_response *stats(const hoop_request *req)
{
    hoop_stats s;
    hoop_server_stats(server, &s, sizeof s);
    return hoop_json_pack(
        req, 200, "{s:I, s:I, s:I, s:I, s:I}", "connections", (json_int_t)s.connections, "accepted",
        (json_int_t)s.accepted, "requests", (json_int_t)s.requests, "errors", (json_int_t)s.errors,
        "late",
        (json_int_t)(s.late_first_byte + s.late_head + s.late_body + s.late_write + s.late_idle));
}

static const hoop_response *leaf(const hoop_request *req, void *data)
{
    hoop_str body = hoop_body(req);
    (void)data;
    if (hoop_str_eq_c(req->uri, "/body"))
        return hoop_bytes_static(req, 200, "application/octet-stream", body);
    if (hoop_str_eq_c(req->uri, "/length"))
        return hoop_textf(req, 200, "%zu", body.len);
    if (hoop_str_eq_c(req->uri, "/bytes") && number(req) <= MAX_BODY)
        return hoop_bytes_static(req, 200, "application/octet-stream",
                                 hoop_str_n(bytes, (size_t)number(req)));
    if (hoop_str_eq_c(req->uri, "/stream"))
        return stream(req);
    if (hoop_str_eq_c(req->uri, "/etag"))
        return conditional(req);
    if (hoop_str_eq_c(req->uri, "/stats"))
        return stats(req);
    if (hoop_str_eq_c(req->uri, "/peer"))
        return hoop_textf(req, 200, "%s %lu", hoop_remote_addr(req).data,
                          (unsigned long)hoop_remote_port(req));
    if (hoop_str_eq_c(req->uri, "/"))
        return hoop_textf(req, 200, "hello %s\n", req->method.data);
    return hoop_pass(req);
}

/* What is sent to /drop is answered at once, and read and dropped behind that. */
static const hoop_response *root(const hoop_request *req, void *data)
{
    (void)data;
    if (hoop_str_eq_c(req->uri, "/drop"))
        return hoop_text_static(req, 200, "dropped\n");
    return hoop_call(hoop_fn(leaf, NULL), req);
}

static void fill(void)
{
    bytes = malloc(MAX_BODY + 1);
    if (!bytes)
        exit(1);
    for (size_t i = 0; i < MAX_BODY; i += 8)
        snprintf(bytes + i, 9, "%08zu", i / 8);
}

int main(int argc, char **argv)
{
    hoop_limits limits = { .max_body = MAX_BODY, .max_discard = HOOP_OFF, .max_arena = HOOP_OFF };
    hoop_listener listener = { .port = argc > 1 ? (uint32_t)atoi(argv[1]) : 0 };
    hoop_error error;
    for (int i = 2; i < argc; i++) {
        if (!strcmp(argv[i], "slow"))
            limits.first_byte_ms = limits.head_ms = limits.idle_ms = limits.write_ms =
                limits.body_grace_ms = 5000;
        if (!strcmp(argv[i], "proxy") && i + 1 < argc) {
            listener.proxy_protocol = HOOP_PROXY_REQUIRED;
            listener.proxy_trusted = *argv[++i] ? argv[i] : NULL;
        }
    }
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    fill();
    hoop_arena *app = hoop_arena_new();
    hoop_server_options options = { HOOP_LIMITS(&limits), .log = hoop_log_stderr };
    options.listeners = &listener;
    options.listener_count = 1;
    options.listener_size = sizeof listener;
    hoop_handler handler = hoop_streaming(app, hoop_fn(root, NULL));
    if (hoop_server_new(handler, &server, &error, &options) || hoop_server_start(server, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    fprintf(stderr, "listening on %s\n", hoop_listener_url(server, 0));
    int signal_number;
    sigwait(&ends, &signal_number);
    hoop_server_drain(server, 1000, NULL, NULL);
    hoop_server_wait(server);
    hoop_server_free(server);
    hoop_arena_free(app);
    free(bytes);
    return 0;
}
