/* HTTP dates: the three forms, the two-digit year, and what is refused. */
#include "tools.h"

#include "codec/date.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define NOW_2024 INT64_C(1718000000) /* 10 June 2024, 06:13:20 */

static void expect(const char *value, int64_t now, int64_t want)
{
    hoop_str text = tight_c(value);
    int64_t got = 7;
    if (hoop__date_parse(text, now, &got) != 0)
        fail_msg("'%s' was refused", value);
    if (got != want)
        fail_msg("'%s' gave %" PRId64 ", not %" PRId64, value, got, want);
    drop(text);
}

static void refuse_bytes(const char *value, size_t len)
{
    hoop_str text = tight(value, len);
    int64_t got = 7;
    if (hoop__date_parse(text, NOW_2024, &got) != HOOP_EPARSE)
        fail_msg("'%s' was taken", value);
    assert_int_equal(got, 7);
    drop(text);
}

static void refuse(const char *value)
{
    refuse_bytes(value, strlen(value));
}

/* The three spellings of one instant that the RFC gives, and the borders. */
static void test_three_forms(void **state)
{
    expect("Sun, 06 Nov 1994 08:49:37 GMT", NOW_2024, 784111777);
    expect("Sunday, 06-Nov-94 08:49:37 GMT", NOW_2024, 784111777);
    expect("Sun Nov  6 08:49:37 1994", NOW_2024, 784111777);
    expect("Sun Nov 06 08:49:37 1994", NOW_2024, 784111777);
    expect("Wed Nov 16 08:49:37 1994", NOW_2024, 784975777);
    expect("Thu, 01 Jan 1970 00:00:00 GMT", NOW_2024, 0);
    expect("Wed, 31 Dec 1969 23:59:59 GMT", NOW_2024, -1);
    expect("Tue, 19 Jan 2038 03:14:08 GMT", NOW_2024, INT64_C(2147483648));
    expect("Fri, 31 Dec 9999 23:59:59 GMT", NOW_2024, INT64_C(253402300799));
    expect("Sat, 01 Jan 0000 00:00:00 GMT", NOW_2024, INT64_C(-62167219200));
    expect("Thu, 29 Feb 2024 12:00:00 GMT", NOW_2024, 1709208000);
    expect("Tue, 29 Feb 2000 00:00:00 GMT", NOW_2024, 951782400);
}

static void test_leap_second(void **state)
{
    expect("Sat, 31 Dec 2016 23:59:60 GMT", NOW_2024, 1483228800);
    refuse("Sat, 31 Dec 2016 23:58:60 GMT");
    refuse("Sat, 31 Dec 2016 22:59:60 GMT");
    refuse("Sat, 31 Dec 2016 23:59:61 GMT");
}

static void test_two_digit_year(void **state)
{
    /* Exactly fifty years ahead is not more than fifty. */
    expect("Sunday, 10-Jun-74 06:13:20 GMT", NOW_2024, INT64_C(3295836800));
    /* One second later belongs to 1974, when that day was a Monday. */
    expect("Monday, 10-Jun-74 06:13:21 GMT", NOW_2024, 140076801);
    refuse("Sunday, 10-Jun-74 06:13:21 GMT");
    expect("Monday, 01-Jan-24 00:00:00 GMT", NOW_2024, 1704067200);
    expect("Saturday, 01-Jan-00 00:00:00 GMT", NOW_2024, 946684800);
    expect("Friday, 01-Jan-99 00:00:00 GMT", NOW_2024, 915148800);
    expect("Thursday, 01-Jan-70 00:00:00 GMT", 0, 0);
    /* Near the end of a century the years to come belong to the next one. */
    expect("Thursday, 01-Jan-05 00:00:00 GMT", INT64_C(4070908800), INT64_C(4260211200));
    /* 29 February of a now: fifty years later there is none. */
    expect("Thursday, 29-Feb-24 00:00:00 GMT", NOW_2024, 1709164800);
    refuse("Wednesday, 29-Feb-23 00:00:00 GMT");
    /* A clock that is beyond all reason settles nothing, and overflows nothing. */
    int64_t got;
    hoop_str text = hoop_str_c("Sunday, 06-Nov-94 08:49:37 GMT");
    assert_int_equal(hoop__date_parse(text, INT64_MAX, &got), HOOP_EPARSE);
    assert_int_equal(hoop__date_parse(text, INT64_MIN, &got), HOOP_EPARSE);
}

/* The rule in other words: never more than 50 years ahead, never 50 years or more behind. */
static void test_two_digit_window(void **state)
{
    static const char *const days[] = { "Sunday",   "Monday", "Tuesday", "Wednesday",
                                        "Thursday", "Friday", "Saturday" };
    for (int year = 1950; year <= 2150; year += 7) {
        struct tm tm = { .tm_year = year - 1900, .tm_mon = 6, .tm_mday = 1 };
        int64_t now = (int64_t)timegm(&tm);
        for (int ahead = -49; ahead <= 50; ahead++) {
            struct tm then = { .tm_year = year - 1900 + ahead, .tm_mon = 6, .tm_mday = 1 };
            int64_t want = (int64_t)timegm(&then);
            char text[64];
            snprintf(text, sizeof text, "%s, 01-Jul-%02d 00:00:00 GMT", days[then.tm_wday],
                     (year + ahead) % 100);
            expect(text, now, want);
        }
    }
}

static void test_refused(void **state)
{
    static const char *const values[] = {
        "",
        "Sun",
        "Sun,",
        "Sun ",
        "0",
        "784111777",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 ",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 gmt",
        "Sun, 06 Nov 1994 08:49:37 GMT ",
        "Sun, 06 Nov 1994 08:49:37 GMT; length=1",
        " Sun, 06 Nov 1994 08:49:37 GMT",
        "sun, 06 Nov 1994 08:49:37 GMT",
        "SUN, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun,  6 Nov 1994 08:49:37 GMT",
        "Sun, 006 Nov 1994 08:49:37 GMT",
        "Sun,06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06-Nov-1994 08:49:37 GMT",
        "Sun, 06-Nov-94 08:49:37 GMT",
        "Sunday, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sunday 06-Nov-94 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994",
        "Sun Nov  6 08:49:37 1994 GMT",
        "Sun Nov  6 08:49:37 94",
        "Sun Nov   6 08:49:37 1994",
        "Mon, 06 Nov 1994 08:49:37 GMT",
        "Monday, 06-Nov-94 08:49:37 GMT",
        "Mon Nov  6 08:49:37 1994",
        "Sun, 00 Nov 1994 08:49:37 GMT",
        "Wed, 31 Nov 1994 08:49:37 GMT",
        "Thu, 31 Nov 1994 08:49:37 GMT",
        "Wed, 29 Feb 2023 00:00:00 GMT",
        "Thu, 29 Feb 1900 00:00:00 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:60 GMT",
        "Sun, 06 Nov 1994 08:49:99 GMT",
        "Sun, 06 Nov -994 08:49:37 GMT",
        "Sun, +6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994T08:49:37 GMT",
        "1994-11-06T08:49:37Z",
        "Sun, 06 Nov 1994 08:49:37 +0000",
    };
    for (size_t i = 0; i < HOOP_COUNT(values); i++)
        refuse(values[i]);
    refuse_bytes("Sun, 06 Nov 1994 08:49:37 GMT\0", 30);
    refuse_bytes("Sun, 06 Nov 1994\0"
                 "08:49:37 GMT",
                 29);
}

/* Cut at each place, each form is refused, and nothing is read behind the cut. */
static void test_every_cut(void **state)
{
    static const char *const values[] = { "Sun, 06 Nov 1994 08:49:37 GMT",
                                          "Sunday, 06-Nov-94 08:49:37 GMT",
                                          "Sun Nov  6 08:49:37 1994" };
    for (size_t i = 0; i < HOOP_COUNT(values); i++)
        for (size_t len = 0; len < strlen(values[i]); len++)
            refuse_bytes(values[i], len);
}

/* Any one byte changed: refused, or another right date. */
static void test_every_byte(void **state)
{
    const char *value = "Sun, 06 Nov 1994 08:49:37 GMT";
    int taken = 0;
    for (size_t at = 0; at < HOOP__DATE_SIZE; at++) {
        for (int c = 0; c < 256; c++) {
            char copy[HOOP__DATE_SIZE + 1], back[HOOP__DATE_SIZE];
            int64_t seconds;
            memcpy(copy, value, sizeof copy);
            copy[at] = (char)c;
            hoop_str text = tight(copy, HOOP__DATE_SIZE);
            if (hoop__date_parse(text, NOW_2024, &seconds) == 0) {
                taken++;
                hoop__date_write(seconds, back);
                assert_bytes(back, HOOP__DATE_SIZE, copy, HOOP__DATE_SIZE);
            }
            drop(text);
        }
    }
    assert_true(taken > HOOP__DATE_SIZE);
}

/* Against the C library, there and back, in all three forms, over all years that can be written. */
static void test_against_libc(void **state)
{
    uint64_t seed = 1994;
    for (int i = 0; i < 100000; i++) {
        int64_t seconds =
            INT64_C(-62167219200) + (int64_t)(((uint64_t)random_below(&seed, 1u << 30) << 30 |
                                               random_below(&seed, 1u << 30)) %
                                              UINT64_C(315569520000));
        time_t t = (time_t)seconds;
        struct tm tm;
        char text[64], written[HOOP__DATE_SIZE];
        assert_non_null(gmtime_r(&t, &tm));
        char year[16];
        snprintf(year, sizeof year, "%04d", tm.tm_year + 1900);

        size_t len = strftime(text, sizeof text, "%a, %d %b ", &tm);
        len += (size_t)snprintf(text + len, sizeof text - len, "%s ", year);
        len += strftime(text + len, sizeof text - len, "%H:%M:%S GMT", &tm);
        expect(text, NOW_2024, seconds);
        hoop__date_write(seconds, written);
        assert_bytes(written, HOOP__DATE_SIZE, text, len);

        len = strftime(text, sizeof text, "%a %b %e %H:%M:%S ", &tm);
        snprintf(text + len, sizeof text - len, "%s", year);
        expect(text, NOW_2024, seconds);

        /* A clock beyond what a two-digit year can be settled by is left out. */
        if (tm.tm_year < 0 || tm.tm_year > 7900)
            continue;
        strftime(text, sizeof text, "%A, %d-%b-%y %H:%M:%S GMT", &tm);
        expect(text, seconds, seconds);
    }
}

static void test_random(void **state)
{
    uint64_t seed = 850;
    static const char *const values[] = { "Sun, 06 Nov 1994 08:49:37 GMT",
                                          "Sunday, 06-Nov-94 08:49:37 GMT",
                                          "Sun Nov  6 08:49:37 1994" };
    for (int i = 0; i < 200000; i++) {
        char copy[40];
        const char *value = values[i % 3];
        size_t len = strlen(value);
        memcpy(copy, value, len);
        for (uint32_t n = random_below(&seed, 4); n > 0; n--)
            copy[random_below(&seed, (uint32_t)len)] = (char)random_below(&seed, 256);
        hoop_str text = tight(copy, random_below(&seed, (uint32_t)len + 1));
        int64_t seconds;
        int rc = hoop__date_parse(text, NOW_2024, &seconds);
        assert_true(rc == 0 || rc == HOOP_EPARSE);
        drop(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_forms),    cmocka_unit_test(test_leap_second),
        cmocka_unit_test(test_two_digit_year), cmocka_unit_test(test_two_digit_window),
        cmocka_unit_test(test_refused),        cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_every_byte),     cmocka_unit_test(test_against_libc),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
