/* Equality of JSON values as RFC 6902 (4.6) has it, numbers by their value, 1 is 1.0; and their size. */
#include "json/patch.h"
#include "json/pointer.h"

/* Exactly: a double has no more than 53 bits, an integer up to 63. */
static int equal_mixed(double real, json_int_t integer)
{
    return real >= -0x1p63 && real < 0x1p63 && (double)(json_int_t)real == real &&
           (json_int_t)real == integer;
}

static int equal_numbers(const json_t *a, const json_t *b)
{
    if (json_is_integer(a) && json_is_integer(b))
        return json_integer_value(a) == json_integer_value(b);
    if (json_is_integer(a))
        return equal_mixed(json_real_value(b), json_integer_value(a));
    if (json_is_integer(b))
        return equal_mixed(json_real_value(a), json_integer_value(b));
    return json_real_value(a) == json_real_value(b);
}

static int equal_strings(const json_t *a, const json_t *b)
{
    return hoop_str_eq(hoop_str_n(json_string_value(a), json_string_length(a)),
                       hoop_str_n(json_string_value(b), json_string_length(b)));
}

static int equal_arrays(const json_t *a, const json_t *b)
{
    size_t count = json_array_size(a);
    if (count != json_array_size(b))
        return 0;
    for (size_t i = 0; i < count; i++)
        if (!hoop__json_equal(json_array_get(a, i), json_array_get(b, i)))
            return 0;
    return 1;
}

static int equal_objects(const json_t *a, const json_t *b)
{
    json_t *walked = (json_t *)(uintptr_t)a;
    if (json_object_size(a) != json_object_size(b))
        return 0;
    for (void *i = json_object_iter(walked); i; i = json_object_iter_next(walked, i)) {
        const json_t *other = hoop__json_get(b, hoop__json_key(i));
        if (!other || !hoop__json_equal(json_object_iter_value(i), other))
            return 0;
    }
    return 1;
}

int hoop__json_equal(const json_t *a, const json_t *b)
{
    if (a == b)
        return 1;
    if (json_is_number(a) && json_is_number(b))
        return equal_numbers(a, b);
    if (json_typeof(a) != json_typeof(b))
        return 0;
    switch (json_typeof(a)) {
    case JSON_OBJECT:
        return equal_objects(a, b);
    case JSON_ARRAY:
        return equal_arrays(a, b);
    case JSON_STRING:
        return equal_strings(a, b);
    default:
        return 1; /* true, false, null */
    }
}

size_t hoop__json_measure(const json_t *value, uint64_t *budget, size_t most)
{
    size_t deepest = 0;
    if (*budget == 0)
        return SIZE_MAX;
    *budget -= 1;
    if (!json_is_array(value) && !json_is_object(value))
        return 0;
    if (most == 0)
        return SIZE_MAX;
    json_t *walked = (json_t *)(uintptr_t)value;
    for (size_t i = 0; i < json_array_size(value); i++) {
        size_t depth = hoop__json_measure(json_array_get(value, i), budget, most - 1);
        if (depth == SIZE_MAX)
            return SIZE_MAX;
        deepest = depth > deepest ? depth : deepest;
    }
    for (void *i = json_object_iter(walked); i; i = json_object_iter_next(walked, i)) {
        size_t depth = hoop__json_measure(json_object_iter_value(i), budget, most - 1);
        if (depth == SIZE_MAX)
            return SIZE_MAX;
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + 1;
}
