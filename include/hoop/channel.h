/** @file
 * Channels: a bounded way for bytes from threads that know no exchange into a response's stream.
 */
#ifndef HOOP_CHANNEL_H
#define HOOP_CHANNEL_H

#include <hoop/export.h>
#include <hoop/request.h>
#include <hoop/response.h>
#include <hoop/str.h>

HOOP_BEGIN_DECLS

/** A bounded queue of bytes with any number of writers and one stream that takes them out. */
typedef struct hoop_channel hoop_channel;

/**
 * A channel with one reference that holds `max_bytes` at most (0: 65536); it has no memory for what is not
 * in it. NULL: out of memory. Threads: any.
 */
HOOP_API hoop_channel *hoop_channel_new(uint64_t max_bytes);

/**
 * Puts all of `bytes` in (copied), or nothing. 0; HOOP_EBUSY: full; HOOP_ETOOBIG: it never fits;
 * HOOP_EALREADY: closed; HOOP_ENOMEM; HOOP_EINVAL: NULL; else the code with which its stream has
 * ended. Threads: any; what one thread puts in comes out in that order.
 */
HOOP_API int hoop_channel_put(hoop_channel *channel, hoop_str bytes);

/**
 * Nothing more is put in. `code` 0: the stream ends behind what is in it; a negative code breaks it off.
 * 0, HOOP_EALREADY or HOOP_EINVAL. Threads: any.
 */
HOOP_API int hoop_channel_close(hoop_channel *channel, int code);

/**
 * The response whose body is what comes out of the channel, once; it keeps a reference of its own. When
 * the client leaves, put tells it. NULL (noted) if it can't be made or the channel has a stream.
 */
HOOP_API const hoop_response *hoop_channel_stream(const hoop_request *req, int status,
                                                  const char *content_type, hoop_channel *channel);

/** One reference more. Returns `channel`. Threads: any. */
HOOP_API hoop_channel *hoop_channel_ref(hoop_channel *channel);

/** Ends a reference. An unclosed channel whose last one ends has lost its writers: HOOP_EDROPPED. */
HOOP_API void hoop_channel_unref(hoop_channel *channel);

HOOP_END_DECLS

#endif
