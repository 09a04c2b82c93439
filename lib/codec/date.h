/* HTTP dates (RFC 9110 5.6.7): the three forms in, IMF-fixdate out. */
#ifndef HOOP_CODEC_DATE_H
#define HOOP_CODEC_DATE_H

#include <hoop/error.h>
#include <hoop/str.h>

#define HOOP__DATE_SIZE 29 /* "Sun, 06 Nov 1994 08:49:37 GMT" */

/*
 * Reads IMF-fixdate, the RFC 850 form or the asctime form into seconds since 1970. Strict: the
 * case, the blanks and the widths as the grammar has them, a day that exists, the weekday of that
 * day. A leap second (23:59:60) counts as the second behind it. `now` (seconds since 1970) settles
 * the two-digit year of RFC 850: the latest one that is no more than 50 years ahead.
 * 0, or HOOP_EPARSE with the output untouched.
 */
int hoop__date_parse(hoop_str text, int64_t now, int64_t *ret_seconds);

/* Writes HOOP__DATE_SIZE bytes, no NUL. For years 0 to 9999. */
void hoop__date_write(int64_t seconds, char *out);

#endif
