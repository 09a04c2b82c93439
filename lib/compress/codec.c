/* The table of content codings and what this build has of them. */
#include "compress/codec.h"

#include "base/blocks.h"

#include <string.h>

#ifdef HOOP__WITH_ZLIB
#define ZLIB(fn) fn
#else
#define ZLIB(fn) NULL
#endif
#ifdef HOOP__WITH_LIBDEFLATE
#define LIBDEFLATE(fn) fn
#else
#define LIBDEFLATE(fn) NULL
#endif
#ifdef HOOP__WITH_BROTLI
#define BROTLI(fn) fn
#else
#define BROTLI(fn) NULL
#endif
#ifdef HOOP__WITH_ZSTD
#define ZSTD(fn) fn
#else
#define ZSTD(fn) NULL
#endif

/*
 * The usual levels are for answers made while a client waits; docs/internals/compress.md has what was
 * measured.
 */
static const struct {
    const char *name;
    hoop__codec_new_fn *encoder; /* NULL: not in this build */
    hoop__codec_new_fn *decoder;
    hoop__codec_new_fn *whole; /* NULL: the encoder does it */
    struct hoop__levels levels;
} codings[HOOP__CODINGS] = {
    [HOOP__GZIP] = { "gzip",
                     ZLIB(hoop__zlib_encoder),
                     ZLIB(hoop__zlib_decoder),
                     LIBDEFLATE(hoop__libdeflate_encoder),
                     { 1, 9, 4 } },
    [HOOP__DEFLATE] = { "deflate",
                        ZLIB(hoop__zlib_encoder),
                        ZLIB(hoop__zlib_decoder),
                        LIBDEFLATE(hoop__libdeflate_encoder),
                        { 1, 9, 4 } },
    [HOOP__BR] = { "br",
                   BROTLI(hoop__brotli_encoder),
                   BROTLI(hoop__brotli_decoder),
                   NULL,
                   { 1, 11, 4 } },
    [HOOP__ZSTD] = { "zstd",
                     ZSTD(hoop__zstd_encoder),
                     ZSTD(hoop__zstd_decoder),
                     NULL,
                     { 1, 19, 3 } },
};

const char *hoop__coding_name(enum hoop__coding coding)
{
    return codings[coding].name;
}

enum hoop__coding hoop__coding_of(hoop_str name)
{
    for (int i = 0; i < HOOP__CODINGS; i++)
        if (hoop_str_eq_nocase(name, hoop_str_c(codings[i].name)))
            return (enum hoop__coding)i;
    /* RFC 9110 8.4.1.3: the same as gzip. */
    return hoop_str_eq_nocase(name, hoop_str_c("x-gzip")) ? HOOP__GZIP : HOOP__CODINGS;
}

int hoop__coding_is_built(enum hoop__coding coding)
{
    return codings[coding].encoder != NULL;
}

struct hoop__levels hoop__coding_levels(enum hoop__coding coding)
{
    return codings[coding].levels;
}

/* Measured with a megabyte of HTML and of noise, in KiB by level; a test measures again. */
static const uint32_t br_cost[] = { 128,   2100,  2100,  3300, 3900, 5000,
                                    11200, 19600, 38600, 7600, 7600 };
static const uint32_t zstd_cost[] = { 1100,  1300,  1800,  3100,  4100,  4100,  7200,
                                      7200,  13400, 25600, 25600, 50200, 50200, 50200,
                                      66600, 66600, 66600, 66600, 83800 };

size_t hoop__coding_cost(enum hoop__coding coding, int level)
{
    int l = (level ? level : codings[coding].levels.usual) - 1;
    uint32_t kib = coding == HOOP__BR ? br_cost[l] : coding == HOOP__ZSTD ? zstd_cost[l] : 264;
    return (size_t)kib << 10;
}

int hoop__coding_has_whole(enum hoop__coding coding)
{
    return codings[coding].whole != NULL;
}

/* libdeflate's compressors are of two sizes. */
size_t hoop__coding_whole_cost(enum hoop__coding coding, int level)
{
    if (!codings[coding].whole)
        return hoop__coding_cost(coding, level);
    return (size_t)(level == 1 ? 200 : 656) << 10;
}

int hoop__encoder_new(struct hoop__codec **ret_codec, const hoop_allocator *allocator,
                      enum hoop__coding coding, int level)
{
    if (!codings[coding].encoder)
        return HOOP_EUNSUPPORTED;
    return codings[coding].encoder(ret_codec, allocator, coding,
                                   level ? level : codings[coding].levels.usual);
}

int hoop__whole_encoder_new(struct hoop__codec **ret_codec, const hoop_allocator *allocator,
                            enum hoop__coding coding, int level)
{
    if (!codings[coding].whole)
        return hoop__encoder_new(ret_codec, allocator, coding, level);
    return codings[coding].whole(ret_codec, allocator, coding,
                                 level ? level : codings[coding].levels.usual);
}

int hoop__decoder_new(struct hoop__codec **ret_codec, const hoop_allocator *allocator,
                      enum hoop__coding coding)
{
    if (!codings[coding].decoder)
        return HOOP_EUNSUPPORTED;
    return codings[coding].decoder(ret_codec, allocator, coding, /* level= */ 0);
}

void *hoop__codec_new(size_t size, const hoop_allocator *allocator,
                      const struct hoop__codec_ops *ops, enum hoop__coding coding, int level)
{
    struct hoop__codec *codec = hoop__alloc(allocator, size);
    if (!codec)
        return NULL;
    memset(codec, 0, size);
    codec->ops = ops;
    codec->allocator = allocator;
    codec->coding = coding;
    codec->level = level;
    return codec;
}

void hoop__codec_free(struct hoop__codec *codec)
{
    if (codec)
        codec->ops->free(codec);
}
