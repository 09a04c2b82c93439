/* Why a router does what it does with a path: each row with the reason for which it does not match. */
#include "handler/router.h"

#include <string.h>

/* The segments of a prepared path. */
struct cut_path {
    hoop_str *segments;
    size_t count;
    const char *start, *end;
};

static void say(struct hoop__printer *printer, const char *format, ...) HOOP_PRINTF(2, 3);

static void say(struct hoop__printer *printer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    hoop_str text = hoop_arena_vprintf(printer->arena, format, args);
    va_end(args);
    printer->failed |= hoop_str_is_none(text);
    hoop__print_bytes(printer, text.data, text.len);
}

static int cut(hoop_arena *arena, const struct hoop__search *s, const char *start,
               struct cut_path *path)
{
    path->start = start;
    path->end = s->end;
    path->count = 0;
    path->segments = hoop_arena_alloc(arena, ((size_t)(s->end - start) + 1) * sizeof(hoop_str));
    if (!path->segments)
        return HOOP_ENOMEM;
    for (const char *at = start; at < s->end;) {
        const char *begin = ++at;
        while (at < s->end && *at != s->cut)
            at++;
        path->segments[path->count++] = hoop_str_n(begin, (size_t)(at - begin));
    }
    return 0;
}

/* The value of the first parameter of a segment that does not fit, in words. */
static void say_why_not(struct hoop__printer *printer, size_t index,
                        const struct hoop__segment *segment, hoop_str text)
{
    const struct hoop__piece *piece = &segment->pieces[0];
    if (hoop__segment_is_text(segment))
        say(printer, "segment %zu is '%.*s', not '%.*s'", index + 1, (int)text.len, text.data,
            (int)piece->text.len, piece->text.data);
    else if (!text.len)
        say(printer, "segment %zu is empty, and '%.*s' takes one byte at least", index + 1,
            (int)segment->text.len, segment->text.data);
    else if (segment->piece_count == 1 && !piece->text.len && piece->type)
        say(printer, "segment %zu is '%.*s', which is no %s", index + 1, (int)text.len, text.data,
            piece->type->name);
    else
        say(printer, "segment %zu is '%.*s', which does not fit '%.*s'", index + 1, (int)text.len,
            text.data, (int)segment->text.len, segment->text.data);
}

/* Nonzero if the path matches; else it has been said why not. */
static int explain_path(struct hoop__printer *printer, const struct hoop__row *row,
                        const struct cut_path *path, uint32_t slash)
{
    const struct hoop__template *t = &row->path;
    hoop_str values[HOOP__MAX_PARAMS];
    size_t count = path->count, fixed = t->segment_count;
    int extra = count == fixed + 1 && !path->segments[fixed].len;
    for (size_t i = 0; i < fixed && i < count; i++)
        if (!hoop__segment_match(&t->segments[i], path->segments[i], values)) {
            say_why_not(printer, i, &t->segments[i], path->segments[i]);
            return 0;
        }
    int lacks = fixed == count + 1 && hoop__segment_is_text(&t->segments[count]) &&
                !t->segments[count].pieces[0].text.len;
    if (slash == HOOP_SLASH_BOTH && !t->has_rest && (extra || lacks))
        return 1;
    if (count < fixed || (count == fixed && t->has_rest && !t->takes_bare)) {
        say(printer, "the path ends in front of '%s%.*s'", "/",
            count < fixed ? (int)t->segments[count].text.len : 1,
            count < fixed ? t->segments[count].text.data : "*");
        return 0;
    }
    if (count > fixed && !t->has_rest) {
        say(printer, extra ? "the path has a slash behind it" : "the path goes on behind it");
        return 0;
    }
    return 1;
}

static void explain_row(struct hoop__printer *printer, const struct hoop__search *s,
                        const struct hoop__row *row, const struct cut_path *path)
{
    say(printer, "%s %s %s%s%s: ", row->index, row->pub.method ? row->pub.method : "*",
        row->pub.path, row->pub.name ? " " : "", row->pub.name ? row->pub.name : "");
    if (explain_path(printer, row, path, s->router->options.slash)) {
        if (hoop__row_takes(row, s->method, s->method_name))
            say(printer, "matches");
        else
            say(printer, "the path matches, the method %s does not", s->method_name.data);
    }
    say(printer, "\n");
}

/* What would be called, in the order of the attempts. */
static void explain_outcome(struct hoop__printer *printer, struct hoop__search *s,
                            const char *start)
{
    uint32_t skip = 0;
    for (;; skip++) {
        s->skip = skip;
        s->refused = s->unsupported = s->unacceptable = 0;
        const struct hoop__row *row = hoop__route_find(s, start);
        if (!row)
            break;
        say(printer, skip ? "if that passes: %s %s" : "chosen: %s %s", row->index, row->pub.path);
        for (uint32_t i = 0; i < row->path.param_count; i++) {
            hoop_str value = hoop_arena_copy(printer->arena, s->values[i]);
            for (size_t k = 0; k < value.len; k++)
                if (!value.data[k])
                    ((char *)(uintptr_t)value.data)[k] = '/';
            say(printer, ", %s='%s'", row->path.names[i].data, value.data);
        }
        say(printer, "\n");
    }
    if (s->refused && !skip)
        say(printer, "outcome: %s with Allow\n",
            s->method == HOOP_METHOD_OPTIONS ? "the methods" : "405");
    else if (!skip)
        say(printer, "outcome: no route\n");
}

hoop_str hoop_router_explain(hoop_arena *arena, hoop_handler handler, const char *method,
                             const char *path)
{
    const struct hoop__router *router = hoop__router_of(handler);
    struct hoop__printer printer = { .arena = arena };
    if (!arena || !router || !method || !path)
        return hoop_str_none();
    struct hoop__search s;
    memset(&s, 0, sizeof s);
    s.router = router;
    s.method_name = hoop_str_c(method);
    s.method = hoop__method_number(s.method_name);
    const char *start;
    struct cut_path pieces;
    int rc = hoop__path_open(arena, hoop_str_n(path, strcspn(path, "?")), &s, &start);
    if (rc == HOOP_EPARSE) {
        say(&printer, "outcome: 400, the path has an escape that is none, or %%00\n");
        return printer.failed ? hoop_str_none() : hoop_str_n(printer.text, printer.len);
    }
    if (rc || cut(arena, &s, start, &pieces))
        return hoop_str_none();
    for (size_t i = 0; i < router->count; i++)
        explain_row(&printer, &s, router->rows[i], &pieces);
    explain_outcome(&printer, &s, start);
    return printer.failed ? hoop_str_none() : hoop_str_n(printer.text, printer.len);
}
