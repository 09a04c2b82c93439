/* Time as text: the one form of date that HTTP writes. Reading dates is codec's. */
#ifndef HOOP_BASE_CLOCK_H
#define HOOP_BASE_CLOCK_H

#include <stdint.h>

/* Writes `seconds` since 1970 (years 0 to 9999, clamped) as IMF-fixdate: 29 bytes, no NUL. */
void hoop__clock_imf(int64_t seconds, char out[29]);

/* Seconds since 1970 by the system's clock. */
int64_t hoop__clock_wall(void);

/* Milliseconds of the system's monotonic clock. */
uint64_t hoop__clock_mono(void);

#endif
