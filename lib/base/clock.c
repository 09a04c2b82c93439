/* Time as text and the system's two clocks; no caching, which is the loop's. */
#include "base/clock.h"

#include <string.h>
#include <time.h>

static void put2(char *out, int64_t n)
{
    out[0] = (char)('0' + n / 10);
    out[1] = (char)('0' + n % 10);
}

/* Days since 1970-01-01 to year, month (1-12) and day, by whole 400-year eras from March on. */
static void civil(int64_t days, int64_t *year, int64_t *month, int64_t *day)
{
    int64_t shifted = days + 719468; /* from 0000-03-01 */
    int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    int64_t of_era = shifted - era * 146097;
    int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * y + y / 4 - y / 100);
    int64_t m = (5 * of_year + 2) / 153;
    *day = of_year - (153 * m + 2) / 5 + 1;
    *month = m < 10 ? m + 3 : m - 9;
    *year = y + era * 400 + (*month <= 2);
}

void hoop__clock_imf(int64_t seconds, char out[29])
{
    const int64_t first = -62167219200, last = 253402300799; /* years 0000 to 9999 */
    if (seconds < first)
        seconds = first;
    if (seconds > last)
        seconds = last;
    int64_t days = seconds / 86400, rest = seconds % 86400;
    if (rest < 0) {
        rest += 86400;
        days--;
    }
    int64_t year, month, day;
    civil(days, &year, &month, &day);
    int64_t weekday = ((days + 4) % 7 + 7) % 7; /* 1970-01-01 was a Thursday */
    memcpy(out, "Sun, 06 Nov 1994 08:49:37 GMT", 29);
    memcpy(out, &"SunMonTueWedThuFriSat"[weekday * 3], 3);
    put2(out + 5, day);
    memcpy(out + 8, &"JanFebMarAprMayJunJulAugSepOctNovDec"[(month - 1) * 3], 3);
    put2(out + 12, year / 100);
    put2(out + 14, year % 100);
    put2(out + 17, rest / 3600);
    put2(out + 20, rest / 60 % 60);
    put2(out + 23, rest % 60);
}

int64_t hoop__clock_wall(void)
{
    return (int64_t)time(NULL);
}

uint64_t hoop__clock_mono(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}
