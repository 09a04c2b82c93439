/* A line of the access log in a buffer of its own, since nothing may be allocated when a request has ended. */
#ifndef HOOP_MIDDLEWARE_LOG_LINE_H
#define HOOP_MIDDLEWARE_LOG_LINE_H

#include <hoop/request.h>

#define HOOP__LINE_SIZE  8192
#define HOOP__LINE_VALUE 1000 /* bytes that one value is written as; what is behind is cut */

struct hoop__line {
    size_t len;
    char data[HOOP__LINE_SIZE];
    size_t left;               /* bytes that the value at hand may still take */
    int json;                  /* how values are escaped */
    const char *const *redact; /* names of parameters */
    size_t redact_count;
};

/* Text as it is. */
void hoop__line_put(struct hoop__line *line, const char *text);

/* As many bytes of it. */
void hoop__line_bytes(struct hoop__line *line, const char *bytes, size_t len);

void hoop__line_number(struct hoop__line *line, uint64_t number);

/* A client's text, escaped, and cut with "..." behind it. */
void hoop__line_text(struct hoop__line *line, hoop_str text);

/* A query, or the part of a URL behind '?', with the values of some parameters replaced. */
void hoop__line_query(struct hoop__line *line, hoop_str query);

/* A URL whose query, if it has one, is written as by hoop__line_query(). */
void hoop__line_url(struct hoop__line *line, hoop_str url);

#endif
