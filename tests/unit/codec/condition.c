/* Preconditions: each field, their order, and every combination against a model of RFC 9110 13.2.2. */
#include "tools.h"

#include "codec/condition.h"

#define NOW  INT64_C(1718000000)
#define LAST INT64_C(784111777)
#define SAME "Sun, 06 Nov 1994 08:49:37 GMT"
#define OLD  "Sun, 06 Nov 1994 08:49:36 GMT"
#define NEW  "Sun, 06 Nov 1994 08:49:38 GMT"

static struct hoop__conditions none(void)
{
    hoop_str absent = hoop_str_none();
    return (struct hoop__conditions){ absent, absent, absent, absent, absent };
}

static struct hoop__validators both(const char *etag)
{
    struct hoop__validators v = { 1, 1, 1, { hoop_str_none(), 0 }, LAST };
    assert_int_equal(hoop__etag_parse(hoop_str_c(etag), &v.etag), 0);
    return v;
}

static hoop_str value(const char *text)
{
    return text ? hoop_str_c(text) : hoop_str_none();
}

static int check(const char *im, const char *ius, const char *inm, const char *ims, int reads)
{
    struct hoop__conditions c = none();
    struct hoop__validators v = both("\"a\"");
    c.if_match = value(im);
    c.if_unmodified_since = value(ius);
    c.if_none_match = value(inm);
    c.if_modified_since = value(ims);
    return (int)hoop__condition_check(&c, &v, reads, NOW);
}

static void test_each_field(void **state)
{
    assert_int_equal(check(NULL, NULL, NULL, NULL, 1), HOOP__PROCEED);
    assert_int_equal(check("\"a\"", NULL, NULL, NULL, 1), HOOP__PROCEED);
    assert_int_equal(check("*", NULL, NULL, NULL, 0), HOOP__PROCEED);
    assert_int_equal(check("W/\"a\"", NULL, NULL, NULL, 1), HOOP__FAILED);
    assert_int_equal(check("\"b\", \"a\"", NULL, NULL, NULL, 0), HOOP__PROCEED);
    assert_int_equal(check("\"b\"", NULL, NULL, NULL, 0), HOOP__FAILED);
    assert_int_equal(check("", NULL, NULL, NULL, 0), HOOP__FAILED);
    assert_int_equal(check(NULL, SAME, NULL, NULL, 1), HOOP__PROCEED);
    assert_int_equal(check(NULL, NEW, NULL, NULL, 1), HOOP__PROCEED);
    assert_int_equal(check(NULL, OLD, NULL, NULL, 0), HOOP__FAILED);
    assert_int_equal(check(NULL, "yesterday", NULL, NULL, 0), HOOP__PROCEED);
    assert_int_equal(check(NULL, NULL, "\"a\"", NULL, 1), HOOP__NOT_MODIFIED);
    assert_int_equal(check(NULL, NULL, "W/\"a\"", NULL, 1), HOOP__NOT_MODIFIED);
    assert_int_equal(check(NULL, NULL, "\"a\"", NULL, 0), HOOP__FAILED);
    assert_int_equal(check(NULL, NULL, "*", NULL, 1), HOOP__NOT_MODIFIED);
    assert_int_equal(check(NULL, NULL, "*", NULL, 0), HOOP__FAILED);
    assert_int_equal(check(NULL, NULL, "\"b\", \"c\"", NULL, 1), HOOP__PROCEED);
    assert_int_equal(check(NULL, NULL, NULL, SAME, 1), HOOP__NOT_MODIFIED);
    assert_int_equal(check(NULL, NULL, NULL, NEW, 1), HOOP__NOT_MODIFIED);
    assert_int_equal(check(NULL, NULL, NULL, OLD, 1), HOOP__PROCEED);
    assert_int_equal(check(NULL, NULL, NULL, SAME, 0), HOOP__PROCEED);
    assert_int_equal(check(NULL, NULL, NULL, "'" SAME "'", 1), HOOP__PROCEED);
    assert_int_equal(check(NULL, NULL, NULL, "Sunday, 06-Nov-94 08:49:37 GMT", 1),
                     HOOP__NOT_MODIFIED);
}

/* A tag decides alone; a date beside it counts for nothing, whatever it says. */
static void test_tag_beats_date(void **state)
{
    assert_int_equal(check(NULL, NULL, "\"a\"", SAME, 1), HOOP__NOT_MODIFIED);
    assert_int_equal(check(NULL, NULL, "\"a\"", OLD, 1), HOOP__NOT_MODIFIED);
    assert_int_equal(check(NULL, NULL, "\"b\"", SAME, 1), HOOP__PROCEED);
    assert_int_equal(check(NULL, NULL, "\"b\"", OLD, 1), HOOP__PROCEED);
    assert_int_equal(check("\"a\"", OLD, NULL, NULL, 1), HOOP__PROCEED);
    assert_int_equal(check("\"b\"", SAME, NULL, NULL, 1), HOOP__FAILED);
}

/* The model: 13.2.2 as it stands, with each field reduced to absent, true or false. */
static int model(int im, int ius, int inm, int ims, int reads)
{
    if (im != 0 ? im < 0 : ius < 0)
        return HOOP__FAILED;
    if (inm != 0)
        return inm > 0 ? HOOP__PROCEED : reads ? HOOP__NOT_MODIFIED : HOOP__FAILED;
    return reads && ims < 0 ? HOOP__NOT_MODIFIED : HOOP__PROCEED;
}

static void test_all_combinations(void **state)
{
    static const char *const im[] = { "\"b\"", NULL, "\"a\"" }, *const ius[] = { OLD, NULL, SAME };
    static const char *const inm[] = { "\"a\"", NULL, "\"b\"" }, *const ims[] = { SAME, NULL, OLD };
    for (int i = 0; i < 162; i++) {
        int a = i % 3 - 1, b = i / 3 % 3 - 1, c = i / 9 % 3 - 1, d = i / 27 % 3 - 1, reads = i / 81;
        assert_int_equal(check(im[a + 1], ius[b + 1], inm[c + 1], ims[d + 1], reads),
                         model(a, b, c, d, reads));
    }
}

static void test_nothing_there(void **state)
{
    struct hoop__validators v = { 0 };
    struct hoop__conditions c = none();
    assert_int_equal(hoop__condition_check(&c, &v, 0, NOW), HOOP__PROCEED);
    c.if_none_match = hoop_str_c("*"); /* make it, if it is not there */
    assert_int_equal(hoop__condition_check(&c, &v, 0, NOW), HOOP__PROCEED);
    c.if_match = hoop_str_c("*"); /* change it, if it is there */
    assert_int_equal(hoop__condition_check(&c, &v, 0, NOW), HOOP__FAILED);
    c = none();
    c.if_unmodified_since = hoop_str_c(OLD);
    assert_int_equal(hoop__condition_check(&c, &v, 0, NOW), HOOP__PROCEED);
}

static void test_without_validators(void **state)
{
    struct hoop__validators v = { .exists = 1 };
    struct hoop__conditions c = none();
    c.if_none_match = hoop_str_c("\"a\"");
    c.if_modified_since = hoop_str_c(NEW);
    assert_int_equal(hoop__condition_check(&c, &v, 1, NOW), HOOP__PROCEED);
    c.if_none_match = hoop_str_none();
    assert_int_equal(hoop__condition_check(&c, &v, 1, NOW), HOOP__PROCEED);
    c.if_match = hoop_str_c("\"a\"");
    assert_int_equal(hoop__condition_check(&c, &v, 1, NOW), HOOP__FAILED);
}

static int applies(const char *if_range, const char *etag, int64_t now)
{
    struct hoop__conditions c = none();
    struct hoop__validators v = both(etag);
    c.if_range = value(if_range);
    return hoop__condition_range(&c, &v, now);
}

static void test_if_range(void **state)
{
    assert_true(applies(NULL, "\"a\"", NOW));
    assert_true(applies("\"a\"", "\"a\"", NOW));
    assert_false(applies("\"b\"", "\"a\"", NOW));
    assert_false(applies("W/\"a\"", "\"a\"", NOW));
    assert_false(applies("\"a\"", "W/\"a\"", NOW));
    assert_false(applies("W/\"a\"", "W/\"a\"", NOW));
    assert_false(applies("\"a\", \"b\"", "\"a\"", NOW));
    assert_false(applies("*", "\"a\"", NOW));
    assert_true(applies(SAME, "\"a\"", NOW));
    assert_true(applies("Sun Nov  6 08:49:37 1994", "\"a\"", NOW));
    assert_false(applies(OLD, "\"a\"", NOW));
    assert_false(applies(NEW, "\"a\"", NOW));
    assert_false(applies(SAME, "\"a\"", LAST)); /* it may change again within this second */
    assert_true(applies(SAME, "\"a\"", LAST + 1));
    assert_false(applies("", "\"a\"", NOW));
    assert_false(applies("soon", "\"a\"", NOW));
    struct hoop__conditions c = none();
    struct hoop__validators v = { .exists = 1 };
    c.if_range = hoop_str_c("\"a\"");
    assert_false(hoop__condition_range(&c, &v, NOW));
    c.if_range = hoop_str_c(SAME);
    assert_false(hoop__condition_range(&c, &v, NOW));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_field),         cmocka_unit_test(test_tag_beats_date),
        cmocka_unit_test(test_all_combinations),   cmocka_unit_test(test_nothing_there),
        cmocka_unit_test(test_without_validators), cmocka_unit_test(test_if_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
