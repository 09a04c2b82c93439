/* The types of path parameters: what fits them. How they overlap is route_overlap.c's. */
#include "handler/router.h"

#include <string.h>

/* --- what shapes can't say ------------------------------------------------------------------- */

static int fits_int(hoop_str value, void *data)
{
    (void)data;
    int negative = value.data[0] == '-';
    uint64_t limit = negative ? (uint64_t)INT64_MAX + 1 : INT64_MAX, n = 0;
    for (size_t i = (size_t)negative; i < value.len; i++) {
        uint64_t digit = (uint64_t)(value.data[i] - '0');
        if (n > (limit - digit) / 10)
            return 0;
        n = n * 10 + digit;
    }
    return 1;
}

static int fits_uint(hoop_str value, void *data)
{
    (void)data;
    uint64_t n = 0;
    for (size_t i = 0; i < value.len; i++) {
        uint64_t digit = (uint64_t)(value.data[i] - '0');
        if (n > (UINT64_MAX - digit) / 10)
            return 0;
        n = n * 10 + digit;
    }
    return 1;
}

static int fits_date(hoop_str value, void *data)
{
    static const uint8_t days[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    (void)data;
    const char *d = value.data;
    int year = (d[0] - '0') * 1000 + (d[1] - '0') * 100 + (d[2] - '0') * 10 + (d[3] - '0');
    int month = (d[5] - '0') * 10 + (d[6] - '0'), day = (d[8] - '0') * 10 + (d[9] - '0');
    int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1] &&
           (leap || month != 2 || day <= 28);
}

/* --- shapes ---------------------------------------------------------------------------------- */

/*
 * A shape is read from left to right without going back: d is a digit, a a letter, n either, h a
 * hexadecimal digit, s what a slug is of; all else is itself. '?' behind it: or nothing; '+': once or more.
 */
static const struct hoop__route_type builtins[] = {
    { .name = "int", .shape = "-?d+", .fits = fits_int },
    { .name = "uint", .shape = "d+", .fits = fits_uint },
    { .name = "uuid", .shape = "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh" },
    { .name = "alpha", .shape = "a+" },
    { .name = "alnum", .shape = "n+" },
    { .name = "hex", .shape = "h+" },
    { .name = "slug", .shape = "s+" },
    { .name = "date", .shape = "dddd-dd-dd", .fits = fits_date },
};

static int is_alpha(char c)
{
    return (unsigned char)((c | 0x20) - 'a') < 26;
}

static int is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

int hoop__shape_has(char shape, char c)
{
    switch (shape) {
    case 'd':
        return is_digit(c);
    case 'a':
        return is_alpha(c);
    case 'n':
        return is_alpha(c) || is_digit(c);
    case 'h':
        return is_digit(c) || (unsigned char)((c | 0x20) - 'a') < 6;
    case 's':
        return is_digit(c) || (unsigned char)(c - 'a') < 26 || c == '-' || c == '_';
    default:
        return shape == c;
    }
}

static int has_shape(const char *shape, hoop_str value)
{
    size_t at = 0;
    for (; *shape; shape++) {
        int there = at < value.len && hoop__shape_has(*shape, value.data[at]);
        if (shape[1] == '?') {
            at += (size_t)there;
            shape++;
            continue;
        }
        if (!there)
            return 0;
        at++;
        if (shape[1] == '+') {
            while (at < value.len && hoop__shape_has(*shape, value.data[at]))
                at++;
            shape++;
        }
    }
    return at == value.len;
}

int hoop__route_type_fits(const struct hoop__route_type *type, hoop_str value)
{
    if (type->words) {
        for (size_t i = 0; i < type->word_count; i++)
            if (hoop_str_eq(type->words[i], value))
                return 1;
        return 0;
    }
    if (type->shape && !has_shape(type->shape, value))
        return 0;
    return !type->fits || type->fits(value, type->data);
}

/* --- by name --------------------------------------------------------------------------------- */

static struct hoop__route_type *words_of(hoop_arena *arena, hoop_str list, int *ret_code)
{
    size_t count = 1;
    for (size_t i = 0; i < list.len; i++)
        count += list.data[i] == '|';
    struct hoop__route_type *type = hoop_arena_zalloc(arena, sizeof *type);
    hoop_str *words = hoop_arena_alloc(arena, count * sizeof *words);
    hoop_str copy = hoop_arena_copy(arena, list);
    *ret_code = HOOP_ENOMEM;
    if (!type || !words || hoop_str_is_none(copy))
        return NULL;
    const char *at = copy.data;
    for (size_t i = 0; i < count; i++) {
        words[i] = hoop_str_n(at, strcspn(at, "|"));
        at += words[i].len + 1;
        if (!words[i].len) {
            *ret_code = HOOP_EINVAL;
            return NULL;
        }
    }
    type->name = copy.data;
    type->words = words;
    type->word_count = count;
    return type;
}

const struct hoop__route_type *hoop__route_type(hoop_arena *arena, struct hoop__route_type **types,
                                                hoop_str name, int *ret_code)
{
    for (const struct hoop__route_type *t = *types; t; t = t->next)
        if (hoop_str_eq_c(name, t->name))
            return t;
    for (size_t i = 0; i < HOOP_COUNT(builtins); i++)
        if (hoop_str_eq_c(name, builtins[i].name))
            return &builtins[i];
    *ret_code = HOOP_EINVAL;
    struct hoop__route_type *type =
        memchr(name.data, '|', name.len) ? words_of(arena, name, ret_code) : NULL;
    if (!type)
        return NULL;
    type->next = *types;
    *types = type;
    return type;
}

static int check_type(const hoop_route_type *given, size_t index, hoop_error *error)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    if (!given->name || !*given->name || given->name[strspn(given->name, allowed)])
        return hoop_error_set(error, HOOP_EINVAL,
                              "type %zu: '%s' is no name of a type (letters, digits, '_', '-')",
                              index, given->name ? given->name : "(null)");
    if (!given->fits)
        return hoop_error_set(error, HOOP_EINVAL, "type %zu '%s' has no function", index,
                              given->name);
    return 0;
}

int hoop__route_types(hoop_arena *arena, const hoop_router_options *options,
                      struct hoop__route_type **ret_types, hoop_error *error)
{
    size_t size = options->type_size ? options->type_size : sizeof(hoop_route_type);
    *ret_types = NULL;
    for (size_t i = 0; i < options->type_count; i++) {
        hoop_route_type given;
        memset(&given, 0, sizeof given);
        memcpy(&given, (const char *)options->types + i * size,
               size < sizeof given ? size : sizeof given);
        int rc = check_type(&given, i, error);
        if (rc)
            return rc;
        struct hoop__route_type *type = hoop_arena_zalloc(arena, sizeof *type);
        if (!type)
            return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
        type->name = hoop_arena_strdup(arena, given.name);
        type->fits = given.fits;
        type->data = given.data;
        type->foreign = 1;
        type->next = *ret_types;
        if (!type->name)
            return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
        *ret_types = type;
    }
    return 0;
}
