/* What a path may be before any file system sees it; see root.h. */
#include "codec/percent.h"
#include "file/root.h"

#include <string.h>

static int has_escaped_slash(hoop_str encoded)
{
    for (size_t i = 0; i + 2 < encoded.len; i++)
        if (encoded.data[i] == '%' && encoded.data[i + 1] == '2' &&
            (encoded.data[i + 2] | 0x20) == 'f')
            return 1;
    return 0;
}

static int is_well_known(hoop_str path, size_t at, size_t len)
{
    return at == 0 && hoop_str_eq_c(hoop_str_n(path.data, len), ".well-known");
}

int hoop__root_path_ok(hoop_str path, int dots)
{
    if (hoop_str_eq_c(path, "."))
        return 1;
    for (size_t at = 0; at <= path.len;) {
        const char *name = path.data + at;
        const char *slash = memchr(name, '/', path.len - at);
        size_t len = slash ? (size_t)(slash - name) : path.len - at;
        if (!len || memchr(name, '\\', len) || memchr(name, 0, len))
            return 0;
        if (name[0] == '.') {
            int steps = len == 1 || (len == 2 && name[1] == '.');
            if (steps || (!dots && !is_well_known(path, at, len)))
                return 0;
        }
        at += len + 1;
    }
    return 1;
}

int hoop__root_path(hoop_str encoded, int dots, char *out, int *ret_slash)
{
    size_t len;
    if (!encoded.len || encoded.data[0] != '/' || has_escaped_slash(encoded) ||
        hoop__percent_decode(hoop_str_n(encoded.data + 1, encoded.len - 1), out, &len))
        return HOOP_EPARSE;
    *ret_slash = len == 0 || out[len - 1] == '/';
    if (len == 0)
        out[len++] = '.';
    else if (out[len - 1] == '/')
        len--;
    out[len] = 0;
    if (len == 1 && out[0] == '.' && encoded.len > 1)
        return HOOP_EPARSE; /* "/." is no name for the folder */
    return hoop__root_path_ok(hoop_str_n(out, len), dots) ? 0 : HOOP_EPARSE;
}
