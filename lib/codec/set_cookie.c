/* The value of Set-Cookie, written with all checks that browsers would make in silence; see hoop/cookie.h. */
#include "base/sized.h"
#include "codec/chars.h"
#include "codec/date.h"
#include "codec/form.h"
#include "codec/percent.h"

#include <hoop/cookie.h>

#include <stdio.h>

#define MAX_DOMAIN    253u
#define MAX_ATTRIBUTE 1024u                 /* bytes of a path that browsers take */
#define LAST_DATE     INT64_C(253402300799) /* the end of the year 9999 */

/* --- checks ---------------------------------------------------------------------------------- */

static int is_token(hoop_str s)
{
    for (size_t at = 0; at < s.len; at++)
        if (!hoop__char_is(s.data[at], HOOP__CHAR_TOKEN))
            return 0;
    return s.len > 0;
}

/* cookie-octet: printable ASCII without blank, quote, comma, semicolon and backslash. */
static int is_octet(char c)
{
    return c > ' ' && c < 0x7f && c != '"' && c != ',' && c != ';' && c != '\\';
}

/* The first byte that a value can't hold; quotes may stand around it. Its length if there is none. */
static size_t bad_octet(hoop_str value)
{
    size_t at = 0, end = value.len;
    if (end >= 2 && value.data[0] == '"' && value.data[end - 1] == '"') {
        at = 1;
        end--;
    }
    while (at < end && is_octet(value.data[at]))
        at++;
    return at == end ? value.len : at;
}

/* Labels of letters, digits and hyphens between dots; no dot in front (RFC 1034 3.5). */
static int is_domain(hoop_str s)
{
    char before = '.';
    for (size_t at = 0; at < s.len; at++) {
        char c = s.data[at], lower = (char)(c | 0x20);
        int word = (c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'z') || c == '-';
        if (!word && (c != '.' || before == '.'))
            return 0;
        before = c;
    }
    return s.len > 0 && s.len <= MAX_DOMAIN && before != '.';
}

static int is_path(hoop_str s)
{
    for (size_t at = 0; at < s.len; at++)
        if (s.data[at] < ' ' || s.data[at] >= 0x7f || s.data[at] == ';')
            return 0;
    return s.len > 0 && s.len <= MAX_ATTRIBUTE && s.data[0] == '/';
}

static int begins_with(hoop_str name, const char *prefix)
{
    size_t len = strlen(prefix);
    return name.len >= len &&
           hoop_str_eq_nocase(hoop_str_n(name.data, len), hoop_str_n(prefix, len));
}

/* What the prefix of a name asks for (RFC 6265bis 4.1.3); browsers know it in any case. */
static int check_prefix(hoop_str name, const hoop_cookie_options *o, hoop_error *error)
{
    int host = begins_with(name, "__Host-");
    int script = begins_with(name, "__Http-") || begins_with(name, "__Host-Http-");
    if (!host && !script && !begins_with(name, "__Secure-"))
        return 0;
    if (!o->secure)
        return hoop_error_set(error, HOOP_EINVAL, "cookie '%s' has a prefix that needs secure",
                              name.data);
    if (script && !o->http_only)
        return hoop_error_set(error, HOOP_EINVAL, "cookie '%s' has a prefix that needs http_only",
                              name.data);
    if (host && (o->domain || !o->path || strcmp(o->path, "/") != 0))
        return hoop_error_set(error, HOOP_EINVAL,
                              "cookie '%s' has a prefix that needs path \"/\" and no domain",
                              name.data);
    return 0;
}

static int check_attributes(const char *name, const hoop_cookie_options *o, hoop_error *error)
{
    if (o->path && !is_path(hoop_str_c(o->path)))
        return hoop_error_set(
            error, HOOP_EINVAL,
            "cookie '%s': path '%.100s' is none: it begins with '/' and holds ASCII "
            "without ';', %u bytes at most",
            name, o->path, MAX_ATTRIBUTE);
    if (o->domain && !is_domain(hoop_str_c(o->domain)))
        return hoop_error_set(error, HOOP_EINVAL, "cookie '%s': domain '%.100s' is no host name",
                              name, o->domain);
    if (o->expires < 0 || o->expires > LAST_DATE)
        return hoop_error_set(error, HOOP_EINVAL,
                              "cookie '%s': expires is %lld, not a time from 1970 to 9999", name,
                              (long long)o->expires);
    if (o->remove && (o->expires || o->max_age))
        return hoop_error_set(error, HOOP_EINVAL,
                              "cookie '%s': remove leaves no room for expires or max_age", name);
    if (o->same_site > HOOP_SAME_SITE_NONE)
        return hoop_error_set(error, HOOP_EINVAL,
                              "cookie '%s': same_site is %u, not one of HOOP_SAME_SITE_*", name,
                              o->same_site);
    if (o->same_site == HOOP_SAME_SITE_NONE && !o->secure)
        return hoop_error_set(error, HOOP_EINVAL, "cookie '%s': SameSite=None needs secure", name);
    if (o->partitioned && !o->secure)
        return hoop_error_set(error, HOOP_EINVAL, "cookie '%s': partitioned needs secure", name);
    if (o->encoding > HOOP_COOKIE_FORM)
        return hoop_error_set(error, HOOP_EINVAL,
                              "cookie '%s': encoding is %u, not one of HOOP_COOKIE_*", name,
                              o->encoding);
    return check_prefix(hoop_str_c(name), o, error);
}

/* --- writing --------------------------------------------------------------------------------- */

/* A line that stops growing at its limit, and knows how long it would be. */
struct line {
    size_t len;
    char text[HOOP_COOKIE_MAX];
};

static void put(struct line *line, hoop_str s)
{
    if (line->len < sizeof line->text && s.len <= sizeof line->text - line->len)
        memcpy(line->text + line->len, s.data, s.len);
    line->len += s.len;
}

static void put_c(struct line *line, const char *name, const char *value)
{
    if (!value)
        return;
    put(line, hoop_str_c(name));
    put(line, hoop_str_c(value));
}

static int put_value(struct line *line, const char *name, hoop_str value, uint32_t encoding,
                     hoop_error *error)
{
    if (encoding == HOOP_COOKIE_PLAIN) {
        size_t bad = bad_octet(value);
        if (bad < value.len)
            return hoop_error_set(error, HOOP_EINVAL,
                                  "cookie '%s': byte %zu of the value (0x%02x) can't stand in a "
                                  "cookie: set an encoding",
                                  name, bad, (unsigned char)value.data[bad]);
        put(line, value);
        return 0;
    }
    int form = encoding == HOOP_COOKIE_FORM;
    size_t size =
        form ? hoop__form_size(&value, 1) : hoop__percent_size(value, HOOP__CHAR_UNRESERVED);
    if (size <= sizeof line->text - line->len && form)
        hoop__form_encode(&value, 1, line->text + line->len);
    else if (size <= sizeof line->text - line->len)
        hoop__percent_encode(value, HOOP__CHAR_UNRESERVED, line->text + line->len);
    line->len = size > SIZE_MAX / 2 ? SIZE_MAX / 2 : line->len + size;
    return 0;
}

static void put_attributes(struct line *line, const hoop_cookie_options *o)
{
    static const char *const same_site[] = { NULL, "Lax", "Strict", "None" };
    char number[24], date[HOOP__DATE_SIZE + 1] = "";
    snprintf(number, sizeof number, "%llu", (unsigned long long)o->max_age);
    hoop__date_write(o->expires, date);
    put_c(line, "; Path=", o->path);
    put_c(line, "; Domain=", o->domain);
    put_c(line, "; Max-Age=", o->max_age || o->remove ? number : NULL);
    put_c(line, "; Expires=", o->expires || o->remove ? date : NULL);
    put_c(line, "; Secure", o->secure ? "" : NULL);
    put_c(line, "; HttpOnly", o->http_only ? "" : NULL);
    put_c(line, "; SameSite=", same_site[o->same_site]);
    put_c(line, "; Partitioned", o->partitioned ? "" : NULL);
}

int hoop_cookie_format_sized(hoop_arena *arena, const char *name, hoop_str value,
                             hoop_str *ret_line, hoop_error *error,
                             const hoop_cookie_options *options, size_t options_size)
{
    hoop_cookie_options o;
    struct line line;
    if (!arena || !name || !is_token(hoop_str_c(name)))
        return hoop_error_set(error, HOOP_EINVAL, "the cookie's name '%.100s' is no token",
                              name ? name : "");
    if (hoop__copy_sized(&o, sizeof o, options, options_size))
        return hoop_error_set(error, HOOP_EINVAL, "cookie '%s': its options are of a newer version",
                              name);
    int rc = check_attributes(name, &o, error);
    if (rc)
        return rc;
    line.len = 0;
    put_c(&line, name, "=");
    if (!o.remove && line.len < sizeof line.text)
        rc = put_value(&line, name, value, o.encoding, error);
    if (rc)
        return rc;
    put_attributes(&line, &o);
    if (line.len > sizeof line.text)
        return hoop_error_set(error, HOOP_ETOOBIG,
                              "cookie '%.100s' takes %zu bytes, over the %d that browsers take",
                              name, line.len, HOOP_COOKIE_MAX);
    hoop_str copy = hoop_arena_copy(arena, hoop_str_n(line.text, line.len));
    if (hoop_str_is_none(copy))
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    *ret_line = copy;
    return 0;
}
