/*
 * Asks an AJP server, or (--http) an HTTP server for the same, as fast as it answers: one request at a
 * time on each connection, all kept alive. One thread, so that one core is the server's.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_CONNECTIONS 1024

struct connection {
    int fd;
    int status;
    uint64_t body, left; /* received; of HTTP's announced length still to come */
    double begun;
    size_t len;
    unsigned char data[70000];
};

static unsigned char request[4096];
static size_t request_len;
static int http;
static uint64_t requests, wrong, want_length;
static uint64_t tens[100001]; /* latencies by ten microseconds */

static void fail(const char *what)
{
    fprintf(stderr, "ajpload: %s: %s\n", what, errno ? strerror(errno) : "the server broke it off");
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* --- the request ------------------------------------------------------------------------------ */

static void put8(unsigned n)
{
    request[request_len++] = (unsigned char)n;
}

static void put16(unsigned n)
{
    put8(n >> 8 & 255);
    put8(n & 255);
}

static void put_string(const char *s)
{
    size_t len = strlen(s);
    put16((unsigned)len);
    memcpy(request + request_len, s, len + 1);
    request_len += len + 1;
}

static void make_ajp(const char *path)
{
    static const char *const fields[][2] = { { "\x0b", "127.0.0.1" },
                                             { "\x0e", "ApacheBench/2.3" },
                                             { "\x01", "*/*" } };
    put16(0x1234);
    put16(0);
    put8(2); /* FORWARD_REQUEST */
    put8(2); /* GET */
    put_string("HTTP/1.1");
    put_string(path);
    put_string("127.0.0.1");
    put_string("localhost");
    put_string("127.0.0.1");
    put16(80);
    put8(0);
    put16(3);
    for (size_t i = 0; i < 3; i++) {
        put16(0xa000 + (unsigned)*fields[i][0]);
        put_string(fields[i][1]);
    }
    put8(255);
    size_t len = request_len;
    request_len = 2;
    put16((unsigned)len - 4);
    request_len = len;
}

static void make_http(const char *path)
{
    request_len = (size_t)snprintf((char *)request, sizeof request,
                                   "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: "
                                   "ApacheBench/2.3\r\nAccept: */*\r\n\r\n",
                                   path);
}

/* --- the answers ------------------------------------------------------------------------------ */

static void ask(struct connection *c)
{
    c->begun = now();
    c->status = 0;
    c->body = 0;
    if (write(c->fd, request, request_len) != (ssize_t)request_len)
        fail("write");
}

static void answered(struct connection *c)
{
    uint64_t ten = (uint64_t)((now() - c->begun) * 1e5);
    requests++;
    wrong += c->status != 200 || c->body != want_length;
    tens[ten > 100000 ? 100000 : ten]++;
    ask(c);
}

/* Takes whole packets off the front. Returns how many bytes. */
static size_t take_ajp(struct connection *c)
{
    size_t at = 0;
    while (c->len - at >= 5) {
        const unsigned char *p = c->data + at;
        size_t n = (size_t)p[2] << 8 | p[3];
        errno = 0;
        if (p[0] != 'A' || p[1] != 'B')
            fail("no AJP");
        if (c->len - at < n + 4)
            break;
        at += n + 4;
        if (p[4] == 4)
            c->status = p[5] << 8 | p[6];
        else if (p[4] == 3)
            c->body += (uint64_t)p[5] << 8 | p[6];
        else if (p[4] == 5 && !p[5])
            fail("END_RESPONSE");
        else if (p[4] == 5)
            answered(c);
    }
    return at;
}

/* The same for HTTP, of which only what our servers send is known: Content-Length. */
static size_t take_http(struct connection *c)
{
    size_t at = 0;
    if (!c->status) {
        unsigned char *end = memmem(c->data, c->len, "\r\n\r\n", 4);
        const unsigned char *length = memmem(c->data, c->len, "Content-Length: ", 16);
        if (!end || !length)
            return 0;
        c->status = atoi((const char *)c->data + 9);
        c->left = strtoull((const char *)length + 16, NULL, 10);
        at = (size_t)(end + 4 - c->data);
    }
    size_t n = c->len - at < c->left ? c->len - at : (size_t)c->left;
    c->left -= n;
    c->body += n;
    if (!c->left)
        answered(c);
    return at + n;
}

static void on_input(struct connection *c)
{
    errno = 0;
    ssize_t n = read(c->fd, c->data + c->len, sizeof c->data - c->len);
    if (n <= 0)
        fail("read");
    c->len += (size_t)n;
    size_t taken = http ? take_http(c) : take_ajp(c);
    memmove(c->data, c->data + taken, c->len - taken);
    c->len -= taken;
}

/* --- all -------------------------------------------------------------------------------------- */

static void open_connection(struct connection *c, int poll, uint16_t port)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };
    int on = 1;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&to, sizeof to))
        fail("connect");
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = c };
    epoll_ctl(poll, EPOLL_CTL_ADD, c->fd, &event);
    ask(c);
}

/* The latency below which this share of all answers was. */
static uint64_t percentile(double share)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i <= 100000; i++) {
        sum += tens[i];
        if ((double)sum >= share * (double)requests)
            return i * 10;
    }
    return 0;
}

int main(int argc, char **argv)
{
    http = argc > 1 && strcmp(argv[1], "--http") == 0;
    argv += http;
    if (argc - http != 6) {
        fprintf(stderr, "usage: ajpload [--http] PORT PATH CONNECTIONS SECONDS LENGTH\n");
        return 2;
    }
    int count = atoi(argv[3]);
    double seconds = atof(argv[4]);
    want_length = strtoull(argv[5], NULL, 10);
    if (count < 1 || count > MAX_CONNECTIONS || strlen(argv[2]) > 1000)
        return 2;
    if (http)
        make_http(argv[2]);
    else
        make_ajp(argv[2]);
    struct connection *all = calloc((size_t)count, sizeof *all);
    int poll = epoll_create1(0);
    if (!all || poll < 0)
        fail("memory");
    double begun = now(), time = begun;
    for (int i = 0; i < count; i++)
        open_connection(&all[i], poll, (uint16_t)atoi(argv[1]));
    while ((time = now()) < begun + seconds) {
        struct epoll_event events[64];
        int n = epoll_wait(poll, events, 64, 100);
        for (int i = 0; i < n; i++)
            on_input(events[i].data.ptr);
    }
    printf("{\"requests\": %llu, \"per_second\": %.0f, \"wrong\": %llu, \"p50_us\": %llu, "
           "\"p99_us\": %llu}\n",
           (unsigned long long)requests, (double)requests / (time - begun),
           (unsigned long long)wrong, (unsigned long long)percentile(0.5),
           (unsigned long long)percentile(0.99));
    free(all);
    return wrong != 0;
}
