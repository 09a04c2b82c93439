/* Reading urlencoded pairs into a list in one pass, and hanging lists on a request. */
#include "handler/params.h"

#include "codec/chars.h"
#include "codec/utf8.h"

#include <hoop/param.h>

#include <string.h>

static const char params_key = 0;

const struct hoop__params *hoop__params_of(const hoop_request *req)
{
    return hoop_get(req, &params_key);
}

int hoop__params_in(const hoop_request *req, uint32_t place, const hoop_field **ret_items,
                    size_t *ret_count)
{
    const struct hoop__params *params = hoop__params_of(req);
    if (!params)
        return 0;
    int query = params->has_query && params->query == req->query_string.data;
    size_t first = place == HOOP_IN_FORM || !query ? params->query_count : 0;
    size_t last = params->query_count + (place == HOOP_IN_QUERY ? 0 : params->form_count);
    *ret_items = first ? params->items + first : params->items; /* NULL if there are none */
    *ret_count = last - first;
    return place == HOOP_IN_FORM ? params->has_form : query;
}

const hoop_request *hoop__params_put(const hoop_request *req, const struct hoop__params *params)
{
    struct hoop__params *kept = hoop_alloc(req, sizeof *kept);
    if (!kept)
        return NULL;
    *kept = *params;
    return hoop_assoc(req, &params_key, kept);
}

const hoop_field *hoop_params(const hoop_request *req, uint32_t from, size_t *ret_count)
{
    const hoop_field *items = NULL;
    size_t count = 0;
    int known = from == HOOP_IN_QUERY || from == HOOP_IN_FORM || from == HOOP_IN_ANY;
    if (!req || !known || !hoop__params_in(req, from, &items, &count)) {
        items = NULL;
        count = 0;
    }
    *ret_count = count;
    return items;
}

int hoop__param_list_add(hoop_arena *arena, struct hoop__param_list *list, hoop_str name,
                         hoop_str value)
{
    if (list->count == list->cap) {
        size_t cap = list->cap ? list->cap * 2 : 8;
        hoop_field *items =
            hoop__arena_resize(arena, list->items, list->cap * sizeof *items, cap * sizeof *items);
        if (!items)
            return HOOP_ENOMEM;
        list->items = items;
        list->cap = cap;
    }
    list->items[list->count].name = name;
    list->items[list->count++].value = value;
    return 0;
}

/* --- reading --------------------------------------------------------------------------------- */

enum { PLAIN, PLUS, PERCENT, AMPERSAND, EQUALS, NUL };

/* What has to be looked at; all else is itself. */
static const uint8_t kinds[256] = {
    [0] = NUL, ['+'] = PLUS, ['%'] = PERCENT, ['&'] = AMPERSAND, ['='] = EQUALS
};

struct reader {
    hoop_arena *arena;
    const struct hoop__params_rules *rules;
    const char *in;
    const char *end;
    char *out;
    const char *problem;
};

static int fail(struct reader *r, int code, const char *problem)
{
    r->problem = problem;
    return code;
}

static int is_escape(const struct reader *r)
{
    return r->end - r->in >= 3 && hoop__char_is(r->in[1], HOOP__CHAR_HEX) &&
           hoop__char_is(r->in[2], HOOP__CHAR_HEX);
}

/* The byte that the '%' at hand stands for, and past it. 0 or a code. */
static int unescape(struct reader *r, char *ret)
{
    if (is_escape(r)) {
        *ret = (char)(hoop__hex_value(r->in[1]) << 4 | hoop__hex_value(r->in[2]));
        r->in += 3;
        return *ret ? 0 : fail(r, HOOP_EPARSE, "a NUL");
    }
    *ret = '%';
    r->in++;
    return r->rules->lenient ? 0 : fail(r, HOOP_EPARSE, "a '%' that begins no escape");
}

/* What is no UTF-8 is refused, or repaired in memory of its own. 0 or a code. */
static int check_utf8(struct reader *r, hoop_str *text)
{
    if (hoop__utf8_is_valid(*text))
        return 0;
    if (!r->rules->lenient)
        return fail(r, HOOP_EPARSE, "bytes that are no UTF-8");
    size_t size = hoop__utf8_repaired_size(*text);
    char *repaired = size < SIZE_MAX ? hoop_arena_alloc(r->arena, size + 1) : NULL;
    if (!repaired)
        return HOOP_ENOMEM;
    repaired[hoop__utf8_repair(*text, repaired)] = 0;
    *text = hoop_str_n(repaired, size);
    return 0;
}

/* Decodes up to `stop` ('=' in a name), '&' or the end; does not take those. 0 or a code. */
static int read_part(struct reader *r, int stop, hoop_str *ret_text)
{
    const char *in = r->in, *end = r->end;
    char *start = r->out, *out = start, high = 0;
    for (;;) {
        char c;
        for (; in < end && kinds[(unsigned char)(c = *in)] == PLAIN; in++) {
            high |= c;
            *out++ = c;
        }
        int kind = in < end ? kinds[(unsigned char)c] : AMPERSAND;
        if (kind == AMPERSAND || kind == stop)
            break;
        if (kind == NUL)
            return fail(r, HOOP_EPARSE, "a NUL");
        r->in = in++;
        if (kind == PLUS) {
            c = ' ';
        } else if (kind == PERCENT) {
            int rc = unescape(r, &c);
            if (rc)
                return rc;
            in = r->in;
        }
        high |= c;
        *out++ = c;
    }
    r->in = in;
    r->out = out;
    *ret_text = hoop_str_n(start, (size_t)(out - start));
    return high & 0x80 ? check_utf8(r, ret_text) : 0;
}

/* The NUL of what was written last. */
static void end_part(struct reader *r)
{
    *r->out++ = 0;
}

static int read_pair(struct reader *r, hoop_str *ret_name, hoop_str *ret_value)
{
    int rc = read_part(r, EQUALS, ret_name);
    if (rc)
        return rc;
    if (ret_name->len > r->rules->max_name)
        return fail(r, HOOP_ETOOBIG, "a name that is too long");
    *ret_value = hoop_str_n(r->out, 0); /* without '=' the NUL behind the name */
    end_part(r);
    if (r->in == r->end || *r->in != '=')
        return 0;
    r->in++;
    rc = read_part(r, AMPERSAND, ret_value);
    if (!rc)
        end_part(r);
    return rc;
}

int hoop__params_read(hoop_arena *arena, hoop_str text, const struct hoop__params_rules *rules,
                      struct hoop__param_list *list, const char **ret_problem)
{
    /* Decoding makes nothing longer, and each '=' and '&' gives its byte to a NUL. */
    struct reader r = { arena, rules, text.data, text.data + text.len, NULL, NULL };
    r.out = text.len ? hoop_arena_alloc(arena, text.len + 1) : NULL;
    if (text.len && !r.out)
        return HOOP_ENOMEM;
    while (r.in < r.end) {
        if (*r.in == '&') {
            r.in++;
            continue;
        }
        hoop_str name, value;
        int rc = list->count == rules->max_count ? fail(&r, HOOP_ETOOBIG, "too many parameters")
                                                 : read_pair(&r, &name, &value);
        if (!rc)
            rc = hoop__param_list_add(arena, list, name, value);
        if (rc) {
            if (r.problem)
                *ret_problem = r.problem;
            return rc;
        }
    }
    return 0;
}
