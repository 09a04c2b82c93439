/* JSON Pointers (RFC 6901) into a tree, and back from a node. */
#include "json/read.h"

#include <stdio.h>

/* --- from a pointer to a node ------------------------------------------------------------------ */

/*
 * One step: the reference token of `len` bytes, which has escapes if `escaped`. They are undone piece by
 * piece while comparing, so that nothing is allocated.
 */
static int is_token(hoop_str key, const char *token, size_t len)
{
    size_t at = 0;
    for (size_t i = 0; i < len; i++, at++) {
        char c = token[i];
        if (c == '~')
            c = token[++i] == '0' ? '~' : '/';
        if (at == key.len || key.data[at] != c)
            return 0;
    }
    return at == key.len;
}

/* Nonzero if each '~' is one of an escape. */
static int is_right(const char *token, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (token[i] == '~' && (++i == len || (token[i] != '0' && token[i] != '1')))
            return 0;
    return 1;
}

static const hoop_json_node *get_escaped(const hoop_json_node *object, const char *token,
                                         size_t len)
{
    hoop_str key;
    const hoop_json_node *value, *found = NULL;
    hoop_json_iter iter = hoop_doc_iter(object);
    while (hoop_doc_next(&iter, &key, &value)) {
        if (!is_token(key, token, len))
            continue;
        found = value;
        if (!(object->kind & HOOP__NODE_LAST))
            break;
    }
    return found;
}

static const hoop_json_node *get_index(const hoop_json_node *array, const char *token, size_t len)
{
    size_t index = 0;
    if (len == 0 || len > 10 || (token[0] == '0' && len > 1))
        return NULL;
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)(token[i] - '0') > 9)
            return NULL;
        if (index > UINT32_MAX / 10)
            return NULL;
        index = index * 10 + (size_t)(token[i] - '0');
    }
    return hoop_doc_at(array, index);
}

const hoop_json_node *hoop_doc_find(const hoop_json_node *node, const char *pointer)
{
    if (!pointer || (*pointer && *pointer != '/'))
        return NULL;
    while (node && *pointer == '/') {
        const char *token = pointer + 1;
        size_t len = strcspn(token, "/");
        pointer = token + len;
        if (!is_right(token, len))
            return NULL;
        if (hoop_doc_type(node) == HOOP_DOC_ARRAY)
            node = get_index(node, token, len);
        else if (memchr(token, '~', len))
            node = get_escaped(node, token, len);
        else
            node = hoop_doc_get_str(node, hoop_str_n(token, len));
    }
    return node;
}

/* --- from a node to its pointer ---------------------------------------------------------------- */

/* A container that the walk is in. */
struct step {
    hoop_json_iter iter;
    hoop_str key; /* of the member that it is at */
    size_t index; /* of the member or element, from 1 */
};

static size_t put_step(const struct step *step, char *out)
{
    size_t len = 0;
    char number[24];
    hoop_str token = step->key;
    if (hoop_str_is_none(token))
        token = hoop_str_n(number, (size_t)snprintf(number, sizeof number, "%zu", step->index - 1));
    for (size_t i = 0; i <= token.len; i++) {
        char c = i ? token.data[i - 1] : '/';
        int escaped = i && (c == '~' || c == '/');
        if (out)
            out[len] = escaped ? '~' : c;
        len++;
        if (!escaped)
            continue;
        if (out)
            out[len] = c == '~' ? '0' : '1';
        len++;
    }
    return len;
}

static hoop_str put_steps(hoop_arena *arena, const struct step *steps, size_t count)
{
    size_t len = 0;
    for (size_t i = 0; i < count; i++)
        len += put_step(&steps[i], NULL);
    char *text = hoop_arena_alloc(arena, len + 1);
    if (!text)
        return hoop_str_none();
    len = 0;
    for (size_t i = 0; i < count; i++)
        len += put_step(&steps[i], text + len);
    text[len] = 0;
    return hoop_str_n(text, len);
}

/* How many arrays and objects may be open at once: no more than there are. */
static struct step *more_steps(hoop_arena *arena, const struct step *steps, size_t count)
{
    struct step *more = hoop_arena_alloc(arena, count * 2 * sizeof *more);
    if (more)
        memcpy(more, steps, count * sizeof *more);
    return more;
}

/* Nonzero if the node lies in the tree's memory. */
static int is_of(const hoop_json_doc *doc, const hoop_json_node *node)
{
    const struct hoop__doc_segment *segment = doc->segments;
    for (; segment; segment = segment->next) {
        uintptr_t first = (uintptr_t)(segment + 1), at = (uintptr_t)node;
        if (at >= first && at - first < segment->count * sizeof *node)
            return 1;
    }
    return 0;
}

hoop_str hoop_doc_pointer(hoop_arena *arena, const hoop_json_doc *doc, const hoop_json_node *node)
{
    struct step few[16], *steps = few;
    size_t depth = 0, cap = HOOP_COUNT(few);
    if (!arena || !doc || !node || !is_of(doc, node))
        return hoop_str_none();
    const hoop_json_node *at = doc->root;
    for (;;) {
        if (at == node)
            return put_steps(arena, steps, depth);
        if (hoop_doc_size(at)) {
            if (depth == cap) {
                steps = more_steps(arena, steps, cap);
                if (!steps)
                    return hoop_str_none();
                cap *= 2;
            }
            steps[depth++] = (struct step){ .iter = hoop_doc_iter(at) };
        }
        while (depth && !hoop_doc_next(&steps[depth - 1].iter, &steps[depth - 1].key, &at))
            depth--;
        if (!depth)
            return hoop_str_none(); /* a key's node, which nobody is given */
        steps[depth - 1].index++;
    }
}
