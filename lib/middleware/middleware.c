/* What the files of this room share; see middleware.h. */
#include "middleware/middleware.h"

#include "base/digits.h"

#include <string.h>

void *hoop__options_copy(hoop_arena *arena, const void *options, size_t options_size,
                         size_t own_size, hoop_error *error)
{
    void *copy = hoop_arena_zalloc(arena, own_size);
    if (!copy) {
        hoop_error_set(error, HOOP_ENOMEM, "out of memory");
        return NULL;
    }
    if (options)
        memcpy(copy, options, options_size < own_size ? options_size : own_size);
    return copy;
}

const void *hoop__options_value(const hoop_request *req, const hoop_middleware_type *type,
                                const void *options, size_t options_size)
{
    const void *value = NULL;
    hoop_error error = { 0, "" };
    if (!req)
        return NULL;
    if (type->build(req->arena, options, options_size, &value, &error))
        return hoop_fail(req, error.code, "%s", error.text);
    return value;
}

const hoop_request *hoop__refused(const hoop_response **ret_answer, const hoop_response *answer)
{
    if (answer && ret_answer)
        *ret_answer = answer;
    return NULL;
}

hoop_str hoop__join(const hoop_request *req, const hoop_str *parts, size_t count)
{
    size_t len = 0;
    for (size_t i = 0; i < count; i++)
        len += parts[i].len;
    char *text = hoop_alloc(req, len + 1), *end = text;
    if (!text)
        return hoop_str_none();
    for (size_t i = 0; i < count; i++) {
        memcpy(end, parts[i].data, parts[i].len);
        end += parts[i].len;
    }
    *end = 0;
    return hoop_str_n(text, len);
}

hoop_str hoop__number_text(const hoop_request *req, uint64_t number)
{
    char digits[HOOP__DIGITS];
    hoop_str text = hoop_str_n(digits, hoop__digits(number, digits));
    return hoop__join(req, &text, 1);
}

struct hoop__rest *hoop__rest_new(const hoop_request *req, hoop_handler next, const void *value)
{
    struct hoop__rest *rest = hoop_alloc(req, sizeof *rest);
    if (rest) {
        rest->next = next;
        rest->value = value;
    }
    return rest;
}
