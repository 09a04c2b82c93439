/* The clock: dates against those of the system's own calendar, and clocks that run. */
#include "support.h"

#include "base/clock.h"

#include <stdio.h>
#include <time.h>

static void expect(int64_t seconds, const char *want)
{
    char out[30] = "............................!";
    out[29] = '!';
    hoop__clock_imf(seconds, out);
    assert_bytes(out, 29, want, strlen(want));
    assert_int_equal(out[29], '!');
}

static void test_known_dates(void **state)
{
    expect(784111777, "Sun, 06 Nov 1994 08:49:37 GMT");
    expect(0, "Thu, 01 Jan 1970 00:00:00 GMT");
    expect(-1, "Wed, 31 Dec 1969 23:59:59 GMT");
    expect(951782400, "Tue, 29 Feb 2000 00:00:00 GMT");
    expect(951868800, "Wed, 01 Mar 2000 00:00:00 GMT");
    expect(-2203891200, "Thu, 01 Mar 1900 00:00:00 GMT");
    expect(4107542399, "Sun, 28 Feb 2100 23:59:59 GMT");
    expect(4107542400, "Mon, 01 Mar 2100 00:00:00 GMT");
    expect(2147483648, "Tue, 19 Jan 2038 03:14:08 GMT");
}

static void test_years_beyond_four_digits_are_clamped(void **state)
{
    expect(253402300799, "Fri, 31 Dec 9999 23:59:59 GMT");
    expect(253402300800, "Fri, 31 Dec 9999 23:59:59 GMT");
    expect(INT64_MAX, "Fri, 31 Dec 9999 23:59:59 GMT");
    expect(-62167219200, "Sat, 01 Jan 0000 00:00:00 GMT");
    expect(-62167219201, "Sat, 01 Jan 0000 00:00:00 GMT");
    expect(INT64_MIN, "Sat, 01 Jan 0000 00:00:00 GMT");
}

static void test_every_day_as_the_calendar_has_it(void **state)
{
    static const char *const days[] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
    static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
    /* Each day of 400 years and more, at a time that wanders through the day. */
    for (int64_t day = -50000; day < 120000; day++) {
        time_t t = (time_t)(day * 86400 + (day * 7919 % 86400 + 86400) % 86400);
        struct tm tm;
        char want[64];
        gmtime_r(&t, &tm);
        snprintf(want, sizeof want, "%s, %02d %s %04d %02d:%02d:%02d GMT", days[tm.tm_wday],
                 tm.tm_mday, months[tm.tm_mon], tm.tm_year + 1900, tm.tm_hour, tm.tm_min,
                 tm.tm_sec);
        expect(t, want);
    }
}

static void test_the_clocks_run(void **state)
{
    int64_t wall = hoop__clock_wall();
    assert_true(wall >= (int64_t)time(NULL) - 1 && wall <= (int64_t)time(NULL));
    uint64_t before = hoop__clock_mono();
    struct timespec pause = { 0, 3000000 };
    nanosleep(&pause, NULL);
    uint64_t after = hoop__clock_mono();
    assert_true(after >= before + 2 && after < before + 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_dates),
        cmocka_unit_test(test_years_beyond_four_digits_are_clamped),
        cmocka_unit_test(test_every_day_as_the_calendar_has_it),
        cmocka_unit_test(test_the_clocks_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
