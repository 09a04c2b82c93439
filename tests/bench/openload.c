/*
 * An open-loop client: asks an HTTP/1.1 server for one path at a given mean rate, at random moments,
 * whatever the server does. A latency counts from the moment at which a request was due, so that one
 * which waits behind a stalled server, or for a free connection, is as slow as its user would see it.
 * It polls without sleeping, on a CPU of its own.
 *
 * openload PORT PATH CONNECTIONS RATE SECONDS
 */
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
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
#define WARM_UP_NS      500000000u /* what is due in the first half second does not count */
#define PATIENCE_NS     5000000000u
#define MAX_EVENTS      64

struct connection {
    int fd;
    uint64_t due; /* of the request under way */
    size_t got;   /* of its answer */
};

/* A ring of numbers: free connections, and moments at which requests were due. */
struct ring {
    uint64_t *items;
    size_t first, count, size;
};

static struct connection connections[MAX_CONNECTIONS];
static char request[4096];
static size_t request_len, answer_len;
static int queue; /* epoll's */
static struct ring idle, waiting;
static uint32_t *latencies; /* nanoseconds */
static size_t answered, latency_count, latency_size;
static uint64_t begun;

static void fail(const char *what)
{
    fprintf(stderr, "openload: %s: %s\n", what, errno ? strerror(errno) : "not as expected");
    exit(1);
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *allot(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory)
        fail("memory");
    return memory;
}

static void put(struct ring *ring, uint64_t item)
{
    if (ring->count == ring->size) {
        errno = 0;
        fail("the server is so slow that too many requests wait");
    }
    ring->items[(ring->first + ring->count++) % ring->size] = item;
}

static uint64_t take(struct ring *ring)
{
    uint64_t item = ring->items[ring->first];
    ring->first = (ring->first + 1) % ring->size;
    ring->count--;
    return item;
}

/* --- chance ----------------------------------------------------------------------------------- */

/* Nanoseconds to the next request: exponentially distributed, the same in each run. */
static double next_gap(double mean)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return -mean * log((double)(state >> 11) / 9007199254740992.0 + 1e-17);
}

/* --- connections ------------------------------------------------------------------------------ */

static void connect_one(uint64_t number, uint16_t port)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };
    struct epoll_event event = { .events = EPOLLIN, .data = { .u64 = number } };
    int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 ||
        (connect(fd, (struct sockaddr *)&address, sizeof address) && errno != EINPROGRESS))
        fail("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (epoll_ctl(queue, EPOLL_CTL_ADD, fd, &event))
        fail("epoll_ctl");
    connections[number].fd = fd;
    put(&idle, number);
}

/* The length of every answer is that of the first, which is asked for here. */
static void learn_length(void)
{
    char text[16384];
    size_t len = 0;
    const char *head = NULL, *field = NULL;
    struct connection *c = &connections[0];
    uint64_t until = now() + PATIENCE_NS;
    while (send(c->fd, request, request_len, MSG_NOSIGNAL) < 0)
        if ((errno != EAGAIN && errno != ENOTCONN) || now() > until)
            fail("send");
    while (!head || len < answer_len) {
        ssize_t n = recv(c->fd, text + len, sizeof text - 1 - len, 0);
        if (n == 0 || (n < 0 && errno != EAGAIN) || now() > until)
            fail("no answer");
        len += n > 0 ? (size_t)n : 0;
        text[len] = 0;
        head = strstr(text, "\r\n\r\n");
        field = strcasestr(text, "\r\ncontent-length:");
        if (head && field)
            answer_len = (size_t)(head + 4 - text) + strtoul(field + 17, NULL, 10);
        errno = 0;
        if ((head && !field) || len == sizeof text - 1 ||
            strncmp(text, "HTTP/1.1 200", len < 12 ? len : 12))
            fail("an answer of 200 with a Content-Length");
    }
}

/* --- asking ----------------------------------------------------------------------------------- */

static void ask(uint64_t due)
{
    uint64_t number = take(&idle);
    struct connection *c = &connections[number];
    c->due = due;
    c->got = 0;
    if (send(c->fd, request, request_len, MSG_NOSIGNAL) != (ssize_t)request_len)
        fail("send");
}

static void count(uint64_t due)
{
    uint64_t took = now() - due;
    answered++;
    if (due < begun + WARM_UP_NS)
        return;
    if (latency_count == latency_size)
        fail("more answers than requests");
    latencies[latency_count++] = took < UINT32_MAX ? (uint32_t)took : UINT32_MAX;
}

static void hear(uint64_t number)
{
    static char text[65536];
    struct connection *c = &connections[number];
    ssize_t n = recv(c->fd, text, sizeof text, 0);
    if (n < 0 && errno == EAGAIN)
        return;
    if (n <= 0)
        fail("closed by the server");
    errno = 0;
    if (c->got == 0 && strncmp(text, "HTTP/1.1 200", (size_t)n < 12 ? (size_t)n : 12))
        fail("an answer that is not 200");
    c->got += (size_t)n;
    if (c->got > answer_len)
        fail("an answer that is too long");
    if (c->got < answer_len)
        return;
    count(c->due);
    put(&idle, number);
    if (waiting.count)
        ask(take(&waiting));
}

static void hear_all(void)
{
    struct epoll_event events[MAX_EVENTS];
    int n = epoll_wait(queue, events, MAX_EVENTS, 0);
    for (int i = 0; i < n; i++)
        hear(events[i].data.u64);
}

static size_t run(double rate, double seconds)
{
    size_t due_count = 0;
    double next = 0;
    begun = now();
    while (next < seconds * 1e9) {
        uint64_t due = begun + (uint64_t)next;
        while (now() < due)
            hear_all();
        if (idle.count)
            ask(due);
        else
            put(&waiting, due);
        due_count++;
        next += next_gap(1e9 / rate);
        hear_all();
    }
    for (uint64_t until = now() + PATIENCE_NS; answered < due_count;) {
        hear_all();
        errno = ETIMEDOUT;
        if (now() > until)
            fail("answers are missing");
    }
    return due_count;
}

/* --- the result ------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static double micros(double share)
{
    return latencies[(size_t)((double)(latency_count - 1) * share)] / 1e3;
}

static void tell(size_t asked)
{
    qsort(latencies, latency_count, sizeof *latencies, by_size);
    if (!latency_count)
        fail("a run of more than half a second");
    printf("{\"requests\": %zu, \"p50\": %.1f, \"p90\": %.1f, \"p99\": %.1f, \"p999\": %.1f, "
           "\"most\": %.1f}\n",
           asked, micros(0.5), micros(0.9), micros(0.99), micros(0.999), micros(1));
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: openload PORT PATH CONNECTIONS RATE SECONDS\n");
        return 2;
    }
    uint64_t connected = strtoul(argv[3], NULL, 10);
    double rate = strtod(argv[4], NULL), seconds = strtod(argv[5], NULL);
    if (connected < 1 || connected > MAX_CONNECTIONS || rate < 1 || seconds <= 0) {
        fprintf(stderr, "openload: connections are 1 to %d, rate and seconds above 0\n",
                MAX_CONNECTIONS);
        return 2;
    }
    request_len =
        (size_t)snprintf(request, sizeof request,
                         "GET %s HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nAccept: "
                         "text/plain,text/html;q=0.9,application/xhtml+xml;q=0.9,"
                         "application/xml;q=0.8,*/*;q=0.7\r\nConnection: keep-alive\r\n\r\n",
                         argv[2]);
    if (request_len >= sizeof request)
        fail("path");
    queue = epoll_create1(0);
    latency_size = (size_t)(rate * seconds * 2) + 1000;
    latencies = allot(latency_size, sizeof *latencies);
    idle =
        (struct ring){ .items = allot(MAX_CONNECTIONS, sizeof(uint64_t)), .size = MAX_CONNECTIONS };
    waiting = (struct ring){ .items = allot(latency_size, sizeof(uint64_t)), .size = latency_size };
    for (uint64_t i = 0; i < connected; i++)
        connect_one(i, (uint16_t)strtoul(argv[1], NULL, 10));
    learn_length();
    tell(run(rate, seconds));
    return 0;
}
