/* Contexts that a loop keeps for the next body: making one costs more than compressing a small body. */
#ifndef HOOP_COMPRESS_CONTEXTS_H
#define HOOP_COMPRESS_CONTEXTS_H

#include "base/loop.h"
#include "compress/codec.h"

/* What may compress at a time on a loop: 240 streams of gzip, 35 of zstd, 19 of brotli. */
#define HOOP__CONTEXTS_MAX_LENT ((size_t)64 << 20)

/* What a loop keeps at most, and for how long. */
#define HOOP__CONTEXTS_MAX_BYTES ((size_t)4 << 20)
#define HOOP__CONTEXTS_IDLE_MS   10000

/*
 * A context as new: one that was idle, or another one. `level` 0 is the usual one. Codes as
 * hoop__encoder_new(), and HOOP_EBUSY if those in use have all the memory that they may. On the loop's
 * thread.
 */
int hoop__contexts_encoder(struct hoop_loop *loop, enum hoop__coding coding, int level,
                           struct hoop__codec **ret_codec);

/* The same for whole bodies, as hoop__whole_encoder_new(). */
int hoop__contexts_whole_encoder(struct hoop_loop *loop, enum hoop__coding coding, int level,
                                 struct hoop__codec **ret_codec);

/* The same for decompressing, uncounted: those grow with what comes out, which has a limit of its own. */
int hoop__contexts_decoder(struct hoop_loop *loop, enum hoop__coding coding,
                           struct hoop__codec **ret_codec);

/*
 * Gives a context back, in whatever state: kept if there is room, else freed. `loop` NULL (it has
 * closed): freed. NULL is allowed. On the loop's thread, if there is one.
 */
void hoop__contexts_put(struct hoop_loop *loop, struct hoop__codec *codec);

#endif
