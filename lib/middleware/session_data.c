/*
 * A session as bytes: a version, two times, and pairs of strings with their lengths in front and a NUL behind
 * each, so that what is read needs no copy. Numbers are big-endian.
 */
#include "middleware/session.h"

#include <string.h>

#define VERSION 1
#define HEAD    17u /* version, created, touched */
#define LENGTHS 8u  /* of a name and its value, 32 bits each */

static char *put_number(char *end, uint64_t number, unsigned bytes)
{
    while (bytes--)
        *end++ = (char)(unsigned char)(number >> (8 * bytes));
    return end;
}

static uint64_t get_number(const char *text, unsigned bytes)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < bytes; i++)
        number = number << 8 | (unsigned char)text[i];
    return number;
}

static char *put_text(char *end, hoop_str text)
{
    memcpy(end, text.data, text.len);
    end[text.len] = 0;
    return end + text.len + 1;
}

size_t hoop__session_size(const struct hoop__session *session)
{
    size_t size = 0;
    for (size_t i = 0; i < session->count; i++)
        size += session->items[i].name.len + session->items[i].value.len;
    return size;
}

int hoop__session_encode(hoop_arena *arena, const struct hoop__session *session, hoop_str *ret)
{
    size_t size = HEAD + hoop__session_size(session) + session->count * (LENGTHS + 2);
    char *text = hoop_arena_alloc(arena, size + 1), *end = text;
    if (!text)
        return HOOP_ENOMEM;
    end = put_number(end, VERSION, 1);
    end = put_number(end, session->created, 8);
    end = put_number(end, session->touched, 8);
    for (size_t i = 0; i < session->count; i++) {
        end = put_number(end, session->items[i].name.len, 4);
        end = put_number(end, session->items[i].value.len, 4);
        end = put_text(end, session->items[i].name);
        end = put_text(end, session->items[i].value);
    }
    *end = 0;
    *ret = hoop_str_n(text, size);
    return 0;
}

/* Takes a string of `len` bytes and its NUL. 0 if it is one. */
static int get_text(hoop_str *rest, uint64_t len, hoop_str *ret)
{
    if (len >= rest->len || memchr(rest->data, 0, (size_t)len + 1) != rest->data + len)
        return HOOP_EPARSE;
    *ret = hoop_str_n(rest->data, (size_t)len);
    *rest = hoop_str_n(rest->data + len + 1, rest->len - (size_t)len - 1);
    return 0;
}

static int get_pair(hoop_str *rest, hoop_field *ret)
{
    if (rest->len < LENGTHS)
        return HOOP_EPARSE;
    uint64_t name = get_number(rest->data, 4), value = get_number(rest->data + 4, 4);
    *rest = hoop_str_n(rest->data + LENGTHS, rest->len - LENGTHS);
    if (!name || get_text(rest, name, &ret->name))
        return HOOP_EPARSE;
    return get_text(rest, value, &ret->value);
}

int hoop__session_decode(hoop_arena *arena, hoop_str data, struct hoop__session *ret)
{
    if (data.len < HEAD || data.data[0] != VERSION)
        return HOOP_EPARSE;
    hoop_str pairs = hoop_str_n(data.data + HEAD, data.len - HEAD), rest = pairs;
    hoop_field pair;
    size_t count = 0;
    for (; rest.len; count++)
        if (get_pair(&rest, &pair))
            return HOOP_EPARSE;
    hoop_field *items = hoop_arena_alloc(arena, count * sizeof *items);
    if (!items)
        return HOOP_ENOMEM;
    for (size_t i = 0; i < count; i++)
        get_pair(&pairs, &items[i]);
    ret->items = items;
    ret->count = count;
    ret->created = get_number(data.data + 1, 8);
    ret->touched = get_number(data.data + 9, 8);
    return 0;
}
