/* The headers of a part of a multipart body, and what Content-Disposition says of it; see multipart.h. */
#include "codec/chars.h"
#include "codec/ext_value.h"
#include "codec/media.h"
#include "codec/multipart.h"

void hoop__part_begin(struct hoop_multipart *reader)
{
    reader->in_head = 1;
    reader->head_len = reader->line = 0;
    memset(&reader->part, 0, sizeof reader->part);
}

/* --- Content-Disposition --------------------------------------------------------------------- */

/*
 * The text of a value, at `out`. Browsers put a backslash in front of quotes only, and old ones send paths of
 * Windows as they are, so it takes nothing from other bytes.
 */
static size_t unescape(hoop_str value, char *out)
{
    size_t size = 0;
    for (size_t at = 0; at < value.len; at++) {
        if (value.data[at] == '\\' && at + 1 < value.len &&
            (value.data[at + 1] == '"' || value.data[at + 1] == '\\'))
            at++;
        out[size++] = value.data[at];
    }
    out[size] = 0;
    return size;
}

/* What stands behind the last slash of either kind. */
static hoop_str base_name(hoop_str path)
{
    size_t at = path.len;
    while (at > 0 && path.data[at - 1] != '/' && path.data[at - 1] != '\\')
        at--;
    return hoop_str_n(path.data + at, path.len - at);
}

/* The parameters of Content-Disposition that say something here. */
struct disposition {
    hoop_str name;
    hoop_str filename;
    hoop_str filename_ext;
};

static int read_disposition(struct hoop_multipart *reader, hoop_str value, struct disposition *ret)
{
    struct hoop__param param;
    size_t type = 0;
    int rc;
    while (type < value.len && hoop__char_is(value.data[type], HOOP__CHAR_TOKEN))
        type++;
    hoop_str rest = hoop_str_n(value.data + type, value.len - type);
    while ((rc = hoop__param_next(&rest, &param)) > 0) {
        hoop_str *to = hoop_str_eq_nocase(param.name, hoop_str_c("name"))       ? &ret->name
                       : hoop_str_eq_nocase(param.name, hoop_str_c("filename")) ? &ret->filename
                       : hoop_str_eq_nocase(param.name, hoop_str_c("filename*"))
                           ? &ret->filename_ext
                           : NULL;
        if (to && !hoop_str_is_none(*to))
            return hoop__multipart_fail(reader, HOOP_EPARSE,
                                        "'%.*s' comes twice in Content-Disposition",
                                        (int)param.name.len, param.name.data);
        if (to)
            *to = param.value;
    }
    if (rc < 0 || !type)
        return hoop__multipart_fail(reader, HOOP_EPARSE, "Content-Disposition '%.100s' is broken",
                                    value.data);
    return 0;
}

static void set_names(struct hoop_multipart *reader, const struct disposition *d)
{
    char *next = reader->text;
    size_t size;
    if (!hoop_str_is_none(d->name)) {
        reader->part.name = hoop_str_n(next, unescape(d->name, next));
        next += reader->part.name.len + 1;
    }
    if (!hoop_str_is_none(d->filename_ext) &&
        hoop__ext_value_decode(d->filename_ext, next, &size) == 0)
        next[size] = 0;
    else if (!hoop_str_is_none(d->filename))
        size = unescape(d->filename, next);
    else
        return;
    reader->part.filename_sent = hoop_str_n(next, size);
    reader->part.filename = base_name(reader->part.filename_sent);
}

/* --- header lines ---------------------------------------------------------------------------- */

static int has_control(hoop_str value)
{
    for (size_t at = 0; at < value.len; at++) {
        unsigned char c = (unsigned char)value.data[at];
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return 1;
    }
    return 0;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Takes a line, without its end, into the list. Its bytes are changed: lower case, NULs. */
static int add_header(struct hoop_multipart *reader, char *line, size_t len)
{
    size_t name = 0;
    while (name < len && hoop__char_is(line[name], HOOP__CHAR_TOKEN)) {
        line[name] = lower(line[name]);
        name++;
    }
    if (name == 0 || name == len || line[name] != ':')
        return hoop__multipart_fail(reader, HOOP_EPARSE,
                                    "header line %zu is none: a name and ':' are missing",
                                    reader->part.header_count + 1);
    hoop_str value = hoop_str_trim(hoop_str_n(line + name + 1, len - name - 1));
    line[name] = 0;
    if (has_control(value))
        return hoop__multipart_fail(reader, HOOP_EPARSE, "header '%.60s' has a control character",
                                    line);
    if (reader->part.header_count == reader->limits.max_headers)
        return hoop__multipart_fail(reader, HOOP_ETOOBIG, "there are more than %llu headers",
                                    (unsigned long long)reader->limits.max_headers);
    line[(size_t)(value.data - line) + value.len] = 0;
    reader->headers[reader->part.header_count++] = (hoop_field){ hoop_str_n(line, name), value };
    return 0;
}

/* Makes the part of its headers. 1, or an error. */
static int finish(struct hoop_multipart *reader)
{
    static const hoop_str none = HOOP_STR_NONE;
    struct disposition d = { none, none, none };
    hoop_part *part = &reader->part;
    hoop_str disposition = none;
    part->name = part->filename = part->filename_sent = part->content_type = none;
    part->headers = reader->headers;
    part->index = reader->parts - 1;
    for (size_t i = 0; i < part->header_count; i++) {
        const hoop_field *h = &reader->headers[i];
        hoop_str *to = hoop_str_eq_c(h->name, "content-disposition") ? &disposition
                       : hoop_str_eq_c(h->name, "content-type")      ? &part->content_type
                                                                     : NULL;
        if (to && !hoop_str_is_none(*to))
            return hoop__multipart_fail(reader, HOOP_EPARSE, "header '%s' comes twice",
                                        h->name.data);
        if (to)
            *to = h->value;
    }
    if (hoop_str_is_none(disposition))
        return 1;
    int rc = read_disposition(reader, disposition, &d);
    if (rc)
        return rc;
    set_names(reader, &d);
    return 1;
}

int hoop__part_read(struct hoop_multipart *reader, hoop_str *piece)
{
    while (piece->len) {
        const char *lf = memchr(piece->data, '\n', piece->len);
        size_t n = lf ? (size_t)(lf - piece->data) + 1 : piece->len;
        if (n > reader->limits.max_head - reader->head_len)
            return hoop__multipart_fail(reader, HOOP_ETOOBIG, "its headers are over %llu bytes",
                                        (unsigned long long)reader->limits.max_head);
        memcpy(reader->head + reader->head_len, piece->data, n);
        reader->head_len += n;
        *piece = hoop_str_n(piece->data + n, piece->len - n);
        if (!lf)
            return 0;
        char *line = reader->head + reader->line;
        size_t len = reader->head_len - reader->line;
        reader->line = reader->head_len;
        if (len < 2 || line[len - 2] != '\r')
            return hoop__multipart_fail(reader, HOOP_EPARSE, "a header line ends without CR");
        if (len == 2)
            return finish(reader);
        int rc = add_header(reader, line, len - 2);
        if (rc)
            return rc;
    }
    return 0;
}
