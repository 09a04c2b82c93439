/* A value of a tree written by a writer, in the writer's own form. */
#include "json/read.h"
#include "json/writer.h"

static void write_node(hoop_json_writer *w, const hoop_json_node *node, size_t levels)
{
    const hoop_json_node *inner;
    hoop_str key;
    if (levels == 0 && hoop__node_holds(node)) {
        hoop__json_mistake(w, "too many levels of arrays and objects");
        return;
    }
    hoop_json_iter i = hoop_doc_iter(node);
    switch (hoop__node_type(node)) {
    case HOOP_DOC_OBJECT:
        hoop_json_begin_object(w);
        while (w->expect != HOOP__JSON_FAILED && hoop_doc_next(&i, &key, &inner)) {
            hoop_json_write_key_str(w, key);
            write_node(w, inner, levels - 1);
        }
        hoop_json_end_object(w);
        break;
    case HOOP_DOC_ARRAY:
        hoop_json_begin_array(w);
        while (w->expect != HOOP__JSON_FAILED && hoop_doc_next(&i, NULL, &inner))
            write_node(w, inner, levels - 1);
        hoop_json_end_array(w);
        break;
    case HOOP_DOC_STRING:
        hoop_json_write_str(w, hoop__node_str(node));
        break;
    case HOOP_DOC_NUMBER:
        hoop_json_write_raw(w, hoop__node_str(node));
        break;
    case HOOP_DOC_NULL:
        hoop_json_write_null(w);
        break;
    default:
        hoop_json_write_bool(w, hoop__node_type(node) == HOOP_DOC_TRUE);
    }
}

void hoop_json_write_node(hoop_json_writer *w, const hoop_json_node *node)
{
    if (!w)
        return;
    if (node)
        write_node(w, node, HOOP__JSON_DEPTH);
    else
        hoop__json_mistake(w, "the node is NULL");
}
