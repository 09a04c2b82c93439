/** @file
 * JSON read piece by piece: events as the bytes come, in constant memory. For bodies larger than what
 * hoop_request_doc() and hoop_request_json() take, and for many JSON texts in one body.
 */
#ifndef HOOP_JSON_READER_H
#define HOOP_JSON_READER_H

#include <hoop/arena.h>
#include <hoop/export.h>
#include <hoop/json_doc.h>
#include <hoop/json_writer.h> /* HOOP_JSON_ONE, _LINES, _SEQ */
#include <hoop/str.h>
#include <hoop/stream.h>

HOOP_BEGIN_DECLS

/**
 * Reads JSON as its bytes come, and tells what it met. As strict as hoop_doc_parse(), but that members of
 * one name are not found out: each is told. Ownership: it lies in an arena. One thread at a time.
 */
typedef struct hoop_json_reader hoop_json_reader;

/**
 * What is called, in the order of the text; NULL for what is of no interest. Each gets the `data` of
 * hoop_json_reader_new(), and returns 0, or a negative code to stop, which the reader then returns. The
 * slices live until the function returns, and have no NUL behind them.
 */
typedef struct hoop_json_events {
    int (*object_begin)(void *data);            /**< `{` */
    int (*object_end)(void *data);              /**< `}` */
    int (*array_begin)(void *data);             /**< `[` */
    int (*array_end)(void *data);               /**< `]` */
    int (*key)(hoop_str key, void *data);       /**< the name of a member, whole and unescaped */
    int (*number)(hoop_str number, void *data); /**< a number as it was written, whole */
    int (*boolean)(int value, void *data);      /**< true or false */
    int (*null)(void *data);                    /**< null */
    int (*text_end)(void *data);                /**< a JSON text (a line, a record) is complete */

    /**
     * A piece of a string, unescaped, of whole characters; `last` is nonzero with the last piece, which
     * may be empty, as any may.
     */
    int (*string)(hoop_str piece, int last, void *data);

    /**
     * For HOOP_JSON_LINES and HOOP_JSON_SEQ: a text was wrong. With this function the reader goes on with
     * the next line or record; what was told of the wrong one is void. Without it, it stops.
     */
    int (*broken)(const hoop_json_error *error, void *data);
} hoop_json_events;

/** What hoop_json_reader_new() takes. Zero means the default. */
typedef struct hoop_json_reader_options {
    uint64_t max_bytes;  /**< of one text: 1 GiB */
    uint64_t max_values; /**< in one text: 100,000,000 */
    uint64_t max_depth;  /**< arrays and objects within each other: 2048; a bit of memory each */
    uint64_t
        max_key; /**< bytes of a key: 4096; one that comes in pieces or has escapes is collected */
    uint64_t max_number; /**< bytes of a number: 1024; likewise */
    uint32_t framing;    /**< HOOP_JSON_ONE, _LINES or _SEQ */
    uint32_t allow_nul;  /**< nonzero: `\u0000` may stand in strings */
} hoop_json_reader_options;

/** The same as hoop_json_reader_new(), for bindings. */
HOOP_API hoop_json_reader *hoop_json_reader_new_sized(hoop_arena *arena,
                                                      const hoop_json_events *events,
                                                      size_t events_size, void *data,
                                                      const hoop_json_reader_options *options,
                                                      size_t options_size);

/**
 * A reader that calls `events` with `data`. The last argument is a `const hoop_json_reader_options *`, or
 * NULL. `events` is copied. It and all that it collects lie in `arena`: a few hundred bytes, and what the
 * limits on depth, keys and numbers allow. NULL if out of memory, or for arguments that can't be.
 */
#define hoop_json_reader_new(arena, events, data, ...)                                             \
    hoop_json_reader_new_sized((arena), (events), sizeof(hoop_json_events), (data), (__VA_ARGS__), \
                               sizeof(hoop_json_reader_options))

/**
 * Reads on. The bytes may be cut anywhere. 0; HOOP_EPARSE, HOOP_ETOOBIG at a limit, HOOP_ENOMEM, or what
 * an event returned; from then on each call gives the same.
 */
HOOP_API int hoop_json_reader_feed(hoop_json_reader *reader, hoop_str bytes);

/** Says that no more comes: a number at the end is told, an incomplete text is HOOP_EPARSE. */
HOOP_API int hoop_json_reader_end(hoop_json_reader *reader);

/** What went wrong, with its place in all that was fed; NULL if nothing did. Lives with the reader. */
HOOP_API const hoop_json_error *hoop_json_reader_error(const hoop_json_reader *reader);

/** The arrays and objects that are open; within an event that begins or ends one, it is counted. */
HOOP_API size_t hoop_json_reader_depth(const hoop_json_reader *reader);

/** What hoop_read_json_stream() takes. */
typedef struct hoop_json_stream_options {
    const hoop_json_events *events;         /**< what is called; copied */
    const hoop_json_reader_options *reader; /**< NULL: the defaults */
    /**
     * Called exactly once, as in hoop_read_options; a body that is no JSON has a code of
     * hoop_json_reader_feed(). Its NULL is then the 400 that says where and why. NULL: 204, or that.
     */
    hoop_read_end_fn *end;
    void *data;               /**< for events and `end` */
    uint64_t limit;           /**< of the body, as in hoop_read_options */
    hoop_reader **ret_reader; /**< NULL, or where the stream is stored, to pause it */
} hoop_json_stream_options;

/** The same as hoop_read_json_stream(), for bindings. */
HOOP_API const hoop_response *hoop_read_json_stream_sized(const hoop_request *req,
                                                          const hoop_json_stream_options *options,
                                                          size_t options_size);

/**
 * hoop_read_json_stream(req, &(hoop_json_stream_options){ ... }): reads the body as it comes, in a streaming
 * handler, through a hoop_json_reader, and returns the pending response that `end` will give. All of
 * hoop_read_stream() holds. On the loop's thread.
 */
#define hoop_read_json_stream(req, ...) \
    hoop_read_json_stream_sized((req), (__VA_ARGS__), sizeof(hoop_json_stream_options))

HOOP_END_DECLS

#endif
