/* Parameters of a request: looked up in its path, query, form and headers, and read as typed values. */
#include "handler/router.h"

#include "codec/form.h"
#include "handler/param_value.h"
#include "value/wrong.h"
#include "handler/params.h"

#include <hoop/body.h>
#include <hoop/param.h>

#include <string.h>

#define PLACE 15u /* the bits of `from` that tell where */

/* --- lookup ---------------------------------------------------------------------------------- */

/* The urlencoded text of a place; absent if there is none. */
static hoop_str form_of(const hoop_request *req, uint32_t place)
{
    if (place == HOOP_IN_QUERY)
        return req->query_string;
    struct hoop__media media;
    hoop_str type = hoop_header(req, "content-type");
    if (hoop__media_parse(hoop_str_trim(type), &media) ||
        !hoop__media_is(&media, "application", "x-www-form-urlencoded"))
        return hoop_str_none();
    return hoop_body(req);
}

/* Nonzero if an encoded name is `name`; `room` has the encoded one's size. */
static int is_name(hoop_str encoded, hoop_str name, char *room)
{
    if (!hoop__form_is_encoded(encoded))
        return hoop_str_eq(encoded, name);
    size_t size = hoop__form_decode_lenient(encoded, room);
    return hoop_str_eq(hoop_str_n(room, size), name);
}

/* The longest encoded name in a form that may be `name`: an escape is three bytes for one. */
static size_t room_for(hoop_str name)
{
    return name.len * 3 + 1;
}

/*
 * Goes through the pairs named `name`. Gives how many there are; the value of the `index`-th (SIZE_MAX:
 * of the last), still encoded, to *ret_value, if there is one.
 */
static size_t scan(const hoop_request *req, hoop_str form, hoop_str name, size_t index,
                   hoop_str *ret_value)
{
    size_t count = 0;
    hoop_str key, value;
    char *room = hoop_alloc(req, room_for(name));
    if (!room)
        return 0;
    while (hoop__form_next(&form, &key, &value)) {
        if (key.len >= room_for(name) || !is_name(key, name, room))
            continue;
        if (index == SIZE_MAX || count == index)
            *ret_value = value;
        count++;
    }
    return count;
}

/* The decoded value, with a NUL behind it. Absent if it has one within, or if out of memory. */
static hoop_str decoded(const hoop_request *req, hoop_str value)
{
    char *text = hoop_alloc(req, value.len + 1);
    if (!text)
        return hoop_str_none();
    size_t size = hoop__form_decode_lenient(value, text);
    text[size] = 0;
    return memchr(text, 0, size) ? hoop_str_none() : hoop_str_n(text, size);
}

/* The same of pairs that a middleware has read. */
static size_t search(const hoop_field *items, size_t item_count, const char *name, size_t index,
                     hoop_str *ret_value)
{
    size_t count = 0;
    hoop_str wanted = hoop_str_c(name);
    for (size_t i = 0; i < item_count; i++) {
        if (!hoop_str_eq(items[i].name, wanted))
            continue;
        if (index == SIZE_MAX || count == index)
            *ret_value = items[i].value;
        count++;
    }
    return count;
}

static size_t header_count(const hoop_request *req, const char *name)
{
    size_t count = 0;
    while (!hoop_str_is_none(hoop_header_at(req, name, count)))
        count++;
    return count;
}

/* The values in one place: how many, and the `index`-th (SIZE_MAX: the one that stands for all). */
static size_t look(const hoop_request *req, uint32_t place, const char *name, size_t index,
                   hoop_str *ret_value)
{
    hoop_str value = hoop_str_none();
    *ret_value = value;
    if (place == HOOP_IN_PATH) {
        value = hoop__path_param(req, name);
        size_t there = !hoop_str_is_none(value);
        if (there && (index == 0 || index == SIZE_MAX))
            *ret_value = value;
        return there;
    }
    if (place == HOOP_IN_HEADER) {
        *ret_value = hoop_header_at(req, name, index == SIZE_MAX ? 0 : index);
        return header_count(req, name);
    }
    const hoop_field *items;
    size_t item_count;
    if (hoop__params_in(req, place, &items, &item_count))
        return search(items, item_count, name, index, ret_value);
    hoop_str form = form_of(req, place);
    if (!form.len)
        return 0;
    size_t count = scan(req, form, hoop_str_c(name), index, &value);
    if (index == SIZE_MAX ? count : index < count)
        *ret_value = decoded(req, value);
    return count;
}

/* The places of HOOP_IN_ANY in their order: the first that has the name. */
static uint32_t place_of(const hoop_request *req, uint32_t from, const char *name)
{
    hoop_str value;
    uint32_t place = from & PLACE;
    if (place != HOOP_IN_ANY)
        return place;
    for (place = HOOP_IN_PATH; place < HOOP_IN_FORM; place++)
        if (look(req, place, name, SIZE_MAX, &value))
            break;
    return place;
}

hoop_str hoop_param_at(const hoop_request *req, uint32_t from, const char *name, size_t index)
{
    hoop_str value;
    if (!req || !name || (from & PLACE) > HOOP_IN_HEADER || index == SIZE_MAX)
        return hoop_str_none();
    look(req, place_of(req, from, name), name, index, &value);
    return value;
}

size_t hoop_param_count(const hoop_request *req, uint32_t from, const char *name)
{
    hoop_str value;
    if (!req || !name || (from & PLACE) > HOOP_IN_HEADER)
        return 0;
    return look(req, place_of(req, from, name), name, SIZE_MAX, &value);
}

hoop_str hoop_param_in(const hoop_request *req, uint32_t from, const char *name)
{
    hoop_str value;
    if (!req || !name || (from & PLACE) > HOOP_IN_HEADER)
        return hoop_str_none();
    look(req, place_of(req, from, name), name, SIZE_MAX, &value);
    return value;
}

hoop_str hoop_param(const hoop_request *req, const char *name)
{
    return hoop_param_in(req, HOOP_IN_ANY, name);
}

/* --- what is wrong --------------------------------------------------------------------------- */

static int refuse(const hoop_request *req, uint32_t place, const char *name, hoop_str value,
                  const char *expected, const hoop_response **bad)
{
    static const char *const places[] = { "", "path", "query", "form", "header" };
    return hoop__wrong(req,
                       &(struct hoop__wrong){ .place = places[place],
                                              .kind = "parameter",
                                              .name = name,
                                              .value = value,
                                              .expected = expected },
                       bad);
}

/* --- typed values ---------------------------------------------------------------------------- */

struct reader {
    const char *expected;
    int (*read)(hoop_str text, void *value);
};

static int read_int64(hoop_str text, void *value)
{
    return hoop__value_int64(text, value);
}

static int read_double(hoop_str text, void *value)
{
    return hoop__value_double(text, value);
}

static int read_bool(hoop_str text, void *value)
{
    return hoop__value_bool(text, value);
}

static int read_uuid(hoop_str text, void *value)
{
    return hoop__value_uuid(text, value);
}

static int read_time(hoop_str text, void *value)
{
    return hoop__value_time(text, value);
}

static int read_text(hoop_str text, void *value)
{
    *(hoop_str *)value = text;
    return 0;
}

static int get(const hoop_request *req, uint32_t from, const char *name, void *value,
               const hoop_response **bad, const struct reader *reader)
{
    hoop_str text;
    int is_text = reader->read == read_text, required = (from & HOOP_REQUIRED) != 0;
    if (!req || !name || !value || (from & PLACE) > HOOP_IN_HEADER)
        return HOOP_EINVAL;
    uint32_t place = place_of(req, from, name);
    size_t count = look(req, place, name, SIZE_MAX, &text);
    if (!count && (from & PLACE) == HOOP_IN_ANY)
        place = HOOP_IN_QUERY; /* where one would have expected it */
    if (!count)
        return required ? refuse(req, place, name, hoop_str_none(), reader->expected, bad) : 0;
    if (hoop_str_is_none(text)) /* it has a NUL within */
        return refuse(req, place, name, hoop_str_c(""), reader->expected, bad);
    if ((is_text && required && !text.len) || reader->read(text, value))
        return refuse(req, place, name, text, reader->expected, bad);
    return 1;
}

int hoop_param_int64(const hoop_request *req, uint32_t from, const char *name, int64_t *value,
                     const hoop_response **bad)
{
    static const struct reader reader = { "an integer", read_int64 };
    return get(req, from, name, value, bad, &reader);
}

int hoop_param_double(const hoop_request *req, uint32_t from, const char *name, double *value,
                      const hoop_response **bad)
{
    static const struct reader reader = { "a number", read_double };
    return get(req, from, name, value, bad, &reader);
}

int hoop_param_bool(const hoop_request *req, uint32_t from, const char *name, int *value,
                    const hoop_response **bad)
{
    static const struct reader reader = { "true or false", read_bool };
    return get(req, from, name, value, bad, &reader);
}

int hoop_param_uuid(const hoop_request *req, uint32_t from, const char *name, uint8_t value[16],
                    const hoop_response **bad)
{
    static const struct reader reader = { "a UUID", read_uuid };
    return get(req, from, name, value, bad, &reader);
}

int hoop_param_time(const hoop_request *req, uint32_t from, const char *name, int64_t *value,
                    const hoop_response **bad)
{
    static const struct reader reader = { "a date and time like 2026-11-30T09:00:00Z", read_time };
    return get(req, from, name, value, bad, &reader);
}

int hoop_param_text(const hoop_request *req, uint32_t from, const char *name, hoop_str *value,
                    const hoop_response **bad)
{
    static const struct reader reader = { "a text", read_text };
    return get(req, from, name, value, bad, &reader);
}
