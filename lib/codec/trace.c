/* traceparent and tracestate of W3C Trace Context; see hoop/trace.h. */
#include "codec/chars.h"

#include <hoop/trace.h>

#define MAX_KEY    256u
#define MAX_TENANT 241u
#define MAX_SYSTEM 14u
#define MAX_VALUE  256u

/* --- traceparent ----------------------------------------------------------------------------- */

/* Hexadecimal digits in lower case into bytes. */
static int read_hex(const char *text, size_t count, uint8_t *out)
{
    for (size_t i = 0; i < count; i++) {
        char high = text[2 * i], low = text[2 * i + 1];
        if (!hoop__char_is(high, HOOP__CHAR_HEX) || !hoop__char_is(low, HOOP__CHAR_HEX) ||
            (high >= 'A' && high <= 'F') || (low >= 'A' && low <= 'F'))
            return HOOP_EPARSE;
        out[i] = (uint8_t)(hoop__hex_value(high) << 4 | hoop__hex_value(low));
    }
    return 0;
}

static int is_zero(const uint8_t *bytes, size_t count)
{
    uint8_t all = 0;
    for (size_t i = 0; i < count; i++)
        all |= bytes[i];
    return !all;
}

/* "00-" 32HEXDIGLC "-" 16HEXDIGLC "-" 2HEXDIGLC */
int hoop_traceparent_parse(hoop_str value, hoop_traceparent *ret_parent)
{
    hoop_traceparent parent;
    uint8_t version, flags;
    const char *p = value.data;
    size_t len = HOOP_TRACEPARENT_SIZE - 1;
    if (value.len < len || p[2] != '-' || p[35] != '-' || p[52] != '-')
        return HOOP_EPARSE;
    if (read_hex(p, 1, &version) || read_hex(p + 3, 16, parent.trace_id) ||
        read_hex(p + 36, 8, parent.parent_id) || read_hex(p + 53, 1, &flags))
        return HOOP_EPARSE;
    if (version == 0xff || (version == 0 ? value.len > len : value.len > len && p[len] != '-'))
        return HOOP_EPARSE;
    if (is_zero(parent.trace_id, 16) || is_zero(parent.parent_id, 8))
        return HOOP_EPARSE;
    parent.flags = flags;
    parent.version = version;
    *ret_parent = parent;
    return 0;
}

static char *write_hex(char *out, const uint8_t *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    return out;
}

void hoop_traceparent_format(const hoop_traceparent *parent, char out[HOOP_TRACEPARENT_SIZE])
{
    uint8_t flags = (uint8_t)parent->flags;
    char *next = out;
    memcpy(next, "00-", 3);
    next = write_hex(next + 3, parent->trace_id, 16);
    *next++ = '-';
    next = write_hex(next, parent->parent_id, 8);
    *next++ = '-';
    next = write_hex(next, &flags, 1);
    *next = '\0';
}

/* --- tracestate ------------------------------------------------------------------------------ */

static int is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Letters in lower case, digits and _ - * and slash, `max` at most; the first one a letter, or a digit if allowed. */
static int is_name(hoop_str s, size_t max, int may_begin_with_digit)
{
    if (!s.len || s.len > max || (!is_lower(s.data[0]) && !may_begin_with_digit) ||
        (!is_lower(s.data[0]) && !is_digit(s.data[0])))
        return 0;
    for (size_t at = 1; at < s.len; at++) {
        char c = s.data[at];
        if (!is_lower(c) && !is_digit(c) && c != '_' && c != '-' && c != '*' && c != '/')
            return 0;
    }
    return 1;
}

static int is_key(hoop_str key)
{
    const char *at = memchr(key.data, '@', key.len);
    if (!at)
        return is_name(key, MAX_KEY, 0);
    size_t tenant = (size_t)(at - key.data);
    return is_name(hoop_str_n(key.data, tenant), MAX_TENANT, 1) &&
           is_name(hoop_str_n(at + 1, key.len - tenant - 1), MAX_SYSTEM, 0);
}

static int is_value(hoop_str value)
{
    for (size_t at = 0; at < value.len; at++) {
        char c = value.data[at];
        if (c < ' ' || c > '~' || c == ',' || c == '=')
            return 0;
    }
    return value.len > 0 && value.len <= MAX_VALUE && value.data[value.len - 1] != ' ';
}

int hoop_tracestate_next(hoop_str *rest, hoop_str *ret_key, hoop_str *ret_value)
{
    const char *p = rest->data, *end = p + rest->len;
    while (p < end && (*p == ',' || hoop__char_is_ows(*p)))
        p++;
    if (p == end) {
        *rest = hoop_str_n(end, 0);
        return 0;
    }
    const char *comma = memchr(p, ',', (size_t)(end - p));
    const char *stop = comma ? comma : end;
    const char *equals = memchr(p, '=', (size_t)(stop - p));
    if (!equals)
        return HOOP_EPARSE;
    hoop_str key = hoop_str_n(p, (size_t)(equals - p));
    hoop_str value = hoop_str_n(equals + 1, (size_t)(stop - equals) - 1);
    while (value.len && hoop__char_is_ows(value.data[value.len - 1]))
        value.len--;
    if (!is_key(key) || !is_value(value))
        return HOOP_EPARSE;
    *ret_key = key;
    *ret_value = value;
    *rest = hoop_str_n(stop, (size_t)(end - stop));
    return 1;
}

static char *put_member(char *out, hoop_str key, hoop_str value)
{
    memcpy(out, key.data, key.len);
    out += key.len;
    *out++ = '=';
    memcpy(out, value.data, value.len);
    return out + value.len;
}

int hoop_tracestate_set(hoop_arena *arena, hoop_str state, hoop_str key, hoop_str value,
                        hoop_str *ret_state)
{
    hoop_str name, text;
    if (!arena || !is_key(key) || !is_value(value))
        return HOOP_EINVAL;
    if (state.len > SIZE_MAX / 2)
        return HOOP_ENOMEM;
    /* Members take with their comma what they took there; blanks go. */
    char *begin = hoop_arena_alloc(arena, key.len + value.len + state.len + 3);
    if (!begin)
        return HOOP_ENOMEM;
    char *out = put_member(begin, key, value);
    for (int count = 1; count < HOOP_TRACESTATE_MAX;) {
        if (hoop_tracestate_next(&state, &name, &text) <= 0)
            break;
        if (hoop_str_eq(name, key))
            continue;
        *out++ = ',';
        out = put_member(out, name, text);
        count++;
    }
    *out = '\0';
    *ret_state = hoop_str_n(begin, (size_t)(out - begin));
    return 0;
}
