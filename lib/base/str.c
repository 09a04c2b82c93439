/* hoop_str's functions that are not inline. */
#include <hoop/str.h>

const char hoop_str_none_data[1] = "";

static unsigned char lower(unsigned char c)
{
    return (unsigned char)(c - 'A') < 26 ? (unsigned char)(c | 0x20) : c;
}

int hoop_str_eq_nocase(hoop_str a, hoop_str b)
{
    if (a.len != b.len)
        return 0;
    for (size_t i = 0; i < a.len; i++)
        if (lower((unsigned char)a.data[i]) != lower((unsigned char)b.data[i]))
            return 0;
    return 1;
}

int hoop_str_eq_secret(hoop_str a, hoop_str b)
{
    /* Every byte of `a` is looked at whatever `b` is, so the time tells nothing of the bytes. */
    volatile unsigned char different = a.len != b.len;
    for (size_t i = 0; i < a.len; i++)
        different |= (unsigned char)(a.data[i] ^ b.data[b.len ? i % b.len : 0]);
    return !different;
}

hoop_str hoop_str_trim(hoop_str s)
{
    while (s.len && (s.data[0] == ' ' || s.data[0] == '\t')) {
        s.data++;
        s.len--;
    }
    while (s.len && (s.data[s.len - 1] == ' ' || s.data[s.len - 1] == '\t'))
        s.len--;
    return s;
}
