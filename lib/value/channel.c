/* Channels: a bounded queue under a lock, and the stream that empties it. */
#include "base/fifo.h"
#include "base/blocks.h"
#include "value/value.h"

#include <hoop/channel.h>
#include <hoop/stream.h>

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define DEFAULT_MAX ((uint64_t)65536)

struct hoop_channel {
    pthread_mutex_t lock; /* of all but the references */
    atomic_uint refs;     /* of writers, and one of the stream */
    atomic_uint writers;
    struct hoop__fifo fifo;
    uint64_t max_bytes;
    hoop_sink *sink; /* counted; NULL: no stream yet, or none any more */
    int attached;    /* it has had its stream */
    int closed;      /* 0: open; HOOP_EOF; else why it broke off */
    int gone;        /* 0, or what writers are told since the stream has ended */
};

hoop_channel *hoop_channel_new(uint64_t max_bytes)
{
    hoop_channel *channel = hoop__alloc(&hoop__malloc, sizeof *channel);
    if (!channel)
        return NULL;
    memset(channel, 0, sizeof *channel);
    if (pthread_mutex_init(&channel->lock, NULL)) {
        hoop__free(&hoop__malloc, channel);
        return NULL;
    }
    channel->max_bytes = max_bytes ? max_bytes : DEFAULT_MAX;
    atomic_init(&channel->refs, 1);
    atomic_init(&channel->writers, 1);
    return channel;
}

/* --- references ------------------------------------------------------------------------------ */

static void release(hoop_channel *channel)
{
    if (atomic_fetch_sub_explicit(&channel->refs, 1, memory_order_acq_rel) != 1)
        return;
    hoop__fifo_done(&channel->fifo, &hoop__malloc);
    pthread_mutex_destroy(&channel->lock);
    hoop__free(&hoop__malloc, channel);
}

hoop_channel *hoop_channel_ref(hoop_channel *channel)
{
    if (!channel)
        return NULL;
    atomic_fetch_add_explicit(&channel->writers, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&channel->refs, 1, memory_order_relaxed);
    return channel;
}

void hoop_channel_unref(hoop_channel *channel)
{
    if (!channel)
        return;
    if (atomic_fetch_sub_explicit(&channel->writers, 1, memory_order_acq_rel) == 1)
        hoop_channel_close(channel, HOOP_EDROPPED);
    release(channel);
}

/* --- writers --------------------------------------------------------------------------------- */

static int put(hoop_channel *channel, hoop_str bytes)
{
    if (channel->gone)
        return channel->gone;
    if (channel->closed)
        return HOOP_EALREADY;
    if (bytes.len > channel->max_bytes)
        return HOOP_ETOOBIG;
    if (channel->fifo.len > channel->max_bytes - bytes.len)
        return HOOP_EBUSY;
    return hoop__fifo_put(&channel->fifo, &hoop__malloc, bytes.data, bytes.len);
}

/* Tells the stream, if there is one; without the lock, since that may run its functions. */
static void notify(hoop_sink *sink)
{
    hoop_stream_ready(sink);
    hoop_stream_unref(sink);
}

int hoop_channel_put(hoop_channel *channel, hoop_str bytes)
{
    if (!channel)
        return HOOP_EINVAL;
    pthread_mutex_lock(&channel->lock);
    int rc = put(channel, bytes);
    hoop_sink *sink = rc ? NULL : hoop_stream_ref(channel->sink);
    pthread_mutex_unlock(&channel->lock);
    notify(sink);
    return rc;
}

int hoop_channel_close(hoop_channel *channel, int code)
{
    if (!channel)
        return HOOP_EINVAL;
    pthread_mutex_lock(&channel->lock);
    int rc = channel->closed ? HOOP_EALREADY : 0;
    if (!rc)
        channel->closed = code < 0 && code != HOOP_EAGAIN ? code : HOOP_EOF;
    hoop_sink *sink = rc ? NULL : hoop_stream_ref(channel->sink);
    pthread_mutex_unlock(&channel->lock);
    notify(sink);
    return rc;
}

/* --- the stream ------------------------------------------------------------------------------ */

static int pull(hoop_sink *sink, char *buffer, size_t cap, size_t *ret_len, void *data)
{
    (void)sink;
    hoop_channel *channel = data;
    pthread_mutex_lock(&channel->lock);
    int code = channel->closed;
    if (!code || code == HOOP_EOF)
        *ret_len = hoop__fifo_take(&channel->fifo, &hoop__malloc, buffer, cap);
    if (*ret_len)
        code = 0;
    else if (!code)
        code = HOOP_EAGAIN;
    pthread_mutex_unlock(&channel->lock);
    return code;
}

static void finished(int code, void *data)
{
    hoop_channel *channel = data;
    pthread_mutex_lock(&channel->lock);
    hoop_sink *sink = channel->sink;
    channel->sink = NULL;
    channel->gone = code ? code : HOOP_EALREADY;
    hoop__fifo_done(&channel->fifo, &hoop__malloc);
    pthread_mutex_unlock(&channel->lock);
    hoop_stream_unref(sink);
    release(channel);
}

const hoop_response *hoop_channel_stream(const hoop_request *req, int status,
                                         const char *content_type, hoop_channel *channel)
{
    if (!req)
        return NULL;
    if (!channel)
        return hoop_fail(req, HOOP_EINVAL, "the channel is NULL");
    pthread_mutex_lock(&channel->lock);
    int attached = channel->attached;
    channel->attached = 1;
    pthread_mutex_unlock(&channel->lock);
    if (attached)
        return hoop_fail(req, HOOP_EALREADY, "the channel has a stream already");
    atomic_fetch_add_explicit(&channel->refs, 1, memory_order_relaxed);
    hoop_sink *sink = NULL;
    const hoop_response *res =
        hoop_stream(req, status, content_type,
                    &(hoop_stream_options){
                        .pull = pull, .finished = finished, .data = channel, .ret_sink = &sink });
    if (!res)
        return NULL; /* finished() has run */
    pthread_mutex_lock(&channel->lock);
    /* On another thread the exchange may have ended meanwhile. */
    if (!channel->gone) {
        channel->sink = sink;
        sink = NULL;
    }
    pthread_mutex_unlock(&channel->lock);
    hoop_stream_unref(sink);
    return res;
}
