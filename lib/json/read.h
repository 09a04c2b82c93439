/* The reader's inside: the nodes of a tree, and the functions that make and walk it. No jansson. */
#ifndef HOOP_JSON_READ_H
#define HOOP_JSON_READ_H

#include "base/arena.h"

#include <hoop/json_doc.h>

/*
 * Nodes lie in the order of the text, an array's elements and an object's members (a key, then its
 * value) behind it. They lie in segments, so that a tree grows without being copied; at the end of a
 * segment a LINK leads to the next. A node's successor is only looked at where one is known to be.
 */
enum {
    HOOP__NODE_LINK = 0,
    /* 1 to 7 are the public types. */
    HOOP__NODE_KEY = 8,
    HOOP__NODE_TABLE = 9, /* the last node within a container that has an index */
    HOOP__NODE_TYPE = 15, /* the bits of the above in `kind` */
    /* Flags of `kind`. */
    HOOP__NODE_COPIED = 16,  /* a string or key that had escapes: the text lies in the arena */
    HOOP__NODE_REAL = 32,    /* a number with a fraction or an exponent */
    HOOP__NODE_INDEXED = 64, /* a container whose end[-1] is a TABLE */
    HOOP__NODE_LAST = 128,   /* an object in which the last of several members counts */
    HOOP__NODE_HASH = 8      /* the shift of a key's hash, 24 bits */
};

struct hoop_json_node {
    union {
        const char *text;                 /* strings, keys, numbers */
        const struct hoop_json_node *end; /* containers: behind their last node */
        const struct hoop_json_node *link;
        const void *table; /* struct hoop__members, or the elements */
    };
    uint32_t size; /* bytes of the text; members or elements */
    uint32_t kind;
};

/* Arrays and objects within each other, unless said otherwise. */
#define HOOP__DOC_DEPTH 2048

/* The longest text: sizes have 32 bits. */
#define HOOP__DOC_MOST UINT32_MAX

/* Containers with more have an index. */
#define HOOP__DOC_FEW 32u

struct hoop__doc_segment {
    struct hoop__doc_segment *next;
    uint64_t count; /* nodes with room, the one for a LINK counted */
};

struct hoop_json_doc {
    const struct hoop_json_node *root;
    const struct hoop__doc_segment *segments; /* the first */
};

/* The keys of a large object, open addressing. */
struct hoop__members {
    uint64_t seed[2];
    uint64_t mask;                        /* slots less one */
    const struct hoop_json_node *slots[]; /* keys, or NULL */
};

static inline uint32_t hoop__node_type(const struct hoop_json_node *node)
{
    return node->kind & HOOP__NODE_TYPE;
}

static inline int hoop__node_holds(const struct hoop_json_node *node)
{
    return hoop__node_type(node) == HOOP_DOC_ARRAY || hoop__node_type(node) == HOOP_DOC_OBJECT;
}

static inline const struct hoop_json_node *hoop__node_here(const struct hoop_json_node *place)
{
    return place->kind == HOOP__NODE_LINK ? place->link : place;
}

/* The node behind `node` and all that is in it, which must be there. */
static inline const struct hoop_json_node *hoop__node_next(const struct hoop_json_node *node)
{
    return hoop__node_here(hoop__node_holds(node) ? node->end : node + 1);
}

static inline hoop_str hoop__node_str(const struct hoop_json_node *node)
{
    return hoop_str_n(node->text, node->size);
}

/* A hash for objects with few members: of the first eight bytes and the length. 24 bits. */
static inline uint32_t hoop__key_hash(uint64_t first, size_t len)
{
    return (uint32_t)(((first ^ len) * UINT64_C(0x9e3779b97f4a7c15)) >> 40);
}

/* The first eight bytes of a key, zeros behind a shorter one. */
static inline uint64_t hoop__key_first(const char *text, size_t len)
{
    uint64_t first = 0;
    memcpy(&first, text, len < 8 ? len : 8);
    return first;
}

/* --- parse.c and what it stands on ------------------------------------------------------------- */

struct hoop__doc_limits {
    size_t max_bytes, max_values, max_depth;
    uint32_t duplicates, allow_nul;
};

/* Fills in the defaults. */
struct hoop__doc_limits hoop__doc_limits(const hoop_doc_options *options, size_t size);

/* 0 and `*ret_doc`; HOOP_ENOMEM; else a code, and the error says why. */
int hoop__doc_parse(struct hoop_arena *arena, hoop_str text, const struct hoop__doc_limits *limits,
                    const hoop_json_doc **ret_doc, hoop_json_error *error);

/*
 * Decodes what stands between the quotes, `raw`, into `out`, which has room for as many bytes. The
 * length, or SIZE_MAX if an escape is wrong. The text was seen to have no control character.
 */
size_t hoop__unescape(hoop_str raw, char *out, int allow_nul);

/* The key node in the table of a large object, or NULL. */
const struct hoop_json_node *hoop__members_find(const struct hoop__members *members, hoop_str key);

#endif
