/*
 * An upload that its handler had paused was never resumed once there was room again. Pauses come after each 64 KiB, and
 * a timer ends them; the client's socket is small, so that it waits for each.
 */
#include "regress.h"

#include "value/exchange.h"

#include <stdio.h>

#define SIZE  ((size_t)2 << 20)
#define PART  65536
#define FIRST "--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n"
#define LAST  "\r\n--x--\r\n"

struct upload {
    struct hoop__timer timer; /* first */
    struct hoop_loop *loop;
    hoop_reader *reader;
    hoop_multipart *multipart; /* NULL: the body is the file */
    uint64_t bytes, wrong, told;
    unsigned pauses;
};

static void count(struct upload *u, hoop_str bytes)
{
    for (size_t i = 0; i < bytes.len; i++)
        u->wrong += bytes.data[i] != 'a' + (char)((u->bytes + i) % 23);
    u->bytes += bytes.len;
}

static void on_time(struct hoop__timer *timer)
{
    struct upload *u = (struct upload *)(void *)timer;
    assert_int_equal(hoop_reader_resume(u->reader), 0);
}

static int on_chunk(hoop_reader *reader, hoop_str bytes, hoop_arena *scratch, void *data)
{
    struct upload *u = data;
    hoop_str piece;
    int rc = 0;
    u->reader = reader;
    if (!u->multipart)
        count(u, bytes);
    while (u->multipart && (rc = hoop_multipart_next(u->multipart, &bytes, &piece)) > 0)
        if (rc == HOOP_MULTIPART_DATA)
            count(u, piece);
    if (rc < 0 || u->bytes - u->told < PART)
        return rc;
    u->told = u->bytes;
    u->pauses++;
    hoop__loop_timer(u->loop, &u->timer, hoop_loop_now(u->loop) + 1);
    return HOOP_WAIT;
}

static const hoop_response *on_end(const hoop_request *req, int code, void *data)
{
    struct upload *u = data;
    if (u->multipart && !code)
        code = hoop_multipart_finish(u->multipart);
    return hoop_textf(req, 200, "%d %zu %zu %d", code, (size_t)u->bytes, (size_t)u->wrong,
                      u->pauses >= 20);
}

static const hoop_response *take(const hoop_request *req, void *data)
{
    struct upload *u = hoop_alloc(req, sizeof *u);
    memset(u, 0, sizeof *u);
    u->timer.fire = on_time;
    u->loop = hoop_loop_of(req);
    hoop_str type = hoop_header(req, "content-type");
    if (type.len)
        assert_int_equal(hoop_multipart_new(req->arena, type, &u->multipart, NULL, NULL), 0);
    return hoop_read_stream(req,
                            &(hoop_read_options){ .chunk = on_chunk, .end = on_end, .data = u });
}

static void upload(uint32_t port, const char *type, int chunked)
{
    struct test_client c = { 0 };
    char head[256], length[64];
    size_t around = *type ? strlen(FIRST) + strlen(LAST) : 0;
    char *piece = malloc(PART + 9);
    snprintf(length, sizeof length, "Content-Length: %zu\r\n", SIZE + around);
    snprintf(head, sizeof head, "POST / HTTP/1.1\r\nHost: a\r\n%s%s\r\n", type,
             chunked ? "Transfer-Encoding: chunked\r\n" : length);
    test_connect_small(&c, port, 8192);
    for (int round = 0; round < 2; round++) {
        test_send(&c, head);
        if (*type)
            test_send(&c, FIRST);
        memcpy(piece, "10000\r\n", 7);
        memcpy(piece + 7 + PART, "\r\n", 2);
        for (size_t sent = 0; sent < SIZE; sent += PART) {
            for (size_t i = 0; i < PART; i++)
                piece[7 + i] = (char)('a' + (sent + i) % 23);
            test_send_bytes(&c, chunked ? piece : piece + 7, chunked ? PART + 9 : PART);
        }
        test_send(&c, chunked ? "0\r\n\r\n" : *type ? LAST : "");
        test_expect(&c, 200, "0 2097152 0 1");
    }
    test_close(&c);
    free(piece);
}

static void test(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_limits limits = { .max_body = 2 * SIZE };
    hoop_server *server = test_server_start(hoop_streaming(arena, hoop_fn(take, NULL)),
                                            &(hoop_server_options){ HOOP_LIMITS(&limits) });
    uint32_t port = hoop_listener_port(server, 0);
    upload(port, "", 0);
    upload(port, "", 1);
    upload(port, "Content-Type: multipart/form-data; boundary=x\r\n", 0);
    test_server_stop(server);
    hoop_arena_free(arena);
}

REGRESS(test)
