/* zstd by libzstd (RFC 8878, and RFC 9659 for its use in HTTP). */
#include "compress/codec.h"

#include "base/blocks.h"

#include <zstd.h>
#include <zstd_errors.h>

#define ENCODER_WINDOW_LOG 18 /* 256 KiB, so that a context stays small */
#define DECODER_WINDOW_LOG 23 /* 8 MiB: RFC 9659 allows no more */

/* libzstd's own memory is malloc's: its stable interface takes no allocator. */
struct zstd {
    struct hoop__codec codec; /* first */
    ZSTD_CCtx *encoder;
    ZSTD_DCtx *decoder;
    uint8_t within; /* decompressing: a frame has begun and is not complete */
    uint8_t begun;  /* there was a frame */
};

static struct zstd *zstd_of(struct hoop__codec *codec)
{
    return (struct zstd *)(void *)codec;
}

static size_t size_of(const struct hoop__codec *codec)
{
    const struct zstd *z = (const struct zstd *)(const void *)codec;
    return sizeof *z + (z->encoder ? ZSTD_sizeof_CCtx(z->encoder) : ZSTD_sizeof_DCtx(z->decoder));
}

static void free_zstd(struct hoop__codec *codec)
{
    struct zstd *z = zstd_of(codec);
    ZSTD_freeCCtx(z->encoder);
    ZSTD_freeDCtx(z->decoder);
    hoop__free(codec->allocator, z);
}

/* --- compressing ----------------------------------------------------------------------------- */

static int run_encoder(struct hoop__codec *codec, hoop_str *in, char *out, size_t cap,
                       size_t *ret_len, enum hoop__codec_op op)
{
    static const ZSTD_EndDirective directives[] = { ZSTD_e_continue, ZSTD_e_flush, ZSTD_e_end };
    ZSTD_inBuffer from = { in->data, in->len, 0 };
    ZSTD_outBuffer to = { out, cap, 0 };
    size_t left;
    do
        left = ZSTD_compressStream2(zstd_of(codec)->encoder, &to, &from, directives[op]);
    while (!ZSTD_isError(left) && from.pos < from.size && to.pos < to.size);
    *in = hoop_str_n(in->data + from.pos, in->len - from.pos);
    *ret_len = to.pos;
    if (ZSTD_isError(left))
        return ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation ? HOOP_ENOMEM : HOOP_EINVAL;
    if (op == HOOP__CODEC_RUN) /* `left` is but a hint; what is ready comes out by itself */
        return in->len ? HOOP_EAGAIN : 0;
    if (left)
        return HOOP_EAGAIN;
    return op == HOOP__CODEC_FINISH ? HOOP_EOF : 0;
}

static int reset_encoder(struct hoop__codec *codec)
{
    ZSTD_CCtx_reset(zstd_of(codec)->encoder, ZSTD_reset_session_only);
    return 0;
}

int hoop__zstd_encoder(struct hoop__codec **ret_codec, const hoop_allocator *allocator,
                       enum hoop__coding coding, int level)
{
    static const struct hoop__codec_ops ops = { run_encoder, reset_encoder, free_zstd, size_of };
    struct zstd *z = hoop__codec_new(sizeof(struct zstd), allocator, &ops, coding, level);
    if (!z)
        return HOOP_ENOMEM;
    z->encoder = ZSTD_createCCtx();
    if (!z->encoder) {
        free_zstd(&z->codec);
        return HOOP_ENOMEM;
    }
    ZSTD_CCtx_setParameter(z->encoder, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(z->encoder, ZSTD_c_windowLog, ENCODER_WINDOW_LOG);
    *ret_codec = &z->codec;
    return 0;
}

/* --- decompressing --------------------------------------------------------------------------- */

static int run_decoder(struct hoop__codec *codec, hoop_str *in, char *out, size_t cap,
                       size_t *ret_len, enum hoop__codec_op op)
{
    struct zstd *z = zstd_of(codec);
    ZSTD_inBuffer from = { in->data, in->len, 0 };
    ZSTD_outBuffer to = { out, cap, 0 };
    *ret_len = 0;
    /* Between frames the library must not be asked: it would take that for the start of one. */
    while (from.pos < from.size || z->within) {
        size_t at = from.pos, len = to.pos;
        size_t left = ZSTD_decompressStream(z->decoder, &to, &from);
        *ret_len = to.pos;
        if (ZSTD_isError(left))
            return ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation ? HOOP_ENOMEM
                                                                           : HOOP_EPARSE;
        z->begun = 1;
        z->within = left != 0;
        if (to.pos == to.size || (from.pos == at && to.pos == len))
            break;
    }
    *in = hoop_str_n(in->data + from.pos, in->len - from.pos);
    if (to.pos == to.size && (z->within || in->len))
        return HOOP_EAGAIN;
    if (op != HOOP__CODEC_FINISH)
        return 0;
    return z->within || !z->begun ? HOOP_EPARSE : HOOP_EOF;
}

static int reset_decoder(struct hoop__codec *codec)
{
    struct zstd *z = zstd_of(codec);
    z->within = z->begun = 0;
    ZSTD_DCtx_reset(z->decoder, ZSTD_reset_session_only);
    return 0;
}

int hoop__zstd_decoder(struct hoop__codec **ret_codec, const hoop_allocator *allocator,
                       enum hoop__coding coding, int level)
{
    static const struct hoop__codec_ops ops = { run_decoder, reset_decoder, free_zstd, size_of };
    struct zstd *z = hoop__codec_new(sizeof(struct zstd), allocator, &ops, coding, level);
    if (!z)
        return HOOP_ENOMEM;
    z->decoder = ZSTD_createDCtx();
    if (!z->decoder) {
        free_zstd(&z->codec);
        return HOOP_ENOMEM;
    }
    ZSTD_DCtx_setParameter(z->decoder, ZSTD_d_windowLogMax, DECODER_WINDOW_LOG);
    *ret_codec = &z->codec;
    return 0;
}
