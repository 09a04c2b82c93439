/* What parse.c and parse_index.c share: a tree in the making. */
#ifndef HOOP_JSON_PARSE_H
#define HOOP_JSON_PARSE_H

#include "json/read.h"

/* Levels for which no memory is asked. */
#define HOOP__DOC_LEVELS 32u

/* A container that has begun. */
struct hoop__level {
    struct hoop_json_node *node;
    uint64_t seen_a, seen_b; /* a bit for each key's hash, two ways */
    uint32_t count;          /* of members or elements so far */
    uint32_t type;           /* 0: around the whole text */
    uint32_t twice;          /* by the bits, a key may be there twice */
};

struct hoop__parser {
    struct hoop_arena *arena;
    const struct hoop__doc_limits *limits;
    const char *begin, *end; /* the text */
    struct hoop_json_doc *doc;
    struct hoop__doc_segment *segment; /* the newest */
    struct hoop_json_node *next;       /* the first free node; pass() has a copy */
    struct hoop_json_node *last;       /* the newest segment's last node, kept for a LINK */
    struct hoop__level *levels, *levels_end;
    const struct hoop_json_node *twice; /* a key that was there before, and is refused */
    uint64_t seed[2];                   /* of the tables, once there is one */
    int has_seed;
    int code; /* HOOP_ENOMEM, or 0 */
};

/* A segment more, for the nodes of an index. */
struct hoop_json_node *hoop__parse_grow(struct hoop__parser *parser);

/* Ends a container that has many members or elements, or maybe one twice. 0, or what it is refused for. */
int hoop__parse_index(struct hoop__parser *parser, const struct hoop__level *level);

#endif
