/* HTML written piece by piece into the exchange's memory, with what is not ours escaped. */
#ifndef HOOP_MIDDLEWARE_HTML_H
#define HOOP_MIDDLEWARE_HTML_H

#include <hoop/request.h>

struct hoop__html {
    const hoop_request *req;
    char *data;
    size_t len, cap;
    int failed; /* out of memory, noted */
};

/* Markup as it is. */
void hoop__html_put(struct hoop__html *html, const char *markup);

/* Text, with `&`, `<`, `>` and both quotes escaped, control characters shown as U+FFFD. */
void hoop__html_text(struct hoop__html *html, hoop_str text);

/* A row of a table: two cells. */
void hoop__html_row(struct hoop__html *html, hoop_str name, hoop_str value);

/* All that was written, with a NUL behind; absent if memory ran out. */
hoop_str hoop__html_done(struct hoop__html *html);

#endif
