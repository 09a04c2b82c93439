/* Reading `host:port`, and the grammar of address literals; see host.h. */
#include "codec/host.h"

#include "codec/chars.h"

#define NAME_CHARS (HOOP__CHAR_UNRESERVED | HOOP__CHAR_SUB_DELIM)

/* The bytes of one decimal octet without leading zeros at the front of `p`; 0 if there is none. */
static size_t octet_len(const char *p, size_t len)
{
    unsigned value = 0;
    size_t n = 0;
    while (n < len && n < 3 && p[n] >= '0' && p[n] <= '9')
        value = value * 10 + (unsigned)(p[n++] - '0');
    if (value > 255 || (n > 1 && p[0] == '0'))
        return 0;
    return n;
}

int hoop__host_is_ipv4(hoop_str text)
{
    size_t at = 0;
    for (int part = 0; part < 4; part++) {
        if (part > 0 && (at == text.len || text.data[at++] != '.'))
            return 0;
        size_t n = octet_len(text.data + at, text.len - at);
        if (n == 0)
            return 0;
        at += n;
    }
    return at == text.len;
}

int hoop__host_is_ipv6(hoop_str text)
{
    const char *p = text.data;
    size_t len = text.len, at = 0;
    int groups = 0, gap = 0;

    if (len >= 2 && p[0] == ':' && p[1] == ':') {
        gap = 1;
        at = 2;
    }
    while (!gap || at < len) {
        size_t n = 0;
        while (at + n < len && n < 5 && hoop__char_is(p[at + n], HOOP__CHAR_HEX))
            n++;
        if (n == 0 || n > 4)
            return 0;
        if (at + n < len && p[at + n] == '.') {
            groups += 2;
            if (!hoop__host_is_ipv4(hoop_str_n(p + at, len - at)))
                return 0;
            break;
        }
        at += n;
        groups++;
        if (at == len || groups > 8)
            break;
        if (p[at++] != ':')
            return 0;
        if (at < len && p[at] == ':') {
            if (gap)
                return 0;
            gap = 1;
            at++;
        } else if (at == len) {
            return 0;
        }
    }
    /* "::" stands for at least one group. */
    return gap ? groups <= 7 : groups == 8;
}

/* "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" ) */
static int is_ip_future(hoop_str text)
{
    size_t at = 1;
    if (text.len == 0 || (text.data[0] != 'v' && text.data[0] != 'V'))
        return 0;
    while (at < text.len && hoop__char_is(text.data[at], HOOP__CHAR_HEX))
        at++;
    if (at == 1 || at == text.len || text.data[at] != '.')
        return 0;
    size_t start = ++at;
    while (at < text.len && (hoop__char_is(text.data[at], NAME_CHARS) || text.data[at] == ':'))
        at++;
    return at > start && at == text.len;
}

/* The bytes of "[...]" at the front, 0 if it is no address literal. */
static size_t literal_len(hoop_str value)
{
    const char *close = memchr(value.data, ']', value.len);
    if (!close)
        return 0;
    hoop_str inner = hoop_str_n(value.data + 1, (size_t)(close - value.data) - 1);
    if (!hoop__host_is_ipv6(inner) && !is_ip_future(inner))
        return 0;
    return inner.len + 2;
}

/* The bytes of the reg-name at the front; SIZE_MAX if an escape is broken. */
static size_t name_len(hoop_str value)
{
    size_t at = 0;
    for (;;) {
        while (at < value.len && hoop__char_is(value.data[at], NAME_CHARS))
            at++;
        if (at == value.len || value.data[at] != '%')
            return at;
        if (value.len - at < 3 || !hoop__char_is(value.data[at + 1], HOOP__CHAR_HEX) ||
            !hoop__char_is(value.data[at + 2], HOOP__CHAR_HEX))
            return SIZE_MAX;
        at += 3;
    }
}

int hoop__host_split(hoop_str value, hoop_str *ret_host, uint32_t *ret_port)
{
    size_t len = value.len && value.data[0] == '[' ? literal_len(value) : name_len(value);
    if (len == value.len) {
        *ret_host = value;
        *ret_port = 0;
        return 0;
    }
    if (len == 0 || len == SIZE_MAX || value.data[len] != ':')
        return HOOP_EPARSE;

    uint32_t port = 0;
    for (size_t at = len + 1; at < value.len; at++) {
        unsigned digit = (unsigned)(unsigned char)value.data[at] - '0';
        if (digit > 9)
            return HOOP_EPARSE;
        port = port * 10 + digit;
        if (port > 65535)
            return HOOP_EPARSE;
    }
    /* Nobody can listen at port 0, and 0 stands for none here, so that "host:0" would be hidden. */
    if (port == 0 && value.len > len + 1)
        return HOOP_EPARSE;
    *ret_host = hoop_str_n(value.data, len);
    *ret_port = port;
    return 0;
}
