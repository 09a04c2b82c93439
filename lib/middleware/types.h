/* Lists of media types as options have them: "text/html +json !text/event-stream". */
#ifndef HOOP_MIDDLEWARE_TYPES_H
#define HOOP_MIDDLEWARE_TYPES_H

#include <hoop/arena.h>
#include <hoop/error.h>
#include <hoop/str.h>

struct hoop__type_pattern {
    hoop_str type;    /* empty: any */
    hoop_str subtype; /* empty: any; behind a '+': the suffix */
    int suffix;
    int exclude; /* it began with '!' */
};

struct hoop__types {
    const struct hoop__type_pattern *patterns;
    size_t count;
};

/*
 * Reads a list into `arena`; its text is borrowed. 0, HOOP_ENOMEM, or HOOP_EINVAL and the word at fault in
 * `*ret_word`.
 */
int hoop__types_read(hoop_arena *arena, const char *list, struct hoop__types *ret_types,
                     hoop_str *ret_word);

/* Nonzero if a Content-Type is in the list, and not excluded. */
int hoop__types_have(const struct hoop__types *types, hoop_str content_type);

#endif
