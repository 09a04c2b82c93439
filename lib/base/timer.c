/*
 * The timer wheel: five levels of 64 slots, a millisecond at the lowest, each level 64 times as
 * coarse as the one below. Timers move down as their time comes near.
 */
#include "base/timer.h"

#include <string.h>

#define BITS             6
#define SLOT(due, level) ((due) >> ((level)*BITS) & (HOOP__WHEEL_SLOTS - 1))
#define SPAN             ((uint64_t)1 << (HOOP__WHEEL_LEVELS * BITS)) /* 12 days: what is later is put off */

void hoop__wheel_init(struct hoop__wheel *wheel, uint64_t now)
{
    memset(wheel, 0, sizeof *wheel);
    wheel->now = now;
}

/* The level whose slots tell `due` from now: that of the highest differing group of bits. */
static unsigned level_of(const struct hoop__wheel *wheel, uint64_t due)
{
    uint64_t differ = due ^ wheel->now;
    unsigned level = 0;
    while (level + 1 < HOOP__WHEEL_LEVELS && differ >> ((level + 1) * BITS))
        level++;
    return level;
}

static void link_into(struct hoop__wheel *wheel, struct hoop__timer *timer, unsigned level,
                      unsigned slot)
{
    struct hoop__timer **head = &wheel->slots[level][slot];
    timer->next = *head;
    timer->link = head;
    if (timer->next)
        timer->next->link = &timer->next;
    *head = timer;
    wheel->pending[level] |= (uint64_t)1 << slot;
}

static void insert(struct hoop__wheel *wheel, struct hoop__timer *timer)
{
    uint64_t due = timer->due;
    if (due <= wheel->now)
        due = wheel->now + 1; /* its slot of this millisecond has run */
    else if (due - wheel->now >= SPAN)
        due = wheel->now + SPAN - 1;
    unsigned level = level_of(wheel, due);
    link_into(wheel, timer, level, (unsigned)SLOT(due, level));
}

void hoop__timer_clear(struct hoop__wheel *wheel, struct hoop__timer *timer)
{
    if (!timer->link)
        return;
    *timer->link = timer->next;
    if (timer->next)
        timer->next->link = timer->link;
    timer->link = 0;
    /* The slot's bit may stay set over an empty list: a run finds nothing there and clears it. */
    (void)wheel;
}

void hoop__timer_set(struct hoop__wheel *wheel, struct hoop__timer *timer, uint64_t due)
{
    hoop__timer_clear(wheel, timer);
    timer->due = due;
    insert(wheel, timer);
}

/* The earliest time at which some slot may have something to do, by the bits alone. */
uint64_t hoop__wheel_next(const struct hoop__wheel *wheel)
{
    uint64_t earliest = HOOP__NEVER;
    for (unsigned level = 0; level < HOOP__WHEEL_LEVELS; level++) {
        uint64_t bits = wheel->pending[level];
        if (!bits)
            continue;
        unsigned shift = level * BITS;
        unsigned at = (unsigned)SLOT(wheel->now, level);
        /* Slots behind the present one come in this turn of the wheel, the others in the next. */
        unsigned rotate = (at + 1) & (HOOP__WHEEL_SLOTS - 1);
        uint64_t turned = rotate ? bits >> rotate | bits << (HOOP__WHEEL_SLOTS - rotate) : bits;
        uint64_t ahead = (uint64_t)__builtin_ctzll(turned) + 1;
        uint64_t when = ((wheel->now >> shift) + ahead) << shift;
        if (when < earliest)
            earliest = when;
    }
    return earliest;
}

/* Takes all timers of a slot as a list of its own, headed by `*ret_list`. */
static void take(struct hoop__wheel *wheel, unsigned level, unsigned slot,
                 struct hoop__timer **ret_list)
{
    *ret_list = wheel->slots[level][slot];
    if (*ret_list)
        (*ret_list)->link = ret_list;
    wheel->slots[level][slot] = 0;
    wheel->pending[level] &= ~((uint64_t)1 << slot);
}

/* At a time that begins a slot of an upper level, its timers move down. */
static void cascade(struct hoop__wheel *wheel)
{
    for (unsigned level = HOOP__WHEEL_LEVELS - 1; level > 0; level--) {
        if (wheel->now & (((uint64_t)1 << (level * BITS)) - 1))
            continue;
        struct hoop__timer *list;
        take(wheel, level, (unsigned)SLOT(wheel->now, level), &list);
        while (list) {
            struct hoop__timer *timer = list;
            hoop__timer_clear(wheel, timer);
            if (timer->due <= wheel->now) /* in this very millisecond, whose slot runs next */
                link_into(wheel, timer, 0, (unsigned)SLOT(wheel->now, 0));
            else
                insert(wheel, timer);
        }
    }
}

void hoop__wheel_run(struct hoop__wheel *wheel, uint64_t now)
{
    for (;;) {
        uint64_t next = hoop__wheel_next(wheel);
        if (next > now)
            break;
        wheel->now = next;
        cascade(wheel);
        struct hoop__timer *list;
        take(wheel, 0, (unsigned)(next & (HOOP__WHEEL_SLOTS - 1)), &list);
        while (list) {
            struct hoop__timer *timer = list;
            hoop__timer_clear(wheel, timer);
            timer->fire(timer);
        }
    }
    if (now > wheel->now)
        wheel->now = now;
}
