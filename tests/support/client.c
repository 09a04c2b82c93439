/* The scripted client and the servers of tests; see client.h. */
#include "client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 10000

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void wait_for(struct test_client *client, short events)
{
    struct pollfd p = { client->fd, events, 0 };
    int n;
    do
        n = poll(&p, 1, PATIENCE_MS);
    while (n < 0 && errno == EINTR);
    if (n != 1)
        fail_msg("the server did nothing for ten seconds; %zu bytes read: %.200s", client->len,
                 client->data ? client->data : "");
}

/* --- connecting ------------------------------------------------------------------------------ */

static int connect_to(struct test_client *client, const struct sockaddr *address, socklen_t len,
                      int receive)
{
    client->len = 0;
    client->fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(client->fd >= 0);
    if (receive)
        setsockopt(client->fd, SOL_SOCKET, SO_RCVBUF, &receive, sizeof receive);
    if (connect(client->fd, address, len) == 0)
        return 0;
    int code = errno;
    close(client->fd);
    client->fd = -1;
    return code;
}

static int connect_tcp(struct test_client *client, const char *host, uint32_t port, int receive)
{
    struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port) };
    if (inet_pton(AF_INET, host, &v4.sin_addr) == 1)
        return connect_to(client, (struct sockaddr *)&v4, sizeof v4, receive);
    assert_int_equal(inet_pton(AF_INET6, host, &v6.sin6_addr), 1);
    return connect_to(client, (struct sockaddr *)&v6, sizeof v6, receive);
}

int test_try_connect(struct test_client *client, const char *host, uint32_t port)
{
    return connect_tcp(client, host, port, 0);
}

void test_connect(struct test_client *client, const char *host, uint32_t port)
{
    assert_int_equal(connect_tcp(client, host, port, 0), 0);
}

void test_connect_small(struct test_client *client, uint32_t port, int size)
{
    assert_int_equal(connect_tcp(client, "127.0.0.1", port, size), 0);
}

void test_connect_unix(struct test_client *client, const char *path)
{
    struct sockaddr_un name = { .sun_family = AF_UNIX };
    assert_true(strlen(path) < sizeof name.sun_path);
    strcpy(name.sun_path, path);
    assert_int_equal(connect_to(client, (struct sockaddr *)&name, sizeof name, 0), 0);
}

/* --- sending --------------------------------------------------------------------------------- */

void test_send_bytes(struct test_client *client, const char *data, size_t len)
{
    while (len) {
        wait_for(client, POLLOUT);
        ssize_t n = send(client->fd, data, len, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        assert_true(n > 0);
        data += n;
        len -= (size_t)n;
    }
}

void test_send(struct test_client *client, const char *text)
{
    test_send_bytes(client, text, strlen(text));
}

size_t test_send_some(struct test_client *client, const char *data, size_t len)
{
    size_t sent = 0;
    struct pollfd p = { client->fd, POLLOUT, 0 };
    while (sent < len && poll(&p, 1, 200) == 1) {
        ssize_t n = send(client->fd, data + sent, len - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno != EAGAIN)
            break;
        sent += n > 0 ? (size_t)n : 0;
    }
    return sent;
}

/* --- reading --------------------------------------------------------------------------------- */

/* One read more; 0 at the end. */
static size_t read_more(struct test_client *client)
{
    if (client->cap - client->len < 65536) {
        client->cap = client->cap * 2 + 131072;
        client->data = realloc(client->data, client->cap + 1);
        assert_non_null(client->data);
    }
    ssize_t n;
    do {
        wait_for(client, POLLIN);
        n = recv(client->fd, client->data + client->len, client->cap - client->len, MSG_DONTWAIT);
    } while (n < 0 && (errno == EAGAIN || errno == EINTR));
    if (n < 0 && errno == ECONNRESET)
        n = 0;
    assert_true(n >= 0);
    client->len += (size_t)n;
    client->data[client->len] = 0;
    return (size_t)n;
}

void test_read(struct test_client *client, size_t len)
{
    while (client->len < len)
        if (!read_more(client))
            fail_msg("the end after %zu of %zu bytes: %.200s", client->len, len,
                     client->len ? client->data : "");
}

size_t test_read_end(struct test_client *client)
{
    while (read_more(client))
        continue;
    return client->len;
}

void test_expect_end(struct test_client *client)
{
    if (test_read_end(client))
        fail_msg("expected the end, but got: %.200s", client->data);
}

void test_expect_silence(struct test_client *client)
{
    struct pollfd p = { client->fd, POLLIN, 0 };
    assert_int_equal(client->len, 0);
    assert_int_equal(poll(&p, 1, 50), 0);
}

static void drop(struct test_client *client, size_t n)
{
    memmove(client->data, client->data + n, client->len - n + 1);
    client->len -= n;
}

void test_expect_bytes(struct test_client *client, const char *text)
{
    test_read(client, strlen(text));
    assert_bytes(client->data, strlen(text), text, strlen(text));
    drop(client, strlen(text));
}

/* The last answer, for its texts; they are copies, so that the client can go on. */
static char *last;

static char *find_head_end(struct test_client *client)
{
    for (;;) {
        char *end = client->len ? strstr(client->data, "\r\n\r\n") : NULL;
        if (end)
            return end;
        if (!read_more(client))
            fail_msg("the end before a whole head: %.200s", client->len ? client->data : "");
    }
}

/* The value of a header in a head, NULL if it is not there. */
static const char *header(const char *head, const char *name)
{
    size_t len = strlen(name);
    for (const char *line = strstr(head, "\r\n"); line; line = strstr(line + 2, "\r\n"))
        if (!strncasecmp(line + 2, name, len) && line[2 + len] == ':')
            return line + 2 + len + 1 + strspn(line + 3 + len, " ");
    return NULL;
}

/* Unchunks behind `at`; the decoded body stands there. Returns what is behind the last chunk. */
static size_t read_chunks(struct test_client *client, size_t at, size_t *ret_len)
{
    size_t from = at, to = at;
    for (;;) {
        char *end;
        while (!(end = strstr(client->data + from, "\r\n")))
            test_read(client, client->len + 1);
        size_t size = strtoul(client->data + from, NULL, 16);
        from = (size_t)(end - client->data) + 2;
        test_read(client, from + size + 2);
        memmove(client->data + to, client->data + from, size);
        from += size + 2;
        to += size;
        if (!size)
            break;
        while (client->len <= from)
            test_read(client, client->len + 1);
    }
    *ret_len = to - at;
    return from;
}

static void read_answer(struct test_client *client, struct test_answer *ret, int has_body)
{
    size_t head = (size_t)(find_head_end(client) - client->data), body = head + 4, end = body;
    client->data[head] = 0;
    const char *length = header(client->data, "content-length");
    const char *coding = header(client->data, "transfer-encoding");
    ret->status = atoi(client->data + strcspn(client->data, " "));
    ret->body_len = 0;
    if (has_body && coding) {
        end = read_chunks(client, body, &ret->body_len);
    } else if (has_body && length) {
        ret->body_len = strtoul(length, NULL, 10);
        end = body + ret->body_len;
        test_read(client, end);
    }
    last = realloc(last, body + ret->body_len + 1);
    memcpy(last, client->data, body + ret->body_len);
    last[body + ret->body_len] = 0;
    ret->head = last;
    ret->body = last + body;
    drop(client, end);
}

void test_answer(struct test_client *client, struct test_answer *ret)
{
    read_answer(client, ret, 1);
}

void test_answer_head(struct test_client *client, struct test_answer *ret)
{
    read_answer(client, ret, 0);
}

void test_expect(struct test_client *client, int status, const char *body)
{
    struct test_answer answer;
    test_answer(client, &answer);
    assert_int_equal(answer.status, status);
    assert_bytes(answer.body, answer.body_len, body, strlen(body));
}

/* --- ending ---------------------------------------------------------------------------------- */

void test_half_close(struct test_client *client)
{
    assert_int_equal(shutdown(client->fd, SHUT_WR), 0);
}

void test_close(struct test_client *client)
{
    if (client->fd >= 0)
        close(client->fd);
    free(client->data);
    free(last);
    last = NULL;
    memset(client, 0, sizeof *client);
    client->fd = -1;
}

void test_reset(struct test_client *client)
{
    struct linger none = { 1, 0 };
    setsockopt(client->fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    test_close(client);
}

/* --- servers --------------------------------------------------------------------------------- */

hoop_server *test_server_start(hoop_handler handler, const hoop_server_options *options)
{
    hoop_server *server = NULL;
    hoop_error error = { 0, "" };
    if (hoop_server_new_sized(handler, &server, &error, options, sizeof *options))
        fail_msg("%s", error.text);
    if (hoop_server_start(server, &error))
        fail_msg("%s", error.text);
    return server;
}

void test_server_stop(hoop_server *server)
{
    assert_int_equal(hoop_server_stop(server, NULL, NULL), 0);
    assert_int_equal(hoop_server_wait(server), 0);
    hoop_server_free(server);
}

void test_until(int (*condition)(void *data), void *data)
{
    uint64_t end = now_ms() + PATIENCE_MS;
    while (!condition(data)) {
        if (now_ms() > end)
            fail_msg("it has not come about within ten seconds");
        poll(NULL, 0, 1);
    }
}

struct awaited {
    hoop_server *server;
    uint64_t count;
};

static int has_connections(void *data)
{
    struct awaited *awaited = data;
    hoop_stats stats;
    hoop_server_stats(awaited->server, &stats, sizeof stats);
    return stats.connections == awaited->count;
}

static int has_requests(void *data)
{
    struct awaited *awaited = data;
    hoop_stats stats;
    hoop_server_stats(awaited->server, &stats, sizeof stats);
    return stats.requests >= awaited->count;
}

void test_until_connections(hoop_server *server, uint64_t count)
{
    test_until(has_connections, &(struct awaited){ server, count });
}

void test_until_requests(hoop_server *server, uint64_t count)
{
    test_until(has_requests, &(struct awaited){ server, count });
}
