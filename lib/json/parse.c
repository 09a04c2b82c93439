/* The parser: one pass over the text makes the tree; where it fails, read_error.c finds out why. */
#include "json/parse.h"

#include "codec/utf8.h"
#include "json/read_error.h"
#include "json/read_scan.h"

/* --- memory for nodes -------------------------------------------------------------------------- */

#define SEGMENT_MOST ((size_t)256 * 1024)
#define BLOCK_ROOM   (HOOP__BLOCK_SIZE - ((sizeof(struct hoop__chunk) + 15) & ~(size_t)15))

/* How many bytes of nodes the text from `p` on may need: a node for each eight bytes is usual. */
static size_t segment_size(const struct hoop__parser *parser, const char *p)
{
    size_t guess = ((size_t)(parser->end - p) / 8 + 4) * sizeof(struct hoop_json_node);
    if (guess > SEGMENT_MOST)
        return SEGMENT_MOST;
    /* Blocks come from the loop's cache, what is larger does not. */
    return guess > 4 * BLOCK_ROOM ? guess : guess > BLOCK_ROOM ? BLOCK_ROOM : guess;
}

/* A new segment, with a LINK to it at the end of the one before. */
static struct hoop_json_node *grow(struct hoop__parser *parser, const char *p)
{
    size_t size = segment_size(parser, p) & ~(size_t)15;
    size_t room = (size_t)(parser->arena->end - parser->arena->next);
    /* What is left of a block is used up first. */
    if (size > room && room >= 512)
        size = room & ~(size_t)15;
    struct hoop__doc_segment *segment = hoop__arena_alloc(parser->arena, size);
    if (!segment)
        return NULL;
    segment->next = NULL;
    segment->count = size / sizeof(struct hoop_json_node) - 1;
    struct hoop_json_node *first = (struct hoop_json_node *)(void *)(segment + 1);
    if (parser->segment) {
        parser->segment->next = segment;
        parser->last->link = first;
        parser->last->kind = HOOP__NODE_LINK;
    } else {
        parser->doc->segments = segment;
    }
    parser->segment = segment;
    parser->last = first + segment->count - 1;
    return first;
}

/* Gives back what the last segment did not need. */
static void trim(struct hoop__parser *parser)
{
    struct hoop__doc_segment *segment = parser->segment;
    size_t room = (segment->count + 1) * sizeof(struct hoop_json_node);
    size_t used = (size_t)((char *)parser->next - (char *)segment);
    if ((char *)segment + room != parser->arena->next)
        return;
    parser->arena->next = (char *)segment + used;
    segment->count = used / sizeof(struct hoop_json_node) - 1;
}

/* --- strings and numbers ------------------------------------------------------------------------ */

/* The string from `text` on, of which `at` is the first special byte. Behind its quote, or NULL. */
static const char *take_hard_string(struct hoop__parser *parser, struct hoop_json_node *node,
                                    const char *text, const char *at, unsigned high, uint32_t type)
{
    const char *end = parser->end, *quote = at;
    while (quote < end && *quote == '\\' && end - quote > 2)
        quote = hoop__json_plain(quote + 2, end, &high);
    if (quote == end || *quote != '"')
        return NULL;
    hoop_str raw = hoop_str_n(text, (size_t)(quote - text));
    if (high && !hoop__utf8_is_valid(raw))
        return NULL;
    node->text = text;
    node->size = (uint32_t)raw.len;
    node->kind = type;
    if (quote == at)
        return quote + 1;

    /* Where a key stood is kept in front of its copy. */
    uint64_t offset = (uint64_t)(text - 1 - parser->begin);
    size_t head = type == HOOP__NODE_KEY ? sizeof offset : 0;
    char *copy = hoop__arena_alloc(parser->arena, head + raw.len);
    if (!copy) {
        parser->code = HOOP_ENOMEM;
        return NULL;
    }
    memcpy(copy, &offset, head);
    size_t size = hoop__unescape(raw, copy + head, parser->limits->allow_nul != 0);
    if (size == SIZE_MAX)
        return NULL;
    hoop__arena_resize(parser->arena, copy, head + raw.len, head + size);
    node->text = copy + head;
    node->size = (uint32_t)size;
    node->kind = type | HOOP__NODE_COPIED;
    return quote + 1;
}

/* The string whose opening quote is at `p`. Behind the closing one, or NULL. */
static inline const char *take_string(struct hoop__parser *parser, struct hoop_json_node *node,
                                      const char *p, uint32_t type)
{
    unsigned high = 0;
    const char *text = p + 1, *at = hoop__json_plain(text, parser->end, &high);
    if (at == parser->end || *at != '"' || high)
        return take_hard_string(parser, node, text, at, high, type);
    node->text = text;
    node->size = (uint32_t)(at - text);
    node->kind = type;
    return at + 1;
}

static inline const char *digits(const char *p, const char *end)
{
    while (p < end && (unsigned char)(*p - '0') < 10)
        p++;
    return p;
}

/* Behind the number at `p`, or NULL. Source: RFC 8259 6. */
static inline const char *take_number(struct hoop_json_node *node, const char *p, const char *end)
{
    const char *first = p, *at;
    uint32_t kind = HOOP_DOC_NUMBER;
    p += *p == '-';
    at = digits(p, end);
    if (at == p || (*p == '0' && at - p > 1))
        return NULL;
    if (at < end && *at == '.') {
        kind |= HOOP__NODE_REAL;
        p = at + 1;
        at = digits(p, end);
        if (at == p)
            return NULL;
    }
    if (at < end && (*at | 0x20) == 'e') {
        kind |= HOOP__NODE_REAL;
        p = at + 1;
        p += p < end && (*p == '+' || *p == '-');
        at = digits(p, end);
        if (at == p)
            return NULL;
    }
    node->text = first;
    node->size = (uint32_t)(at - first);
    node->kind = kind;
    return at;
}

/* Behind null, true or false, of which the first letter was seen; or NULL. */
static inline const char *take_literal(struct hoop_json_node *node, const char *p, const char *end)
{
    if (end - p >= 4 && memcmp(p, "true", 4) == 0) {
        node->kind = HOOP_DOC_TRUE;
        return p + 4;
    }
    if (end - p >= 4 && memcmp(p, "null", 4) == 0) {
        node->kind = HOOP_DOC_NULL;
        return p + 4;
    }
    if (end - p >= 5 && memcmp(p, "false", 5) == 0) {
        node->kind = HOOP_DOC_FALSE;
        return p + 5;
    }
    return NULL;
}

/* A scalar of any kind at `p`. */
static inline const char *take_scalar(struct hoop__parser *parser, struct hoop_json_node *node,
                                      const char *p)
{
    if (*p == '"')
        return take_string(parser, node, p, HOOP_DOC_STRING);
    if (*p == '-' || (unsigned char)(*p - '0') < 10)
        return take_number(node, p, parser->end);
    return take_literal(node, p, parser->end);
}

/* --- containers --------------------------------------------------------------------------------- */

/* One level more. NULL: out of memory or too deep. */
static struct hoop__level *deeper(struct hoop__parser *parser, struct hoop__level *level)
{
    if (++level < parser->levels_end)
        return level;
    size_t depth = (size_t)(level - parser->levels), more = depth * 2;
    if (depth > parser->limits->max_depth)
        return NULL;
    struct hoop__level *levels = hoop__arena_alloc(parser->arena, more * sizeof *levels);
    if (!levels) {
        parser->code = HOOP_ENOMEM;
        return NULL;
    }
    memcpy(levels, parser->levels, depth * sizeof *levels);
    parser->levels = levels;
    /* The first level is the text's own, which is none of the depth. */
    if (more > parser->limits->max_depth + 1)
        more = parser->limits->max_depth + 1;
    parser->levels_end = levels + more;
    return levels + depth;
}

/* The first eight bytes of a key in the text, read in one go where the text goes on behind it. */
static inline uint64_t first_of(const struct hoop_json_node *key, const char *end)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (!(key->kind & HOOP__NODE_COPIED) && end - key->text >= 8) {
        uint64_t first;
        memcpy(&first, key->text, 8);
        return key->size < 8 ? first & ((UINT64_C(1) << 8 * key->size) - 1) : first;
    }
#endif
    return hoop__key_first(key->text, key->size);
}

/* Keeps a key's hash, and tells by a filter of two halves whether the key may have been there before. */
static inline void note_key(struct hoop__level *level, struct hoop_json_node *key, const char *end)
{
    uint32_t hash = hoop__key_hash(first_of(key, end), key->size);
    uint64_t a = UINT64_C(1) << (hash & 63), b = UINT64_C(1) << (hash >> 6 & 63);
    level->twice |= (level->seen_a & a) != 0 && (level->seen_b & b) != 0;
    level->seen_a |= a;
    level->seen_b |= b;
    key->kind |= hash << HOOP__NODE_HASH;
}

/* Begins a container, whose node is filled when it ends. */
static inline void begin(struct hoop__level *level, struct hoop_json_node *node, uint32_t type)
{
    node->kind = type;
    *level = (struct hoop__level){ .node = node, .type = type };
}

/* Ends a container behind parser->next. Nonzero if all is well. */
static inline int finish(struct hoop__parser *parser, const struct hoop__level *level)
{
    struct hoop_json_node *node = level->node;
    node->size = level->count;
    node->end = parser->next;
    if (level->count > HOOP__DOC_FEW || level->twice)
        return hoop__parse_index(parser, level) == 0;
    return 1;
}

/* --- the pass ---------------------------------------------------------------------------------- */

struct hoop_json_node *hoop__parse_grow(struct hoop__parser *parser)
{
    return grow(parser, parser->end);
}

#define NEW_NODE(node)                    \
    do {                                  \
        if (next == parser->last)         \
            next = grow(parser, p);       \
        if (!next)                        \
            return out_of_memory(parser); \
        (node) = next++;                  \
    } while (0)

static const char *out_of_memory(struct hoop__parser *parser)
{
    parser->code = HOOP_ENOMEM;
    return NULL;
}

/*
 * From the first byte to behind the value and the white space behind it; NULL: something is wrong. A
 * state is a label, since what may come next is known at each place.
 */
static const char *pass(struct hoop__parser *parser, const char *p)
{
    const char *const end = parser->end;
    struct hoop__level *level = parser->levels;
    struct hoop_json_node top, *node, *next = NULL;
    size_t values = parser->limits->max_values;
    begin(level, &top, 0);

value:
    p = hoop__json_space(p, end);
    if (p == end || !values--)
        return NULL;
    NEW_NODE(node);
    if (*p == '{' || *p == '[') {
        level = deeper(parser, level);
        if (!level)
            return NULL;
        begin(level, node, *p == '{' ? HOOP_DOC_OBJECT : HOOP_DOC_ARRAY);
        p = hoop__json_space(p + 1, end);
        if (p < end && *p == (level->type == HOOP_DOC_OBJECT ? '}' : ']'))
            goto close;
        if (level->type == HOOP_DOC_ARRAY)
            goto value;
        goto key;
    }
    p = take_scalar(parser, node, p);
    if (!p)
        return NULL;
    goto behind;

key:
    if (p == end || *p != '"')
        return NULL;
    NEW_NODE(node);
    p = take_string(parser, node, p, HOOP__NODE_KEY);
    if (!p)
        return NULL;
    note_key(level, node, end);
    p = hoop__json_space(p, end);
    if (p == end || *p++ != ':')
        return NULL;
    goto value;

close:
    p++;
    parser->next = next;
    if (!finish(parser, level))
        return NULL;
    next = parser->next;
    level--;

behind:
    level->count++;
    p = hoop__json_space(p, end);
    parser->next = next;
    if (!level->type)
        return p;
    if (p == end)
        return NULL;
    if (*p == ',') {
        p = hoop__json_space(p + 1, end);
        if (level->type == HOOP_DOC_OBJECT)
            goto key;
        goto value;
    }
    if (*p != (level->type == HOOP_DOC_OBJECT ? '}' : ']'))
        return NULL;
    goto close;
}

/* --- the whole --------------------------------------------------------------------------------- */

static size_t limit_of(uint64_t limit, size_t usual, size_t most)
{
    limit = limit ? limit : usual;
    return limit < most ? (size_t)limit : most;
}

struct hoop__doc_limits hoop__doc_limits(const hoop_doc_options *options, size_t size)
{
    hoop_doc_options o = { 0 };
    if (options)
        memcpy(&o, options, size < sizeof o ? size : sizeof o);
    return (struct hoop__doc_limits){
        .max_bytes = limit_of(o.max_bytes, (size_t)64 << 20, HOOP__DOC_MOST),
        .max_values = limit_of(o.max_values, (size_t)1 << 20, HOOP__DOC_MOST),
        .max_depth = limit_of(o.max_depth, HOOP__DOC_DEPTH, HOOP__DOC_MOST),
        .duplicates = o.duplicates,
        .allow_nul = o.allow_nul,
    };
}

int hoop__doc_parse(struct hoop_arena *arena, hoop_str text, const struct hoop__doc_limits *limits,
                    const hoop_json_doc **ret_doc, hoop_json_error *error)
{
    struct hoop__level levels[HOOP__DOC_LEVELS];
    struct hoop__parser parser = { .arena = arena, .limits = limits, .levels = levels };
    parser.begin = text.data;
    parser.end = text.data + text.len;
    /* The first level is the text's own, which is none of the depth. */
    parser.levels_end =
        levels + (limits->max_depth < HOOP__DOC_LEVELS ? limits->max_depth + 1 : HOOP__DOC_LEVELS);
    if (text.len > limits->max_bytes)
        return hoop__read_error_size(limits->max_bytes, error);
    parser.doc = hoop__arena_alloc(arena, sizeof *parser.doc);
    if (!parser.doc)
        return hoop__read_error_plain(HOOP_ENOMEM, hoop_strerror(HOOP_ENOMEM), error);
    parser.doc->segments = NULL;
    const char *end = pass(&parser, text.data);
    if (end == parser.end) {
        parser.doc->root = (const struct hoop_json_node *)(const void *)(parser.doc->segments + 1);
        trim(&parser);
        *ret_doc = parser.doc;
        return 0;
    }
    if (parser.code == HOOP_ENOMEM)
        return hoop__read_error_plain(HOOP_ENOMEM, hoop_strerror(HOOP_ENOMEM), error);
    if (parser.twice)
        return hoop__read_error_twice(text, parser.twice, error);
    return hoop__read_error(arena, text, limits, error);
}

int hoop_doc_parse_sized(hoop_arena *arena, hoop_str text, const hoop_json_doc **ret_doc,
                         hoop_json_error *error, const hoop_doc_options *options,
                         size_t options_size)
{
    hoop_json_error own;
    struct hoop__doc_limits limits = hoop__doc_limits(options, options_size);
    const char *wrong = NULL;
    error = error ? error : &own;
    if (!arena)
        wrong = "the arena is NULL";
    else if (!ret_doc)
        wrong = "the place of the result is NULL";
    else if (limits.duplicates > HOOP_DOC_LAST)
        wrong = "duplicates is none of HOOP_DOC_REFUSE, _FIRST and _LAST";
    return wrong ? hoop__read_error_plain(HOOP_EINVAL, wrong, error)
                 : hoop__doc_parse(arena, text, &limits, ret_doc, error);
}
