/*
 * Content codings (RFC 9110 8.4.1) behind one interface: contexts that compress or decompress step by step.
 * Which of them exist depends on the libraries that the build found.
 */
#ifndef HOOP_COMPRESS_CODEC_H
#define HOOP_COMPRESS_CODEC_H

#include <hoop/arena.h>
#include <hoop/error.h>
#include <hoop/str.h>

enum hoop__coding { HOOP__GZIP, HOOP__DEFLATE, HOOP__BR, HOOP__ZSTD, HOOP__CODINGS };

/* What a step is to achieve beyond taking its input. */
enum hoop__codec_op {
    HOOP__CODEC_RUN,   /* nothing: output comes when it comes */
    HOOP__CODEC_FLUSH, /* all that was taken so far can be decompressed from the output */
    HOOP__CODEC_FINISH /* the input ends here */
};

struct hoop__codec;

/* One for each coding and direction. */
struct hoop__codec_ops {
    int (*run)(struct hoop__codec *codec, hoop_str *in, char *out, size_t cap, size_t *ret_len,
               enum hoop__codec_op op);
    /* Makes it as new, keeping its memory; NULL if the library can't. 0 or a code. */
    int (*reset)(struct hoop__codec *codec);
    void (*free)(struct hoop__codec *codec);
    size_t (*size)(const struct hoop__codec *codec); /* bytes that it holds now */
};

/* A context. Used by one thread at a time. The library's own state follows. */
struct hoop__codec {
    const struct hoop__codec_ops *ops;
    const hoop_allocator *allocator; /* borrowed */
    struct hoop__codec *next;        /* of the idle ones; contexts.h */
    uint64_t idle_since;             /* likewise, in the loop's milliseconds */
    enum hoop__coding coding;
    int level;     /* 0: it decompresses */
    uint8_t whole; /* hoop__whole_encoder_new() */
};

/* The name in header fields: "gzip", "deflate", "br", "zstd". */
const char *hoop__coding_name(enum hoop__coding coding);

/* The coding of a name without case, x-gzip being gzip; HOOP__CODINGS if there is none of that name. */
enum hoop__coding hoop__coding_of(hoop_str name);

/* Nonzero if this build has the coding. */
int hoop__coding_is_built(enum hoop__coding coding);

/* The lowest and highest level of a coding, and the one for 0. */
struct hoop__levels {
    int min, max, usual;
};
struct hoop__levels hoop__coding_levels(enum hoop__coding coding);

/*
 * What a context that compresses step by step, or one for whole bodies, holds at most, in bytes, as measured
 * for the level (0: the usual).
 */
size_t hoop__coding_cost(enum hoop__coding coding, int level);
size_t hoop__coding_whole_cost(enum hoop__coding coding, int level);

/*
 * Makes a context that compresses. `level` 0 is the usual one; others are in the coding's range. The
 * allocator is used where the library lets us choose (zlib, brotli). 0, HOOP_ENOMEM, or
 * HOOP_EUNSUPPORTED if this build lacks the coding.
 */
int hoop__encoder_new(struct hoop__codec **ret_codec, const hoop_allocator *allocator,
                      enum hoop__coding coding, int level);

/*
 * Makes one for bodies that are at hand as a whole: each is given at once, with FINISH, and HOOP_EAGAIN means
 * that it does not fit. For gzip and deflate a library that knows no streams is faster; where there
 * is none, for this build or this coding, the context is one of hoop__encoder_new().
 */
int hoop__whole_encoder_new(struct hoop__codec **ret_codec, const hoop_allocator *allocator,
                            enum hoop__coding coding, int level);

/* Nonzero if contexts for whole bodies are others than those for steps. */
int hoop__coding_has_whole(enum hoop__coding coding);

/* Makes a context that decompresses; codes as above. */
int hoop__decoder_new(struct hoop__codec **ret_codec, const hoop_allocator *allocator,
                      enum hoop__coding coding);

/*
 * Takes from the front of `*in` and writes up to `cap` (at least 1) bytes to `out`.
 *
 *   0            the input is taken and `op` is achieved; more may follow (RUN, FLUSH)
 *   HOOP_EAGAIN  `out` is full: once more with the same `op` and what is left of `*in`
 *   HOOP_EOF     FINISH is achieved: all is written
 *   HOOP_EPARSE  decompressing: the data is broken, has bytes behind its end, or is cut off (FINISH)
 *   HOOP_ENOMEM  out of memory
 *
 * After a negative code other than HOOP_EAGAIN only reset and free are allowed. FLUSH is for compressing;
 * a context that decompresses gives what it can at every step.
 */
static inline int hoop__codec_run(struct hoop__codec *codec, hoop_str *in, char *out, size_t cap,
                                  size_t *ret_len, enum hoop__codec_op op)
{
    return codec->ops->run(codec, in, out, cap, ret_len, op);
}

/* Frees a context; NULL is allowed. */
void hoop__codec_free(struct hoop__codec *codec);

/* For the makers: `size` zeroed bytes that begin with a context, which is filled in. NULL: out of memory. */
void *hoop__codec_new(size_t size, const hoop_allocator *allocator,
                      const struct hoop__codec_ops *ops, enum hoop__coding coding, int level);

/* The makers behind the functions above, each in the file of its library. */
typedef int hoop__codec_new_fn(struct hoop__codec **ret_codec, const hoop_allocator *allocator,
                               enum hoop__coding coding, int level);
hoop__codec_new_fn hoop__zlib_encoder, hoop__zlib_decoder;
hoop__codec_new_fn hoop__libdeflate_encoder;
hoop__codec_new_fn hoop__brotli_encoder, hoop__brotli_decoder;
hoop__codec_new_fn hoop__zstd_encoder, hoop__zstd_decoder;

#endif
