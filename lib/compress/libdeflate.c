/* gzip and deflate of whole bodies by libdeflate, which takes two thirds of zlib's time for fewer bytes. */
#include "compress/codec.h"

#include "base/blocks.h"

#include <libdeflate.h>

/* libdeflate's own memory is malloc's: only all of a program's compressors can be given another allocator. */
struct deflater {
    struct hoop__codec codec; /* first */
    struct libdeflate_compressor *compressor;
};

static struct deflater *deflater_of(struct hoop__codec *codec)
{
    return (struct deflater *)(void *)codec;
}

static int run(struct hoop__codec *codec, hoop_str *in, char *out, size_t cap, size_t *ret_len,
               enum hoop__codec_op op)
{
    struct libdeflate_compressor *compressor = deflater_of(codec)->compressor;
    (void)op; /* whole bodies only: FINISH */
    *ret_len = codec->coding == HOOP__GZIP
                   ? libdeflate_gzip_compress(compressor, in->data, in->len, out, cap)
                   : libdeflate_zlib_compress(compressor, in->data, in->len, out, cap);
    if (!*ret_len)
        return HOOP_EAGAIN;
    *in = hoop_str_n(in->data + in->len, 0);
    return HOOP_EOF;
}

static int reset(struct hoop__codec *codec)
{
    (void)codec; /* nothing stays from one body to the next */
    return 0;
}

static void free_deflater(struct hoop__codec *codec)
{
    libdeflate_free_compressor(deflater_of(codec)->compressor);
    hoop__free(codec->allocator, codec);
}

static size_t size_of(const struct hoop__codec *codec)
{
    return hoop__coding_whole_cost(codec->coding, codec->level); /* the library does not tell */
}

static const struct hoop__codec_ops ops = {
    .run = run,
    .reset = reset,
    .free = free_deflater,
    .size = size_of,
};

int hoop__libdeflate_encoder(struct hoop__codec **ret_codec, const hoop_allocator *allocator,
                             enum hoop__coding coding, int level)
{
    struct deflater *d = hoop__codec_new(sizeof *d, allocator, &ops, coding, level);
    if (!d)
        return HOOP_ENOMEM;
    d->codec.whole = 1;
    d->compressor = libdeflate_alloc_compressor(level);
    if (!d->compressor) {
        hoop__free(allocator, d);
        return HOOP_ENOMEM;
    }
    *ret_codec = &d->codec;
    return 0;
}
