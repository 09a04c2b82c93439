/* Templates of paths: parsed, compared, and matched segment by segment. The trie is route_trie.c's. */
#include "handler/router.h"

#include <string.h>

#define MAX_PIECES (HOOP__MAX_PARAMS + 1)

/* What is being parsed. */
struct parser {
    hoop_arena *arena;
    struct hoop__route_type **types;
    hoop_error *error;
    struct hoop__segment segments[HOOP__MAX_SEGMENTS];
    hoop_str names[HOOP__MAX_PARAMS];
    uint32_t segment_count;
    uint32_t name_count;
    /* The segment at hand. */
    struct hoop__piece pieces[MAX_PIECES];
    uint32_t piece_count;
    char *text; /* of the piece at hand, without backslashes */
    size_t text_len;
};

static int is_name(char c)
{
    return (unsigned char)((c | 0x20) - 'a') < 26 || (unsigned char)(c - '0') < 10 || c == '_' ||
           c == '-';
}

static int no_memory(struct parser *p)
{
    return hoop_error_set(p->error, HOOP_ENOMEM, "out of memory");
}

/* --- parameters ------------------------------------------------------------------------------ */

static int add_name(struct parser *p, hoop_str name)
{
    for (uint32_t i = 0; i < p->name_count; i++)
        if (hoop_str_eq(p->names[i], name))
            return hoop_error_set(p->error, HOOP_EINVAL,
                                  "the parameter '%.*s' is there twice: give each its own name",
                                  (int)name.len, name.data);
    if (p->name_count == HOOP__MAX_PARAMS)
        return hoop_error_set(p->error, HOOP_EINVAL, "more than %u parameters", HOOP__MAX_PARAMS);
    if (hoop__arena_copy(p->arena, name, &p->names[p->name_count]))
        return no_memory(p);
    p->name_count++;
    return 0;
}

/* Ends the text in front of a parameter, or the segment. */
static int end_piece(struct parser *p, int is_param, const struct hoop__route_type *type)
{
    struct hoop__piece *before = p->piece_count ? &p->pieces[p->piece_count - 1] : NULL;
    if (before && is_param && !p->text_len)
        return hoop_error_set(p->error, HOOP_EINVAL,
                              "two parameters without text between: nothing tells where the first "
                              "one ends");
    struct hoop__piece *piece = &p->pieces[p->piece_count++];
    if (hoop__arena_copy(p->arena, hoop_str_n(p->text, p->text_len), &piece->text))
        return no_memory(p);
    if (before)
        before->stop = p->text_len ? p->text[0] : 0;
    piece->type = type;
    piece->is_param = is_param ? 1 : 0;
    piece->stop = 0;
    p->text_len = 0;
    return 0;
}

static int add_param(struct parser *p, hoop_str name, const struct hoop__route_type *type)
{
    int rc = add_name(p, name);
    return rc ? rc : end_piece(p, 1, type);
}

/* `{name}` or `{name:type}` at `at`; *ret_next is behind it. */
static int parse_braces(struct parser *p, hoop_str segment, size_t at, size_t *ret_next)
{
    const char *open = segment.data + at;
    const char *close = memchr(open, '}', segment.len - at);
    if (!close)
        return hoop_error_set(p->error, HOOP_EINVAL, "the parameter '%.*s' is not closed: add '}'",
                              (int)(segment.len - at), open);
    hoop_str inside = hoop_str_n(open + 1, (size_t)(close - open - 1));
    size_t len = 0;
    while (len < inside.len && is_name(inside.data[len]))
        len++;
    if (len == 0 || (len < inside.len && inside.data[len] != ':'))
        return hoop_error_set(p->error, HOOP_EINVAL,
                              "'{%.*s}' is no parameter: write {name} or {name:type}, the name in "
                              "letters, digits, '_' and '-'",
                              (int)inside.len, inside.data);
    const struct hoop__route_type *type = NULL;
    if (len < inside.len) {
        int rc = 0;
        hoop_str name = hoop_str_n(inside.data + len + 1, inside.len - len - 1);
        type = hoop__route_type(p->arena, p->types, name, &rc);
        if (!type && rc == HOOP_ENOMEM)
            return no_memory(p);
        if (!type)
            return hoop_error_set(p->error, HOOP_EINVAL,
                                  "the type '%.*s' of the parameter '%.*s' is unknown: int, uint, "
                                  "uuid, alpha, alnum, hex, slug, date, words like a|b, or one of "
                                  "hoop_router_options.types",
                                  (int)name.len, name.data, (int)len, inside.data);
    }
    *ret_next = at + (size_t)(close - open) + 1;
    return add_param(p, hoop_str_n(inside.data, len), type);
}

/* `:name` at `at`, up to the end of the segment. */
static int parse_colon(struct parser *p, hoop_str segment, size_t at)
{
    hoop_str name = hoop_str_n(segment.data + at + 1, segment.len - at - 1);
    for (size_t i = 0; i < name.len; i++)
        if (!is_name(name.data[i]))
            return hoop_error_set(
                p->error, HOOP_EINVAL,
                "':%.*s' goes up to the next '/', and '%c' can't stand in a name: "
                "write {name} where a parameter ends before that, '\\:' for a colon",
                (int)name.len, name.data, name.data[i]);
    if (p->piece_count && !p->text_len)
        return hoop_error_set(p->error, HOOP_EINVAL,
                              "two parameters without text between: nothing tells where the first "
                              "one ends (write '\\:' for a colon)");
    return add_param(p, name, NULL);
}

/* --- segments -------------------------------------------------------------------------------- */

static int store_segment(struct parser *p, hoop_str text)
{
    struct hoop__segment *s = &p->segments[p->segment_count++];
    struct hoop__piece *pieces = hoop_arena_alloc(p->arena, p->piece_count * sizeof *pieces);
    if (!pieces)
        return no_memory(p);
    memcpy(pieces, p->pieces, p->piece_count * sizeof *pieces);
    s->text = text;
    s->pieces = pieces;
    s->piece_count = p->piece_count;
    s->param_count = 0;
    for (uint32_t i = 0; i < p->piece_count; i++)
        s->param_count += pieces[i].is_param;
    return 0;
}

/* A byte of the segment that stands for itself, or a parameter. */
static int parse_at(struct parser *p, hoop_str segment, size_t *at)
{
    char c = segment.data[*at];
    char next = *at + 1 < segment.len ? segment.data[*at + 1] : 0;
    if (c == '{')
        return parse_braces(p, segment, *at, at);
    if (c == ':' && (is_name(next) && next != '-')) {
        int rc = parse_colon(p, segment, *at);
        *at = segment.len;
        return rc;
    }
    if (c == '}' || c == '*')
        return hoop_error_set(p->error, HOOP_EINVAL,
                              c == '}'
                                  ? "a '}' closes nothing: write '\\}' for the character"
                                  : "a '*' stands at the start of the last segment: write '\\*' "
                                    "for the character");
    if (c == '?' || c == '#')
        return hoop_error_set(p->error, HOOP_EINVAL, "a path ends in front of '%c'", c);
    if (c == '\\' && next)
        c = segment.data[++*at];
    p->text[p->text_len++] = c;
    ++*at;
    return 0;
}

static int parse_segment(struct parser *p, hoop_str segment)
{
    if (p->segment_count == HOOP__MAX_SEGMENTS)
        return hoop_error_set(p->error, HOOP_EINVAL, "more than %u segments", HOOP__MAX_SEGMENTS);
    p->piece_count = 0;
    p->text_len = 0;
    for (size_t at = 0; at < segment.len;) {
        int rc = parse_at(p, segment, &at);
        if (rc)
            return rc;
    }
    int rc = p->text_len || !p->piece_count ? end_piece(p, 0, NULL) : 0;
    return rc ? rc : store_segment(p, segment);
}

/* Nonzero if the segment is `*name` or `{*name}`; then *ret_name is the name, "*" if it has none. */
static int is_rest(hoop_str segment, hoop_str *ret_name)
{
    if (segment.len && segment.data[0] == '*')
        *ret_name = hoop_str_n(segment.data + 1, segment.len - 1);
    else if (segment.len > 2 && memcmp(segment.data, "{*", 2) == 0 &&
             segment.data[segment.len - 1] == '}')
        *ret_name = hoop_str_n(segment.data + 2, segment.len - 3);
    else
        return 0;
    if (!ret_name->len)
        *ret_name = hoop_str_c("*");
    return 1;
}

static int parse_rest(struct parser *p, hoop_str name, hoop_str behind)
{
    for (size_t i = 0; i < name.len; i++)
        if (!is_name(name.data[i]) && !hoop_str_eq_c(name, "*"))
            return hoop_error_set(p->error, HOOP_EINVAL, "'%.*s' is no name for the rest of a path",
                                  (int)name.len, name.data);
    if (behind.len)
        return hoop_error_set(p->error, HOOP_EINVAL,
                              "nothing can follow '*%.*s', which takes the rest of the path",
                              (int)name.len, name.data);
    return add_name(p, name);
}

/* All segments of a path that begins with '/'. */
static int parse_path(struct parser *p, hoop_str path, int mount, int *ret_rest)
{
    size_t at = 1;
    *ret_rest = mount;
    if (mount && path.len == 1)
        return 0;
    while (at <= path.len) {
        const char *slash = memchr(path.data + at, '/', path.len - at);
        size_t end = slash ? (size_t)(slash - path.data) : path.len;
        hoop_str segment = hoop_str_n(path.data + at, end - at), name;
        int rc;
        if (is_rest(segment, &name)) {
            *ret_rest = 1;
            if (mount)
                return hoop_error_set(p->error, HOOP_EINVAL,
                                      "a mount takes the rest of the path by itself: leave '*%.*s' "
                                      "away",
                                      (int)name.len, name.data);
            return parse_rest(p, name, hoop_str_n(path.data + end, path.len - end));
        }
        if (mount && end == path.len && !segment.len)
            return 0; /* its trailing slash: the rest begins there */
        rc = parse_segment(p, segment);
        if (rc)
            return rc;
        at = end + 1;
    }
    return 0;
}

static int finish(struct parser *p, struct hoop__template *t)
{
    size_t segments = p->segment_count * sizeof *t->segments;
    size_t names = p->name_count * sizeof *t->names;
    t->segments = hoop_arena_alloc(p->arena, segments);
    t->names = hoop_arena_alloc(p->arena, names);
    if (!t->segments || !t->names)
        return no_memory(p);
    memcpy(t->segments, p->segments, segments);
    memcpy(t->names, p->names, names);
    t->segment_count = p->segment_count;
    t->param_count = p->name_count;
    return 0;
}

int hoop__template_parse(hoop_arena *arena, struct hoop__route_type **types, hoop_str path,
                         int mount, struct hoop__template *ret_template, hoop_error *error)
{
    struct hoop__template t = { .path = path };
    if (mount && !path.len)
        path = hoop_str_c("/");
    if (!path.len || path.data[0] != '/')
        return hoop_error_set(error, HOOP_EINVAL, "a path begins with '/'");
    struct parser p;
    memset(&p, 0, sizeof p);
    p.arena = arena;
    p.types = types;
    p.error = error;
    p.text = hoop_arena_alloc(arena, path.len);
    if (!p.text)
        return no_memory(&p);
    int has_rest, rc = parse_path(&p, path, mount, &has_rest);
    if (rc)
        return rc;
    t.has_rest = has_rest ? 1 : 0;
    t.takes_bare = mount && path.data[path.len - 1] != '/';
    rc = finish(&p, &t);
    if (!rc)
        *ret_template = t;
    return rc;
}

/* --- matching -------------------------------------------------------------------------------- */

int hoop__segment_match(const struct hoop__segment *segment, hoop_str text, hoop_str *values)
{
    const char *at = text.data, *end = text.data + text.len;
    for (uint32_t i = 0; i < segment->piece_count; i++) {
        const struct hoop__piece *piece = &segment->pieces[i];
        size_t len = piece->text.len;
        if ((size_t)(end - at) < len || (len && memcmp(at, piece->text.data, len) != 0))
            return 0;
        at += len;
        if (!piece->is_param)
            break;
        const char *stop = end;
        if (piece->stop) {
            stop = at < end ? memchr(at, piece->stop, (size_t)(end - at)) : NULL;
            if (!stop)
                return 0;
        }
        hoop_str value = hoop_str_n(at, (size_t)(stop - at));
        if (!value.len || (piece->type && !hoop__route_type_fits(piece->type, value)))
            return 0;
        *values++ = value;
        at = stop;
    }
    return at == end;
}

/* --- comparing ------------------------------------------------------------------------------- */

int hoop__segment_same(const struct hoop__segment *a, const struct hoop__segment *b)
{
    if (a->piece_count != b->piece_count)
        return 0;
    for (uint32_t i = 0; i < a->piece_count; i++) {
        const struct hoop__piece *x = &a->pieces[i], *y = &b->pieces[i];
        if (x->is_param != y->is_param || x->type != y->type || !hoop_str_eq(x->text, y->text))
            return 0;
    }
    return 1;
}

/* How much a type says: nothing, a class, or the very words. */
static int rank_of(const struct hoop__route_type *type)
{
    return !type ? 0 : type->words ? 2 : 1;
}

int hoop__segment_order(const struct hoop__segment *a, const struct hoop__segment *b)
{
    size_t a_text = 0, b_text = 0;
    int a_rank = 0, b_rank = 0;
    for (uint32_t i = 0; i < a->piece_count; i++) {
        a_text += a->pieces[i].text.len;
        a_rank += rank_of(a->pieces[i].type);
    }
    for (uint32_t i = 0; i < b->piece_count; i++) {
        b_text += b->pieces[i].text.len;
        b_rank += rank_of(b->pieces[i].type);
    }
    if (a_text != b_text)
        return a_text > b_text ? -1 : 1;
    return b_rank - a_rank;
}
