/* The PROXY protocol: headers whole and cut anywhere, malformed ones, trusted networks, connections. */
#include "toy.h"

#include "net/proxy.h"

#include <arpa/inet.h>

#define SIGNATURE "\r\n\r\n\0\r\nQUIT\n"
#define V4_BLOCK  "\x01\x02\x03\x04\x05\x06\x07\x08\x10\x00\x20\x00"
#define V6_BLOCK                                 \
    "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01" \
    "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x02" \
    "\x01\x02\x00\x50"
#define MAPPED(last) "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0" last

struct good {
    const char *bytes;
    size_t len;
    const char *client; /* address and port; NULL: the real one stays */
    const char *local;
};

#define GOOD(text, ...)                     \
    {                                       \
        text, sizeof(text) - 1, __VA_ARGS__ \
    }

static const struct good goods[] = {
    GOOD("PROXY TCP4 1.2.3.4 5.6.7.8 4096 8192\r\n", "1.2.3.4 4096", "5.6.7.8 8192"),
    GOOD("PROXY TCP4 255.255.255.255 0.0.0.0 65535 0\r\n", "255.255.255.255 65535", "0.0.0.0 0"),
    GOOD("PROXY TCP6 2001:db8::1 ::1 1 80\r\n", "2001:db8::1 1", "::1 80"),
    GOOD("PROXY TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff "
         "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n",
         "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535",
         "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535"),
    GOOD("PROXY TCP6 ::ffff:10.0.0.1 ::ffff:10.0.0.2 1 2\r\n", "10.0.0.1 1", "10.0.0.2 2"),
    GOOD("PROXY TCP6 ::ffff:10.0.0.1 ::1 1 2\r\n", "::ffff:10.0.0.1 1", "::1 2"),
    GOOD("PROXY UNKNOWN\r\n", NULL, NULL),
    GOOD("PROXY UNKNOWN \r\n", NULL, NULL),
    GOOD("PROXY UNKNOWN ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff "
         "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n",
         NULL, NULL),
    GOOD(SIGNATURE "\x21\x11\x00\x0c" V4_BLOCK, "1.2.3.4 4096", "5.6.7.8 8192"),
    GOOD(SIGNATURE "\x21\x11\x00\x13" V4_BLOCK "\x04\x00\x04"
                   "abcd",
         "1.2.3.4 4096", "5.6.7.8 8192"),
    GOOD(SIGNATURE "\x21\x21\x00\x24" V6_BLOCK, "2001:db8::1 258", "2001:db8::2 80"),
    GOOD(SIGNATURE "\x21\x21\x00\x27" V6_BLOCK "\x04\x00\x00", "2001:db8::1 258", "2001:db8::2 80"),
    GOOD(SIGNATURE "\x21\x21\x00\x24" MAPPED("\x01") MAPPED("\x02") "\x00\x01\x00\x02",
         "10.0.0.1 1", "10.0.0.2 2"),
    GOOD(SIGNATURE "\x20\x00\x00\x00", NULL, NULL),          /* LOCAL */
    GOOD(SIGNATURE "\x20\x11\x00\x0c" V4_BLOCK, NULL, NULL), /* its block is nothing */
    GOOD(SIGNATURE "\x20\xff\x00\x03"
                   "abc",
         NULL, NULL),                               /* nor is its family */
    GOOD(SIGNATURE "\x21\x00\x00\x00", NULL, NULL), /* UNSPEC */
    GOOD(SIGNATURE "\x21\x00\x00\x05"
                   "abcde",
         NULL, NULL),                                        /* with bytes to skip */
    GOOD(SIGNATURE "\x21\x12\x00\x0c" V4_BLOCK, NULL, NULL), /* UDP */
};

static struct hoop__peer real(void)
{
    struct hoop__peer peer = { .family = 4, .remote_port = 7, .local_port = 9 };
    memcpy(peer.remote, "\x7f\0\0\x01", 4);
    memcpy(peer.local, "\x7f\0\0\x02", 4);
    return peer;
}

static void expect_end(const struct hoop__peer *peer, const uint8_t *address, unsigned port,
                       const char *expected)
{
    char text[80], whole[96];
    int family = peer->family == 4 ? AF_INET : AF_INET6;
    assert_non_null(inet_ntop(family, address, text, sizeof text));
    snprintf(whole, sizeof whole, "%s %u", text, port);
    assert_string_equal(whole, expected);
}

static void expect_peer(const struct good *good, const struct hoop__peer *peer)
{
    struct hoop__peer same = real();
    if (!good->client) {
        assert_memory_equal(peer, &same, sizeof same);
        return;
    }
    expect_end(peer, peer->remote, peer->remote_port, good->client);
    expect_end(peer, peer->local, peer->local_port, good->local);
}

/* Feeds from memory of exactly that size, so that a sanitizer sees a byte too many. */
static int feed(struct hoop__proxy *proxy, const char *data, size_t len, size_t *ret_used,
                struct hoop__peer *peer)
{
    char *exact = malloc(len ? len : 1);
    memcpy(exact, data, len);
    int rc = hoop__proxy_read(proxy, len ? exact : exact + 1, len, ret_used, peer);
    free(exact);
    return rc;
}

static void takes_whole_headers(void **state)
{
    for (size_t i = 0; i < HOOP_COUNT(goods); i++) {
        struct hoop__peer peer = real();
        struct hoop__proxy proxy = { 0 };
        size_t used, len = goods[i].len;
        char more[300];
        memcpy(more, goods[i].bytes, len);
        memcpy(more + len, "GET /", 5);
        assert_int_equal(feed(&proxy, more, len + 5, &used, &peer), 0);
        assert_int_equal(used, len);
        expect_peer(&goods[i], &peer);
    }
}

static void takes_them_byte_by_byte(void **state)
{
    for (size_t i = 0; i < HOOP_COUNT(goods); i++) {
        struct hoop__peer peer = real(), before = real();
        struct hoop__proxy proxy = { 0 };
        size_t used, len = goods[i].len;
        for (size_t at = 0; at < len; at++) {
            if (at + 1 < len && at < 16)
                assert_memory_equal(&peer, &before, sizeof peer);
            int rc = feed(&proxy, goods[i].bytes + at, 1, &used, &peer);
            assert_int_equal(rc, at + 1 < len ? HOOP_EAGAIN : 0);
            assert_int_equal(used, 1);
        }
        expect_peer(&goods[i], &peer);
    }
}

static void takes_them_cut_anywhere(void **state)
{
    for (size_t i = 0; i < HOOP_COUNT(goods); i++)
        for (size_t a = 0; a < goods[i].len; a++)
            for (size_t b = a; b < goods[i].len; b++) {
                struct hoop__peer peer = real();
                struct hoop__proxy proxy = { 0 };
                size_t used, len = goods[i].len;
                const char *bytes = goods[i].bytes;
                assert_int_equal(feed(&proxy, bytes, a, &used, &peer), HOOP_EAGAIN);
                assert_int_equal(used, a);
                assert_int_equal(feed(&proxy, bytes + a, b - a, &used, &peer), HOOP_EAGAIN);
                assert_int_equal(used, b - a);
                assert_int_equal(feed(&proxy, bytes + b, len - b, &used, &peer), 0);
                assert_int_equal(used, len - b);
                expect_peer(&goods[i], &peer);
            }
}

#define BAD(text)              \
    {                          \
        text, sizeof(text) - 1 \
    }

static const struct {
    const char *bytes;
    size_t len;
} bads[] = {
    BAD("GET / HTTP/1.1\r\n"),
    BAD("\x16\x03\x01"),
    BAD("\0"),
    BAD(" "),
    BAD("proxy TCP4 1.2.3.4 5.6.7.8 1 2\r\n"),
    BAD("POST / HTTP/1.1\r\n"),
    BAD("PROXY  TCP4 1.2.3.4 5.6.7.8 1 2\r\n"),
    BAD("PROXY\tTCP4 1.2.3.4 5.6.7.8 1 2\r\n"),
    BAD("PROXY\r\n"),
    BAD("PROXY \r\n"),
    BAD("PROXY TCP4\r\n"),
    BAD("PROXY TCP4 \r\n"),
    BAD("PROXY TCP5 1.2.3.4 5.6.7.8 1 2\r\n"),
    BAD("PROXY UDP4 1.2.3.4 5.6.7.8 1 2\r\n"),
    BAD("PROXY tcp4 1.2.3.4 5.6.7.8 1 2\r\n"),
    BAD("PROXY UNKNOWNX\r\n"),
    BAD("PROXY UNKNOW\r\n"),
    BAD("PROXY TCP4 1.2.3.4 5.6.7.8 1 2\n"),
    BAD("PROXY TCP4 1.2.3.4 5.6.7.8 1 2 \r\n"),
    BAD("PROXY TCP4 1.2.3.4 5.6.7.8 1 2 3\r\n"),
    BAD("PROXY TCP4 1.2.3.4 5.6.7.8 1\r\n"),
    BAD("PROXY TCP4 1.2.3.4 5.6.7.8 1 \r\n"),
    BAD("PROXY TCP4 1.2.3.4  5.6.7.8 1 2\r\n"),
    BAD("PROXY TCP4 1.2.3.4 5.6.7.8 01 2\r\n"),
    BAD("PROXY TCP4 1.2.3.4 5.6.7.8 1 65536\r\n"),
    BAD("PROXY TCP4 1.2.3.4 5.6.7.8 1 99999999999\r\n"),
    BAD("PROXY TCP4 1.2.3.4 5.6.7.8 -1 2\r\n"),
    BAD("PROXY TCP4 1.2.3.4 5.6.7.8 +1 2\r\n"),
    BAD("PROXY TCP4 1.2.3.4 5.6.7.8 1a 2\r\n"),
    BAD("PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\r\n"),
    BAD("PROXY TCP4 1.2.3 5.6.7.8 1 2\r\n"),
    BAD("PROXY TCP4 1.2.3.256 5.6.7.8 1 2\r\n"),
    BAD("PROXY TCP4 01.2.3.4 5.6.7.8 1 2\r\n"),
    BAD("PROXY TCP4 1.2.3.4\0 5.6.7.8 1 2\r\n"),
    BAD("PROXY TCP4 ::1 ::1 1 2\r\n"),
    BAD("PROXY TCP6 1.2.3.4 5.6.7.8 1 2\r\n"),
    BAD("PROXY TCP6 ::1%lo ::1 1 2\r\n"),
    BAD("PROXY TCP6 [::1] ::1 1 2\r\n"),
    BAD("PROXY TCP6 :::1 ::1 1 2\r\n"),
    BAD("PROXY TCP6 1:2:3:4:5:6:7:8:9 ::1 1 2\r\n"),
    /* 107 bytes, and no end among them */
    BAD("PROXY UNKNOWN ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff "
        "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 655350\r"),
    BAD("\r\n\r\n\0\r\nQUIX"),
    BAD("\r\n\r\n\r\n"),
    BAD(SIGNATURE "\x11\x11\x00\x0c" V4_BLOCK), /* version */
    BAD(SIGNATURE "\x31\x11\x00\x0c" V4_BLOCK),
    BAD(SIGNATURE "\x22\x11\x00\x0c" V4_BLOCK), /* command */
    BAD(SIGNATURE "\x2f\x11\x00\x0c" V4_BLOCK),
    BAD(SIGNATURE "\x21\x41\x00\x0c" V4_BLOCK), /* family */
    BAD(SIGNATURE "\x21\x13\x00\x0c" V4_BLOCK), /* transport */
    BAD(SIGNATURE "\x21\x11\x00\x0b" V4_BLOCK), /* a block too short for it */
    BAD(SIGNATURE "\x21\x11\x00\x00"),
    BAD(SIGNATURE "\x21\x21\x00\x23" V6_BLOCK),
    BAD(SIGNATURE "\x21\x31\x00\xd7"),
};

static void refuses_malformed_ones(void **state)
{
    for (size_t i = 0; i < HOOP_COUNT(bads); i++)
        for (size_t cut = 0; cut <= bads[i].len; cut++) {
            struct hoop__peer peer = real(), before = real();
            struct hoop__proxy proxy = { 0 };
            size_t used;
            int rc = feed(&proxy, bads[i].bytes, cut, &used, &peer);
            if (rc == HOOP_EAGAIN)
                rc = feed(&proxy, bads[i].bytes + cut, bads[i].len - cut, &used, &peer);
            if (rc != HOOP_EINVAL)
                fail_msg("row %zu cut at %zu: %d", i, cut, rc);
            assert_memory_equal(&peer, &before, sizeof peer);
        }
}

/* Cut short they are neither complete nor refused. */
static void waits_for_the_rest(void **state)
{
    for (size_t i = 0; i < HOOP_COUNT(goods); i++)
        for (size_t len = 0; len < goods[i].len; len++) {
            struct hoop__peer peer = real();
            struct hoop__proxy proxy = { 0 };
            size_t used;
            assert_int_equal(feed(&proxy, goods[i].bytes, len, &used, &peer), HOOP_EAGAIN);
            assert_int_equal(used, len);
        }
}

/* The largest block that can be said: all of it passes over, and not a byte more. */
static void skips_the_largest_block(void **state)
{
    size_t total = 16 + 65535, steps[] = { 1, 7, 4096, 65536 * 2 };
    char *bytes = calloc(1, total + 1);
    memcpy(bytes, SIGNATURE "\x21\x11\xff\xff" V4_BLOCK, 28);
    bytes[total] = 'G';
    for (size_t i = 0; i < HOOP_COUNT(steps); i++) {
        struct hoop__peer peer = real();
        struct hoop__proxy proxy = { 0 };
        size_t at = 0, used;
        int rc = HOOP_EAGAIN;
        while (rc == HOOP_EAGAIN) {
            size_t left = total + 1 - at;
            assert_true(left > 0);
            rc = hoop__proxy_read(&proxy, bytes + at, left < steps[i] ? left : steps[i], &used,
                                  &peer);
            at += used;
        }
        assert_int_equal(rc, 0);
        assert_int_equal(at, total);
        expect_end(&peer, peer.remote, peer.remote_port, "1.2.3.4 4096");
    }
    free(bytes);
}

static struct hoop__peer peer_of(const char *address)
{
    struct hoop__peer peer = { 0 };
    if (!strcmp(address, "unix"))
        peer.family = 1;
    else if (inet_pton(AF_INET, address, peer.remote) == 1)
        peer.family = 4;
    else if (inet_pton(AF_INET6, address, peer.remote) == 1)
        peer.family = 6;
    return peer;
}

static void trusts_who_is_listed(void **state)
{
    static const struct {
        const char *list, *address;
        int trusted;
    } cases[] = {
        { NULL, "127.0.0.1", 1 },
        { NULL, "127.255.0.9", 1 },
        { NULL, "128.0.0.1", 0 },
        { NULL, "::1", 1 },
        { NULL, "::2", 0 },
        { NULL, "unix", 1 },
        { NULL, "unknown", 0 },
        { "10.0.0.0/8", "10.255.1.2", 1 },
        { "10.0.0.0/8", "11.0.0.0", 0 },
        { "10.0.0.0/8", "127.0.0.1", 0 },
        { "10.0.0.0/8", "unix", 0 },
        { "10.0.0.0/8", "a00::", 0 },
        { "unix", "unix", 1 },
        { "0.0.0.0/0", "1.2.3.4", 1 },
        { "0.0.0.0/0", "::1", 0 },
        { "0.0.0.0/0", "unix", 0 },
        { "::/0", "2001:db8::1", 1 },
        { "::/0", "1.2.3.4", 0 },
        { "192.168.7.128/25", "192.168.7.128", 1 },
        { "192.168.7.128/25", "192.168.7.255", 1 },
        { "192.168.7.128/25", "192.168.7.127", 0 },
        { "192.168.7.4/31", "192.168.7.5", 1 },
        { "192.168.7.4/31", "192.168.7.6", 0 },
        { "192.168.7.4/32", "192.168.7.5", 0 },
        { "2001:db8::/33", "2001:db8:7fff::1", 1 },
        { "2001:db8::/33", "2001:db8:8000::1", 0 },
        { "::ffff:10.0.0.0/104", "10.1.1.1", 1 },
        { "::ffff:10.0.0.1", "10.0.0.1", 1 },
        { "1.1.1.1,2.2.2.2 , 3.3.3.3", "2.2.2.2", 1 },
        { "1.1.1.1,2.2.2.2 , 3.3.3.3", "3.3.3.3", 1 },
        { "1.1.1.1,2.2.2.2 , 3.3.3.3", "4.4.4.4", 0 },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        struct hoop__peer peer = peer_of(cases[i].address);
        size_t len;
        if (!!hoop__proxy_trusts(cases[i].list, &peer) != cases[i].trusted)
            fail_msg("%s in %s", cases[i].address, cases[i].list);
        assert_null(hoop__proxy_bad_entry(cases[i].list, &len));
    }
}

static void names_a_bad_entry(void **state)
{
    static const char *const bad[] = {
        "",          " ",           "localhost",   "1.2.3",      "1.2.3.4/",   "1.2.3.4/33",
        "1.2.3.4/8", "1.2.3.4/-1",  "1.2.3.4/032", "1.2.3.4:80", "::1/129",    "::1/0",
        "[::1]",     "10.0.0.0/8/", "UNIX",        "unix/8",     "10.0.0.0\t", "10.0.0.0;::1",
    };
    char list[64];
    size_t len;
    for (size_t i = 0; i < HOOP_COUNT(bad); i++) {
        snprintf(list, sizeof list, "::1, %s,10.0.0.0/8", bad[i]);
        const char *entry = hoop__proxy_bad_entry(list, &len);
        assert_non_null(entry);
        if (*bad[i] != ' ')
            assert_int_equal(len, strlen(bad[i]));
        assert_memory_equal(entry, bad[i], len);
    }
    assert_non_null(hoop__proxy_bad_entry("10.0.0.1,", &len));
    assert_int_equal(len, 0);
}

/* --- connections ----------------------------------------------------------------------------- */

static const hoop_listener required = { .proxy_protocol = HOOP_PROXY_REQUIRED };

/* A connection of 127.0.0.1's, one at most from each address. */
static void begin(struct world *w)
{
    struct hoop__peer from = peer_of("127.0.0.1");
    assert_int_equal(world_init(w, NULL), 0);
    w->quota.max_per_peer = 1;
    assert_int_equal(world_connect_as(w, &required, &from), 0);
}

static uint64_t refused(struct world *w)
{
    return atomic_load(&w->loop->base.counters.refused_proxy);
}

static void say_bytes(struct world *w, const char *data, size_t len)
{
    assert_int_equal(send(w->client, data, len, MSG_NOSIGNAL), len);
    world_run(w);
}

static void expect_answer(struct world *w, const char *text)
{
    char buffer[64] = "";
    assert_int_equal(hear(w, buffer, sizeof buffer - 1), strlen(text));
    assert_string_equal(buffer, text);
}

/* Closed without a byte, and what the quota had is given back. */
static void expect_closed(struct world *w, uint64_t count)
{
    char byte;
    world_run(w);
    ssize_t n = hear(w, &byte, 1);
    assert_true(n == 0 || (n < 0 && errno == ECONNRESET));
    assert_int_equal(refused(w), count);
    assert_int_equal(atomic_load(&w->quota.connections), 0);
    assert_int_equal(seen.made, 0);
}

static void tells_the_engine_who_the_client_is(void **state)
{
    for (size_t i = 0; i < HOOP_COUNT(goods); i++)
        for (size_t cut = 0; cut <= goods[i].len; cut++) {
            struct world w = { 0 };
            begin(&w);
            struct hoop__peer peer = peer_of("127.0.0.1");
            char rest[300];
            size_t len = goods[i].len - cut;
            if (cut)
                say_bytes(&w, goods[i].bytes, cut);
            assert_int_equal(seen.made, cut == goods[i].len);
            memcpy(rest, goods[i].bytes + cut, len);
            memcpy(rest + len, "echo hi\n", 8);
            say_bytes(&w, rest, len + 8);
            expect_answer(&w, "hi\n");
            assert_int_equal(seen.made, 1);
            if (goods[i].client)
                expect_peer(&goods[i], &seen.toy->base.host->peer);
            else
                assert_memory_equal(&seen.toy->base.host->peer, &peer, sizeof peer);
            assert_ptr_equal(seen.toy->base.host->config, &required);
            /* The quota still has the front end's address, and gets that back. */
            assert_int_equal(hoop__quota_take(&w.quota, &peer), HOOP_EBUSY);
            hoop__conn_stop(w.loop->conns, HOOP_EGONE);
            world_run(&w);
            assert_int_equal(hoop__quota_take(&w.quota, &peer), 0);
            hoop__quota_give(&w.quota, &peer);
            assert_int_equal(refused(&w), 0);
            world_done(&w);
        }
}

static void closes_on_malformed_ones(void **state)
{
    for (size_t i = 0; i < HOOP_COUNT(bads); i++) {
        struct world w = { 0 };
        begin(&w);
        say_bytes(&w, bads[i].bytes, bads[i].len);
        expect_closed(&w, 1);
        world_done(&w);
    }
}

static void closes_on_strangers(void **state)
{
    const char *const strangers[] = { "10.0.0.1", "2001:db8::1" };
    for (size_t i = 0; i < HOOP_COUNT(strangers); i++) {
        struct world w = { 0 };
        struct hoop__peer from = peer_of(strangers[i]);
        assert_int_equal(world_init(&w, NULL), 0);
        assert_int_equal(world_connect_as(&w, &required, &from), 0);
        expect_closed(&w, 1);
        world_done(&w);
    }
}

static void closes_on_late_ones(void **state)
{
    struct world w = { .limits = { .first_byte_ms = 20, .head_ms = 30 } };
    begin(&w);
    for (int i = 0; i < 5000 && !refused(&w); i++) {
        poll(NULL, 0, 1);
        world_run(&w);
    }
    expect_closed(&w, 1);
    struct hoop__peer from = peer_of("127.0.0.1");
    assert_int_equal(world_connect_as(&w, &required, &from), 0);
    /* Each byte comes in time, the whole does not. */
    for (int i = 0; i < 5000 && refused(&w) < 2; i++) {
        send(w.client, "PROXY UNKNOWN                   " + (i < 31 ? i : 31), i < 90,
             MSG_NOSIGNAL);
        world_run(&w);
        poll(NULL, 0, 1);
    }
    expect_closed(&w, 2);
    world_done(&w);
}

static void closes_on_an_early_end(void **state)
{
    struct world w = { 0 };
    begin(&w);
    shutdown(w.client, SHUT_WR); /* only a look whether somebody listens */
    expect_closed(&w, 0);
    struct hoop__peer from = peer_of("127.0.0.1");
    assert_int_equal(world_connect_as(&w, &required, &from), 0);
    say_bytes(&w, "PROXY", 5);
    shutdown(w.client, SHUT_WR);
    expect_closed(&w, 1);
    world_done(&w);
}

static void draining_waits_for_no_header(void **state)
{
    struct world w = { 0 };
    begin(&w);
    say_bytes(&w, "PROXY", 5);
    hoop__net_loop_drain(w.loop, HOOP__NEVER);
    world_until(&w, &w.closed);
    assert_int_equal(seen.made, 0);
    hoop__net_loop_free(w.loop);
    assert_int_equal(uv_loop_close(&w.uv), 0);
    hoop__quota_done(&w.quota);
    close(w.client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_whole_headers),
        cmocka_unit_test(takes_them_byte_by_byte),
        cmocka_unit_test(takes_them_cut_anywhere),
        cmocka_unit_test(refuses_malformed_ones),
        cmocka_unit_test(waits_for_the_rest),
        cmocka_unit_test(skips_the_largest_block),
        cmocka_unit_test(trusts_who_is_listed),
        cmocka_unit_test(names_a_bad_entry),
        cmocka_unit_test(tells_the_engine_who_the_client_is),
        cmocka_unit_test(closes_on_malformed_ones),
        cmocka_unit_test(closes_on_strangers),
        cmocka_unit_test(closes_on_late_ones),
        cmocka_unit_test(closes_on_an_early_end),
        cmocka_unit_test(draining_waits_for_no_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
