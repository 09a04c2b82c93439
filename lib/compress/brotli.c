/* br by brotli's encoder and decoder (RFC 7932). */
#include "compress/codec.h"

#include "base/arena.h"

#include <brotli/decode.h>
#include <brotli/encode.h>
#include <setjmp.h>

#define WINDOW_BITS 18 /* 256 KiB; the default of 4 MiB costs memory that pages don't repay */

/* Heads each piece of memory that the library has, so that all can be found. */
struct piece {
    struct piece *next;
    struct piece **link; /* what points to this piece */
    size_t size;
};

#define HEAD ((sizeof(struct piece) + HOOP__ALIGN - 1) & ~(HOOP__ALIGN - 1))

struct brotli {
    struct hoop__codec codec; /* first */
    BrotliEncoderState *encoder;
    BrotliDecoderState *decoder;
    struct piece *pieces;
    size_t held;
    jmp_buf *out_of_memory; /* where a failed allocation goes to; NULL: to the library */
};

static struct brotli *brotli_of(struct hoop__codec *codec)
{
    return (struct brotli *)(void *)codec;
}

/*
 * As most builds of the encoder are, it ends the process when it gets no memory. So it never sees that:
 * the step is left behind its back, and the pieces are freed without it.
 */
static void *no_memory(const struct brotli *b)
{
    if (b->out_of_memory)
        longjmp(*b->out_of_memory, 1);
    return NULL;
}

static void *brotli_alloc(void *data, size_t size)
{
    struct brotli *b = data;
    struct piece *piece =
        size < SIZE_MAX - HEAD ? hoop__alloc(b->codec.allocator, size + HEAD) : NULL;
    if (!piece)
        return no_memory(b);
    piece->size = size;
    piece->next = b->pieces;
    piece->link = &b->pieces;
    if (piece->next)
        piece->next->link = &piece->next;
    b->pieces = piece;
    b->held += size;
    return (char *)piece + HEAD;
}

static void brotli_free(void *data, void *memory)
{
    if (!memory)
        return;
    struct brotli *b = data;
    struct piece *piece = (struct piece *)(void *)((char *)memory - HEAD);
    *piece->link = piece->next;
    if (piece->next)
        piece->next->link = piece->link;
    b->held -= piece->size;
    hoop__free(b->codec.allocator, piece);
}

static size_t size_of(const struct hoop__codec *codec)
{
    return sizeof(struct brotli) + ((const struct brotli *)(const void *)codec)->held;
}

static void free_brotli(struct hoop__codec *codec)
{
    struct brotli *b = brotli_of(codec);
    if (b->encoder)
        BrotliEncoderDestroyInstance(b->encoder);
    if (b->decoder)
        BrotliDecoderDestroyInstance(b->decoder);
    while (b->pieces) /* of an encoder that ran out of memory */
        brotli_free(b, (char *)b->pieces + HEAD);
    hoop__free(codec->allocator, b);
}

/* --- compressing ----------------------------------------------------------------------------- */

static BROTLI_BOOL encode(BrotliEncoderState *encoder, hoop_str *in, char *out, size_t cap,
                          size_t *ret_len, enum hoop__codec_op op)
{
    static const BrotliEncoderOperation operations[] = { BROTLI_OPERATION_PROCESS,
                                                         BROTLI_OPERATION_FLUSH,
                                                         BROTLI_OPERATION_FINISH };
    size_t give = in->len, room = cap;
    const uint8_t *next_in = (const uint8_t *)in->data;
    uint8_t *next_out = (uint8_t *)out;
    BROTLI_BOOL ok = BrotliEncoderCompressStream(encoder, operations[op], &give, &next_in, &room,
                                                 &next_out, NULL);
    *in = hoop_str_n(in->data + (in->len - give), give);
    *ret_len = cap - room;
    return ok;
}

static int run_encoder(struct hoop__codec *codec, hoop_str *in, char *out, size_t cap,
                       size_t *ret_len, enum hoop__codec_op op)
{
    struct brotli *b = brotli_of(codec);
    jmp_buf out_of_memory;
    *ret_len = 0;
    if (!b->encoder)
        return HOOP_ENOMEM;
    b->out_of_memory = &out_of_memory;
    if (setjmp(out_of_memory)) {
        b->encoder = NULL; /* in the middle of something: never to be asked again */
        b->out_of_memory = NULL;
        return HOOP_ENOMEM;
    }
    BROTLI_BOOL ok = encode(b->encoder, in, out, cap, ret_len, op);
    b->out_of_memory = NULL;
    if (!ok)
        return HOOP_ENOMEM; /* a build that reports it; the arguments were right */
    if (BrotliEncoderHasMoreOutput(b->encoder) || in->len)
        return HOOP_EAGAIN;
    return BrotliEncoderIsFinished(b->encoder) ? HOOP_EOF : 0;
}

int hoop__brotli_encoder(struct hoop__codec **ret_codec, const hoop_allocator *allocator,
                         enum hoop__coding coding, int level)
{
    /* The library has no way to start an instance anew. */
    static const struct hoop__codec_ops ops = { run_encoder, NULL, free_brotli, size_of };
    struct brotli *b = hoop__codec_new(sizeof(struct brotli), allocator, &ops, coding, level);
    if (!b)
        return HOOP_ENOMEM;
    b->encoder = BrotliEncoderCreateInstance(brotli_alloc, brotli_free, b);
    if (!b->encoder) {
        free_brotli(&b->codec);
        return HOOP_ENOMEM;
    }
    BrotliEncoderSetParameter(b->encoder, BROTLI_PARAM_QUALITY, (uint32_t)level);
    BrotliEncoderSetParameter(b->encoder, BROTLI_PARAM_LGWIN, WINDOW_BITS);
    *ret_codec = &b->codec;
    return 0;
}

/* --- decompressing --------------------------------------------------------------------------- */

static int run_decoder(struct hoop__codec *codec, hoop_str *in, char *out, size_t cap,
                       size_t *ret_len, enum hoop__codec_op op)
{
    BrotliDecoderState *decoder = brotli_of(codec)->decoder;
    size_t give = in->len, room = cap;
    const uint8_t *next_in = (const uint8_t *)in->data;
    uint8_t *next_out = (uint8_t *)out;
    *ret_len = 0;
    if (BrotliDecoderIsFinished(decoder)) {
        if (in->len)
            return HOOP_EPARSE;
        return op == HOOP__CODEC_FINISH ? HOOP_EOF : 0;
    }
    BrotliDecoderResult result =
        BrotliDecoderDecompressStream(decoder, &give, &next_in, &room, &next_out, NULL);
    *in = hoop_str_n(in->data + (in->len - give), give);
    *ret_len = cap - room;
    switch (result) {
    case BROTLI_DECODER_RESULT_SUCCESS:
        if (in->len)
            return HOOP_EPARSE; /* bytes behind the end */
        return op == HOOP__CODEC_FINISH ? HOOP_EOF : 0;
    case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT:
        return HOOP_EAGAIN;
    case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT:
        if (BrotliDecoderHasMoreOutput(decoder))
            return HOOP_EAGAIN; /* it says so only then */
        return op == HOOP__CODEC_FINISH ? HOOP_EPARSE : 0;
    case BROTLI_DECODER_RESULT_ERROR:
        break;
    }
    /* The codes of failed allocations are a range of their own. */
    BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(decoder);
    int memory = code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES &&
                 code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
    return memory ? HOOP_ENOMEM : HOOP_EPARSE;
}

int hoop__brotli_decoder(struct hoop__codec **ret_codec, const hoop_allocator *allocator,
                         enum hoop__coding coding, int level)
{
    static const struct hoop__codec_ops ops = { run_decoder, NULL, free_brotli, size_of };
    struct brotli *b = hoop__codec_new(sizeof(struct brotli), allocator, &ops, coding, level);
    if (!b)
        return HOOP_ENOMEM;
    b->decoder = BrotliDecoderCreateInstance(brotli_alloc, brotli_free, b);
    if (!b->decoder) {
        free_brotli(&b->codec);
        return HOOP_ENOMEM;
    }
    *ret_codec = &b->codec;
    return 0;
}
