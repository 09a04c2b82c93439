/* The memo of header blocks: what goes in, for whom, and that it never changes an answer. */
#include "driver.h"

#include "http1/memo.h"

#define LINE  "GET /a?b=c HTTP/1.1\r\n"
#define PLAIN "Host: example.com:8080\r\nAccept: text/html, */*;q=0.5\r\nUser-Agent: test/1\r\n"

/* What is sent in answer to `text`, in memory that the next call reuses. */
static const char *answer(struct driver *d, const char *text, size_t len)
{
    d->got_len = 0;
    driver_feed(d, text, len);
    return d->got;
}

static const struct hoop__h1_memo *memo_of(const struct driver *d)
{
    return d->loop.head_memo;
}

static struct hoop__h1 *h1_of(struct hoop__engine *engine)
{
    return (struct hoop__h1 *)engine;
}

static size_t count_entries(const struct driver *d)
{
    size_t count = 0;
    for (size_t i = 0; memo_of(d) && i < HOOP__H1_MEMO_SLOTS; i++)
        count += memo_of(d)->entries[i].len > 0;
    return count;
}

/* --- same answers ----------------------------------------------------------------------------- */

static const char *const blocks[] = {
    PLAIN "\r\n",
    "Host: a\r\nConnection: keep-alive\r\n\r\n",
    "Host: a\r\nConnection: keep-alive, x\r\nX-Custom:   with blanks \t\r\n\r\n",
    "HOST: a\r\nAccept:\r\nAccept: b\r\nA-Name-Of-More-Than-Fifteen-Letters: \xc3\xa4\r\n\r\n",
    "Host: a\r\nCookie: session=6f1d2c9ab4e07835\r\nAuthorization: Basic dTpw\r\n\r\n",
    "Accept: text/html\r\nConnection: keep-alive\r\n\r\n",
};

static const char *const lines[] = {
    "GET / HTTP/1.1\r\n",
    "GET /a?b=c HTTP/1.1\r\n",
    "HEAD /somewhere/with/a/longer/path/than/a/step HTTP/1.1\r\n",
    "POST / HTTP/1.1\r\n",
    "GET / HTTP/1.0\r\n",
    "GET / HTTP/1.3\r\n",
    "GET http://other.example/x HTTP/1.1\r\n",
    "OPTIONS * HTTP/1.1\r\n",
    "GET /# HTTP/1.1\r\n",
    "BREW / HTTP/1.1\r\n",
    "GET / HTTP/1.1 \r\n",
};

/* A head that may have this block: without Host it must be of HTTP/1.0. */
static int head_with(char *head, size_t size, const char *block)
{
    int minor = strncmp(block, "Host", 4) == 0 || strncmp(block, "HOST", 4) == 0;
    return snprintf(head, size, "GET / HTTP/1.%d\r\n%s", minor, block);
}

/* Has the memo know `block`, then compares the answer to `text` with that of who has never seen it. */
static void compare(const char *block, const char *text, size_t len)
{
    struct driver knows, fresh;
    char head[2048];
    int n = head_with(head, sizeof head, block);
    driver_init(&knows, show, NULL, NULL);
    driver_init(&fresh, show, NULL, NULL);
    for (int i = 0; i < 3; i++)
        driver_feed(&knows, head, (size_t)n);
    assert_int_equal(count_entries(&knows), 1);
    answer(&knows, text, len);
    answer(&fresh, text, len);
    assert_bytes(knows.got, knows.got_len, fresh.got, fresh.got_len);
    assert_int_equal(knows.closed, fresh.closed);
    driver_done(&knows);
    driver_done(&fresh);
}

static void test_again_and_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < HOOP_COUNT(blocks); i++) {
        struct driver d;
        char text[1024], first[2048];
        int len = head_with(text, sizeof text, blocks[i]);
        driver_init(&d, show, NULL, NULL);
        snprintf(first, sizeof first, "%s", answer(&d, text, (size_t)len));
        for (int k = 0; k < 10; k++)
            assert_string_equal(answer(&d, text, (size_t)len), first);
        assert_int_equal(count_entries(&d), 1);
        driver_done(&d);
    }
}

static void test_other_request_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < HOOP_COUNT(blocks); i++)
        for (size_t k = 0; k < HOOP_COUNT(lines); k++) {
            char text[1024];
            int len = snprintf(text, sizeof text, "%s%s", lines[k], blocks[i]);
            compare(blocks[i], text, (size_t)len);
        }
}

/* Each byte of a known block becomes another one, and each is left out. */
static void test_other_bytes(void **state)
{
    (void)state;
    static const char bytes[] = { 0, '\t', '\n', '\r', ' ', ':', 'A', 'z', '0', '\x7f', '\xff' };
    static const char text[] = LINE PLAIN "\r\n";
    char copy[sizeof text];
    size_t len = sizeof text - 1;
    for (size_t at = 0; at < len; at++) {
        memcpy(copy, text, sizeof text);
        for (size_t i = 0; i < sizeof bytes; i++) {
            copy[at] = bytes[i];
            compare(PLAIN "\r\n", copy, len);
        }
        memcpy(copy, text, at);
        memcpy(copy + at, text + at + 1, len - at);
        compare(PLAIN "\r\n", copy, len - 1);
    }
}

/* Heads behind one another in one read, known and unknown ones, and bytes of the next. */
static void test_pipelined(void **state)
{
    (void)state;
    static const char text[] = LINE PLAIN
        "\r\n" LINE PLAIN "\r\nGET /2 HTTP/1.1\r\nHost: b\r\n\r\n" LINE PLAIN
        "Accept: x\r\n\r\nPOST / HTTP/1.1\r\nHost: c\r\nContent-Length: 3\r\n\r\nabc" LINE PLAIN
        "\r\n";
    for (size_t cut = 0; cut < sizeof text; cut++) {
        struct driver d, fresh;
        driver_init(&d, show, NULL, NULL);
        driver_init(&fresh, show, NULL, NULL);
        for (int i = 0; i < 3; i++)
            driver_text(&d, LINE PLAIN "\r\n");
        assert_int_equal(count_entries(&d), 1);
        d.got_len = 0;
        driver_feed(&d, text, cut);
        driver_feed(&d, text + cut, sizeof text - 1 - cut);
        driver_feed_cut(&fresh, text, sizeof text - 1, 0);
        assert_bytes(d.got, d.got_len, fresh.got, fresh.got_len);
        driver_done(&d);
        driver_done(&fresh);
    }
}

/* --- what goes in ----------------------------------------------------------------------------- */

static void test_stays_out(void **state)
{
    (void)state;
    static const char *const fields[] = {
        "Content-Length: 0\r\n", "Upgrade: h2c\r\n",         "Trailer: x\r\n",
        "TE: trailers\r\n",      "Expect: 100-continue\r\n", "Proxy-Connection: close\r\n",
    };
    for (size_t i = 0; i < HOOP_COUNT(fields); i++) {
        struct driver d;
        char text[1024];
        snprintf(text, sizeof text, LINE PLAIN "%s\r\n", fields[i]);
        driver_init(&d, say, NULL, NULL);
        for (int k = 0; k < 10; k++)
            driver_text(&d, text);
        assert_int_equal(d.closed, 0);
        assert_null(d.loop.head_memo);
        driver_done(&d);
    }
}

/* What is seen once only, and what is too long, needs no memory. */
static void test_needs_a_repetition(void **state)
{
    (void)state;
    struct driver d;
    char text[2048];
    driver_init(&d, say, NULL, NULL);
    for (int i = 0; i < 100; i++) {
        snprintf(text, sizeof text, LINE PLAIN "X-Number: %d\r\n\r\n", i);
        driver_text(&d, text);
    }
    snprintf(text, sizeof text, LINE PLAIN "X-Long: %0800d\r\n\r\n", 1);
    for (int i = 0; i < 100; i++)
        driver_text(&d, text);
    assert_null(d.loop.head_memo);
    driver_done(&d);
}

static void test_without_memory(void **state)
{
    (void)state;
    struct test_allocator allocator;
    struct driver d;
    test_allocator_init(&allocator);
    const struct driver_options options = { .allocator = &allocator.hoop };
    driver_init(&d, say, NULL, &options);
    driver_text(&d, LINE PLAIN "\r\n");
    allocator.fail_at = allocator.count + 1;
    for (int i = 0; i < 3; i++) {
        answer(&d, LINE PLAIN "\r\n", strlen(LINE PLAIN "\r\n"));
        assert_got(&d, ok("ok", ""));
    }
    assert_int_equal(count_entries(&d), 1);
    driver_done(&d);
    assert_int_equal(allocator.live, 0);
}

/* --- for whom --------------------------------------------------------------------------------- */

/* A second connection of the same loop; what it sends is fed by hand. */
struct second {
    struct hoop__host host;
    struct hoop__engine *engine;
};

static void second_init(struct second *s, struct driver *d)
{
    s->host = d->host;
    s->engine = malloc(hoop__http1.engine_size);
    assert_non_null(s->engine);
    hoop__http1.init(s->engine, &s->host);
}

static void second_feed(struct second *s, const char *text)
{
    assert_int_equal(s->engine->ops->feed(s->engine, text, strlen(text)), strlen(text));
    s->host.out->len = 0;
}

static void second_done(struct second *s)
{
    s->engine->ops->stop(s->engine, HOOP_EGONE);
    free(s->engine);
}

static void test_for_everybody(void **state)
{
    (void)state;
    struct driver d;
    struct second s;
    driver_init(&d, say, NULL, NULL);
    second_init(&s, &d);
    for (int i = 0; i < 3; i++)
        driver_text(&d, LINE PLAIN "\r\n");
    for (int i = 0; i < 3; i++)
        second_feed(&s, LINE PLAIN "\r\n");
    assert_int_equal(count_entries(&d), 1);
    assert_int_equal(h1_of(s.engine)->memo_slot, h1_of(d.engine)->memo_slot);
    assert_true(h1_of(d.engine)->memo_id == 0 && h1_of(s.engine)->memo_id == 0);
    second_done(&s);
    driver_done(&d);
}

/* With a secret in it a block is only for who sent it; no other connection's bytes are compared with it. */
static void test_for_the_owner(void **state)
{
    (void)state;
    static const char *const secrets[] = { "Cookie: a=b\r\n", "Authorization: Basic dTpw\r\n",
                                           "Proxy-Authorization: Basic dTpw\r\n",
                                           "X-Api-Key: 0123456789\r\n" };
    for (size_t i = 0; i < HOOP_COUNT(secrets); i++) {
        struct driver d;
        struct second s;
        char text[1024], to[1024];
        int len = snprintf(text, sizeof text, LINE PLAIN "%s\r\n", secrets[i]);
        driver_init(&d, say, NULL, NULL);
        second_init(&s, &d);
        for (int k = 0; k < 3; k++)
            driver_text(&d, text);
        assert_int_equal(count_entries(&d), 1);
        uint8_t slot = h1_of(d.engine)->memo_slot;
        const struct hoop__h1_memo_entry *entry = &memo_of(&d)->entries[slot - 1];
        assert_true(entry->owner && entry->owner == h1_of(d.engine)->memo_id);
        for (int k = 0; k < 3; k++)
            second_feed(&s, text);
        assert_int_equal(count_entries(&d), 2);
        assert_int_not_equal(h1_of(s.engine)->memo_slot, slot);
        assert_true(h1_of(s.engine)->memo_id != h1_of(d.engine)->memo_id);
        /* Even if it looked there. */
        h1_of(s.engine)->memo_slot = slot;
        struct hoop__h1_exchange h;
        const char *block = text + strlen(LINE), *end = text + len;
        memset(&h, 0, sizeof h);
        h.method_number = HOOP_METHOD_GET;
        h.minor = 1;
        h.field_cap = HOOP__H1_FIELDS;
        h.engine = h1_of(s.engine);
        assert_null(hoop__h1_memo_find(&h, block, end, to));
        h.engine = h1_of(d.engine);
        assert_ptr_equal(hoop__h1_memo_find(&h, block, end, to), entry);
        second_done(&s);
        driver_done(&d);
    }
}

/* Listeners have limits of their own: what one has let in another may refuse. */
static void test_other_limits(void **state)
{
    (void)state;
    struct driver d;
    struct second s;
    struct hoop__service strict;
    hoop_limits limits;
    driver_init(&d, say, NULL, NULL);
    limits = d.limits;
    limits.max_headers = 2;
    strict = d.service;
    strict.limits = &limits;
    second_init(&s, &d);
    s.host.service = &strict;
    for (int i = 0; i < 3; i++)
        driver_text(&d, LINE PLAIN "\r\n");
    h1_of(s.engine)->memo_slot = h1_of(d.engine)->memo_slot;
    second_feed(&s, LINE PLAIN "\r\n");
    assert_int_equal(s.engine->want, HOOP__WANT_CLOSE | HOOP__WANT_LINGER);
    assert_int_equal(d.loop.counters.limit_headers, 1);
    second_done(&s);
    driver_done(&d);
}

/* More connections than slots, each with a block of its own: some are remembered, and they stay. */
static void test_crowd(void **state)
{
    (void)state;
    enum { COUNT = 100 };
    struct driver d;
    static struct second s[COUNT];
    char text[1024];
    driver_init(&d, say, NULL, NULL);
    for (int i = 0; i < COUNT; i++)
        second_init(&s[i], &d);
    for (int round = 0; round < 50; round++)
        for (int i = 0; i < COUNT; i++) {
            snprintf(text, sizeof text, LINE PLAIN "%s: agent-%d\r\n\r\n",
                     i % 2 ? "Cookie" : "Origin", i);
            second_feed(&s[i], text);
        }
    assert_int_equal(count_entries(&d), HOOP__H1_MEMO_SLOTS);
    for (int i = 0; i < COUNT; i++)
        second_done(&s[i]);
    driver_done(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_again_and_again), cmocka_unit_test(test_other_request_lines),
        cmocka_unit_test(test_other_bytes),     cmocka_unit_test(test_pipelined),
        cmocka_unit_test(test_stays_out),       cmocka_unit_test(test_needs_a_repetition),
        cmocka_unit_test(test_without_memory),  cmocka_unit_test(test_for_everybody),
        cmocka_unit_test(test_for_the_owner),   cmocka_unit_test(test_other_limits),
        cmocka_unit_test(test_crowd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
