/* Trees made into jansson's values, see from_doc.h, and the way back. */
#include "json/from_doc.h"

#include "json/number.h"
#include "json/read.h"
#include "json/read_error.h"
#include "json/text.h"

#include <hoop/json.h>

static json_t *new_number(const hoop_json_node *node)
{
    int64_t integer;
    double real;
    if (node->kind & HOOP__NODE_REAL)
        return hoop__number_double(hoop__node_str(node), &real) == 0 ? json_real(real) : NULL;
    return hoop__number_int64(hoop__node_str(node), &integer) == 0 ? json_integer(integer) : NULL;
}

/* Sets a member; takes the value over, also on failure. */
static int set(json_t *object, const hoop_json_node *key, json_t *value)
{
#if JANSSON_VERSION_HEX >= 0x020e00
    return json_object_setn_new_nocheck(object, key->text, key->size, value);
#else
    char few[256], *name = key->size < sizeof few ? few : malloc((size_t)key->size + 1);
    if (!name) {
        json_decref(value);
        return -1;
    }
    memcpy(name, key->text, key->size);
    name[key->size] = 0;
    int rc = json_object_set_new_nocheck(object, name, value);
    if (name != few)
        free(name);
    return rc;
#endif
}

/* What is still possible within the values that are being made. */
struct room {
    size_t levels;
    int was_short;
};

static json_t *new_value(const hoop_json_node **at, struct room *room);

/* The members, or elements, of `node`; `*at` goes behind them. */
static json_t *new_container(const hoop_json_node *node, const hoop_json_node **at,
                             struct room *room)
{
    if (room->levels == 0) {
        room->was_short = 1;
        return NULL;
    }
    room->levels--;
    int is_object = hoop__node_type(node) == HOOP_DOC_OBJECT;
    json_t *made = is_object ? json_object() : json_array();
    const hoop_json_node *next = node + 1;
    for (uint32_t i = 0; made && i < node->size; i++) {
        const hoop_json_node *key = hoop__node_here(next);
        next = key + is_object;
        json_t *value = new_value(&next, room);
        if (!value || (is_object ? set(made, key, value) : json_array_append_new(made, value))) {
            json_decref(made);
            return NULL;
        }
    }
    room->levels++;
    *at = node->end;
    return made;
}

static json_t *new_value(const hoop_json_node **at, struct room *room)
{
    const hoop_json_node *node = hoop__node_here(*at);
    *at = node + 1;
    switch (hoop__node_type(node)) {
    case HOOP_DOC_OBJECT:
    case HOOP_DOC_ARRAY:
        return new_container(node, at, room);
    case HOOP_DOC_STRING:
        return json_stringn_nocheck(node->text, node->size);
    case HOOP_DOC_NUMBER:
        return new_number(node);
    case HOOP_DOC_TRUE:
        return json_true();
    case HOOP_DOC_FALSE:
        return json_false();
    default:
        return json_null();
    }
}

json_t *hoop__json_from_node(const hoop_json_node *node, int *ret_deep)
{
    struct room room = { HOOP__DOC_DEPTH, 0 };
    json_t *value = new_value(&node, &room);
    *ret_deep = room.was_short;
    return value;
}

/* --- numbers that do not fit ------------------------------------------------------------------- */

static int fits(const hoop_json_node *node)
{
    int64_t integer;
    double real;
    if (hoop__node_type(node) != HOOP_DOC_NUMBER)
        return 1;
    if (node->kind & HOOP__NODE_REAL)
        return hoop__number_double(hoop__node_str(node), &real) == 0;
    return hoop__number_int64(hoop__node_str(node), &integer) == 0;
}

const hoop_json_node *hoop__json_misfit(const hoop_json_node *node)
{
    if (!node || !hoop__node_holds(node))
        return node && !fits(node) ? node : NULL;
    /* All that is in a container lies behind it, one after the other. */
    const hoop_json_node *at = node + 1;
    while (at != node->end) {
        if (at->kind == HOOP__NODE_LINK) {
            at = at->link;
            continue;
        }
        if (!fits(at))
            return at;
        at++;
    }
    return NULL;
}

void hoop__json_misfit_error(hoop_str text, const hoop_json_node *number, hoop_json_error *error)
{
    const char *what = number->kind & HOOP__NODE_REAL ? "the number is beyond a double"
                                                      : "the integer is beyond 64 bits";
    hoop__read_error_at(text, (size_t)(number->text - text.data), what, error);
}

json_t *hoop_doc_to_json(const hoop_json_node *node, hoop_error *error)
{
    int deep;
    if (!node) {
        hoop_error_set(error, HOOP_EINVAL, "the node is NULL");
        return NULL;
    }
    json_t *value = hoop__json_from_node(node, &deep);
    if (value)
        return value;
    const hoop_json_node *misfit = hoop__json_misfit(node);
    if (deep)
        hoop_error_set(error, HOOP_ETOOBIG, "the tree has over %d levels", HOOP__DOC_DEPTH);
    else if (!misfit)
        hoop_error_set(error, HOOP_ENOMEM, "%s", hoop_strerror(HOOP_ENOMEM));
    else
        hoop_error_set(error, HOOP_ETOOBIG, "the number %.*s does not fit a json_t",
                       misfit->size < 64 ? (int)misfit->size : 64, misfit->text);
    return NULL;
}

int hoop_doc_from_json(hoop_arena *arena, const json_t *value, const hoop_json_doc **ret_doc,
                       hoop_error *error)
{
    /* Keys of jansson's objects are different, and all that its values may have is taken. */
    static const struct hoop__doc_limits limits = {
        .max_bytes = HOOP__DOC_MOST,
        .max_values = HOOP__DOC_MOST,
        .max_depth = HOOP__DOC_DEPTH,
        .duplicates = HOOP_DOC_FIRST,
        .allow_nul = 1,
    };
    hoop_json_error read_error;
    hoop_str text;
    if (!arena || !ret_doc)
        return hoop_error_set(error, HOOP_EINVAL, "arena and ret_doc may not be NULL");
    int rc = hoop__json_text(arena, value, &text, error);
    if (rc)
        return rc;
    rc = hoop__doc_parse(arena, text, &limits, ret_doc, &read_error);
    return rc ? hoop_error_set(error, rc, "%s", read_error.text) : 0;
}
