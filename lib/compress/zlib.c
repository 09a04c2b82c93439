/* gzip and deflate by zlib. */
#include "compress/codec.h"

#include "base/arena.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

#define WINDOW_BITS 15 /* 32 KiB, the largest: clients count on nothing less */
#define GZIP        16 /* added: the format is gzip */
#define MEM_LEVEL   8

/*
 * With less room than this a flush is written through a buffer of our own: zlib repeats the marker of
 * a flush that has filled the output, without end if there is never room for it.
 */
#define STAGE 32

struct zlib {
    struct hoop__codec codec; /* first */
    z_stream z;
    size_t held; /* by zlib */
    char stage[STAGE];
    uint8_t staged, unstaged; /* bytes in it, and those handed out */
    uint8_t stage_done;       /* the step that filled it was complete */
    uint8_t ended;            /* decompressing: the stream is whole */
    uint8_t first[2];         /* of deflate, until it is known what it is */
    uint8_t firsts;
    uint8_t raw; /* deflate without zlib's frame */
};

static struct zlib *zlib_of(struct hoop__codec *codec)
{
    return (struct zlib *)(void *)codec;
}

/* The size stands in front of each piece, since zlib frees without telling it. */
static void *zlib_alloc(void *data, unsigned items, unsigned size)
{
    struct zlib *z = data;
    size_t len = (size_t)items * size;
    char *memory = hoop__alloc(z->codec.allocator, len + HOOP__ALIGN);
    if (!memory)
        return NULL;
    *(size_t *)(void *)memory = len;
    z->held += len;
    return memory + HOOP__ALIGN;
}

static void zlib_free(void *data, void *memory)
{
    struct zlib *z = data;
    char *start = (char *)memory - HOOP__ALIGN;
    z->held -= *(size_t *)(void *)start;
    hoop__free(z->codec.allocator, start);
}

static size_t size_of(const struct hoop__codec *codec)
{
    return sizeof(struct zlib) + ((const struct zlib *)(const void *)codec)->held;
}

static unsigned at_most(size_t n)
{
    return n < UINT_MAX ? (unsigned)n : UINT_MAX;
}

/* --- both directions ------------------------------------------------------------------------- */

/* One call of deflate() or inflate(), with the bookkeeping around it. */
static int step(z_stream *z, int (*fn)(z_stream *, int), hoop_str *in, char *out, size_t cap,
                size_t *ret_len, int flush)
{
    unsigned give = at_most(in->len), room = at_most(cap);
    z->next_in = (unsigned char *)(uintptr_t)in->data;
    z->avail_in = give;
    z->next_out = (unsigned char *)out;
    z->avail_out = room;
    /* More input than fits an unsigned is no end yet. */
    int rc = fn(z, give < in->len ? Z_NO_FLUSH : flush);
    *in = hoop_str_n(in->data + (give - z->avail_in), in->len - (give - z->avail_in));
    *ret_len = room - z->avail_out;
    return rc;
}

static struct zlib *zlib_new(const hoop_allocator *allocator, const struct hoop__codec_ops *ops,
                             enum hoop__coding coding, int level)
{
    struct zlib *z = hoop__codec_new(sizeof *z, allocator, ops, coding, level);
    if (!z)
        return NULL;
    z->z.zalloc = zlib_alloc;
    z->z.zfree = zlib_free;
    z->z.opaque = z;
    return z;
}

/* --- compressing ----------------------------------------------------------------------------- */

static int encode(struct zlib *z, hoop_str *in, char *out, size_t cap, size_t *ret_len,
                  enum hoop__codec_op op)
{
    static const int flushes[] = { Z_NO_FLUSH, Z_SYNC_FLUSH, Z_FINISH };
    size_t len = 0;
    int rc;
    do {
        size_t n = 0;
        rc = step(&z->z, deflate, in, out + len, cap - len, &n, flushes[op]);
        len += n;
    } while (rc == Z_OK && in->len && len < cap);
    *ret_len = len;
    if (rc == Z_STREAM_END)
        return HOOP_EOF;
    /* Z_BUF_ERROR: there was nothing to do, which is no error. */
    if (rc != Z_OK && rc != Z_BUF_ERROR)
        return HOOP_EINVAL;
    return len == cap ? HOOP_EAGAIN : 0;
}

/* Hands out what is staged; 0 if the step behind it is achieved with that. */
static int unstage(struct zlib *z, char *out, size_t cap, size_t *ret_len)
{
    size_t n = (size_t)(z->staged - z->unstaged);
    if (n > cap)
        n = cap;
    memcpy(out, z->stage + z->unstaged, n);
    z->unstaged = (uint8_t)(z->unstaged + n);
    *ret_len = n;
    if (z->unstaged < z->staged)
        return HOOP_EAGAIN;
    z->staged = z->unstaged = 0;
    return 0;
}

static int encode_staged(struct zlib *z, hoop_str *in, char *out, size_t cap, size_t *ret_len,
                         enum hoop__codec_op op)
{
    static const int codes[] = { HOOP_EAGAIN, 0, HOOP_EOF };
    if (!z->staged) {
        size_t n = 0;
        int rc = encode(z, in, z->stage, sizeof z->stage, &n, op);
        if (rc && rc != HOOP_EAGAIN && rc != HOOP_EOF)
            return rc;
        z->staged = (uint8_t)n;
        z->stage_done = rc == HOOP_EAGAIN ? 0 : rc == 0 ? 1 : 2;
    }
    return unstage(z, out, cap, ret_len) ? HOOP_EAGAIN : codes[z->stage_done];
}

static int run_encoder(struct hoop__codec *codec, hoop_str *in, char *out, size_t cap,
                       size_t *ret_len, enum hoop__codec_op op)
{
    struct zlib *z = zlib_of(codec);
    if (z->staged || cap < STAGE)
        return encode_staged(z, in, out, cap, ret_len, op);
    return encode(z, in, out, cap, ret_len, op);
}

static int reset_encoder(struct hoop__codec *codec)
{
    struct zlib *z = zlib_of(codec);
    z->staged = z->unstaged = 0;
    return deflateReset(&z->z) == Z_OK ? 0 : HOOP_EINVAL;
}

static void free_encoder(struct hoop__codec *codec)
{
    deflateEnd(&zlib_of(codec)->z);
    hoop__free(codec->allocator, codec);
}

int hoop__zlib_encoder(struct hoop__codec **ret_codec, const hoop_allocator *allocator,
                       enum hoop__coding coding, int level)
{
    static const struct hoop__codec_ops ops = { run_encoder, reset_encoder, free_encoder, size_of };
    struct zlib *z = zlib_new(allocator, &ops, coding, level);
    if (!z)
        return HOOP_ENOMEM;
    int bits = coding == HOOP__GZIP ? WINDOW_BITS + GZIP : WINDOW_BITS;
    if (deflateInit2(&z->z, level, Z_DEFLATED, bits, MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
        hoop__free(allocator, z);
        return HOOP_ENOMEM;
    }
    *ret_codec = &z->codec;
    return 0;
}

/* --- decompressing --------------------------------------------------------------------------- */

/* RFC 1950 2.2: method, window and check bits. No encoder of raw deflate begins so. */
static int is_zlib(const uint8_t first[2])
{
    return (first[0] & 15) == Z_DEFLATED && first[0] >> 4 <= 7 &&
           (first[0] * 256 + first[1]) % 31 == 0;
}

/*
 * "deflate" is zlib's format (RFC 9110 8.4.1.2), but some send it without its frame. The first two bytes
 * tell; until they are here they are kept. 0 when it is known and the kept ones are to be read.
 */
static int look(struct zlib *z, hoop_str *in)
{
    while (z->firsts < 2 && in->len) {
        z->first[z->firsts++] = (uint8_t)in->data[0];
        *in = hoop_str_n(in->data + 1, in->len - 1);
    }
    if (z->firsts < 2)
        return 1;
    z->raw = !is_zlib(z->first);
    return 0;
}

static int inflate_some(struct zlib *z, hoop_str *in, char *out, size_t cap, size_t *ret_len)
{
    size_t len = 0;
    int rc = Z_OK;
    while (len < cap && !z->ended) {
        size_t n = 0, before = in->len;
        rc = step(&z->z, inflate, in, out + len, cap - len, &n, Z_NO_FLUSH);
        len += n;
        if (rc == Z_STREAM_END)
            z->ended = 1;
        else if (rc != Z_OK || (!n && in->len == before))
            break;
    }
    *ret_len = len;
    if (rc == Z_MEM_ERROR)
        return HOOP_ENOMEM;
    if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
        return HOOP_EPARSE;
    return 0;
}

/* Behind a member of gzip another may follow (RFC 1952 2.2); behind deflate nothing. */
static int next_member(struct zlib *z)
{
    if (z->codec.coding != HOOP__GZIP || inflateReset(&z->z) != Z_OK)
        return HOOP_EPARSE;
    z->ended = 0;
    return 0;
}

static int run_decoder(struct hoop__codec *codec, hoop_str *in, char *out, size_t cap,
                       size_t *ret_len, enum hoop__codec_op op)
{
    struct zlib *z = zlib_of(codec);
    int rc = 0;
    *ret_len = 0;
    if (codec->coding == HOOP__DEFLATE && z->firsts < 2) {
        if (look(z, in))
            return op == HOOP__CODEC_FINISH ? HOOP_EPARSE : 0;
        if (z->raw && inflateReset2(&z->z, -WINDOW_BITS) != Z_OK)
            return HOOP_ENOMEM;
        hoop_str first = hoop_str_n((const char *)z->first, 2);
        rc = inflate_some(z, &first, out, cap, ret_len);
        /* A stream of two bytes can't have ended in the first. */
        if (!rc && first.len)
            rc = HOOP_EPARSE;
    }
    do {
        if (rc)
            return rc;
        if (z->ended && in->len && next_member(z))
            return HOOP_EPARSE;
        size_t n = 0;
        rc = inflate_some(z, in, out + *ret_len, cap - *ret_len, &n);
        *ret_len += n;
    } while (!rc && in->len && *ret_len < cap);
    if (rc)
        return rc;
    if (*ret_len == cap && (!z->ended || in->len))
        return HOOP_EAGAIN;
    if (op != HOOP__CODEC_FINISH)
        return 0;
    return z->ended ? HOOP_EOF : HOOP_EPARSE;
}

static int reset_decoder(struct hoop__codec *codec)
{
    struct zlib *z = zlib_of(codec);
    z->ended = z->firsts = z->raw = 0;
    int bits = codec->coding == HOOP__GZIP ? WINDOW_BITS + GZIP : WINDOW_BITS;
    return inflateReset2(&z->z, bits) == Z_OK ? 0 : HOOP_EINVAL;
}

static void free_decoder(struct hoop__codec *codec)
{
    inflateEnd(&zlib_of(codec)->z);
    hoop__free(codec->allocator, codec);
}

int hoop__zlib_decoder(struct hoop__codec **ret_codec, const hoop_allocator *allocator,
                       enum hoop__coding coding, int level)
{
    static const struct hoop__codec_ops ops = { run_decoder, reset_decoder, free_decoder, size_of };
    struct zlib *z = zlib_new(allocator, &ops, coding, level);
    if (!z)
        return HOOP_ENOMEM;
    int bits = coding == HOOP__GZIP ? WINDOW_BITS + GZIP : WINDOW_BITS;
    if (inflateInit2(&z->z, bits) != Z_OK) {
        hoop__free(allocator, z);
        return HOOP_ENOMEM;
    }
    *ret_codec = &z->codec;
    return 0;
}
