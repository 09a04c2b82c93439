/* The Accept headers: order, quality of an offer, the best of several. */
#include "tools.h"

#include "codec/accept.h"

#include <stdio.h>

/* The list as "value=quality ...". */
static void expect_list(const char *header, const char *want)
{
    hoop_str text = tight_c(header);
    hoop_accept_item items[16];
    char got[512] = "";
    size_t used = 0, count = hoop_accept_list(text, items, HOOP_COUNT(items));
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(got + used, sizeof got - used, "%s%.*s=%u", i ? " " : "",
                                 (int)items[i].value.len, items[i].value.data, items[i].quality);
    assert_string_equal(got, want);
    drop(text);
}

static void test_list(void **state)
{
    expect_list("", "");
    expect_list(" , ,", "");
    expect_list("gzip", "gzip=1000");
    expect_list("application/xml,application/xhtml+xml,text/html;q=0.9, text/plain;q=0.8,"
                "image/png,*/*;q=0.5",
                "application/xml=1000 application/xhtml+xml=1000 image/png=1000 text/html=900 "
                "text/plain=800 */*=500");
    expect_list("UTF-8;q=0.3,iso-8859-1;q=0.5", "iso-8859-1=500 UTF-8=300");
    expect_list("a ; q=0.5 , b;q=0, c; Q=0.25", "a=500 c=250 b=0");
    expect_list("text/*;q=x", "text/*=1000");
    expect_list("text/*;x=\"0.0=x,q=0\";q=0.1, a/b", "a/b=1000 text/*;x=\"0.0=x,q=0\"=100");
    expect_list("a/b;level=1;q=0.5;ext=2", "a/b;level=1=500");
    expect_list("a/b;level=1;", "a/b;level=1=1000");
    expect_list("a/b;level", "a/b;level=1000");
    expect_list(";q=1, \"x\", a", "a=1000");
    expect_list("a, b;x=\"", "a=1000");
}

static void test_weights(void **state)
{
    static const struct {
        const char *text;
        uint32_t want;
    } cases[] = {
        { "", 1000 },
        { ";q=1", 1000 },
        { ";q=1.000", 1000 },
        { ";q=0", 0 },
        { ";q=0.", 0 },
        { ";q=0.0", 0 },
        { ";q=0.001", 1 },
        { ";q=0.12", 120 },
        { ";q=0.1239", 123 },
        { ";q=.2", 200 },
        { ";q=2", 1000 },
        { ";q=1.5", 1000 },
        { ";q=-1", 1000 },
        { ";q=0,5", 1000 },
        { ";q=0.x", 1000 },
        { ";q=00.5", 1000 },
        { ";q=\"0.5\"", 500 },
        { ";a=b;q=0.7", 700 },
        { ";q=0.1;q=0.9", 100 },
        { ";bad;q=0.5", 1000 },
        { "; q=0.5", 500 },
        { ";q =0.5", 1000 },
        { ";q=.", 0 },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        hoop_str text = tight_c(cases[i].text);
        uint32_t got = hoop__accept_weight(text);
        if (got != cases[i].want)
            fail_msg("'%s' gave %u", cases[i].text, got);
        drop(text);
    }
}

static void test_cap(void **state)
{
    hoop_accept_item items[2];
    assert_int_equal(hoop_accept_list(hoop_str_c("a;q=0.1,b,c"), items, 2), 2);
    assert_str(items[0].value, "b");
    assert_int_equal(items[0].place, 1);
    assert_str(items[1].value, "a");
    assert_int_equal(items[1].place, 0);
    assert_int_equal(hoop_accept_list(hoop_str_c("a"), items, 0), 0);
}

/* Many elements come out in order, equal ones as they were sent. */
static void test_order(void **state)
{
    uint64_t seed = 9110;
    for (int round = 0; round < 300; round++) {
        char header[1200];
        hoop_accept_item items[100];
        size_t used = 0, count = random_below(&seed, 100) + 1;
        for (size_t i = 0; i < count; i++)
            used += (size_t)sprintf(header + used, "a%zu;q=0.%u,", i, random_below(&seed, 10));
        assert_int_equal(hoop_accept_list(hoop_str_n(header, used), items, 100), count);
        for (size_t i = 1; i < count; i++) {
            assert_true(items[i - 1].quality >= items[i].quality);
            if (items[i - 1].quality == items[i].quality)
                assert_true(items[i - 1].place < items[i].place);
        }
    }
}

static void quality(uint32_t kind, const char *header, const char *offer, uint32_t want)
{
    hoop_str text = tight_c(header), offered = tight_c(offer);
    uint32_t got = hoop_accept_quality(kind, text, offered);
    if (got != want)
        fail_msg("'%s' of '%s' gave %u, not %u", offer, header, got, want);
    drop(text);
    drop(offered);
}

static void test_media(void **state)
{
    /* RFC 9110 12.5.1's example. */
    static const char rfc[] = "text/*;q=0.3, text/plain;q=0.7, text/plain;format=flowed, "
                              "text/plain;format=fixed;q=0.4, */*;q=0.5";
    quality(HOOP_ACCEPT_MEDIA, rfc, "text/plain;format=flowed", 1000);
    quality(HOOP_ACCEPT_MEDIA, rfc, "text/plain", 700);
    quality(HOOP_ACCEPT_MEDIA, rfc, "text/html", 300);
    quality(HOOP_ACCEPT_MEDIA, rfc, "image/jpeg", 500);
    quality(HOOP_ACCEPT_MEDIA, rfc, "text/plain;format=fixed", 400);
    quality(HOOP_ACCEPT_MEDIA, rfc, "text/html;level=3", 300);
    quality(HOOP_ACCEPT_MEDIA, "", "a/b", 1000);
    quality(HOOP_ACCEPT_MEDIA, " ", "a/b", 1000);
    quality(HOOP_ACCEPT_MEDIA, "A/B;Q=0.2", "a/b", 200);
    quality(HOOP_ACCEPT_MEDIA, "a/a, a/*;q=0", "a/b", 0);
    quality(HOOP_ACCEPT_MEDIA, "a/a, a/*;q=0", "a/a", 1000);
    quality(HOOP_ACCEPT_MEDIA, "*/b", "a/b", 0);
    quality(HOOP_ACCEPT_MEDIA, "a, a/b;q=0.1", "a/b", 100);
    quality(HOOP_ACCEPT_MEDIA, "spam/burt", "a/b", 0);
    quality(HOOP_ACCEPT_MEDIA, "a/b;x=1;q=0.2, a/b;x=1;y=2;q=0.3", "a/b;y=2;x=1", 300);
    quality(HOOP_ACCEPT_MEDIA, "a/b;x=1", "a/b", 0);
    quality(HOOP_ACCEPT_MEDIA, "*/*", "no type", 0);
}

static void test_tokens(void **state)
{
    quality(HOOP_ACCEPT_CHARSET, "utf-8;q=0.5, *;q=0.1", "UTF-8", 500);
    quality(HOOP_ACCEPT_CHARSET, "utf-8;q=0.5, *;q=0.1", "koi8-r", 100);
    quality(HOOP_ACCEPT_CHARSET, "utf-8", "iso-8859-1", 0);
    quality(HOOP_ACCEPT_CHARSET, "", "iso-8859-1", 1000);

    quality(HOOP_ACCEPT_ENCODING, "gzip", "gzip", 1000);
    quality(HOOP_ACCEPT_ENCODING, "x-gzip;q=0.5", "gzip", 500);
    quality(HOOP_ACCEPT_ENCODING, "gzip;q=0.5", "x-GZIP", 500);
    quality(HOOP_ACCEPT_ENCODING, "x-br", "br", 0);
    quality(HOOP_ACCEPT_ENCODING, "gzip;q=0", "gzip", 0);
    quality(HOOP_ACCEPT_ENCODING, "*;q=0", "gzip", 0);
    quality(HOOP_ACCEPT_ENCODING, "*", "gzip", 1000);
    quality(HOOP_ACCEPT_ENCODING, "gzip", "identity", 1);
    quality(HOOP_ACCEPT_ENCODING, "gzip, identity;q=0", "identity", 0);
    quality(HOOP_ACCEPT_ENCODING, "gzip, *;q=0", "identity", 0);
    quality(HOOP_ACCEPT_ENCODING, "identity;q=0.5, *;q=0", "identity", 500);
    quality(HOOP_ACCEPT_ENCODING, "", "identity", 1000);
    quality(HOOP_ACCEPT_ENCODING, "", "gzip", 0);
    assert_int_equal(hoop_accept_quality(HOOP_ACCEPT_ENCODING, hoop_str_none(), hoop_str_c("br")),
                     1);
    assert_int_equal(
        hoop_accept_quality(HOOP_ACCEPT_ENCODING, hoop_str_none(), hoop_str_c("identity")), 1000);
}

static void test_languages(void **state)
{
    quality(HOOP_ACCEPT_LANGUAGE, "en", "en-GB", 1000);
    quality(HOOP_ACCEPT_LANGUAGE, "en-gb", "en", 999);
    quality(HOOP_ACCEPT_LANGUAGE, "en-gb, en;q=0", "en", 0);
    quality(HOOP_ACCEPT_LANGUAGE, "en;q=0, en-gb", "en", 0);
    quality(HOOP_ACCEPT_LANGUAGE, "en-gb;q=0", "en", 0);
    quality(HOOP_ACCEPT_LANGUAGE, "en-gb;q=0, *;q=0.2", "en", 200);
    quality(HOOP_ACCEPT_LANGUAGE, "*;q=0.2, en-us;q=0.5, en-gb;q=0.8, en-au;q=0.6", "en", 799);
    quality(HOOP_ACCEPT_LANGUAGE, "en-gb;q=0.001", "en", 1);
    quality(HOOP_ACCEPT_LANGUAGE, "de-de, de;q=0.5", "de-DE-1996", 1000);
    quality(HOOP_ACCEPT_LANGUAGE, "de-de, de;q=0.5", "de-AT", 500);
    quality(HOOP_ACCEPT_LANGUAGE, "da, en-gb;q=0.8, en;q=0.7", "en-US", 700);
    quality(HOOP_ACCEPT_LANGUAGE, "d", "de", 0);
    quality(HOOP_ACCEPT_LANGUAGE, "de", "den", 0);
    quality(HOOP_ACCEPT_LANGUAGE, "*", "x", 1000);
}

static void best(uint32_t kind, const char *header, const char *offers, int want)
{
    char copy[128];
    const char *list[8];
    size_t count = 0, index = 77;
    strcpy(copy, offers);
    for (char *at = strtok(copy, " "); at; at = strtok(NULL, " "))
        list[count++] = at;
    int rc = hoop_accept_best(kind, hoop_str_c(header), list, count, &index);
    if (want < 0) {
        assert_int_equal(rc, want);
        assert_int_equal(index, 77);
    } else {
        assert_int_equal(rc, 0);
        assert_int_equal(index, want);
    }
}

static void test_best(void **state)
{
    best(HOOP_ACCEPT_MEDIA, "foo/*", "foo/bar qux/burt", 0);
    best(HOOP_ACCEPT_MEDIA, "spam/burt", "foo/bar", HOOP_EMISSING);
    best(HOOP_ACCEPT_MEDIA, "a/a,a/*;q=0", "a/b", HOOP_EMISSING);
    best(HOOP_ACCEPT_MEDIA, "a/b;q=0.5, c/d", "a/b c/d", 1);
    best(HOOP_ACCEPT_MEDIA, "a/b, c/d", "a/b;q=0.5 c/d", 1);
    best(HOOP_ACCEPT_MEDIA, "a/b, c/d;q=0.4", "a/b;q=0.5 c/d", 0);
    best(HOOP_ACCEPT_MEDIA, "", "a/b c/d", 0);
    best(HOOP_ACCEPT_MEDIA, "", "a/b;q=0.1 c/d", 1);
    best(HOOP_ACCEPT_MEDIA, "*/*", "a/b;q=0", HOOP_EMISSING);
    best(HOOP_ACCEPT_MEDIA, "a/b;x=1", "a/b;x=1;q=0.5", 0);
    best(HOOP_ACCEPT_MEDIA, "", "a", HOOP_EINVAL);
    best(HOOP_ACCEPT_MEDIA, "", "", HOOP_EMISSING);
    best(HOOP_ACCEPT_LANGUAGE, "en-gb", "en en-GB", 1);
    best(HOOP_ACCEPT_LANGUAGE, "en", "en-gb", 0);
    best(HOOP_ACCEPT_LANGUAGE, "en-gb", "fr en", 1);
    best(HOOP_ACCEPT_CHARSET, "x-ibm300, utf-8", "utf-8", 0);
    best(HOOP_ACCEPT_CHARSET, "", "a/b", HOOP_EINVAL);
    best(HOOP_ACCEPT_ENCODING, "gzip;q=0.5", "identity gzip", 1);
    best(HOOP_ACCEPT_ENCODING, "br, gzip", "br gzip identity", 0);
    best(HOOP_ACCEPT_ENCODING, "gzip;q=0", "br gzip identity", 2);
    best(HOOP_ACCEPT_ENCODING, "identity;q=0", "br identity", HOOP_EMISSING);
    best(4, "", "a", HOOP_EINVAL);
}

static void test_random(void **state)
{
    uint64_t seed = 406;
    for (int i = 0; i < 100000; i++) {
        hoop_str text = random_text(&seed, 24, "a/*;q=0.1,, \"-");
        hoop_accept_item items[32];
        size_t count = hoop_accept_list(text, items, 32);
        for (size_t n = 0; n < count; n++) {
            assert_true(items[n].quality <= 1000 && items[n].value.len > 0);
            assert_true(items[n].value.data >= text.data);
            assert_true(items[n].value.data + items[n].value.len <= text.data + text.len);
        }
        for (uint32_t kind = 0; kind < 4; kind++)
            assert_true(hoop_accept_quality(kind, text, hoop_str_c(kind ? "a" : "a/a")) <= 1000);
        drop(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),      cmocka_unit_test(test_weights),
        cmocka_unit_test(test_cap),       cmocka_unit_test(test_order),
        cmocka_unit_test(test_media),     cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_languages), cmocka_unit_test(test_best),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
