/* Lists of media types; see types.h. */
#include "middleware/types.h"

#include "codec/media.h"
#include "value/value.h"

/* The next word off the front of `*rest`; 0 at the end. */
static int next_word(hoop_str *rest, hoop_str *ret_word)
{
    const char *p = rest->data, *end = p + rest->len;
    while (p < end && *p == ' ')
        p++;
    const char *from = p;
    while (p < end && *p != ' ')
        p++;
    *ret_word = hoop_str_n(from, (size_t)(p - from));
    *rest = hoop_str_n(p, (size_t)(end - p));
    return p > from;
}

static int is_star(hoop_str s)
{
    return s.len == 1 && *s.data == '*';
}

/* 0, or nonzero for a word that is no pattern. */
static int read_pattern(hoop_str word, struct hoop__type_pattern *ret)
{
    const hoop_str any = hoop_str_c("");
    ret->exclude = *word.data == '!';
    if (ret->exclude)
        word = hoop_str_n(word.data + 1, word.len - 1);
    ret->suffix = word.len && *word.data == '+';
    ret->type = ret->subtype = any;
    if (ret->suffix) {
        ret->subtype = word;
        return !hoop__is_token(word) || word.len == 1;
    }
    const char *slash = memchr(word.data, '/', word.len);
    if (!slash)
        return 1;
    ret->type = hoop_str_n(word.data, (size_t)(slash - word.data));
    ret->subtype = hoop_str_n(slash + 1, word.len - ret->type.len - 1);
    if (!hoop__is_token(ret->type) || !hoop__is_token(ret->subtype))
        return 1;
    int all = is_star(ret->type);
    if (is_star(ret->subtype))
        ret->subtype = any;
    if (all)
        ret->type = any;
    return all && ret->subtype.len;
}

int hoop__types_read(hoop_arena *arena, const char *list, struct hoop__types *ret_types,
                     hoop_str *ret_word)
{
    hoop_str rest = hoop_str_c(list), word;
    size_t count = 0, i = 0;
    while (next_word(&rest, &word))
        count++;
    struct hoop__type_pattern *patterns = hoop_arena_alloc(arena, count * sizeof *patterns);
    if (!patterns)
        return HOOP_ENOMEM;
    for (rest = hoop_str_c(list); next_word(&rest, &word); i++) {
        if (read_pattern(word, &patterns[i])) {
            *ret_word = word;
            return HOOP_EINVAL;
        }
    }
    ret_types->patterns = patterns;
    ret_types->count = count;
    return 0;
}

static int has_suffix(hoop_str subtype, hoop_str suffix)
{
    return subtype.len > suffix.len &&
           hoop_str_eq_nocase(hoop_str_n(subtype.data + subtype.len - suffix.len, suffix.len),
                              suffix);
}

static int matches(const struct hoop__type_pattern *p, const struct hoop__media *media)
{
    if (p->suffix)
        return has_suffix(media->subtype, p->subtype);
    return (!p->type.len || hoop_str_eq_nocase(p->type, media->type)) &&
           (!p->subtype.len || hoop_str_eq_nocase(p->subtype, media->subtype));
}

int hoop__types_have(const struct hoop__types *types, hoop_str content_type)
{
    struct hoop__media media;
    int have = 0;
    if (!content_type.len || hoop__media_parse(hoop_str_trim(content_type), &media))
        return 0;
    for (size_t i = 0; i < types->count; i++) {
        if (!matches(&types->patterns[i], &media))
            continue;
        if (types->patterns[i].exclude)
            return 0;
        have = 1;
    }
    return have;
}
