/* The reader of media types and parameters; see media.h. */
#include "codec/media.h"

#include "codec/chars.h"
#include "codec/quote.h"

static size_t token_len(hoop_str text, size_t from)
{
    size_t at = from;
    while (at < text.len && hoop__char_is(text.data[at], HOOP__CHAR_TOKEN))
        at++;
    return at - from;
}

static size_t skip_ows(hoop_str text, size_t at)
{
    while (at < text.len && hoop__char_is_ows(text.data[at]))
        at++;
    return at;
}

int hoop__media_parse(hoop_str value, struct hoop__media *ret_media)
{
    size_t type = token_len(value, 0);
    if (type == 0 || type == value.len || value.data[type] != '/')
        return HOOP_EPARSE;
    size_t subtype = token_len(value, type + 1);
    if (subtype == 0)
        return HOOP_EPARSE;
    size_t end = type + 1 + subtype;
    size_t semicolon = skip_ows(value, end);
    if (semicolon < value.len ? value.data[semicolon] != ';' : semicolon != end)
        return HOOP_EPARSE;

    ret_media->type = hoop_str_n(value.data, type);
    ret_media->subtype = hoop_str_n(value.data + type + 1, subtype);
    ret_media->params = hoop_str_n(value.data + end, value.len - end);
    return 0;
}

int hoop__media_is(const struct hoop__media *media, const char *type, const char *subtype)
{
    return hoop_str_eq_nocase(media->type, hoop_str_c(type)) &&
           hoop_str_eq_nocase(media->subtype, hoop_str_c(subtype));
}

/* The index of the quote that ends the string whose inside begins at `at`; text.len if none. */
static size_t closing_quote(hoop_str text, size_t at, int *ret_escaped)
{
    int escaped = 0;
    for (; at < text.len && hoop__is_quotable(text.data[at]); at++) {
        if (text.data[at] == '"') {
            *ret_escaped = escaped;
            return at;
        }
        if (text.data[at] == '\\') {
            escaped = 1;
            if (++at == text.len || !hoop__is_quotable(text.data[at]))
                break;
        }
    }
    return text.len;
}

size_t hoop__param_value(hoop_str text, size_t at, struct hoop__param *ret_param)
{
    size_t value = at, value_len;
    int escaped = 0;
    if (at < text.len && text.data[at] == '"') {
        value++;
        size_t quote = closing_quote(text, value, &escaped);
        if (quote == text.len)
            return 0;
        value_len = quote - value;
        at = quote + 1;
    } else {
        value_len = token_len(text, at);
        if (value_len == 0)
            return 0;
        at += value_len;
    }
    ret_param->value = hoop_str_n(text.data + value, value_len);
    ret_param->escaped = escaped;
    return at;
}

/* Reads `name "=" value` at `at` up to the OWS, ';' or end behind it. The end, or 0. */
static size_t read_param(hoop_str text, size_t at, struct hoop__param *ret_param)
{
    size_t name_len = token_len(text, at), equals = at + name_len;
    if (name_len == 0 || equals == text.len || text.data[equals] != '=')
        return 0;
    ret_param->name = hoop_str_n(text.data + at, name_len);
    return hoop__param_value(text, equals + 1, ret_param);
}

/* The next parameter; `least` semicolons have to stand in front of it. */
static int next_param(hoop_str *rest, size_t least, struct hoop__param *ret_param)
{
    size_t at = skip_ows(*rest, 0), semicolons = 0;

    while (at < rest->len && rest->data[at] == ';') {
        semicolons++;
        at = skip_ows(*rest, at + 1);
    }
    if (at == rest->len) {
        *rest = hoop_str_n(rest->data + at, 0);
        return 0;
    }
    if (semicolons < least)
        return HOOP_EPARSE;
    struct hoop__param param;
    size_t end = read_param(*rest, at, &param);
    if (end == 0)
        return HOOP_EPARSE;
    /* Nothing but a semicolon may follow, so that `a="b"c` is not read as two things. */
    size_t next = skip_ows(*rest, end);
    if (next < rest->len && rest->data[next] != ';')
        return HOOP_EPARSE;
    *ret_param = param;
    *rest = hoop_str_n(rest->data + end, rest->len - end);
    return 1;
}

int hoop__param_next(hoop_str *rest, struct hoop__param *ret_param)
{
    return next_param(rest, 1, ret_param);
}

int hoop__param_first(hoop_str *rest, struct hoop__param *ret_param)
{
    return next_param(rest, 0, ret_param);
}

size_t hoop__param_unescape(hoop_str value, char *out)
{
    size_t size = 0;
    for (size_t at = 0; at < value.len; at++) {
        if (value.data[at] == '\\' && at + 1 < value.len)
            at++;
        out[size++] = value.data[at];
    }
    return size;
}

int hoop__media_param(const struct hoop__media *media, const char *name,
                      struct hoop__param *ret_param)
{
    hoop_str rest = media->params;
    struct hoop__param param;
    while (hoop__param_next(&rest, &param) > 0) {
        if (hoop_str_eq_nocase(param.name, hoop_str_c(name))) {
            *ret_param = param;
            return 1;
        }
    }
    return 0;
}
