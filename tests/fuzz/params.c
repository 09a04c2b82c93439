/*
 * Fuzz target: bytes as urlencoded parameters and as a URI reference. The reader of lists must agree with the
 * codec that takes pairs one by one; trees of them end within their limits; what a reference means is an
 * absolute path without dot segments.
 */
#include "codec/form.h"
#include "codec/reference.h"
#include "codec/utf8.h"
#include "handler/params.h"

#include <hoop.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_COUNT = 64, MAX_NAME = 100 };

static void check(int holds)
{
    if (!holds)
        abort();
}

/* A part as the codec decodes it; 0, or nonzero if the list must refuse it. */
static int decode(hoop_str part, char *out, hoop_str *ret)
{
    size_t size;
    if (memchr(part.data, 0, part.len) || hoop__form_decode(part, out, &size))
        return 1;
    *ret = hoop_str_n(out, size);
    return !hoop__utf8_is_valid(*ret);
}

/* Pair by pair, up to the end or to what is refused. */
static void compare(hoop_arena *arena, hoop_str text, const struct hoop__param_list *list, int rc)
{
    hoop_str name, value, want;
    size_t count = 0;
    char *room = hoop_arena_alloc(arena, text.len + 1);
    while (hoop__form_next(&text, &name, &value)) {
        if (count == MAX_COUNT) {
            check(rc == HOOP_ETOOBIG);
            return;
        }
        if (decode(name, room, &want) || want.len > MAX_NAME) {
            check(rc != 0 && list->count == count);
            return;
        }
        if (count < list->count)
            check(hoop_str_eq(list->items[count].name, want));
        if (decode(value, room, &want)) {
            check(rc == HOOP_EPARSE && list->count == count);
            return;
        }
        check(count < list->count && hoop_str_eq(list->items[count].value, want));
        count++;
    }
    check(rc == 0 && list->count == count);
}

static void read_list(hoop_arena *arena, hoop_str text, int lenient)
{
    const struct hoop__params_rules rules = { MAX_COUNT, MAX_NAME, lenient };
    struct hoop__param_list list = { NULL, 0, 0 };
    const char *problem = NULL;
    int rc = hoop__params_read(arena, text, &rules, &list, &problem);
    check(rc == 0 || problem);
    for (size_t i = 0; i < list.count; i++) {
        check(strlen(list.items[i].name.data) == list.items[i].name.len);
        check(strlen(list.items[i].value.data) == list.items[i].value.len);
        check(hoop__utf8_is_valid(list.items[i].name) && hoop__utf8_is_valid(list.items[i].value));
    }
    if (!lenient)
        compare(arena, text, &list, rc);
}

static void make_tree(hoop_arena *arena, const char *query)
{
    const hoop_response *answer = NULL;
    const hoop_request *req = hoop_mock_query(hoop_mock(arena, "GET", "/", NULL), query);
    req = hoop_params_request(req, &answer, &(hoop_params_options){ .max_count = MAX_COUNT });
    req = hoop_nested_params_request(req, &answer, &(hoop_nested_params_options){ .max_depth = 8 });
    check(!req || hoop_nested_params(req));
}

/* Nonzero if a segment of the path in front of '?' or '#' is "." or "..". */
static int has_dots(const char *path, size_t len)
{
    size_t end = 0;
    while (end < len && path[end] != '?' && path[end] != '#')
        end++;
    for (size_t from = 1, i = 1; i <= end; i++) {
        if (i < end && path[i] != '/')
            continue;
        size_t size = i - from;
        if ((size == 1 || size == 2) && memcmp(path + from, "..", size) == 0)
            return 1;
        from = i + 1;
    }
    return 0;
}

static void resolve(hoop_arena *arena, hoop_str reference)
{
    hoop_str path = hoop_str_c("/a/b/c"), query = hoop_str_c("q");
    size_t room = hoop__reference_room(path, query, reference);
    char *out = hoop_arena_alloc(arena, room);
    if (hoop__reference_is_absolute(reference) || hoop__reference_has_authority(reference))
        return;
    size_t len = hoop__reference_resolve(path, query, reference, out);
    check(len > 0 && len <= room && out[0] == '/' && !has_dots(out, len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_str text = hoop_arena_copy(arena, hoop_str_n((const char *)data, size));
    read_list(arena, text, 0);
    read_list(arena, text, 1);
    make_tree(arena, text.data);
    resolve(arena, text);
    hoop_arena_free(arena);
    return 0;
}
