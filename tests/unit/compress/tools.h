/* What the tests of content codings share: whole bodies through a context in steps of chosen sizes. */
#ifndef HOOP_TEST_COMPRESS_TOOLS_H
#define HOOP_TEST_COMPRESS_TOOLS_H

#include "support.h"

#include "compress/codec.h"

/* Bytes that grow. */
struct bytes {
    char *data;
    size_t len, cap;
};

static inline void bytes_add(struct bytes *b, const char *data, size_t len)
{
    if (b->len + len + 1 > b->cap) {
        b->cap = (b->len + len + 1) * 2;
        b->data = realloc(b->data, b->cap);
        assert_non_null(b->data);
    }
    memcpy(b->data + b->len, data, len);
    b->len += len;
    b->data[b->len] = 0;
}

static inline hoop_str bytes_str(const struct bytes *b)
{
    return hoop_str_n(b->data, b->len);
}

static inline void bytes_free(struct bytes *b)
{
    free(b->data);
    memset(b, 0, sizeof *b);
}

/*
 * Gives `in` to a context and appends what comes to `out`, with room for `cap` bytes at a time. The code of
 * the last step, which is never HOOP_EAGAIN.
 */
static inline int drive(struct hoop__codec *codec, hoop_str in, size_t cap, enum hoop__codec_op op,
                        struct bytes *out)
{
    /* Exact sizes, so that a byte too far is seen by the sanitizers. */
    char *room = malloc(cap), *own = malloc(in.len ? in.len : 1);
    assert_non_null(room);
    assert_non_null(own);
    memcpy(own, in.data, in.len);
    in = hoop_str_n(own, in.len);
    int rc, idle = 0;
    do {
        size_t n = 0, before = in.len;
        rc = hoop__codec_run(codec, &in, room, cap, &n, op);
        assert_true(n <= cap);
        assert_true(in.len <= before);
        /* Asked again it gets on, but for once. */
        idle = n || in.len < before ? 0 : idle + 1;
        assert_true(idle < 3);
        bytes_add(out, room, n);
    } while (rc == HOOP_EAGAIN);
    if (rc == 0 || rc == HOOP_EOF)
        assert_int_equal(in.len, 0);
    free(own);
    free(room);
    return rc;
}

/* Repeatable text that compresses about as HTML does. */
static inline void add_text(struct bytes *b, size_t len)
{
    static const char *const words[] = { "<li class=\"row\">", "</li>\n", "hoop ",     "Ring ",
                                         "request ",           "of a ",   "response ", "value " };
    uint64_t seed = 42 + b->len;
    size_t end = b->len + len;
    bytes_add(b, "", 0);
    while (b->len < end) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        const char *word = words[seed >> 61];
        char number[8] = { (char)('0' + (seed >> 40) % 10), (char)('0' + (seed >> 44) % 10), ' ' };
        bytes_add(b, word, strlen(word));
        bytes_add(b, number, 3);
    }
    b->len = end;
    b->data[end] = 0;
}

/* Bytes without any order. */
static inline void add_noise(struct bytes *b, size_t len)
{
    uint64_t seed = 7;
    for (size_t i = 0; i < len; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        char c = (char)(seed >> 56);
        bytes_add(b, &c, 1);
    }
}

/* Runs for each coding that this build has. */
#define for_each_coding(coding)                                                   \
    for (enum hoop__coding coding = HOOP__GZIP; coding < HOOP__CODINGS; coding++) \
        if (hoop__coding_is_built(coding))

/* Compresses a whole body at the usual level. */
static inline void compress_all(enum hoop__coding coding, hoop_str in, struct bytes *out)
{
    struct hoop__codec *codec;
    assert_int_equal(hoop__encoder_new(&codec, &hoop__malloc, coding, 0), 0);
    assert_int_equal(drive(codec, in, 4096, HOOP__CODEC_FINISH, out), HOOP_EOF);
    hoop__codec_free(codec);
}

/* Decompresses a whole body; the code of the last step. */
static inline int decompress_all(enum hoop__coding coding, hoop_str in, size_t cap,
                                 struct bytes *out)
{
    struct hoop__codec *codec;
    assert_int_equal(hoop__decoder_new(&codec, &hoop__malloc, coding), 0);
    int rc = drive(codec, in, cap, HOOP__CODEC_FINISH, out);
    hoop__codec_free(codec);
    return rc;
}

#endif
