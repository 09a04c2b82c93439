/* IP addresses and networks: what is taken, what is refused, what lies in what. */
#include "tools.h"

#include "codec/address.h"

static void address(const char *value, uint32_t family, const char *want)
{
    hoop_str text = tight_c(value);
    hoop_address got = { .family = 77 };
    char shown[HOOP_ADDRESS_SIZE];
    int rc = hoop_address_parse(text, &got);
    if (rc != (want ? 0 : HOOP_EPARSE))
        fail_msg("'%s' gave %d", value, rc);
    assert_int_equal(got.family, want ? family : 77);
    if (want) {
        assert_int_equal(hoop_address_format(&got, shown), strlen(want));
        assert_string_equal(shown, want);
    }
    drop(text);
}

static void test_address(void **state)
{
    address("10.0.0.1", 4, "10.0.0.1");
    address("255.255.255.255", 4, "255.255.255.255");
    address("2001:DB8:0::1", 6, "2001:db8::1");
    address("::", 6, "::");
    address("::ffff:10.0.0.1", 4, "10.0.0.1");
    address("::ffff:a00:1", 4, "10.0.0.1");
    address("::10.0.0.1", 6, "::10.0.0.1");
    address("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255", 6,
            "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
    address("", 0, NULL);
    address("10.0.0", 0, NULL);
    address("10.0.0.256", 0, NULL);
    address("10.0.0.01", 0, NULL);
    address("10.0.0.1 ", 0, NULL);
    address("10.0.0.1:80", 0, NULL);
    address("[::1]", 0, NULL);
    address("fe80::1%eth0", 0, NULL);
    address(":::", 0, NULL);
    address("localhost", 0, NULL);
    address("::1111111111111111111111111111111111111111111", 0, NULL);
    hoop_address got;
    assert_int_equal(hoop_address_parse(hoop_str_n("::1\0", 4), &got), HOOP_EPARSE);
    assert_int_equal(hoop_address_parse(hoop_str_none(), &got), HOOP_EPARSE);
    char shown[HOOP_ADDRESS_SIZE] = "x";
    assert_int_equal(hoop_address_format(&(hoop_address){ .family = 0 }, shown), 0);
    assert_string_equal(shown, "");
}

static void test_equal(void **state)
{
    hoop_address a, b;
    hoop_address_parse(hoop_str_c("::ffff:1.2.3.4"), &a);
    hoop_address_parse(hoop_str_c("1.2.3.4"), &b);
    assert_true(hoop_address_equal(&a, &b));
    hoop_address_parse(hoop_str_c("102:304::"), &b);
    assert_false(hoop_address_equal(&a, &b));
    hoop_address_parse(hoop_str_c("102:304::1"), &a);
    assert_false(hoop_address_equal(&a, &b));
}

static void network(const char *value, uint32_t family, uint32_t bits)
{
    hoop_str text = tight_c(value);
    hoop_network got = { .bits = 777 };
    int rc = hoop_network_parse(text, &got);
    if (rc != (family ? 0 : HOOP_EPARSE))
        fail_msg("'%s' gave %d", value, rc);
    assert_int_equal(got.family, family);
    assert_int_equal(got.bits, family ? bits : 777);
    drop(text);
}

static void test_network(void **state)
{
    network("10.0.0.0/8", 4, 8);
    network("10.0.0.1", 4, 32);
    network("10.0.0.1/32", 4, 32);
    network("0.0.0.0/0", 4, 0);
    network("fd00::/8", 6, 8);
    network("::/0", 6, 0);
    network("::1", 6, 128);
    network("::ffff:10.0.0.0/104", 4, 8);
    network("::ffff:0:0/96", 4, 0);
    network("::ffff:0:0/95", 0, 0);
    network("::fffe:0:0/95", 6, 95);
    network("10.0.0.1/8", 0, 0);
    network("10.0.0.0/33", 0, 0);
    network("10.0.0.0/", 0, 0);
    network("10.0.0.0/08", 0, 0);
    network("10.0.0.0/-1", 0, 0);
    network("10.0.0.0/8/8", 0, 0);
    network("10.0.0.0/255.0.0.0", 0, 0);
    network("::/129", 0, 0);
    network("/8", 0, 0);
    network("", 0, 0);
    network("unix", 0, 0);
}

static void lies(const char *where, const char *what, int want)
{
    hoop_network n;
    hoop_address a;
    assert_int_equal(hoop_network_parse(hoop_str_c(where), &n), 0);
    assert_int_equal(hoop_address_parse(hoop_str_c(what), &a), 0);
    if (!!hoop_network_contains(&n, &a) != want)
        fail_msg("%s in %s: not %d", what, where, want);
}

static void test_contains(void **state)
{
    lies("10.0.0.0/8", "10.255.255.255", 1);
    lies("10.0.0.0/8", "11.0.0.0", 0);
    lies("10.0.0.0/8", "::ffff:10.0.0.1", 1);
    lies("::ffff:10.0.0.0/104", "10.0.0.1", 1);
    lies("172.16.0.0/12", "172.31.255.255", 1);
    lies("172.16.0.0/12", "172.32.0.0", 0);
    lies("192.0.2.1", "192.0.2.1", 1);
    lies("192.0.2.1", "192.0.2.0", 0);
    lies("0.0.0.0/0", "1.2.3.4", 1);
    lies("0.0.0.0/0", "::1", 0);
    lies("::/0", "::1", 1);
    lies("::/0", "1.2.3.4", 0);
    lies("2001:db8::/33", "2001:db8:7fff::1", 1);
    lies("2001:db8::/33", "2001:db8:8000::1", 0);
    lies("::1", "::1", 1);
    hoop_address none = { .family = 0 };
    hoop_network all = { .family = 4 };
    assert_false(hoop_network_contains(&all, &none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_address),
        cmocka_unit_test(test_equal),
        cmocka_unit_test(test_network),
        cmocka_unit_test(test_contains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
