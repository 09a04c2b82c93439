/* Server-sent events: an event's text, and what the hub needs to know of a stream. */
#ifndef HOOP_SSE_SSE_H
#define HOOP_SSE_SSE_H

#include "base/arena.h"

#include <hoop/sse.h>

/* An event whose caller knew it with another size. */
hoop_event hoop__event_of(const hoop_event *event, size_t size);

/*
 * The text of an event in memory of the allocator, with `before` bytes in front of it for the caller. 0 and what is to
 * be freed, HOOP_EINVAL if a field has a line end, HOOP_ENOMEM.
 */
int hoop__event_text(const hoop_allocator *allocator, const hoop_event *event, size_t before,
                     char **ret_memory, size_t *ret_len);

/* Sends what is text already. */
int hoop__events_write(hoop_events *events, hoop_str text);

/* Breaks the stream off. */
void hoop__events_fail(hoop_events *events, int code);

#endif
