/* The idle contexts of a loop; see contexts.h. */
#include "compress/contexts.h"

#include <string.h>

/* The newest is first: what has not been used for long is at the end. */
struct contexts {
    struct hoop__local local; /* first */
    struct hoop__timer timer; /* set while something is idle */
    struct hoop_loop *loop;
    struct hoop__codec *idle;
    size_t bytes; /* of the idle ones */
    size_t lent;  /* what those in use may hold */
};

static const char key;

static struct contexts *contexts_of(const struct hoop_loop *loop)
{
    return (struct contexts *)(void *)hoop__loop_local(loop, &key);
}

/* Takes all idle contexts out from `link` on. */
static void free_from(struct contexts *contexts, struct hoop__codec **link)
{
    struct hoop__codec *codec = *link;
    *link = NULL;
    while (codec) {
        struct hoop__codec *next = codec->next;
        contexts->bytes -= codec->ops->size(codec);
        hoop__codec_free(codec);
        codec = next;
    }
}

static void trim(struct hoop__timer *timer)
{
    struct contexts *contexts =
        (struct contexts *)(void *)((char *)timer - offsetof(struct contexts, timer));
    uint64_t now = contexts->loop->now;
    struct hoop__codec **link = &contexts->idle;
    while (*link && (*link)->idle_since + HOOP__CONTEXTS_IDLE_MS > now)
        link = &(*link)->next;
    free_from(contexts, link);
    if (contexts->idle)
        hoop__loop_timer(contexts->loop, timer, now + HOOP__CONTEXTS_IDLE_MS);
}

static void done(struct hoop__local *local, struct hoop_loop *loop)
{
    struct contexts *contexts = (struct contexts *)(void *)local;
    hoop__timer_clear(&loop->timers, &contexts->timer);
    free_from(contexts, &contexts->idle);
    hoop__free(loop->allocator, contexts);
}

static struct contexts *make(struct hoop_loop *loop)
{
    struct contexts *contexts = hoop__alloc(loop->allocator, sizeof *contexts);
    if (!contexts)
        return NULL;
    memset(contexts, 0, sizeof *contexts);
    contexts->local.key = &key;
    contexts->local.done = done;
    contexts->loop = loop;
    contexts->timer.fire = trim;
    hoop__loop_keep(loop, &contexts->local);
    return contexts;
}

static struct hoop__codec *take(struct hoop_loop *loop, enum hoop__coding coding, int level,
                                int whole)
{
    struct contexts *contexts = contexts_of(loop);
    if (!contexts)
        return NULL;
    struct hoop__codec **link = &contexts->idle;
    while (*link &&
           ((*link)->coding != coding || (*link)->level != level || (*link)->whole != whole))
        link = &(*link)->next;
    struct hoop__codec *codec = *link;
    if (codec) {
        *link = codec->next;
        contexts->bytes -= codec->ops->size(codec);
    }
    return codec;
}

/* What a context in use counts for. */
static size_t cost_of(enum hoop__coding coding, int level, int whole)
{
    return whole ? hoop__coding_whole_cost(coding, level) : hoop__coding_cost(coding, level);
}

static int lend(struct hoop_loop *loop, enum hoop__coding coding, int level, int whole,
                struct hoop__codec **ret_codec)
{
    struct contexts *contexts = contexts_of(loop);
    if (!contexts && !(contexts = make(loop)))
        return HOOP_ENOMEM;
    if (!level)
        level = hoop__coding_levels(coding).usual;
    size_t cost = cost_of(coding, level, whole);
    if (contexts->lent + cost > HOOP__CONTEXTS_MAX_LENT)
        return HOOP_EBUSY;
    struct hoop__codec *codec = take(loop, coding, level, whole);
    hoop__codec_new_fn *make_one = whole ? hoop__whole_encoder_new : hoop__encoder_new;
    int rc = codec ? 0 : make_one(&codec, loop->allocator, coding, level);
    if (rc)
        return rc;
    contexts->lent += cost;
    *ret_codec = codec;
    return 0;
}

int hoop__contexts_encoder(struct hoop_loop *loop, enum hoop__coding coding, int level,
                           struct hoop__codec **ret_codec)
{
    return lend(loop, coding, level, /* whole= */ 0, ret_codec);
}

int hoop__contexts_whole_encoder(struct hoop_loop *loop, enum hoop__coding coding, int level,
                                 struct hoop__codec **ret_codec)
{
    return lend(loop, coding, level, hoop__coding_has_whole(coding), ret_codec);
}

int hoop__contexts_decoder(struct hoop_loop *loop, enum hoop__coding coding,
                           struct hoop__codec **ret_codec)
{
    struct hoop__codec *codec = take(loop, coding, /* level= */ 0, /* whole= */ 0);
    if (!codec)
        return hoop__decoder_new(ret_codec, loop->allocator, coding);
    *ret_codec = codec;
    return 0;
}

/* Nonzero if it was kept. */
static int keep(struct hoop_loop *loop, struct hoop__codec *codec)
{
    if (!codec->ops->reset || codec->ops->reset(codec))
        return 0;
    struct contexts *contexts = contexts_of(loop);
    if (!contexts)
        contexts = make(loop);
    size_t size = codec->ops->size(codec);
    if (!contexts || contexts->bytes + size > HOOP__CONTEXTS_MAX_BYTES)
        return 0;
    codec->next = contexts->idle;
    codec->idle_since = loop->now;
    contexts->idle = codec;
    contexts->bytes += size;
    if (!hoop__timer_is_set(&contexts->timer))
        hoop__loop_timer(loop, &contexts->timer, loop->now + HOOP__CONTEXTS_IDLE_MS);
    return 1;
}

/* A context that compresses came from this loop, so there is something to count in. */
void hoop__contexts_put(struct hoop_loop *loop, struct hoop__codec *codec)
{
    if (!codec)
        return;
    if (loop && codec->level)
        contexts_of(loop)->lent -= cost_of(codec->coding, codec->level, codec->whole);
    if (!loop || !keep(loop, codec))
        hoop__codec_free(codec);
}
