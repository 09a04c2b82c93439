/* Typed values of a body's tree, and the 400 that says what is wrong with them. */
#include "json/body.h"
#include "json/read.h"

#include "value/wrong.h"

#include <hoop/param.h>

/* What stands for a value in the answer. */
static hoop_str shown(const hoop_json_node *node)
{
    switch (hoop_doc_type(node)) {
    case HOOP_DOC_NULL:
        return hoop_str_c("null");
    case HOOP_DOC_FALSE:
        return hoop_str_c("false");
    case HOOP_DOC_TRUE:
        return hoop_str_c("true");
    case HOOP_DOC_ARRAY:
        return hoop_str_c("an array");
    case HOOP_DOC_OBJECT:
        return hoop_str_c("an object");
    case 0:
        return hoop_str_none();
    default:
        return hoop__node_str(node);
    }
}

/* The pointer from the root, where `node` is of the body that the exchange keeps. */
static const char *full_pointer(const hoop_request *req, const hoop_json_node *node,
                                const char *pointer)
{
    const hoop_json_doc *doc = hoop__body_doc(req);
    hoop_str front = hoop_doc_pointer(req->arena, doc, node);
    if (front.len == 0)
        return pointer;
    hoop_str whole = hoop_arena_printf(req->arena, "%s%s", front.data, pointer);
    return hoop_str_is_none(whole) ? pointer : whole.data;
}

static int refuse(const hoop_request *req, const hoop_json_node *node, const char *pointer,
                  const hoop_json_node *value, const char *expected, const hoop_response **bad)
{
    /* A client may send many wrong values: those that are not listed must not cost a walk each. */
    int named = bad && !hoop__wrong_is_full(*bad);
    return hoop__wrong(req,
                       &(struct hoop__wrong){ .place = "body",
                                              .kind = "pointer",
                                              .name = named ? full_pointer(req, node, pointer) : "",
                                              .value = shown(value),
                                              .expected = expected },
                       bad);
}

int hoop_doc_refuse(const hoop_request *req, const hoop_json_node *node, const char *pointer,
                    const char *expected, const hoop_response **bad)
{
    if (!req || !pointer || !expected)
        return HOOP_EINVAL;
    const char *copy = NULL;
    if (bad && !hoop__wrong_is_full(*bad))
        copy = hoop_strdup(req, expected);
    return refuse(req, node, pointer, hoop_doc_find(node, pointer), copy ? copy : "another value",
                  bad);
}

/* --- typed values ------------------------------------------------------------------------------ */

struct reader {
    const char *expected;
    int (*read)(const hoop_request *req, const hoop_json_node *node, void *value);
};

static int read_int64(const hoop_request *req, const hoop_json_node *node, void *value)
{
    return hoop_doc_to_int64(node, value);
}

static int read_uint64(const hoop_request *req, const hoop_json_node *node, void *value)
{
    return hoop_doc_to_uint64(node, value);
}

static int read_double(const hoop_request *req, const hoop_json_node *node, void *value)
{
    return hoop_doc_to_double(node, value);
}

static int read_bool(const hoop_request *req, const hoop_json_node *node, void *value)
{
    return hoop_doc_to_bool(node, value);
}

static int read_str(const hoop_request *req, const hoop_json_node *node, void *value)
{
    if (hoop_doc_type(node) != HOOP_DOC_STRING)
        return HOOP_EINVAL;
    return hoop__arena_copy(req->arena, hoop__node_str(node), value);
}

static int read_array(const hoop_request *req, const hoop_json_node *node, void *value)
{
    if (hoop_doc_type(node) != HOOP_DOC_ARRAY)
        return HOOP_EINVAL;
    *(const hoop_json_node **)value = node;
    return 0;
}

static int read_object(const hoop_request *req, const hoop_json_node *node, void *value)
{
    if (hoop_doc_type(node) != HOOP_DOC_OBJECT)
        return HOOP_EINVAL;
    *(const hoop_json_node **)value = node;
    return 0;
}

static int get(const hoop_request *req, const hoop_json_node *node, uint32_t flags,
               const char *pointer, void *value, const hoop_response **bad,
               const struct reader *reader)
{
    if (!req || !pointer || !value || (flags & ~HOOP_REQUIRED) || (*pointer && *pointer != '/'))
        return HOOP_EINVAL;
    const hoop_json_node *found = hoop_doc_find(node, pointer);
    if (!(flags & HOOP_REQUIRED) && (!found || hoop_doc_type(found) == HOOP_DOC_NULL))
        return 0;
    if (!found)
        return refuse(req, node, pointer, NULL, reader->expected, bad);
    int rc = reader->read(req, found, value);
    if (rc == 0)
        return 1;
    if (rc != HOOP_ENOMEM)
        return refuse(req, node, pointer, found, reader->expected, bad);
    hoop__fail_memory(req);
    if (bad)
        *bad = &hoop__canned(503)->pub;
    return rc;
}

int hoop_doc_read_int64(const hoop_request *req, const hoop_json_node *node, uint32_t flags,
                        const char *pointer, int64_t *value, const hoop_response **bad)
{
    static const struct reader reader = { "an integer", read_int64 };
    return get(req, node, flags, pointer, value, bad, &reader);
}

int hoop_doc_read_uint64(const hoop_request *req, const hoop_json_node *node, uint32_t flags,
                         const char *pointer, uint64_t *value, const hoop_response **bad)
{
    static const struct reader reader = { "an integer from 0 on", read_uint64 };
    return get(req, node, flags, pointer, value, bad, &reader);
}

int hoop_doc_read_double(const hoop_request *req, const hoop_json_node *node, uint32_t flags,
                         const char *pointer, double *value, const hoop_response **bad)
{
    static const struct reader reader = { "a number", read_double };
    return get(req, node, flags, pointer, value, bad, &reader);
}

int hoop_doc_read_bool(const hoop_request *req, const hoop_json_node *node, uint32_t flags,
                       const char *pointer, int *value, const hoop_response **bad)
{
    static const struct reader reader = { "true or false", read_bool };
    return get(req, node, flags, pointer, value, bad, &reader);
}

int hoop_doc_read_str(const hoop_request *req, const hoop_json_node *node, uint32_t flags,
                      const char *pointer, hoop_str *value, const hoop_response **bad)
{
    static const struct reader reader = { "a string", read_str };
    return get(req, node, flags, pointer, value, bad, &reader);
}

int hoop_doc_read_array(const hoop_request *req, const hoop_json_node *node, uint32_t flags,
                        const char *pointer, const hoop_json_node **value,
                        const hoop_response **bad)
{
    static const struct reader reader = { "an array", read_array };
    return get(req, node, flags, pointer, (void *)value, bad, &reader);
}

int hoop_doc_read_object(const hoop_request *req, const hoop_json_node *node, uint32_t flags,
                         const char *pointer, const hoop_json_node **value,
                         const hoop_response **bad)
{
    static const struct reader reader = { "an object", read_object };
    return get(req, node, flags, pointer, (void *)value, bad, &reader);
}
