/* The split of Host values: what is right, what is refused, and that nothing is read behind it. */
#include "tools.h"

#include "codec/host.h"

#include <stdio.h>

static void expect(const char *value, const char *host, uint32_t port)
{
    hoop_str text = tight_c(value), got = hoop_str_none();
    uint32_t got_port = 99999;
    int rc = hoop__host_split(text, &got, &got_port);
    if (rc != 0)
        fail_msg("'%s' was refused", value);
    assert_str(got, host);
    assert_ptr_equal(got.data, text.data);
    assert_int_equal(got_port, port);
    drop(text);
}

static void refuse_bytes(const char *value, size_t len)
{
    hoop_str text = tight(value, len), got = hoop_str_c("untouched");
    uint32_t port = 7;
    if (hoop__host_split(text, &got, &port) != HOOP_EPARSE)
        fail_msg("'%s' was taken", value);
    assert_str(got, "untouched");
    assert_int_equal(port, 7);
    drop(text);
}

static void refuse(const char *value)
{
    refuse_bytes(value, strlen(value));
}

static void test_names(void **state)
{
    expect("", "", 0);
    expect("a", "a", 0);
    expect("example.com", "example.com", 0);
    expect("Example.COM.", "Example.COM.", 0);
    expect("my_host-1.example.", "my_host-1.example.", 0);
    expect("127.0.0.1", "127.0.0.1", 0);
    expect("1.2.3.999", "1.2.3.999", 0); /* no IPv4 address, but a reg-name */
    expect("a!$&'()*+,;=b~%41", "a!$&'()*+,;=b~%41", 0);
    expect("%C3%a4", "%C3%a4", 0);
    expect("localhost:", "localhost", 0);
    expect("localhost:1", "localhost", 1);
    expect("localhost:8080", "localhost", 8080);
    expect("localhost:65535", "localhost", 65535);
    expect("localhost:00080", "localhost", 80);
    expect("127.0.0.1:80", "127.0.0.1", 80);
}

static void test_refused_names(void **state)
{
    static const char *const values[] = {
        ":",
        ":80",
        "a b",
        " a",
        "a ",
        "a\t",
        "a/b",
        "u@a",
        "u:p@a",
        "a#b",
        "a?b",
        "a\\b",
        "<a>",
        "a\"",
        "a^b",
        "a`b",
        "a|b",
        "{a}",
        "a:80:80",
        "a:http",
        "a:8o",
        "a: 80",
        "a:80 ",
        "a:+80",
        "a:-1",
        "a:0",
        "a:000",
        "a:65536",
        "a:99999999999999999999",
        "a%",
        "a%4",
        "a%zz",
        "a%4g",
        "a%g4",
        "%:80",
        "a, b",
        "a\rb",
        "a\nb",
        "a\x7f",
        "\xc3\xa4",
        "\xff",
        "a]",
        "[a",
        "a[",
        "http://a",
    };
    for (size_t i = 0; i < HOOP_COUNT(values); i++)
        refuse(values[i]);
    refuse_bytes("a\0b", 3);
    refuse_bytes("a\0", 2);
    refuse_bytes("\0", 1);
    refuse_bytes("a:8\0", 4);
}

static void test_every_byte_of_a_name(void **state)
{
    for (int c = 0; c < 256; c++) {
        char value[3] = { 'a', (char)c, 'b' };
        int right =
            c != 0 && strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                             "-._~!$&'()*+,;=",
                             c) != NULL;
        hoop_str text = tight(value, 3), host;
        uint32_t port;
        assert_int_equal(hoop__host_split(text, &host, &port), right ? 0 : HOOP_EPARSE);
        drop(text);
    }
}

static const char *const right_v6[] = {
    "::",
    "::1",
    "1::",
    "1:2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7::",
    "::2:3:4:5:6:7:8",
    "1::3:4:5:6:7:8",
    "2001:db8::ff00:42:8329",
    "2001:DB8::FF00:42:8329",
    "fe80::abcd",
    "::ffff:192.0.2.1",
    "1:2:3:4:5:6:192.0.2.1",
    "1:2:3:4:5::192.0.2.1",
    "::192.0.2.1",
    "0000:0000:0000:0000:0000:0000:0000:0000",
};

static const char *const wrong_v6[] = {
    "",
    ":",
    ":::",
    "1",
    "1:",
    ":1",
    "1:2",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:",
    ":1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7:8::",
    "::1:2:3:4:5:6:7:8",
    "1::2::3",
    "1:::2",
    "12345::",
    "::g",
    "::1%eth0",
    "::1%25eth0",
    "1.2.3.4",
    "::1.2.3",
    "::1.2.3.4.5",
    "::256.2.3.4",
    "::01.2.3.4",
    "::1.2.3.4:5",
    "1:2:3:4:5:6:7:1.2.3.4",
    "1:2:3:4:5:1.2.3.4",
    "::1 ",
    "1:2:3:4:5:6:1.2.3.4:",
};

static void test_ipv6(void **state)
{
    for (size_t i = 0; i < HOOP_COUNT(right_v6); i++) {
        char host[80], value[96];
        hoop_str text = tight_c(right_v6[i]);
        if (!hoop__host_is_ipv6(text))
            fail_msg("'%s' was refused", right_v6[i]);
        drop(text);
        snprintf(host, sizeof host, "[%s]", right_v6[i]);
        expect(host, host, 0);
        snprintf(value, sizeof value, "%s:443", host);
        expect(value, host, 443);
        snprintf(value, sizeof value, "%s:", host);
        expect(value, host, 0);
    }
    for (size_t i = 0; i < HOOP_COUNT(wrong_v6); i++) {
        char value[80];
        hoop_str text = tight_c(wrong_v6[i]);
        if (hoop__host_is_ipv6(text))
            fail_msg("'%s' was taken", wrong_v6[i]);
        drop(text);
        snprintf(value, sizeof value, "[%s]", wrong_v6[i]);
        refuse(value);
    }
}

static void test_literals(void **state)
{
    expect("[v1.a]", "[v1.a]", 0);
    expect("[vF.a:b~!]:1", "[vF.a:b~!]", 1);
    expect("[V10.:]", "[V10.:]", 0);
    static const char *const values[] = {
        "[",         "[]",      "[::1",        "::1",         "::1]",     "[::1]a",
        "[::1]80",   "[::1]:x", "[[::1]]",     "[::1]]",      "a[::1]",   "[v.a]",
        "[v1.]",     "[v1a]",   "[vg.a]",      "[v1.a b]",    "[v1.%41]", "[a]",
        "[1.2.3.4]", "[::1]:0", "[::1]:65536", "[::1]:80:80", "[v1]",
    };
    for (size_t i = 0; i < HOOP_COUNT(values); i++)
        refuse(values[i]);
    refuse_bytes("[::1\0]", 6);
    refuse_bytes("[\0::1]", 6);
}

static void test_ipv4(void **state)
{
    static const char *const right[] = { "0.0.0.0", "127.0.0.1", "255.255.255.255",
                                         "1.20.100.249" };
    static const char *const wrong[] = {
        "",           "1",       "1.2.3",     "1.2.3.",    ".1.2.3",   "1.2.3.4.",
        "1.2.3.4.5",  "1..2.3",  "256.0.0.1", "1.2.3.256", "01.2.3.4", "1.2.3.00",
        "1.2.3.1000", "1.2.3.a", "1.2.3.4 ",  "0x1.2.3.4", "1.2.3.-4",
    };
    for (size_t i = 0; i < HOOP_COUNT(right); i++) {
        hoop_str text = tight_c(right[i]);
        assert_int_equal(hoop__host_is_ipv4(text), 1);
        drop(text);
    }
    for (size_t i = 0; i < HOOP_COUNT(wrong); i++) {
        hoop_str text = tight_c(wrong[i]);
        if (hoop__host_is_ipv4(text))
            fail_msg("'%s' was taken", wrong[i]);
        drop(text);
    }
}

/* What is taken can be put together again, and reads the same. */
static void test_random(void **state)
{
    uint64_t seed = 20240607;
    int taken = 0;
    for (int i = 0; i < 200000; i++) {
        hoop_str text = random_text(&seed, 24, i % 2 ? "ab1.%4[]:" : "12:[]:f.");
        hoop_str host = hoop_str_none(), again;
        uint32_t port = 0, again_port;
        if (hoop__host_split(text, &host, &port) == 0) {
            taken++;
            assert_true(host.data == text.data && host.len <= text.len && port <= 65535);
            assert_int_equal(hoop__host_split(host, &again, &again_port), 0);
            assert_true(hoop_str_eq(host, again));
            assert_int_equal(again_port, 0);
            if (port == 0)
                assert_true(text.len - host.len <= 1);
        }
        drop(text);
    }
    assert_true(taken > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_refused_names),
        cmocka_unit_test(test_every_byte_of_a_name),
        cmocka_unit_test(test_ipv6),
        cmocka_unit_test(test_literals),
        cmocka_unit_test(test_ipv4),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
