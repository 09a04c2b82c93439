/* Splitting of nested names; see nested.h. */
#include "codec/nested.h"

int hoop__nested_split(hoop_str name, hoop_str *keys, size_t cap, size_t *ret_count)
{
    const char *end = name.data + name.len, *open = memchr(name.data, '[', name.len);
    size_t count = 1;
    if (!open || end[-1] != ']') {
        keys[0] = name;
        *ret_count = 1;
        return 0;
    }
    keys[0] = hoop_str_n(name.data, (size_t)(open - name.data));
    while (open) {
        /* The name ends in ']', so there is one. */
        const char *close = memchr(open, ']', (size_t)(end - open));
        if (count == cap)
            return HOOP_ETOOBIG;
        keys[count++] = hoop_str_n(open + 1, (size_t)(close - open) - 1);
        open = memchr(close, '[', (size_t)(end - close));
    }
    *ret_count = count;
    return 0;
}
