/* Indexes of large arrays and objects, and the look for two members of one name. */
#include "json/parse.h"

#include "base/hash.h"
#include "base/random.h"

#include <time.h>

/* --- seeds ------------------------------------------------------------------------------------- */

/*
 * The seed of a tree's tables, without which nobody can choose keys that collide. If the system has no random
 * bytes, what others can hardly know: the clock and where things lie.
 */
static void make_seed(uint64_t seed[2])
{
    struct timespec now = { 0, 0 };
    if (hoop__random(seed, 2 * sizeof seed[0]) == 0)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    seed[0] = (uint64_t)now.tv_nsec * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)(uintptr_t)seed;
    seed[1] = (uint64_t)now.tv_sec * UINT64_C(0xd1342543de82ef95) ^ (uint64_t)(uintptr_t)&now;
}

/* --- objects ----------------------------------------------------------------------------------- */

static int same_key(const struct hoop_json_node *a, const struct hoop_json_node *b)
{
    return a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

static size_t size_of(size_t count)
{
    size_t slots = 64;
    while (slots < count * 2)
        slots *= 2;
    return sizeof(struct hoop__members) + slots * sizeof(const struct hoop_json_node *);
}

/* Where a key is, or would be. */
static size_t slot_of(const struct hoop__members *members, hoop_str key)
{
    size_t at = (size_t)(hoop__hash(members->seed, key.data, key.len) & members->mask);
    while (members->slots[at] && !hoop_str_eq(hoop__node_str(members->slots[at]), key))
        at = (at + 1) & (size_t)members->mask;
    return at;
}

const struct hoop_json_node *hoop__members_find(const struct hoop__members *members, hoop_str key)
{
    return members->slots[slot_of(members, key)];
}

/* Looks for members of one name, too, while it fills the table; with `last` the last of a name is kept. */
static const struct hoop_json_node *fill(struct hoop__members *members,
                                         const struct hoop_json_node *object, int last)
{
    const struct hoop_json_node *twice = NULL, *key = object + 1;
    size_t size = size_of(object->size) - sizeof *members;
    memset(members->slots, 0, size);
    members->mask = size / sizeof members->slots[0] - 1;
    for (uint32_t i = 0; i < object->size; i++) {
        key = i ? hoop__node_next(hoop__node_next(key)) : hoop__node_here(key);
        size_t at = slot_of(members, hoop__node_str(key));
        if (members->slots[at] && !twice)
            twice = key;
        if (last || !members->slots[at])
            members->slots[at] = key;
    }
    return twice;
}

/* The second of two members of one name in an object with few members, or NULL. */
static const struct hoop_json_node *find_twice(const struct hoop_json_node *object)
{
    const struct hoop_json_node *keys[HOOP__DOC_FEW], *key = object + 1;
    for (uint32_t i = 0; i < object->size; i++) {
        key = i ? hoop__node_next(hoop__node_next(key)) : hoop__node_here(key);
        for (uint32_t k = 0; k < i; k++)
            if (keys[k]->kind >> HOOP__NODE_HASH == key->kind >> HOOP__NODE_HASH &&
                same_key(keys[k], key))
                return key;
        keys[i] = key;
    }
    return NULL;
}

/* --- at the end of a container ----------------------------------------------------------------- */

/* Adds the node that holds an index. */
static int add_table(struct hoop__parser *parser, struct hoop_json_node *node, const void *table)
{
    if (parser->next == parser->last) {
        struct hoop_json_node *next = hoop__parse_grow(parser);
        if (!next)
            return HOOP_ENOMEM;
        parser->next = next;
    }
    parser->next->table = table;
    parser->next->size = 0;
    parser->next->kind = HOOP__NODE_TABLE;
    node->end = ++parser->next;
    node->kind |= HOOP__NODE_INDEXED;
    return 0;
}

/* Elements that lie side by side need no index. */
static int index_array(struct hoop__parser *parser, struct hoop_json_node *array)
{
    if ((uintptr_t)array->end == (uintptr_t)(array + 1 + array->size))
        return 0;
    const struct hoop_json_node **elements =
        hoop__arena_alloc(parser->arena, array->size * sizeof(const struct hoop_json_node *));
    if (!elements)
        return HOOP_ENOMEM;
    elements[0] = hoop__node_here(array + 1);
    for (uint32_t i = 1; i < array->size; i++)
        elements[i] = hoop__node_next(elements[i - 1]);
    return add_table(parser, array, elements);
}

static int index_object(struct hoop__parser *parser, struct hoop_json_node *object,
                        const struct hoop_json_node **ret_twice)
{
    size_t size = size_of(object->size);
    struct hoop__members *members = hoop__arena_alloc(parser->arena, size);
    if (!members)
        return HOOP_ENOMEM;
    if (!parser->has_seed)
        make_seed(parser->seed);
    parser->has_seed = 1;
    memcpy(members->seed, parser->seed, sizeof members->seed);
    *ret_twice = fill(members, object, parser->limits->duplicates == HOOP_DOC_LAST);
    return add_table(parser, object, members);
}

int hoop__parse_index(struct hoop__parser *parser, const struct hoop__level *level)
{
    const struct hoop_json_node *twice = NULL;
    int rc = 0;
    if (level->type == HOOP_DOC_ARRAY)
        rc = index_array(parser, level->node);
    else if (level->count > HOOP__DOC_FEW)
        rc = index_object(parser, level->node, &twice);
    else
        twice = find_twice(level->node);
    if (rc < 0) {
        parser->code = rc;
        return rc;
    }
    if (twice && parser->limits->duplicates == HOOP_DOC_LAST)
        level->node->kind |= HOOP__NODE_LAST;
    if (!twice || parser->limits->duplicates != HOOP_DOC_REFUSE)
        return 0;
    parser->twice = twice;
    return HOOP_EPARSE;
}
