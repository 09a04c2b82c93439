/* HTML written piece by piece; see html.h. */
#include "middleware/html.h"

#include "base/arena.h"

#include <hoop/error.h>
#include <hoop/response.h>

#include <string.h>

static void put(struct hoop__html *html, const char *bytes, size_t len)
{
    if (html->failed)
        return;
    if (html->cap - html->len <= len) {
        size_t cap = 2 * (html->len + len) + 1024;
        char *data = hoop__arena_resize(html->req->arena, html->data, html->cap, cap);
        if (!data) {
            html->failed = 1;
            hoop_fail(html->req, HOOP_ENOMEM, "out of memory");
            return;
        }
        html->data = data;
        html->cap = cap;
    }
    memcpy(html->data + html->len, bytes, len);
    html->len += len;
}

void hoop__html_put(struct hoop__html *html, const char *markup)
{
    put(html, markup, strlen(markup));
}

static const char *escape_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return ((unsigned char)c < 0x20 && c != '\n' && c != '\t') || c == 0x7f ? "\xef\xbf\xbd"
                                                                                : NULL;
    }
}

void hoop__html_text(struct hoop__html *html, hoop_str text)
{
    size_t from = 0;
    for (size_t i = 0; i < text.len; i++) {
        const char *escape = escape_of(text.data[i]);
        if (!escape)
            continue;
        put(html, text.data + from, i - from);
        hoop__html_put(html, escape);
        from = i + 1;
    }
    put(html, text.data + from, text.len - from);
}

void hoop__html_row(struct hoop__html *html, hoop_str name, hoop_str value)
{
    hoop__html_put(html, "<tr><th>");
    hoop__html_text(html, name);
    hoop__html_put(html, "</th><td>");
    hoop__html_text(html, value);
    hoop__html_put(html, "</td></tr>\n");
}

hoop_str hoop__html_done(struct hoop__html *html)
{
    put(html, "", 1);
    return html->failed ? hoop_str_none() : hoop_str_n(html->data, html->len - 1);
}
