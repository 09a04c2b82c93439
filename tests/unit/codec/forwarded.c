/* Forwarded and X-Forwarded-*: elements, nodes, and where the walk to the client ends. */
#include "tools.h"

#include <hoop/forwarded.h>

#include <stdio.h>

static size_t show(char *out, size_t cap, const char *name, hoop_str value)
{
    if (hoop_str_is_none(value))
        return 0;
    return (size_t)snprintf(out, cap, " %s<%.*s>", name, (int)value.len, value.data);
}

/* All elements as "| for<...> by<...> ...", "!" behind if it breaks. */
static void expect(const char *header, const char *want)
{
    hoop_str text = tight_c(header), rest = text, kept;
    hoop_forwarded f;
    char got[512] = "";
    size_t used = 0;
    int rc;
    for (kept = rest; (rc = hoop_forwarded_next(&rest, &f)) > 0; kept = rest) {
        used += (size_t)snprintf(got + used, sizeof got - used, "|");
        used += show(got + used, sizeof got - used, "for", f.client);
        used += show(got + used, sizeof got - used, "by", f.by);
        used += show(got + used, sizeof got - used, "host", f.host);
        used += show(got + used, sizeof got - used, "proto", f.proto);
    }
    if (rc < 0) {
        snprintf(got + used, sizeof got - used, "!");
        assert_true(rest.data == kept.data && rest.len == kept.len);
    } else {
        assert_int_equal(rest.len, 0);
    }
    assert_string_equal(got, want);
    drop(text);
}

static void test_elements(void **state)
{
    /* RFC 7239 4's examples. */
    expect("for=\"_gazonk\"", "| for<_gazonk>");
    expect("For=\"[2001:db8:cafe::17]:4711\"", "| for<[2001:db8:cafe::17]:4711>");
    expect("for=192.0.2.60;proto=http;by=203.0.113.43",
           "| for<192.0.2.60> by<203.0.113.43> proto<http>");
    expect("for=192.0.2.43, for=198.51.100.17", "| for<192.0.2.43>| for<198.51.100.17>");
    expect("", "");
    expect(",, for=a,", "| for<a>");
    expect("for=a;;by=b;", "| for<a> by<b>");
    expect(";for=a", "| for<a>");
    expect("for=a; host=\"x, y;z\";secret=\"a\\\"b\"", "| for<a> host<x, y;z>");
    expect("host=\"example.org:8080\"", "| host<example.org:8080>");
    expect("x=y", "|");
    expect("for=a, for", "| for<a>!");
    expect("for=a:80", "!");
    expect("for=[::1]", "!");
    expect("for=", "!");
    expect("for =a", "!");
    expect("for=a by=b", "!");
    expect("for=a;For=b", "!");
    expect("for=\"a\\b\"", "!");
    expect("for=\"a", "!");
    expect("for=\"a\"b", "!");
}

static void node(const char *value, int rc, const char *address, uint32_t port)
{
    hoop_str text = tight_c(value);
    hoop_address got = { .family = 0 };
    uint32_t got_port = 77777;
    char shown[HOOP_ADDRESS_SIZE];
    int got_rc = hoop_forwarded_node(text, &got, &got_port);
    if (got_rc != rc)
        fail_msg("'%s' gave %d, not %d", value, got_rc, rc);
    hoop_address_format(&got, shown);
    assert_string_equal(shown, rc ? "" : address);
    assert_int_equal(got_port, rc ? 77777 : port);
    drop(text);
}

static void test_nodes(void **state)
{
    node("192.0.2.43", 0, "192.0.2.43", 0);
    node("192.0.2.43:4711", 0, "192.0.2.43", 4711);
    node("192.0.2.43:_a.b-c", 0, "192.0.2.43", 0);
    node("[2001:db8::1]", 0, "2001:db8::1", 0);
    node("[2001:db8::1]:65535", 0, "2001:db8::1", 65535);
    node("2001:db8::1", 0, "2001:db8::1", 0);
    node("::ffff:10.0.0.1", 0, "10.0.0.1", 0);
    node("unknown", HOOP_EMISSING, NULL, 0);
    node("Unknown:80", HOOP_EMISSING, NULL, 0);
    node("_hidden", HOOP_EMISSING, NULL, 0);
    node("_SEVKISEK", HOOP_EMISSING, NULL, 0);
    node("_", HOOP_EPARSE, NULL, 0);
    node("_a b", HOOP_EPARSE, NULL, 0);
    node("", HOOP_EPARSE, NULL, 0);
    node(":80", HOOP_EPARSE, NULL, 0);
    node("192.0.2.43:", HOOP_EPARSE, NULL, 0);
    node("192.0.2.43:65536", HOOP_EPARSE, NULL, 0);
    node("192.0.2.43:100000", HOOP_EPARSE, NULL, 0);
    node("192.0.2.43:x", HOOP_EPARSE, NULL, 0);
    node("192.0.2.43:_", HOOP_EPARSE, NULL, 0);
    node("[192.0.2.43]", HOOP_EPARSE, NULL, 0);
    node("[]", HOOP_EPARSE, NULL, 0);
    node("[", HOOP_EPARSE, NULL, 0);
    node("[::1", HOOP_EPARSE, NULL, 0);
    node("[::1]80", HOOP_EPARSE, NULL, 0);
    node("localhost", HOOP_EPARSE, NULL, 0);
}

static hoop_network networks[2];

static int set_up(void **state)
{
    return hoop_network_parse(hoop_str_c("10.0.0.0/8"), &networks[0]) ||
           hoop_network_parse(hoop_str_c("fd00::/8"), &networks[1]);
}

static void client(const char *header, int rc, const char *want)
{
    hoop_str text = tight_c(header);
    hoop_forwarded f = { .client = hoop_str_c("kept") };
    int got = hoop_forwarded_client(text, networks, 2, &f);
    if (got != rc)
        fail_msg("'%s' gave %d, not %d", header, got, rc);
    assert_str(f.client, rc ? "kept" : want);
    drop(text);
}

static void test_client(void **state)
{
    client("for=1.1.1.1", 0, "1.1.1.1");
    client("for=6.6.6.6, for=1.1.1.1, for=10.0.0.2, for=\"[fd00::1]:80\"", 0, "1.1.1.1");
    client("for=10.0.0.1, for=10.0.0.2", 0, "10.0.0.1");
    client("for=6.6.6.6, for=unknown, for=10.0.0.2", 0, "unknown");
    client("for=6.6.6.6, proto=https, for=10.0.0.2", 0, "");
    client("for=[, for=1.1.1.1", 0, "1.1.1.1");
    client("for=[, for=10.0.0.1", HOOP_EPARSE, NULL);
    client("for=1.1.1.1, for=[", HOOP_EPARSE, NULL);
    client("for=\"[, for=1.1.1.1", HOOP_EPARSE, NULL);
    client("", HOOP_EMISSING, NULL);
    client(" ,", HOOP_EMISSING, NULL);
}

static void for_client(const char *header, int rc, const char *want, size_t behind)
{
    hoop_str text = tight_c(header);
    hoop_address address = { .family = 0 };
    uint32_t port;
    size_t got_behind = 77;
    char shown[HOOP_ADDRESS_SIZE];
    int got = hoop_forwarded_for_client(text, networks, 2, &address, &port, &got_behind);
    if (got != rc)
        fail_msg("'%s' gave %d, not %d", header, got, rc);
    hoop_address_format(&address, shown);
    assert_string_equal(shown, rc ? "" : want);
    assert_int_equal(got_behind, rc ? 77 : behind);
    drop(text);
}

static void test_for_client(void **state)
{
    for_client("1.1.1.1", 0, "1.1.1.1", 0);
    for_client("6.6.6.6, 1.1.1.1, 10.0.0.2,fd00::2", 0, "1.1.1.1", 2);
    for_client("6.6.6.6, 1.1.1.1:5000, 10.0.0.2", 0, "1.1.1.1", 1);
    for_client("10.0.0.1, 10.0.0.2", 0, "10.0.0.1", 1);
    for_client("junk, 1.1.1.1", 0, "1.1.1.1", 0);
    for_client("1.1.1.1, junk", HOOP_EPARSE, NULL, 0);
    for_client("1.1.1.1, unknown, 10.0.0.1", HOOP_EMISSING, NULL, 0);
    for_client("", HOOP_EMISSING, NULL, 0);
    for_client("\"", HOOP_EPARSE, NULL, 0);
}

static void test_nth(void **state)
{
    assert_str(hoop_forwarded_nth(hoop_str_c("a, b ,c"), 0), "c");
    assert_str(hoop_forwarded_nth(hoop_str_c("a, b ,c"), 1), "b");
    assert_str(hoop_forwarded_nth(hoop_str_c("a, b ,c"), 2), "a");
    assert_str(hoop_forwarded_nth(hoop_str_c("a, b ,c"), 3), "a");
    assert_true(hoop_str_is_none(hoop_forwarded_nth(hoop_str_c(" , "), 0)));
    assert_true(hoop_str_is_none(hoop_forwarded_nth(hoop_str_none(), 1)));
}

static void test_random(void **state)
{
    uint64_t seed = 7239;
    for (int i = 0; i < 100000; i++) {
        hoop_str text = random_text(&seed, 40, "for=by1.;:,\"[]_"), rest = text;
        hoop_forwarded f;
        hoop_address address;
        uint32_t port;
        size_t behind;
        while (hoop_forwarded_next(&rest, &f) > 0)
            assert_true(rest.data + rest.len == text.data + text.len);
        if (hoop_forwarded_node(text, &address, &port) == 0)
            assert_true(port <= 65535 && (address.family == 4 || address.family == 6));
        hoop_forwarded_client(text, networks, 2, &f);
        if (hoop_forwarded_for_client(text, networks, 2, &address, &port, &behind) == 0)
            assert_true(behind < text.len);
        drop(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements), cmocka_unit_test(test_nodes),
        cmocka_unit_test(test_client),   cmocka_unit_test(test_for_client),
        cmocka_unit_test(test_nth),      cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
