/* The writer's mistakes: the first one is kept with its place. */
#include "json/writer.h"

/* The key at `at` in the buffer, as it stands there, up to its closing quote or the end. */
static hoop_str key_at(const hoop_json_writer *w, size_t at)
{
    const char *start = w->out.start + at, *p = start;
    while (p < w->out.next && *p != '"')
        p += *p == '\\' && p + 1 < w->out.next ? 2 : 1;
    return hoop_str_n(start, start < p ? (size_t)(p - start) : 0);
}

void hoop__json_save_keys(hoop_json_writer *w)
{
    for (struct hoop__json_level *l = w->top; l > w->levels; l--) {
        if (l->kind != HOOP__JSON_OBJECT || l->at == HOOP__JSON_NO_KEY)
            continue;
        /* Levels further down were saved when this one was: their keys stay while it is open. */
        if (l->at == HOOP__JSON_GONE)
            return;
        char *saved = w->saved[l - w->levels];
        hoop_str key = key_at(w, l->at);
        size_t len = key.len < HOOP__JSON_SAVED - 1 ? key.len : HOOP__JSON_SAVED - 1;
        memcpy(saved, key.data, len);
        saved[len] = '\0';
        l->at = HOOP__JSON_GONE;
    }
}

/* Where the next value would stand, before what is in `path`. */
static const char *place(const hoop_json_writer *w, struct hoop__json_path *path)
{
    for (const struct hoop__json_level *l = w->top; l > w->levels; l--) {
        if (l->kind == HOOP__JSON_ARRAY)
            hoop__json_path_index(path, l->at);
        else if (l == w->top && w->expect == HOOP__JSON_KEY)
            continue; /* between two members: the object itself */
        else if (l->at == HOOP__JSON_GONE)
            hoop__json_path_key(path, hoop_str_c(w->saved[l - w->levels]));
        else if (l->at != HOOP__JSON_NO_KEY)
            hoop__json_path_key(path, key_at(w, l->at));
    }
    return hoop__json_path_text(path);
}

void hoop__json_mistake_below(hoop_json_writer *w, struct hoop__json_path *path, const char *what)
{
    if (w->expect == HOOP__JSON_FAILED)
        return;
    const char *at = place(w, path);
    /* Nothing will be written any more, so the text may take the buffer's place. */
    hoop__json_out_drop(&w->out);
    hoop_str text = hoop_arena_printf(w->out.arena, "%s: %s", at, what);
    w->expect = HOOP__JSON_FAILED;
    w->code = HOOP_EINVAL;
    w->text = hoop_str_is_none(text) ? what : text.data;
}

void hoop__json_mistake(hoop_json_writer *w, const char *what)
{
    struct hoop__json_path path;
    path.len = 0;
    path.cut = 0;
    hoop__json_mistake_below(w, &path, what);
}

void hoop__json_fail(hoop_json_writer *w, int code)
{
    if (w->expect == HOOP__JSON_FAILED)
        return;
    if (code == HOOP_EINVAL && !w->out.code) {
        hoop__json_mistake(w, "the text is no UTF-8");
        return;
    }
    hoop__json_out_drop(&w->out);
    w->expect = HOOP__JSON_FAILED;
    w->code = code;
    w->text = hoop_strerror(code);
}
