/* A JSON value written by a writer, in the writer's own form. */
#include "json/text.h"
#include "json/writer.h"

void hoop_json_write_value(hoop_json_writer *w, const json_t *value)
{
    if (hoop__json_begin_value(w, 0))
        return;
    struct hoop__json_path path;
    const char *what = NULL;
    path.len = 0;
    path.cut = 0;
    struct hoop__json_style style = { 0 };
    style.depth = (size_t)(w->top - w->levels);
    /* Whatever the writer may, a loop in the value comes to an end. */
    size_t most = w->max_depth < HOOP__JSON_DEPTH ? w->max_depth : HOOP__JSON_DEPTH;
    style.most = style.depth < most ? most - style.depth : 0;
    style.indent = w->indent;
    style.compact = !w->indent;
    int rc = hoop__json_put_value(&w->out, value, &style, &path, &what);
    if (what)
        hoop__json_mistake_below(w, &path, what);
    else if (rc)
        hoop__json_fail(w, rc);
    else
        hoop__json_end_value(w);
}
