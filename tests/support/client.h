/*
 * A scripted client on a blocking socket, and servers on a free port; every wait ends after ten
 * seconds with a failed test.
 */
#ifndef HOOP_TEST_CLIENT_H
#define HOOP_TEST_CLIENT_H

#include "support.h"

/* A connection; what was read too far waits in `data`. Zeroed before the first use. */
struct test_client {
    int fd;
    char *data;
    size_t len;
    size_t cap;
};

/* An answer; the texts are the client's until its next call. */
struct test_answer {
    int status;
    const char *head; /* status line and headers, without the empty line, NUL-terminated */
    const char *body; /* NUL-terminated */
    size_t body_len;
};

/* `host` is "127.0.0.1" or "::1". */
void test_connect(struct test_client *client, const char *host, uint32_t port);
void test_connect_unix(struct test_client *client, const char *path);
/* Loopback with a receive buffer of about `size` bytes. */
void test_connect_small(struct test_client *client, uint32_t port, int size);
/* 0, or the errno of connecting. */
int test_try_connect(struct test_client *client, const char *host, uint32_t port);

void test_send(struct test_client *client, const char *text);
void test_send_bytes(struct test_client *client, const char *data, size_t len);
/* As many as the peer takes before `len`, until it has taken none for 200 ms. */
size_t test_send_some(struct test_client *client, const char *data, size_t len);

/* Reads an answer with Content-Length, chunks, or neither nor a body (204, 304, HEAD). */
void test_answer(struct test_client *client, struct test_answer *ret);
void test_answer_head(struct test_client *client, struct test_answer *ret);
/* An answer of this status and body. */
void test_expect(struct test_client *client, int status, const char *body);
/* Exactly these bytes. */
void test_expect_bytes(struct test_client *client, const char *text);
/* Reads until `len` bytes are in client->data. */
void test_read(struct test_client *client, size_t len);
/* Reads until the end (a reset counts as one) and returns how many bytes are in client->data. */
size_t test_read_end(struct test_client *client);
/* The end, and nothing in front of it. */
void test_expect_end(struct test_client *client);
/* Nothing within 50 ms: for what must not come. */
void test_expect_silence(struct test_client *client);

void test_half_close(struct test_client *client);
void test_reset(struct test_client *client); /* closes with RST */
void test_close(struct test_client *client);

/* Starts a server on a free port of 127.0.0.1 unless the options say else; stops and frees it. */
hoop_server *test_server_start(hoop_handler handler, const hoop_server_options *options);
void test_server_stop(hoop_server *server);

/* Waits until `condition(data)` is nonzero. */
void test_until(int (*condition)(void *data), void *data);
/* Waits until the server has so many connections open. */
void test_until_connections(hoop_server *server, uint64_t count);
/* Waits until the server has dispatched so many requests. */
void test_until_requests(hoop_server *server, uint64_t count);

#endif
