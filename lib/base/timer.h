/* Timers: a hierarchical wheel with a millisecond's grain, driven by whoever owns the clock. */
#ifndef HOOP_BASE_TIMER_H
#define HOOP_BASE_TIMER_H

#include <stdint.h>

#define HOOP__NEVER UINT64_MAX

/* Caller-allocated; zeroed before the first use. Linked into a slot while it is set. */
struct hoop__timer {
    struct hoop__timer *next;
    struct hoop__timer **link; /* what points to this timer; NULL: not set */
    uint64_t due;              /* absolute milliseconds */
    void (*fire)(struct hoop__timer *timer);
};

#define HOOP__WHEEL_LEVELS 5
#define HOOP__WHEEL_SLOTS  64

struct hoop__wheel {
    uint64_t now;                         /* up to which all has fired */
    uint64_t pending[HOOP__WHEEL_LEVELS]; /* a bit for each slot that is not empty */
    struct hoop__timer *slots[HOOP__WHEEL_LEVELS][HOOP__WHEEL_SLOTS];
};

void hoop__wheel_init(struct hoop__wheel *wheel, uint64_t now);

/* Sets (or sets anew) a timer. One that is due already fires a millisecond after the last run. */
void hoop__timer_set(struct hoop__wheel *wheel, struct hoop__timer *timer, uint64_t due);

/* Takes a timer out; nothing if it is not set. */
void hoop__timer_clear(struct hoop__wheel *wheel, struct hoop__timer *timer);

static inline int hoop__timer_is_set(const struct hoop__timer *timer)
{
    return timer->link != 0;
}

/* Fires all that is due at `now`, earliest first, in no order within a millisecond; timers set meanwhile
 * fire, too, if they are due before `now`. */
void hoop__wheel_run(struct hoop__wheel *wheel, uint64_t now);

/* When to run next: no later than the earliest timer's time; HOOP__NEVER if none is set. */
uint64_t hoop__wheel_next(const struct hoop__wheel *wheel);

#endif
