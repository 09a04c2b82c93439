/* Resolving URI references; see reference.h. */
#include "codec/reference.h"

static int is_alpha(char c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static int is_scheme_char(char c)
{
    return is_alpha(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
}

int hoop__reference_is_absolute(hoop_str reference)
{
    if (!reference.len || !is_alpha(reference.data[0]))
        return 0;
    size_t i = 1;
    while (i < reference.len && is_scheme_char(reference.data[i]))
        i++;
    return i < reference.len && reference.data[i] == ':';
}

int hoop__reference_has_authority(hoop_str reference)
{
    return reference.len >= 2 && reference.data[0] == '/' && reference.data[1] == '/';
}

/* The length of the path in front of a query or a fragment. */
static size_t path_length(hoop_str reference)
{
    size_t len = 0;
    while (len < reference.len && reference.data[len] != '?' && reference.data[len] != '#')
        len++;
    return len;
}

static char *put(char *out, const char *data, size_t len)
{
    memmove(out, data, len); /* a path may be read and written in one place */
    return out + len;
}

/* Back to the end of what is in front of the last segment. */
static char *drop_segment(char *start, char *end)
{
    while (end > start && *--end != '/')
        ;
    return end;
}

/* Takes the dot segments out of an absolute path, in place. Returns the new end (RFC 3986 5.2.4). */
static char *remove_dots(char *start, char *end)
{
    char *in = start, *out = start;
    while (in < end) {
        char *stop = in + 1; /* `in` is at a '/' */
        while (stop < end && *stop != '/')
            stop++;
        size_t len = (size_t)(stop - in) - 1;
        int one = len == 1 && in[1] == '.';
        int two = len == 2 && in[1] == '.' && in[2] == '.';
        if (two)
            out = drop_segment(start, out);
        if (!one && !two)
            out = put(out, in, len + 1);
        else if (stop == end)
            *out++ = '/';
        in = stop;
    }
    return out;
}

size_t hoop__reference_resolve(hoop_str path, hoop_str query, hoop_str reference, char *out)
{
    size_t len = path_length(reference);
    char *end = out;
    if (len == 0) {
        end = put(end, path.data, path.len);
        if ((!reference.len || reference.data[0] == '#') && !hoop_str_is_none(query)) {
            *end++ = '?';
            end = put(end, query.data, query.len);
        }
    } else {
        if (reference.data[0] != '/') {
            size_t base = path.len;
            while (base > 0 && path.data[base - 1] != '/')
                base--;
            end = base ? put(end, path.data, base) : put(end, "/", 1);
        }
        end = remove_dots(out, put(end, reference.data, len));
    }
    return (size_t)(put(end, reference.data + len, reference.len - len) - out);
}
