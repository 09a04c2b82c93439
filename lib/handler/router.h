/* The router's inside: templates of paths, the trie they are in, the rows, and what a match leaves. */
#ifndef HOOP_HANDLER_ROUTER_H
#define HOOP_HANDLER_ROUTER_H

#include "codec/media.h"
#include "handler/node.h"

#include <hoop/router.h>

#define HOOP__MAX_PARAMS   32u  /* of one path */
#define HOOP__MAX_SEGMENTS 128u /* of one path */
#define HOOP__SHOWN_PATH   100u /* bytes of a path in a message */
#define HOOP__ANY_METHOD   0xffffffffu

/* --- templates ------------------------------------------------------------------------------- */

/* What the value of a parameter must be. Interned: equal types have one address. */
struct hoop__route_type {
    struct hoop__route_type *next;
    const char *name;
    const char *shape;     /* of a built-in one, see route_type.c; NULL: words or a predicate */
    const hoop_str *words; /* NULL: none */
    size_t word_count;
    hoop_route_fits_fn *fits; /* of the program, or what a shape can't say; or NULL */
    void *data;
    uint8_t foreign; /* of the program: nothing is known of what fits */
};

/* Text, and the parameter behind it. */
struct hoop__piece {
    hoop_str text;                       /* may be empty in front of a parameter */
    const struct hoop__route_type *type; /* NULL: any value */
    uint8_t is_param;                    /* 0: only in the last piece */
    char stop; /* the byte that ends the parameter; 0: the segment's end */
};

/* A segment of a template. One piece without a parameter is fixed text. */
struct hoop__segment {
    hoop_str text; /* as it was written */
    const struct hoop__piece *pieces;
    uint32_t piece_count;
    uint32_t param_count;
};

struct hoop__template {
    hoop_str path; /* as it was written, with all prefixes */
    struct hoop__segment *segments;
    uint32_t segment_count;
    uint32_t param_count; /* the rest counts, too */
    hoop_str *names;      /* of the parameters, in order */
    uint8_t has_rest;     /* behind the segments follows *rest */
    uint8_t takes_bare;   /* a mount's: may also end where the rest would begin */
};

static inline int hoop__segment_is_text(const struct hoop__segment *segment)
{
    return segment->piece_count == 1 && !segment->pieces[0].is_param;
}

/* The type named in a template, made if it is a list of words; NULL and *ret_code if there is none. */
const struct hoop__route_type *hoop__route_type(hoop_arena *arena, struct hoop__route_type **types,
                                                hoop_str name, int *ret_code);

/* Nonzero if a byte is one of those that a letter of a shape stands for. */
int hoop__shape_has(char shape, char c);

/* Nonzero if the value fits. */
int hoop__route_type_fits(const struct hoop__route_type *type, hoop_str value);

/* The program's types on top of the built-in ones. 0 or a code and a text. */
int hoop__route_types(hoop_arena *arena, const hoop_router_options *options,
                      struct hoop__route_type **ret_types, hoop_error *error);

/*
 * Parses a path; `mount` has it followed by all below. 0, HOOP_ENOMEM, or HOOP_EINVAL and a text that
 * goes behind "route N 'PATH': ".
 */
int hoop__template_parse(hoop_arena *arena, struct hoop__route_type **types, hoop_str path,
                         int mount, struct hoop__template *ret_template, hoop_error *error);

/* Nonzero if a decoded segment matches; its parameters go to `values`. */
int hoop__segment_match(const struct hoop__segment *segment, hoop_str text, hoop_str *values);

/* Nonzero if two segments mean the same, the names of their parameters aside. */
int hoop__segment_same(const struct hoop__segment *a, const struct hoop__segment *b);

/* Below 0 if `a` is to be tried before `b`, 0 if neither. */
int hoop__segment_order(const struct hoop__segment *a, const struct hoop__segment *b);

/* Room to work in, for the next function; NULL: out of memory. */
struct hoop__overlap *hoop__overlap_new(hoop_arena *arena);

/*
 * Nonzero if some text satisfies both; then *ret_example is one (in `arena`, or a slice of the
 * template), or absent if none is known. Where predicates of the program are in the way, the answer is
 * yes.
 */
int hoop__segment_overlap(hoop_arena *arena, struct hoop__overlap *room,
                          const struct hoop__segment *a, const struct hoop__segment *b,
                          hoop_str *ret_example);

/* --- maps from texts ------------------------------------------------------------------------- */

struct hoop__map_entry {
    uint64_t
        key; /* the hash; of texts of up to 8 bytes it is their own, so that nothing else has it */
    const char *text;
    size_t len;
    void *value; /* NULL: free */
};

struct hoop__map {
    struct hoop__map_entry *entries;
    uint32_t mask;
    uint32_t count;
};

static inline uint64_t hoop__load(const char *p, size_t size)
{
    uint64_t value = 0;
    uint32_t half;
    if (size == 8) {
        memcpy(&value, p, 8);
        return value;
    }
    memcpy(&half, p, 4);
    return half;
}

/* Of up to 8 bytes, so that texts of one length have different ones. */
static inline uint64_t hoop__hash_short(const char *p, size_t len)
{
    if (len >= 4)
        return hoop__load(p, 4) << 32 | hoop__load(p + len - 4, 4);
    if (len == 0)
        return 0;
    return (uint64_t)(unsigned char)p[0] << 16 | (uint64_t)(unsigned char)p[len / 2] << 8 |
           (unsigned char)p[len - 1];
}

/* Tables come from the program, lookups from anywhere: hence fast, and nothing against attacks. */
static inline uint64_t hoop__hash(const char *p, size_t len)
{
    const uint64_t k = 0x9e3779b97f4a7c15u;
    uint64_t h;
    if (len <= 8) {
        h = hoop__hash_short(p, len);
    } else {
        h = len;
        for (size_t i = 0; i + 8 < len; i += 8) {
            h = (h ^ hoop__load(p + i, 8)) * k;
            h ^= h >> 29;
        }
        h ^= hoop__load(p + len - 8, 8);
    }
    /* The last bytes of a text are the high ones here, and they tell the most. Nothing gets lost. */
    h ^= h >> 32;
    h *= k;
    return h ^ h >> 32;
}

/* Of more than 8 bytes, of which most have no more than 16. */
static inline int hoop__same_text(const char *a, const char *b, size_t len)
{
    if (len > 16)
        return memcmp(a, b, len) == 0;
    return hoop__load(a, 8) == hoop__load(b, 8) &&
           hoop__load(a + len - 8, 8) == hoop__load(b + len - 8, 8);
}

static inline const struct hoop__map_entry *hoop__map_probe(const struct hoop__map *map,
                                                            uint64_t key, const char *text,
                                                            size_t len)
{
    for (uint32_t i = (uint32_t)key & map->mask;; i = (i + 1) & map->mask) {
        const struct hoop__map_entry *entry = &map->entries[i];
        if (!entry->value)
            return NULL;
        if (entry->key == key && entry->len == len &&
            (len <= 8 || hoop__same_text(entry->text, text, len)))
            return entry;
    }
}

/* The value of a text, NULL if it has none. */
static inline void *hoop__map_find(const struct hoop__map *map, hoop_str text)
{
    if (!map->count)
        return NULL;
    const struct hoop__map_entry *entry =
        hoop__map_probe(map, hoop__hash(text.data, text.len), text.data, text.len);
    return entry ? entry->value : NULL;
}

/* Puts a text in that is not there yet; the text is borrowed, `value` is not NULL. 0 or HOOP_ENOMEM. */
int hoop__map_add(hoop_arena *arena, struct hoop__map *map, hoop_str text, void *value);

/* --- rows and the trie ----------------------------------------------------------------------- */

struct hoop__router;

/* A group; or what stands above all of them, with parent NULL. */
struct hoop__route_group {
    hoop_route pub; /* first: what hoop_route_group() gives */
    const struct hoop__route_group *parent;
    const char *index;  /* "3.1" */
    hoop_handler chain; /* its middleware around a dispatcher; fn NULL: it has none */
    uint32_t level;     /* how many groups with middleware are around it */
    uint8_t own_consumes;
};

/* A media type of `produces` or `consumes`. */
struct hoop__route_media {
    hoop_str text;
    struct hoop__media media;
};

/* A route, ready to be called. */
struct hoop__row {
    hoop_route pub; /* first: what hoop_request_route() gives */
    const struct hoop__route_group *group;
    const char *index; /* "3.1": where it stands in the table */
    /* What every lookup reads stands together. */
    uint32_t methods; /* a bit for each known one; HOOP__ANY_METHOD */
    uint32_t produce_count;
    uint32_t consume_count;
    uint32_t stage_count;
    const hoop_handler *stages; /* the chains of its groups, outermost first, then `handler` */
    struct hoop__template path;
    hoop_handler handler;         /* the route's own middleware and its leaf */
    const hoop_str *method_names; /* in the order given */
    const struct hoop__route_media *produces;
    const struct hoop__route_media *consumes;
    uint32_t method_count;
    uint32_t order;          /* in the table, groups opened */
    uint8_t needs_body_type; /* `consumes` is the route's own: it counts without a body, too */
};

/* The rows that end at a place. Ordered by the table, those for any method last. */
struct hoop__leaf {
    struct hoop__row **rows;
    struct hoop__row
        *one; /* what `rows` points to as long as there is one, to spare a cache line */
    uint32_t count;
    uint32_t cap;
};

/* A parameter or a pattern below a node, and what is behind it. */
struct hoop__branch {
    const struct hoop__segment *segment;
    struct hoop__trie *child;
    uint32_t param_count;
    uint32_t
        takes_all; /* one parameter that any segment but the empty one fits: nothing to look at */
};

struct hoop__trie {
    struct hoop__map texts;        /* of struct hoop__trie */
    struct hoop__branch *branches; /* in the order in which they are tried */
    uint32_t branch_count;
    uint32_t branch_cap;
    struct hoop__leaf leaf; /* rows that end here */
    struct hoop__leaf rest; /* rows whose rest begins here */
};

struct hoop__router {
    struct hoop__node node;
    hoop_router_options options;
    hoop_handler not_found, method_not_allowed, allow_options; /* fn NULL: the default */
    hoop_handler not_acceptable, unsupported_media, bad_path;
    struct hoop__trie trie;
    struct hoop__map paths;  /* those without parameters: the trie's struct hoop__leaf */
    struct hoop__map names;  /* of struct hoop__row */
    struct hoop__row **rows; /* in the order of the table */
    size_t count;
    struct hoop__route_group top;
    const char *all_methods; /* for OPTIONS * */
    int is_flat;             /* no path has a parameter */
};

/* Puts a row into the trie. 0 or HOOP_ENOMEM. */
int hoop__trie_add(hoop_arena *arena, struct hoop__trie *root, struct hoop__row *row);

/* Makes the map of whole paths, once the trie is complete. 0 or HOOP_ENOMEM. */
int hoop__router_flatten(hoop_arena *arena, struct hoop__router *router);

/* --- looking up ------------------------------------------------------------------------------ */

/* A path, cut and decoded as far as needed, and what was found. */
struct hoop__search {
    const struct hoop__router *router;
    const char *end;     /* of the path */
    char cut;            /* the byte between segments: '/', or NUL in a decoded path */
    uint8_t refused;     /* a route matched, but not by its method */
    uint8_t unsupported; /* likewise by the type of the body */
    uint8_t unacceptable;
    uint32_t method; /* its number */
    hoop_str method_name;
    const hoop_request *req; /* for headers; NULL: they are not looked at */
    uint32_t skip;           /* so many candidates are passed over */
    uint32_t value_count;
    const struct hoop__row *row;     /* what was found */
    const struct hoop__row *closest; /* of those that failed by a media type */
    hoop_str media;                  /* negotiated */
    /* Called with each row whose path matches, in place of looking for one; or NULL. */
    void (*each)(void *data, const struct hoop__row *row);
    void *each_data;
    hoop_str values[HOOP__MAX_PARAMS];
};

/* How a path is prepared: as it is, or decoded into an arena. 0, HOOP_EPARSE or HOOP_ENOMEM. */
int hoop__path_open(hoop_arena *arena, hoop_str path, struct hoop__search *search,
                    const char **ret_start);

/* Finds the row for what is in `search`, whose path begins at `start` with '/' or its cut. */
const struct hoop__row *hoop__route_find(struct hoop__search *search, const char *start);

/* Nonzero if the row takes a method. HEAD is taken by rows for GET. */
int hoop__row_takes(const struct hoop__row *row, uint32_t number, hoop_str method);

/* --- media types ----------------------------------------------------------------------------- */

/* Parses a list. 0, HOOP_ENOMEM, or HOOP_EINVAL and a text. */
int hoop__route_media_parse(hoop_arena *arena, const char *list,
                            const struct hoop__route_media **ret_media, uint32_t *ret_count,
                            hoop_error *error);

/* Nonzero if the request's body is of a type that the row consumes. */
int hoop__route_consumes(const struct hoop__row *row, const hoop_request *req);

/* The best of what the row produces by the request's Accept; NULL if nothing is acceptable. */
const struct hoop__route_media *hoop__route_produces(const struct hoop__row *row,
                                                     const hoop_request *req);

/* The response with `name` in its Vary. */
const hoop_response *hoop__add_vary(const hoop_request *req, const hoop_response *res,
                                    const char *name);

/* --- passing --------------------------------------------------------------------------------- */

typedef const hoop_response *hoop__or_else_fn(void *data);

/* `res`, which is pending, or what `fn` gives if it turns out to be a pass. `data` lives with `req`. */
const hoop_response *hoop__or_else(const hoop_request *req, const hoop_response *res,
                                   hoop__or_else_fn *fn, void *data);

/* --- what a match leaves in the request ------------------------------------------------------- */

struct hoop__match {
    const struct hoop__router *router;
    const struct hoop__row *row;
    const struct hoop__match *parent; /* of the router around; NULL: none */
    hoop_str context;
    hoop_str path_info;
    const char *uri; /* whose parts those two are */
    hoop_str media;  /* negotiated; absent */
    uint32_t value_count;
    hoop_str *values;
};

/* The innermost match; NULL in front of a router. */
const struct hoop__match *hoop__match_of(const hoop_request *req);

/* The value of a path parameter, of the innermost router that has it; absent if none has. */
hoop_str hoop__path_param(const hoop_request *req, const char *name);

extern const char hoop__match_key;

/* --- building -------------------------------------------------------------------------------- */

/* What is wrong with a table, collected. */
struct hoop__problem {
    struct hoop__problem *next;
    const struct hoop__row *a, *b; /* of a conflict, else NULL */
    hoop_str text;
};

struct hoop__route_build {
    hoop_arena *arena;
    hoop_arena *scratch;
    struct hoop__router *router;
    struct hoop__route_type *types;
    struct hoop__problem *problems;
    struct hoop__problem **last_problem;
    size_t problem_count;
    size_t row_cap;
    int code; /* of the first problem */
    int out_of_memory;
};

/* Adds a problem. */
void hoop__route_problem(struct hoop__route_build *build, int code, const struct hoop__row *a,
                         const struct hoop__row *b, const char *format, ...) HOOP_PRINTF(5, 6);

/* Opens all groups of a table into rows, with their chains. Problems are collected. */
void hoop__route_table(struct hoop__route_build *build, const hoop_route *table, size_t count,
                       size_t row_size, struct hoop__route_group *group,
                       struct hoop__summary *summary);

/* Finds all pairs of rows that some request satisfies both. */
void hoop__route_conflicts(struct hoop__route_build *build);

/* The handler that calls the next stage of the row that was matched. Fn NULL: out of memory. */
hoop_handler hoop__route_dispatcher(hoop_arena *arena, const struct hoop__router *router,
                                    uint32_t next_stage, const struct hoop__summary *summary);

/* The plain function of a route as a handler: called at the head if it reads its body by itself. */
hoop_handler hoop__route_leaf(hoop_arena *arena, const hoop_route *route);

/* Puts `more` behind what is known, once each, and names the route of needs that have none. */
int hoop__summary_join(hoop_arena *arena, struct hoop__summary *all,
                       const struct hoop__summary *more, const char *route);

/* The router behind a handler: itself, or the first within chains. NULL: there is none. */
const struct hoop__router *hoop__router_of(hoop_handler handler);

/* The text of a JSON string, quotes included, appended to a printer's text. */
void hoop__print_bytes(struct hoop__printer *printer, const char *data, size_t len);
void hoop__print_json_string(struct hoop__printer *printer, hoop_str text);

#endif
