/* Reading and writing HTTP dates without the C library's locale and time zone; see date.h. */
#include "codec/date.h"

#include "base/clock.h"

static const char *const day_names[7] = { "Sunday",   "Monday", "Tuesday", "Wednesday",
                                          "Thursday", "Friday", "Saturday" };
static const char month_names[12][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };

#define DAY_SECONDS 86400

/* A date under way, and what is left of the text. */
struct reader {
    const char *next;
    size_t left;
    int weekday; /* 0: Sunday */
    int year, month, day;
    int hour, minute, second;
};

/* Days from 1970-01-01 to a day of the proleptic Gregorian calendar, after Howard Hinnant. */
static int64_t days_of(int64_t year, int month, int day)
{
    /* Years that begin in March put the leap day at their end. */
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

static int days_in_month(int year, int month)
{
    static const signed char days[12] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap);
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* Takes `text` off the front. Nonzero if it was there. */
static int take(struct reader *r, const char *text)
{
    size_t len = strlen(text);
    if (r->left < len || memcmp(r->next, text, len) != 0)
        return 0;
    r->next += len;
    r->left -= len;
    return 1;
}

/* Takes exactly `count` digits. */
static int take_number(struct reader *r, int count, int *ret)
{
    int value = 0;
    if (r->left < (size_t)count)
        return 0;
    for (int i = 0; i < count; i++) {
        if (r->next[i] < '0' || r->next[i] > '9')
            return 0;
        value = value * 10 + (r->next[i] - '0');
    }
    r->next += count;
    r->left -= (size_t)count;
    *ret = value;
    return 1;
}

static int take_day_name(struct reader *r, int whole)
{
    for (int i = 0; i < 7; i++) {
        size_t len = whole ? strlen(day_names[i]) : 3;
        if (r->left >= len && memcmp(r->next, day_names[i], len) == 0) {
            r->next += len;
            r->left -= len;
            r->weekday = i;
            return 1;
        }
    }
    return 0;
}

static int take_month(struct reader *r)
{
    for (int i = 0; i < 12; i++) {
        if (take(r, month_names[i])) {
            r->month = i + 1;
            return 1;
        }
    }
    return 0;
}

static int take_time(struct reader *r)
{
    return take_number(r, 2, &r->hour) && take(r, ":") && take_number(r, 2, &r->minute) &&
           take(r, ":") && take_number(r, 2, &r->second);
}

static int take_imf(struct reader *r)
{
    return take_day_name(r, 0) && take(r, ", ") && take_number(r, 2, &r->day) && take(r, " ") &&
           take_month(r) && take(r, " ") && take_number(r, 4, &r->year) && take(r, " ") &&
           take_time(r) && take(r, " GMT");
}

static int take_rfc850(struct reader *r)
{
    return take_day_name(r, 1) && take(r, ", ") && take_number(r, 2, &r->day) && take(r, "-") &&
           take_month(r) && take(r, "-") && take_number(r, 2, &r->year) && take(r, " ") &&
           take_time(r) && take(r, " GMT");
}

static int take_asctime(struct reader *r)
{
    if (!take_day_name(r, 0) || !take(r, " ") || !take_month(r) || !take(r, " "))
        return 0;
    if (!(take(r, " ") ? take_number(r, 1, &r->day) : take_number(r, 2, &r->day)))
        return 0;
    return take(r, " ") && take_time(r) && take(r, " ") && take_number(r, 4, &r->year);
}

static int64_t seconds_of(const struct reader *r, int64_t year)
{
    return days_of(year, r->month, r->day) * DAY_SECONDS + r->hour * 3600 + r->minute * 60 +
           r->second;
}

/* The year that holds a day. */
static int64_t year_of(int64_t days)
{
    /* The mean length of a year misses by one at most; the borders put it right. */
    int64_t year = 1970 + floor_div(days * 400, 146097);
    while (days_of(year, 1, 1) > days)
        year--;
    while (days_of(year + 1, 1, 1) <= days)
        year++;
    return year;
}

/* The latest year that ends in r->year and puts the date no more than 50 years ahead of `now`. */
static int settle_year(struct reader *r, int64_t now)
{
    /* Of a clock outside these years (1900 to 9899) nothing can be said. */
    if (now < -2208988800 || now >= 250245849600)
        return 0;
    int64_t days = floor_div(now, DAY_SECONDS);
    int64_t year = year_of(days);
    /* The same day and time, 50 years on; 29 February becomes 1 March. */
    int64_t day_of_year_50 = days - days_of(year, 1, 1);
    int64_t march = days_of(year, 3, 1) - days_of(year, 1, 1);
    int64_t limit_days = day_of_year_50 < march ? days_of(year + 50, 1, 1) + day_of_year_50
                                                : days_of(year + 50, 3, 1) + day_of_year_50 - march;
    int64_t limit = limit_days * DAY_SECONDS + (now - days * DAY_SECONDS);

    int64_t latest = year + 50;
    latest -= (latest - r->year) % 100;
    if (seconds_of(r, latest) > limit)
        latest -= 100;
    r->year = (int)latest;
    return 1;
}

int hoop__date_parse(hoop_str text, int64_t now, int64_t *ret_seconds)
{
    struct reader r = { .next = text.data, .left = text.len };
    int fits, rfc850 = 0;

    if (text.len > 3 && text.data[3] == ',') {
        fits = take_imf(&r);
    } else if (text.len > 3 && text.data[3] == ' ') {
        fits = take_asctime(&r);
    } else {
        fits = take_rfc850(&r);
        rfc850 = 1;
    }
    if (!fits || r.left > 0 || r.hour > 23 || r.minute > 59 || r.second > 60 || r.day < 1)
        return HOOP_EPARSE;
    if (r.second == 60 && (r.hour != 23 || r.minute != 59))
        return HOOP_EPARSE;
    if (rfc850 && !settle_year(&r, now))
        return HOOP_EPARSE;
    if (r.day > days_in_month(r.year, r.month))
        return HOOP_EPARSE;

    /* 1970-01-01 was a Thursday. */
    int64_t days = days_of(r.year, r.month, r.day);
    if (days + 4 - floor_div(days + 4, 7) * 7 != r.weekday)
        return HOOP_EPARSE;
    *ret_seconds = seconds_of(&r, r.year);
    return 0;
}

void hoop__date_write(int64_t seconds, char *out)
{
    hoop__clock_imf(seconds, out);
}
