/* The text of an event (WHATWG HTML 9.2.6). */
#include "sse/sse.h"

#include <stdio.h>
#include <string.h>

hoop_event hoop__event_of(const hoop_event *event, size_t size)
{
    hoop_event copy;
    memset(&copy, 0, sizeof copy);
    if (event)
        memcpy(&copy, event, size < sizeof copy ? size : sizeof copy);
    return copy;
}

/* Takes the next line off the front; 0 behind the last. "\r\n", "\n" and "\r" each end a line. */
static int next_line(hoop_str *rest, int *more, hoop_str *ret_line)
{
    size_t len = 0;
    if (!*more)
        return 0;
    while (len < rest->len && rest->data[len] != '\n' && rest->data[len] != '\r')
        len++;
    *ret_line = hoop_str_n(rest->data, len);
    *more = len < rest->len;
    if (*more && rest->data[len] == '\r' && len + 1 < rest->len && rest->data[len + 1] == '\n')
        len++;
    len += (size_t)*more;
    *rest = hoop_str_n(rest->data + len, rest->len - len);
    return 1;
}

/* Writes, or, with `out` NULL, only counts. */
static size_t put(char *out, size_t at, const char *bytes, size_t len)
{
    if (out)
        memcpy(out + at, bytes, len);
    return at + len;
}

static size_t put_field(char *out, size_t at, const char *name, hoop_str value)
{
    at = put(out, at, name, strlen(name));
    at = put(out, at, ": ", value.len ? 2 : 1);
    at = put(out, at, value.data, value.len);
    return put(out, at, "\n", 1);
}

static size_t put_event(char *out, const hoop_event *event)
{
    size_t at = 0;
    char digits[24];
    if (event->event)
        at = put_field(out, at, "event", hoop_str_c(event->event));
    if (event->id)
        at = put_field(out, at, "id", hoop_str_c(event->id));
    if (event->retry_ms) {
        snprintf(digits, sizeof digits, "%llu", (unsigned long long)event->retry_ms);
        at = put_field(out, at, "retry", hoop_str_c(digits));
    }
    hoop_str rest = event->data, line;
    int more = event->data.data && !hoop_str_is_none(event->data);
    while (next_line(&rest, &more, &line))
        at = put_field(out, at, "data", line);
    return put(out, at, "\n", 1);
}

static int is_line(const char *text)
{
    return !text || !text[strcspn(text, "\r\n")];
}

int hoop__event_text(const hoop_allocator *allocator, const hoop_event *event, size_t before,
                     char **ret_memory, size_t *ret_len)
{
    if (!is_line(event->event) || !is_line(event->id))
        return HOOP_EINVAL;
    size_t len = put_event(NULL, event);
    char *memory = hoop__alloc(allocator, before + len);
    if (!memory)
        return HOOP_ENOMEM;
    put_event(memory + before, event);
    *ret_memory = memory;
    *ret_len = len;
    return 0;
}
