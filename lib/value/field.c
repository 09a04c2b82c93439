/* Header fields: what may stand in them, and finding them. */
#include "value/value.h"

#include "codec/chars.h"

int hoop__is_token(hoop_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!hoop__char_is(s.data[i], HOOP__CHAR_TOKEN))
            return 0;
    return s.len > 0;
}

int hoop__is_field_value(hoop_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.data[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return 0;
    }
    return 1;
}

size_t hoop__field_find(const hoop_field *fields, size_t count, size_t from, hoop_str name)
{
    for (size_t i = from; i < count; i++)
        if (fields[i].name.len == name.len && hoop_str_eq_nocase(fields[i].name, name))
            return i;
    return count;
}

int hoop__length_read(hoop_str value, uint64_t *ret_length)
{
    uint64_t length = 0;
    for (size_t i = 0; i < value.len; i++) {
        unsigned digit = (unsigned)(unsigned char)value.data[i] - '0';
        if (digit > 9 || length > ((uint64_t)INT64_MAX - digit) / 10)
            return HOOP_EPARSE;
        length = length * 10 + digit;
    }
    *ret_length = length;
    return value.len ? 0 : HOOP_EPARSE;
}

uint32_t hoop__method_number(hoop_str method)
{
    static const struct {
        const char *name;
        uint32_t number;
    } methods[] = {
        { "GET", HOOP_METHOD_GET },         { "HEAD", HOOP_METHOD_HEAD },
        { "POST", HOOP_METHOD_POST },       { "PUT", HOOP_METHOD_PUT },
        { "DELETE", HOOP_METHOD_DELETE },   { "OPTIONS", HOOP_METHOD_OPTIONS },
        { "PATCH", HOOP_METHOD_PATCH },     { "TRACE", HOOP_METHOD_TRACE },
        { "CONNECT", HOOP_METHOD_CONNECT },
    };
    for (size_t i = 0; i < HOOP_COUNT(methods); i++)
        if (hoop_str_eq_c(method, methods[i].name))
            return methods[i].number;
    return HOOP_METHOD_OTHER;
}

int hoop__is_no_trailer(hoop_str name)
{
    static const char *const names[] = {
        "authorization",
        "connection",
        "content-encoding",
        "content-length",
        "content-range",
        "content-type",
        "cookie",
        "expect",
        "host",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (hoop_str_eq_c(name, names[i]))
            return 1;
    return 0;
}
