/** @file
 * JSON written straight into an arena or piece by piece to a function, without a tree in between, and
 * one-liners for small objects. Needs no jansson; JSON values are hoop/json.h's.
 */
#ifndef HOOP_JSON_WRITER_H
#define HOOP_JSON_WRITER_H

#include <hoop/arena.h>
#include <hoop/error.h>
#include <hoop/export.h>
#include <hoop/json_doc.h>
#include <hoop/request.h>
#include <hoop/response.h>
#include <hoop/str.h>

HOOP_BEGIN_DECLS

/**
 * Writes one JSON text (RFC 8259), value by value:
 *
 *     hoop_json_writer *w = hoop_json_writer_new(req->arena);
 *     hoop_json_begin_object(w);
 *     hoop_json_write_key(w, "items");
 *     hoop_json_begin_array(w);
 *     for (size_t i = 0; i < count; i++)
 *         hoop_json_write_int(w, items[i]);
 *     hoop_json_end_array(w);
 *     hoop_json_end_object(w);
 *     return hoop_json_respond(req, 200, w);
 *
 * No call needs a check: the first mistake (a value without a key, two roots, an end too many, NaN, bytes
 * that are no UTF-8, too many levels) or want of memory is kept, all later calls do nothing, and
 * hoop_json_respond() or hoop_json_writer_finish() reports it with its place, `$.items[3].price`. A NULL
 * writer (out of memory) is taken everywhere, too. Keys are not compared: the caller sees to it that no
 * object has one twice.
 *
 * Ownership: it lies in its arena; nothing is freed. What it is given is copied at once. Threads: one at a time,
 * that of the arena. Other allocations in the arena may be made while it writes; without them its text
 * grows in place.
 */
typedef struct hoop_json_writer hoop_json_writer;

/**
 * Takes a part of the text; called in order. The bytes are gone when it returns. 0; HOOP_WAIT (hoop/stream.h):
 * taken, but more should wait, which hoop_json_writer_wait() tells; or a negative code, which ends the writing and is
 * what hoop_json_writer_finish() returns.
 */
typedef int hoop_json_flush_fn(hoop_str bytes, void *data);

/**
 * A `flush` that writes into a response's stream (hoop/stream.h): `data` is its hoop_sink. Between two of the
 * stream's `drained` write until hoop_json_writer_wait() says so, and no more than its max_bytes at one go: what it
 * has no room for (HOOP_EBUSY) ends the writing. The stream is not ended by it.
 */
HOOP_API int hoop_json_flush_to_stream(hoop_str bytes, void *sink);

/** How texts stand in the bytes, read or written: one, as in application/json. Source: RFC 8259 */
#define HOOP_JSON_ONE 0u

/**
 * A text a line, none over two (NDJSON, JSON Lines). Written: LF behind each. Read: empty lines are
 * skipped.
 */
#define HOOP_JSON_LINES 1u

/** application/json-seq: RS before each text, LF behind it. Source: RFC 7464 */
#define HOOP_JSON_SEQ 2u

/** What hoop_json_writer_new_with() takes. Zero means the default. */
typedef struct hoop_json_writer_options {
    hoop_json_flush_fn *flush; /**< where the text goes; NULL: it is kept in the arena */
    void *data;                /**< handed to `flush` */
    uint64_t buffer_size;      /**< bytes kept before `flush` is called; 0: 16384; at least 512 */
    uint32_t max_depth; /**< arrays and objects within each other; 0: 2048; HOOP_OFF32: no limit */
    uint32_t indent;    /**< spaces for each level, a line for each value; 0: compact */
    uint32_t ascii;     /**< nonzero: what is beyond ASCII is written as \\u and four digits */
    /**
     * HOOP_JSON_ONE: a second root value is a mistake; HOOP_JSON_LINES, _SEQ: any number of them, lines
     * are always compact.
     */
    uint32_t sequence;
} hoop_json_writer_options;

/** A writer of one compact text in `arena`. NULL if out of memory or if `arena` is NULL. */
HOOP_API hoop_json_writer *hoop_json_writer_new(hoop_arena *arena);

/** A writer by options; see hoop_json_writer_new_with(). */
HOOP_API hoop_json_writer *hoop_json_writer_new_sized(hoop_arena *arena,
                                                      const hoop_json_writer_options *options,
                                                      size_t options_size);

/** A writer by a `const hoop_json_writer_options *`. NULL if out of memory. */
#define hoop_json_writer_new_with(arena, ...) \
    hoop_json_writer_new_sized((arena), (__VA_ARGS__), sizeof(hoop_json_writer_options))

/** Begins an object: keys and values follow in turn, then hoop_json_end_object(). */
HOOP_API void hoop_json_begin_object(hoop_json_writer *writer);

/** Ends the object begun last. */
HOOP_API void hoop_json_end_object(hoop_json_writer *writer);

/** Begins an array: values follow, then hoop_json_end_array(). */
HOOP_API void hoop_json_begin_array(hoop_json_writer *writer);

/** Ends the array begun last. */
HOOP_API void hoop_json_end_array(hoop_json_writer *writer);

/** The key of the next value in an object: a C string in UTF-8. */
HOOP_API void hoop_json_write_key(hoop_json_writer *writer, const char *key);

/** The same for a slice; NUL bytes become \\u0000. */
HOOP_API void hoop_json_write_key_str(hoop_json_writer *writer, hoop_str key);

/** A string in UTF-8; NULL is written as null. */
HOOP_API void hoop_json_write_string(hoop_json_writer *writer, const char *text);

/** The same for a slice; NUL bytes become \\u0000, the absent string is written as null. */
HOOP_API void hoop_json_write_str(hoop_json_writer *writer, hoop_str text);

/** An integer. Beyond 2^53 many readers (JavaScript's among them) round it: use a string for keys. */
HOOP_API void hoop_json_write_int(hoop_json_writer *writer, int64_t value);

/** An integer without sign. */
HOOP_API void hoop_json_write_uint(hoop_json_writer *writer, uint64_t value);

/**
 * A double, as the shortest text that reads back as the same one: 0.1, 2.0, 1e300, -0.0. NaN and the
 * infinities, which JSON does not have, are mistakes.
 */
HOOP_API void hoop_json_write_double(hoop_json_writer *writer, double value);

/** true or false. */
HOOP_API void hoop_json_write_bool(hoop_json_writer *writer, int value);

/** null. */
HOOP_API void hoop_json_write_null(hoop_json_writer *writer);

/**
 * JSON text as it stands, for one value. Only that it is not empty is checked: never pass what a
 * client sent.
 */
HOOP_API void hoop_json_write_raw(hoop_json_writer *writer, hoop_str json);

/**
 * A value of a tree (hoop/json_doc.h) as the next value, in the writer's own form: numbers as they were written, and
 * of members of one name each. NULL, and more than 2048 levels, are mistakes.
 */
HOOP_API void hoop_json_write_node(hoop_json_writer *writer, const hoop_json_node *node);

/**
 * Hands on what has been written so far, to the last byte that can't change any more. 0, or the code of the
 * first mistake. Does nothing if the text is kept in the arena.
 */
HOOP_API int hoop_json_writer_flush(hoop_json_writer *writer);

/**
 * Whether to go on writing: 0; HOOP_WAIT, once, if `flush` has returned that since this was asked last; or the
 * code of the first mistake.
 */
HOOP_API int hoop_json_writer_wait(hoop_json_writer *writer);

/** 0, or the code of the first mistake, for loops that may as well end early. */
HOOP_API int hoop_json_writer_code(const hoop_json_writer *writer);

/**
 * Ends the text. 0 and `*ret_text` (NULL allowed), in the arena with a NUL behind it; with a `flush`
 * function the rest is handed on and the text is absent. Else the code of the first mistake, named in
 * `error` with its place: HOOP_EINVAL, HOOP_ENOMEM (also for a NULL writer), or what `flush` returned. A
 * text that is not whole is a mistake. Nothing can be written afterwards.
 */
HOOP_API int hoop_json_writer_finish(hoop_json_writer *writer, hoop_str *ret_text,
                                     hoop_error *error);

/**
 * Ends the text and answers with it: application/json and its length. NULL (noted, with the place) if a
 * mistake was made; not for writers with a `flush` function. The writer's arena must be the request's.
 */
HOOP_API const hoop_response *hoop_json_respond(const hoop_request *req, int status,
                                                hoop_json_writer *writer);

/* --- one-liners ------------------------------------------------------------------------------- */

#define HOOP_JSON_TYPE_NULL   0u /**< hoop_json_member.type: null */
#define HOOP_JSON_TYPE_STRING 1u /**< `text` */
#define HOOP_JSON_TYPE_INT    2u /**< `integer` */
#define HOOP_JSON_TYPE_UINT   3u /**< `integer`, read as uint64_t */
#define HOOP_JSON_TYPE_DOUBLE 4u /**< `real` */
#define HOOP_JSON_TYPE_BOOL   5u /**< `integer`, 0 or not */
#define HOOP_JSON_TYPE_RAW    6u /**< `text` as it stands */
#define HOOP_JSON_TYPE_VALUE  7u /**< `value`, a json_t (hoop/json.h) */

/** A member of an object: a key and a tagged value. Made by HOOP_JSON_STR() and its kin; borrows. */
typedef struct hoop_json_member {
    double real;       /**< of HOOP_JSON_TYPE_DOUBLE */
    int64_t integer;   /**< of the integers and HOOP_JSON_TYPE_BOOL */
    hoop_str text;     /**< of HOOP_JSON_TYPE_STRING and _RAW */
    const char *key;   /**< in UTF-8 */
    const void *value; /**< of HOOP_JSON_TYPE_VALUE */
    uint32_t type;     /**< one of HOOP_JSON_TYPE_* */
    uint32_t reserved; /**< 0 */
} hoop_json_member;

/** A member of that type without a value yet; the functions and macros below set it. */
static inline hoop_json_member hoop_json_member_of(const char *key, uint32_t type)
{
    hoop_json_member member;
    member.real = 0;
    member.integer = 0;
    member.text = hoop_str_none();
    member.key = key;
    member.value = NULL;
    member.type = type;
    member.reserved = 0;
    return member;
}

/** What HOOP_JSON_STRN() and HOOP_JSON_RAW() are made of. */
static inline hoop_json_member hoop_json_member_str(const char *key, uint32_t type, hoop_str text)
{
    hoop_json_member member = hoop_json_member_of(key, type);
    member.text = text;
    return member;
}

/** What HOOP_JSON_INT() and HOOP_JSON_BOOL() are made of. */
static inline hoop_json_member hoop_json_member_int(const char *key, uint32_t type, int64_t value)
{
    hoop_json_member member = hoop_json_member_of(key, type);
    member.integer = value;
    return member;
}

/** What HOOP_JSON_UINT() is made of. */
static inline hoop_json_member hoop_json_member_uint(const char *key, uint64_t value)
{
    return hoop_json_member_int(key, HOOP_JSON_TYPE_UINT, (int64_t)value);
}

/** What HOOP_JSON_DOUBLE() is made of. */
static inline hoop_json_member hoop_json_member_double(const char *key, double value)
{
    hoop_json_member member = hoop_json_member_of(key, HOOP_JSON_TYPE_DOUBLE);
    member.real = value;
    return member;
}

/** A member whose value is a C string; NULL gives null. */
#define HOOP_JSON_STR(key, text) \
    hoop_json_member_str((key), HOOP_JSON_TYPE_STRING, hoop_str_c(text))
/** A member whose value is a hoop_str; the absent one gives null. */
#define HOOP_JSON_STRN(key, text) hoop_json_member_str((key), HOOP_JSON_TYPE_STRING, (text))
/** A member whose value is an int64_t. */
#define HOOP_JSON_INT(key, value) hoop_json_member_int((key), HOOP_JSON_TYPE_INT, (value))
/** A member whose value is a uint64_t. */
#define HOOP_JSON_UINT(key, value) hoop_json_member_uint((key), (value))
/** A member whose value is a double. */
#define HOOP_JSON_DOUBLE(key, value) hoop_json_member_double((key), (value))
/** A member whose value is true or false. */
#define HOOP_JSON_BOOL(key, value) hoop_json_member_int((key), HOOP_JSON_TYPE_BOOL, (value) ? 1 : 0)
/** A member whose value is null. */
#define HOOP_JSON_NULL(key) hoop_json_member_of((key), HOOP_JSON_TYPE_NULL)
/** A member whose value is JSON text in a hoop_str, as by hoop_json_write_raw(). */
#define HOOP_JSON_RAW(key, json) hoop_json_member_str((key), HOOP_JSON_TYPE_RAW, (json))

/** Writes `count` members into the object that is open; see hoop_json_write_members(). */
HOOP_API void hoop_json_write_members_sized(hoop_json_writer *writer,
                                            const hoop_json_member *members, size_t count,
                                            size_t member_size);

/**
 * An object of `count` members as the response, application/json; see hoop_json_object(). NULL: noted.
 */
HOOP_API const hoop_response *hoop_json_object_sized(const hoop_request *req, int status,
                                                     const hoop_json_member *members, size_t count,
                                                     size_t member_size);

HOOP_END_DECLS

#ifdef __cplusplus

/** The C++ form of the macro hoop_json_write_members(). */
template <class... Members>
inline void hoop_json_write_members(hoop_json_writer *writer, const Members &...members)
{
    const hoop_json_member list[] = { members... };
    hoop_json_write_members_sized(writer, list, sizeof...(members), sizeof(hoop_json_member));
}

/** The C++ form of the macro hoop_json_object(). */
template <class... Members>
inline const hoop_response *hoop_json_object(const hoop_request *req, int status,
                                             const Members &...members)
{
    const hoop_json_member list[] = { members... };
    return hoop_json_object_sized(req, status, list, sizeof...(members), sizeof(hoop_json_member));
}

#else

/**
 * Writes members into the object that is open, one at least:
 * `hoop_json_write_members(w, HOOP_JSON_INT("id", id), HOOP_JSON_STR("name", name))`.
 */
#define hoop_json_write_members(writer, ...)                                               \
    hoop_json_write_members_sized((writer), (const hoop_json_member[]){ __VA_ARGS__ },     \
                                  HOOP_COUNT(((const hoop_json_member[]){ __VA_ARGS__ })), \
                                  sizeof(hoop_json_member))

/**
 * A small object as the response, application/json and its exact length; one member at least:
 * `hoop_json_object(req, 200, HOOP_JSON_STR("message", "Hello, World!"), HOOP_JSON_INT("n", 7))`.
 * NULL (noted, with the place) if a text is no UTF-8 or a double is not finite, or out of memory.
 */
#define hoop_json_object(req, status, ...)                                             \
    hoop_json_object_sized((req), (status), (const hoop_json_member[]){ __VA_ARGS__ }, \
                           HOOP_COUNT(((const hoop_json_member[]){ __VA_ARGS__ })),    \
                           sizeof(hoop_json_member))

#endif

#endif
