/* Credentials and challenges in general, read and written; see hoop/auth.h. Basic is in basic.c. */
#include "codec/chars.h"
#include "codec/list.h"
#include "codec/media.h"
#include "codec/quote.h"

#include <hoop/auth.h>

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

static hoop_str from(hoop_str text, size_t at)
{
    return hoop_str_n(text.data + at, text.len - at);
}

/* Nonzero for token68: letters, digits and "-._~+/", then any number of '='. */
static int is_token68(hoop_str text)
{
    size_t at = 0;
    while (at < text.len && (hoop__char_is(text.data[at], HOOP__CHAR_UNRESERVED) ||
                             text.data[at] == '+' || text.data[at] == '/'))
        at++;
    size_t letters = at;
    while (at < text.len && text.data[at] == '=')
        at++;
    return letters > 0 && at == text.len;
}

/* Reads `name BWS "=" BWS value`, which is all of `item`. */
static int read_param(hoop_str item, struct hoop__param *ret_param)
{
    size_t name = token_len(item, 0), at = skip_ows(item, name);
    if (name == 0 || at == item.len || item.data[at] != '=')
        return HOOP_EPARSE;
    at = skip_ows(item, at + 1);
    ret_param->name = hoop_str_n(item.data, name);
    return hoop__param_value(item, at, ret_param) == item.len ? 0 : HOOP_EPARSE;
}

/* The bytes of the scheme if an element begins a challenge, 0 if it is a parameter or nothing. */
static size_t scheme_len(hoop_str item)
{
    size_t len = token_len(item, 0), next = skip_ows(item, len);
    if (next < item.len && (next == len || item.data[next] == '='))
        return 0;
    return len;
}

/* Sorts out what stands behind a scheme. */
static void set_rest(hoop_auth *auth, hoop_str rest)
{
    rest = hoop_str_trim(rest);
    int token = is_token68(rest);
    auth->token = token ? rest : hoop_str_none();
    auth->params = token || !rest.len ? hoop_str_none() : rest;
}

int hoop_auth_parse(hoop_str value, hoop_auth *ret_auth)
{
    value = hoop_str_trim(value);
    size_t len = token_len(value, 0);
    if (len == 0 || (len < value.len && !hoop__char_is_ows(value.data[len])))
        return HOOP_EPARSE;
    ret_auth->scheme = hoop_str_n(value.data, len);
    set_rest(ret_auth, from(value, len));
    return 0;
}

int hoop_challenge_next(hoop_str *rest, hoop_auth *ret_auth)
{
    hoop_str left = *rest, item, next;
    struct hoop__param param;
    int rc = hoop__list_next(&left, &item);
    if (rc <= 0) {
        *rest = rc ? *rest : left;
        return rc;
    }
    size_t len = scheme_len(item);
    if (len == 0)
        return HOOP_EPARSE;
    hoop_str scheme = hoop_str_n(item.data, len);
    const char *end = item.data + item.len;
    /* What follows belongs to it as long as it is a parameter. */
    for (hoop_str ahead = left; (rc = hoop__list_next(&ahead, &next)) > 0; left = ahead) {
        if (scheme_len(next))
            break;
        if (read_param(next, &param))
            return HOOP_EPARSE;
        end = next.data + next.len;
    }
    if (rc < 0)
        return rc;
    ret_auth->scheme = scheme;
    set_rest(ret_auth, hoop_str_n(scheme.data + len, (size_t)(end - scheme.data) - len));
    *rest = left;
    return 1;
}

hoop_str hoop_auth_param_of(hoop_arena *arena, const hoop_auth *auth, const char *name)
{
    struct hoop__param param;
    hoop_str item, rest = auth ? auth->params : hoop_str_none();
    while (hoop__list_next(&rest, &item) > 0) {
        if (read_param(item, &param) || !hoop_str_eq_nocase(param.name, hoop_str_c(name)))
            continue;
        if (!param.escaped)
            return param.value;
        char *text = arena ? hoop_arena_alloc(arena, param.value.len + 1) : NULL;
        if (!text)
            return hoop_str_none();
        size_t size = hoop__param_unescape(param.value, text);
        text[size] = 0;
        return hoop_str_n(text, size);
    }
    return hoop_str_none();
}

/* --- writing --------------------------------------------------------------------------------- */

static int is_token(const char *text)
{
    hoop_str s = hoop_str_c(text);
    return s.len > 0 && token_len(s, 0) == s.len;
}

/* The size of a parameter with its comma or blank in front; 0 and the error if it can't be written. */
static size_t param_size(const hoop_auth_param *param, hoop_error *error)
{
    if (!is_token(param->name)) {
        hoop_error_set(error, HOOP_EINVAL, "the challenge's parameter '%.100s' is no token",
                       param->name ? param->name : "");
        return 0;
    }
    size_t size = hoop__quote_size(hoop_str_c(param->value));
    if (size == 0)
        hoop_error_set(error, HOOP_EINVAL,
                       "the challenge's parameter '%.100s' has a control character in its value",
                       param->name);
    return size ? size + strlen(param->name) + 3 : 0;
}

static char *put(char *to, const char *text)
{
    size_t len = strlen(text);
    memcpy(to, text, len);
    return to + len;
}

int hoop_challenge_format(hoop_arena *arena, const char *scheme, const hoop_auth_param *params,
                          size_t count, hoop_str *ret_value, hoop_error *error)
{
    if (!arena || !is_token(scheme))
        return hoop_error_set(error, HOOP_EINVAL, "the challenge's scheme '%.100s' is no token",
                              scheme ? scheme : "");
    size_t size = strlen(scheme) + 1;
    for (size_t i = 0; i < count; i++) {
        size_t more = param_size(&params[i], error);
        if (!more)
            return HOOP_EINVAL;
        size += more;
    }
    char *text = hoop_arena_alloc(arena, size);
    if (!text)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    char *next = put(text, scheme);
    for (size_t i = 0; i < count; i++) {
        next = put(put(next, i ? ", " : " "), params[i].name);
        *next++ = '=';
        next += hoop__quote(hoop_str_c(params[i].value), next);
    }
    *next = 0;
    *ret_value = hoop_str_n(text, (size_t)(next - text));
    return 0;
}
