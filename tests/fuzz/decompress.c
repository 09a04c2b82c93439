/*
 * Fuzz target: bytes as a compressed body, whole and in pieces. Both ways must give the same bytes and the same
 * verdict; what was read whole must come back when it is compressed and read again.
 */
#include "support.h"

#include "base/blocks.h"
#include "compress/codec.h"

#define MAX_OUT ((size_t)1 << 18)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct result {
    char *data;
    size_t len;
    int code; /* HOOP_ETOOBIG: more than MAX_OUT */
};

/* Gives `in` in pieces; room for `cap` bytes at a time. */
static struct result run(struct hoop__codec *codec, hoop_str in, size_t piece, size_t cap)
{
    struct result r = { malloc(MAX_OUT + 1), 0, 0 };
    size_t at = 0;
    do {
        size_t len = in.len - at < piece ? in.len - at : piece;
        hoop_str part = hoop_str_n(in.data + at, len);
        at += len;
        enum hoop__codec_op op = at == in.len ? HOOP__CODEC_FINISH : HOOP__CODEC_RUN;
        do {
            size_t room = MAX_OUT + 1 - r.len, n = 0;
            r.code = hoop__codec_run(codec, &part, r.data + r.len, room < cap ? room : cap, &n, op);
            if (n > room || n > cap)
                abort();
            r.len += n;
        } while (r.code == HOOP_EAGAIN && r.len <= MAX_OUT);
        if (r.len > MAX_OUT)
            r.code = HOOP_ETOOBIG;
        else if (r.code == 0 && (part.len || op == HOOP__CODEC_FINISH))
            abort();
    } while (r.code == 0);
    return r;
}

static struct result decode(enum hoop__coding coding, hoop_str in, size_t piece, size_t cap)
{
    struct hoop__codec *codec;
    if (hoop__decoder_new(&codec, &hoop__malloc, coding))
        abort();
    struct result r = run(codec, in, piece, cap);
    hoop__codec_free(codec);
    return r;
}

/* Bytes that a broken stream gave in front of its fault may differ by where it was cut; no others. */
static void must_agree(const struct result *a, const struct result *b)
{
    size_t both = a->len < b->len ? a->len : b->len;
    if (a->code != b->code || memcmp(a->data, b->data, both) != 0)
        abort();
    if (a->code == HOOP_EOF && a->len != b->len)
        abort();
}

static void there_and_back(enum hoop__coding coding, const struct result *plain)
{
    struct hoop__codec *codec;
    if (hoop__encoder_new(&codec, &hoop__malloc, coding, 1))
        abort();
    struct result packed = run(codec, hoop_str_n(plain->data, plain->len), 5000, 3000);
    hoop__codec_free(codec);
    if (packed.code == HOOP_EOF) {
        struct result again = decode(coding, hoop_str_n(packed.data, packed.len), 4096, 4096);
        if (again.code != HOOP_EOF)
            abort();
        must_agree(plain, &again);
        free(again.data);
    } else if (packed.code != HOOP_ETOOBIG) {
        abort();
    }
    free(packed.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 20000)
        return 0;
    enum hoop__coding coding = (enum hoop__coding)(data[0] % HOOP__CODINGS);
    if (!hoop__coding_is_built(coding))
        return 0;
    hoop_str in = hoop_str_n((const char *)data + 2, size - 2);
    struct result whole = decode(coding, in, SIZE_MAX, SIZE_MAX);
    struct result cut = decode(coding, in, (size_t)1 + data[1] % 37, (size_t)1 + data[1]);
    must_agree(&whole, &cut);
    if (whole.code == HOOP_EOF)
        there_and_back(coding, &whole);
    free(whole.data);
    free(cut.data);
    return 0;
}
