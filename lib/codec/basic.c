/* The schemes Basic (RFC 7617) and Bearer (RFC 6750); see hoop/auth.h. */
#include "codec/base64.h"
#include "codec/utf8.h"

#include <hoop/auth.h>

/* The credentials of a scheme: 0, HOOP_EMISSING for none or another one. */
static int of_scheme(hoop_str value, const char *scheme, hoop_str *ret_token)
{
    hoop_auth auth;
    if (!hoop_str_trim(value).len)
        return HOOP_EMISSING;
    if (hoop_auth_parse(value, &auth))
        return HOOP_EPARSE;
    if (!hoop_str_eq_nocase(auth.scheme, hoop_str_c(scheme)))
        return HOOP_EMISSING;
    if (hoop_str_is_none(auth.token))
        return HOOP_EPARSE;
    *ret_token = auth.token;
    return 0;
}

/* Nonzero for UTF-8 without control characters (RFC 7617 2). */
static int is_plain(hoop_str text)
{
    for (size_t at = 0; at < text.len; at++) {
        unsigned char c = (unsigned char)text.data[at];
        if (c < 0x20 || c == 0x7f)
            return 0;
    }
    return hoop__utf8_front(text) == text.len;
}

int hoop_basic_parse(hoop_arena *arena, hoop_str value, hoop_str *ret_user, hoop_str *ret_password)
{
    hoop_str token;
    size_t size;
    if (!arena)
        return HOOP_EINVAL;
    int rc = of_scheme(value, "Basic", &token);
    if (rc)
        return rc;
    if (hoop__base64_decoded_size(token, &size))
        return HOOP_EPARSE;
    char *text = hoop_arena_alloc(arena, size + 1);
    if (!text)
        return HOOP_ENOMEM;
    if (hoop__base64_decode(token, text, &size) || !is_plain(hoop_str_n(text, size)))
        return HOOP_EPARSE;
    char *colon = memchr(text, ':', size);
    if (!colon)
        return HOOP_EPARSE;
    *colon = 0;
    text[size] = 0;
    *ret_user = hoop_str_n(text, (size_t)(colon - text));
    *ret_password = hoop_str_n(colon + 1, size - ret_user->len - 1);
    return 0;
}

int hoop_basic_format(hoop_arena *arena, hoop_str user, hoop_str password, hoop_str *ret_value)
{
    static const char scheme[] = "Basic ";
    if (!arena || memchr(user.data, ':', user.len) || !is_plain(user) || !is_plain(password))
        return HOOP_EINVAL;
    if (user.len > SIZE_MAX / 4 || password.len > SIZE_MAX / 4)
        return HOOP_ENOMEM;
    size_t plain = user.len + 1 + password.len, coded = hoop__base64_size(plain);
    char *text = hoop_arena_alloc(arena, sizeof scheme + coded);
    char *joined = text ? hoop_arena_alloc(arena, plain) : NULL;
    if (!joined)
        return HOOP_ENOMEM;
    memcpy(joined, user.data, user.len);
    joined[user.len] = ':';
    memcpy(joined + user.len + 1, password.data, password.len);
    memcpy(text, scheme, sizeof scheme - 1);
    hoop__base64_encode(hoop_str_n(joined, plain), text + sizeof scheme - 1);
    text[sizeof scheme - 1 + coded] = 0;
    *ret_value = hoop_str_n(text, sizeof scheme - 1 + coded);
    return 0;
}

int hoop_bearer_parse(hoop_str value, hoop_str *ret_token)
{
    return of_scheme(value, "Bearer", ret_token);
}
