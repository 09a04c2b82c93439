/* Content codings: what goes in comes out, however it is cut; flushes are complete; broken data is refused. */
#include "base/blocks.h"

#include "tools.h"

#include <malloc.h>

static void assert_same(const struct bytes *got, hoop_str want)
{
    assert_bytes(got->data ? got->data : "", got->len, want.data, want.len);
}

/* --- names ----------------------------------------------------------------------------------- */

static void test_names(void **state)
{
    static const struct {
        const char *name;
        enum hoop__coding coding;
    } cases[] = {
        { "gzip", HOOP__GZIP },       { "GZip", HOOP__GZIP },     { "x-gzip", HOOP__GZIP },
        { "deflate", HOOP__DEFLATE }, { "br", HOOP__BR },         { "zstd", HOOP__ZSTD },
        { "ZSTD", HOOP__ZSTD },       { "", HOOP__CODINGS },      { "identity", HOOP__CODINGS },
        { "gzi", HOOP__CODINGS },     { "gzip ", HOOP__CODINGS }, { "compress", HOOP__CODINGS },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++)
        assert_int_equal(hoop__coding_of(hoop_str_c(cases[i].name)), cases[i].coding);
    for (int i = 0; i < HOOP__CODINGS; i++)
        assert_int_equal(hoop__coding_of(hoop_str_c(hoop__coding_name((enum hoop__coding)i))), i);
}

static void test_what_is_not_built_is_refused(void **state)
{
    for (int i = 0; i < HOOP__CODINGS; i++) {
        struct hoop__codec *codec = NULL;
        int want = hoop__coding_is_built((enum hoop__coding)i) ? 0 : HOOP_EUNSUPPORTED;
        assert_int_equal(hoop__encoder_new(&codec, &hoop__malloc, (enum hoop__coding)i, 0), want);
        hoop__codec_free(want ? NULL : codec);
        assert_int_equal(hoop__decoder_new(&codec, &hoop__malloc, (enum hoop__coding)i), want);
        hoop__codec_free(want ? NULL : codec);
    }
}

/* --- round trips ----------------------------------------------------------------------------- */

static void round_trip(enum hoop__coding coding, int level, hoop_str body, size_t piece, size_t cap)
{
    struct hoop__codec *codec;
    struct bytes packed = { 0 }, back = { 0 };
    assert_int_equal(hoop__encoder_new(&codec, &hoop__malloc, coding, level), 0);
    for (size_t at = 0; at < body.len; at += piece) {
        size_t len = body.len - at < piece ? body.len - at : piece;
        assert_int_equal(
            drive(codec, hoop_str_n(body.data + at, len), cap, HOOP__CODEC_RUN, &packed), 0);
    }
    assert_int_equal(drive(codec, hoop_str_c(""), cap, HOOP__CODEC_FINISH, &packed), HOOP_EOF);
    hoop__codec_free(codec);

    assert_int_equal(hoop__decoder_new(&codec, &hoop__malloc, coding), 0);
    for (size_t at = 0; at < packed.len; at += piece) {
        size_t len = packed.len - at < piece ? packed.len - at : piece;
        assert_int_equal(
            drive(codec, hoop_str_n(packed.data + at, len), cap, HOOP__CODEC_RUN, &back), 0);
    }
    assert_int_equal(drive(codec, hoop_str_c(""), cap, HOOP__CODEC_FINISH, &back), HOOP_EOF);
    hoop__codec_free(codec);
    assert_same(&back, body);
    bytes_free(&packed);
    bytes_free(&back);
}

static void test_round_trips(void **state)
{
    static const size_t sizes[] = { 0, 1, 2, 100, 3000, 70000, 300000 };
    static const struct {
        size_t piece, cap;
    } steps[] = {
        { 1 << 20, 1 << 20 }, { 16384, 16384 }, { 1000, 31 }, { 77, 33 }, { 1 << 20, 1 }
    };
    for_each_coding(coding)
    {
        for (size_t i = 0; i < HOOP_COUNT(sizes); i++) {
            struct bytes text = { 0 }, noise = { 0 };
            add_text(&text, sizes[i]);
            add_noise(&noise, sizes[i]);
            for (size_t s = 0; s < HOOP_COUNT(steps); s++) {
                round_trip(coding, 0, hoop_str_n(text.data, text.len), steps[s].piece,
                           steps[s].cap);
                round_trip(coding, 0, hoop_str_n(noise.data, noise.len), steps[s].piece,
                           steps[s].cap);
            }
            bytes_free(&text);
            bytes_free(&noise);
        }
    }
}

static void test_byte_by_byte(void **state)
{
    struct bytes text = { 0 };
    add_text(&text, 5000);
    for_each_coding(coding) for (size_t cap = 1; cap < 70; cap += 11)
        round_trip(coding, 0, bytes_str(&text), 1, cap);
    bytes_free(&text);
}

static void test_every_level(void **state)
{
    struct bytes text = { 0 };
    add_text(&text, 20000);
    for_each_coding(coding)
    {
        struct hoop__levels levels = hoop__coding_levels(coding);
        assert_true(levels.min <= levels.usual && levels.usual <= levels.max);
        for (int level = levels.min; level <= levels.max; level++)
            round_trip(coding, level, bytes_str(&text), 6000, 5000);
    }
    bytes_free(&text);
}

/* --- flushes --------------------------------------------------------------------------------- */

/* What was flushed so far can be read, whatever the room was, and a second flush says nothing more. */
static void flush_pieces(enum hoop__coding coding, hoop_str body, size_t piece, size_t cap)
{
    struct hoop__codec *encoder, *decoder;
    struct bytes back = { 0 };
    assert_int_equal(hoop__encoder_new(&encoder, &hoop__malloc, coding, 0), 0);
    assert_int_equal(hoop__decoder_new(&decoder, &hoop__malloc, coding), 0);
    size_t at = 0;
    while (at < body.len) {
        size_t len = body.len - at < piece ? body.len - at : piece;
        struct bytes packed = { 0 };
        hoop_str part = hoop_str_n(body.data + at, len);
        assert_int_equal(drive(encoder, part, cap, HOOP__CODEC_RUN, &packed), 0);
        assert_int_equal(drive(encoder, hoop_str_c(""), cap, HOOP__CODEC_FLUSH, &packed), 0);
        assert_true(packed.len > 0);
        assert_int_equal(drive(decoder, bytes_str(&packed), 100, HOOP__CODEC_RUN, &back), 0);
        at += len;
        assert_same(&back, hoop_str_n(body.data, at));
        bytes_free(&packed);
    }
    struct bytes end = { 0 };
    assert_int_equal(drive(encoder, hoop_str_c(""), cap, HOOP__CODEC_FINISH, &end), HOOP_EOF);
    assert_int_equal(drive(decoder, bytes_str(&end), 100, HOOP__CODEC_FINISH, &back), HOOP_EOF);
    assert_same(&back, body);
    bytes_free(&end);
    bytes_free(&back);
    hoop__codec_free(encoder);
    hoop__codec_free(decoder);
}

static void test_flushes_are_complete(void **state)
{
    struct bytes text = { 0 };
    add_text(&text, 3000);
    for_each_coding(coding)
    {
        flush_pieces(coding, bytes_str(&text), 3000, 100000);
        for (size_t cap = 1; cap < 64; cap++)
            flush_pieces(coding, bytes_str(&text), 170, cap);
        flush_pieces(coding, hoop_str_n(text.data, 300), 1, 1);
    }
    bytes_free(&text);
}

/* --- broken data ----------------------------------------------------------------------------- */

static void test_every_cut_is_refused(void **state)
{
    struct bytes text = { 0 };
    add_text(&text, 2000);
    for_each_coding(coding)
    {
        struct bytes packed = { 0 };
        compress_all(coding, bytes_str(&text), &packed);
        for (size_t len = 0; len < packed.len; len++) {
            struct bytes back = { 0 };
            assert_int_equal(decompress_all(coding, hoop_str_n(packed.data, len), 999, &back),
                             HOOP_EPARSE);
            assert_true(back.len <= text.len);
            if (back.len)
                assert_memory_equal(back.data, text.data, back.len);
            bytes_free(&back);
        }
        bytes_free(&packed);
    }
    bytes_free(&text);
}

static void test_cut_in_two_anywhere(void **state)
{
    struct bytes text = { 0 };
    add_text(&text, 2000);
    for_each_coding(coding)
    {
        struct bytes packed = { 0 };
        compress_all(coding, bytes_str(&text), &packed);
        for (size_t cut = 0; cut <= packed.len; cut++) {
            struct bytes back = { 0 };
            struct hoop__codec *codec;
            assert_int_equal(hoop__decoder_new(&codec, &hoop__malloc, coding), 0);
            hoop_str first = hoop_str_n(packed.data, cut);
            hoop_str rest = hoop_str_n(packed.data + cut, packed.len - cut);
            assert_int_equal(drive(codec, first, 300, HOOP__CODEC_RUN, &back), 0);
            assert_int_equal(drive(codec, rest, 300, HOOP__CODEC_FINISH, &back), HOOP_EOF);
            assert_same(&back, bytes_str(&text));
            hoop__codec_free(codec);
            bytes_free(&back);
        }
        bytes_free(&packed);
    }
    bytes_free(&text);
}

static void test_bytes_behind_the_end(void **state)
{
    for_each_coding(coding)
    {
        struct bytes packed = { 0 }, back = { 0 };
        compress_all(coding, hoop_str_c("hello"), &packed);
        bytes_add(&packed, "\0", 1);
        assert_int_equal(decompress_all(coding, bytes_str(&packed), 999, &back), HOOP_EPARSE);
        bytes_free(&packed);
        bytes_free(&back);
    }
}

/* gzip may have several members, zstd several frames; the others end once. */
static void test_one_after_the_other(void **state)
{
    for_each_coding(coding)
    {
        int may = coding == HOOP__GZIP || coding == HOOP__ZSTD;
        for (size_t cap = 1; cap < 14; cap++) {
            struct bytes packed = { 0 }, back = { 0 };
            compress_all(coding, hoop_str_c("hello "), &packed);
            compress_all(coding, hoop_str_c("world"), &packed);
            assert_int_equal(decompress_all(coding, bytes_str(&packed), cap, &back),
                             may ? HOOP_EOF : HOOP_EPARSE);
            if (may)
                assert_str(bytes_str(&back), "hello world");
            bytes_free(&packed);
            bytes_free(&back);
        }
    }
}

static void test_a_byte_changed_anywhere(void **state)
{
    struct bytes text = { 0 };
    add_text(&text, 400);
    for_each_coding(coding)
    {
        struct bytes packed = { 0 };
        compress_all(coding, bytes_str(&text), &packed);
        for (size_t i = 0; i < packed.len; i++) {
            struct bytes back = { 0 };
            packed.data[i] ^= 0x41;
            int rc = decompress_all(coding, bytes_str(&packed), 999, &back);
            assert_true(rc == HOOP_EPARSE || rc == HOOP_EOF);
            packed.data[i] ^= 0x41;
            bytes_free(&back);
        }
        bytes_free(&packed);
    }
    bytes_free(&text);
}

/* --- formats --------------------------------------------------------------------------------- */

/* Made by gzip(1), brotli(1), zstd(1), and by zlib without and with its frame: "hello\n". */
static const struct {
    enum hoop__coding coding;
    const char *data;
    size_t len;
} foreign[] = {
#define FOREIGN(coding, text)         \
    {                                 \
        coding, text, sizeof text - 1 \
    }
    FOREIGN(HOOP__GZIP, "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\xe7\x02\x00"
                        "\x20\x30\x3a\x36\x06\x00\x00\x00"),
    FOREIGN(HOOP__DEFLATE, "\x78\x9c\xcb\x48\xcd\xc9\xc9\xe7\x02\x00\x08\x4b\x02\x1f"),
    FOREIGN(HOOP__DEFLATE, "\xcb\x48\xcd\xc9\xc9\xe7\x02\x00"),
    FOREIGN(HOOP__BR, "\x8f\x02\x80\x68\x65\x6c\x6c\x6f\x0a\x03"),
    FOREIGN(HOOP__ZSTD, "\x28\xb5\x2f\xfd\x04\x58\x31\x00\x00\x68\x65\x6c\x6c\x6f\x0a\x53\x88\xbd"
                        "\x91"),
#undef FOREIGN
};

static void test_what_others_made(void **state)
{
    for (size_t i = 0; i < HOOP_COUNT(foreign); i++) {
        if (!hoop__coding_is_built(foreign[i].coding))
            continue;
        hoop_str in = hoop_str_n(foreign[i].data, foreign[i].len);
        for (size_t cap = 1; cap < 9; cap++) {
            struct bytes back = { 0 };
            assert_int_equal(decompress_all(foreign[i].coding, in, cap, &back), HOOP_EOF);
            assert_str(bytes_str(&back), "hello\n");
            bytes_free(&back);
        }
        round_trip(foreign[i].coding, 0, in, 1, 1);
    }
}

/* RFC 9659: a window of more than 8 MiB is refused in front of any memory for it. */
static void test_zstd_window_is_bounded(void **state)
{
    if (!hoop__coding_is_built(HOOP__ZSTD))
        return;
    struct bytes back = { 0 };
    /* Magic, a descriptor without single segment, window exponent 14 (16 MiB), an empty last block. */
    hoop_str wide = hoop_str_n("\x28\xb5\x2f\xfd\x00\x70\x01\x00\x00", 9);
    assert_int_equal(decompress_all(HOOP__ZSTD, wide, 99, &back), HOOP_EPARSE);
    hoop_str right = hoop_str_n("\x28\xb5\x2f\xfd\x00\x68\x01\x00\x00", 9);
    assert_int_equal(decompress_all(HOOP__ZSTD, right, 99, &back), HOOP_EOF);
    assert_int_equal(back.len, 0);
    bytes_free(&back);
}

/* --- again, and memory ----------------------------------------------------------------------- */

static void test_reset_makes_it_new(void **state)
{
    struct bytes text = { 0 };
    add_text(&text, 3000);
    for_each_coding(coding)
    {
        struct hoop__codec *encoder, *decoder;
        struct bytes want = { 0 };
        compress_all(coding, bytes_str(&text), &want);
        assert_int_equal(hoop__encoder_new(&encoder, &hoop__malloc, coding, 0), 0);
        assert_int_equal(hoop__decoder_new(&decoder, &hoop__malloc, coding), 0);
        if (encoder->ops->reset) {
            /* In the middle of a flush, of a broken body, and whole. */
            char room[7];
            size_t n;
            hoop_str in = bytes_str(&text);
            assert_int_equal(hoop__codec_run(encoder, &in, room, 7, &n, HOOP__CODEC_FLUSH),
                             HOOP_EAGAIN);
            assert_int_equal(encoder->ops->reset(encoder), 0);
            struct bytes got = { 0 }, back = { 0 };
            assert_int_equal(drive(encoder, bytes_str(&text), 4096, HOOP__CODEC_FINISH, &got),
                             HOOP_EOF);
            assert_same(&got, bytes_str(&want));
            assert_int_equal(drive(decoder, hoop_str_c("xyz"), 9, HOOP__CODEC_FINISH, &back),
                             HOOP_EPARSE);
            for (int i = 0; i < 2; i++) {
                assert_int_equal(decoder->ops->reset(decoder), 0);
                bytes_free(&back);
                assert_int_equal(drive(decoder, bytes_str(&got), 99, HOOP__CODEC_FINISH, &back),
                                 HOOP_EOF);
                assert_same(&back, bytes_str(&text));
            }
            bytes_free(&got);
            bytes_free(&back);
        }
        hoop__codec_free(encoder);
        hoop__codec_free(decoder);
        bytes_free(&want);
    }
    bytes_free(&text);
}

/* A whole body both ways on an allocator that fails; the codes tell. */
static void body_on(struct test_allocator *a, void *data)
{
    enum hoop__coding coding = *(enum hoop__coding *)data;
    struct hoop__codec *codec = NULL;
    struct bytes text = { 0 }, packed = { 0 }, back = { 0 }, good = { 0 };
    add_text(&text, 3000);
    compress_all(coding, bytes_str(&text), &good);
    int rc = hoop__encoder_new(&codec, &a->hoop, coding, 0);
    if (!rc) {
        rc = drive(codec, bytes_str(&text), 999, HOOP__CODEC_FINISH, &packed);
        hoop__codec_free(codec);
    }
    assert_true(rc == HOOP_EOF || rc == HOOP_ENOMEM);
    rc = hoop__decoder_new(&codec, &a->hoop, coding);
    if (!rc) {
        rc = drive(codec, bytes_str(&good), 999, HOOP__CODEC_FINISH, &back);
        hoop__codec_free(codec);
    }
    assert_true(rc == HOOP_EOF || rc == HOOP_ENOMEM);
    bytes_free(&text);
    bytes_free(&good);
    bytes_free(&packed);
    bytes_free(&back);
}

static void test_each_allocation_fails(void **state)
{
    for_each_coding(coding) test_each_allocation(body_on, &coding);
}

/* What is counted for a context is what it takes. A quarter is for other versions of the libraries. */
static void test_memory_is_as_counted(void **state)
{
    struct bytes text = { 0 };
    add_text(&text, 1 << 20);
    add_noise(&text, 1 << 18);
    for_each_coding(coding)
    {
        for (int level = 1; level <= 6; level++) {
            struct hoop__codec *codec;
            struct bytes out = { 0 };
            assert_int_equal(hoop__encoder_new(&codec, &hoop__malloc, coding, level), 0);
            for (size_t at = 0; at < text.len; at += 16384)
                drive(codec, hoop_str_n(text.data + at, 16384), 16384, HOOP__CODEC_RUN, &out);
            size_t size = codec->ops->size(codec), cost = hoop__coding_cost(coding, level);
            if (size > cost + cost / 4)
                fail_msg("%s %d: %zu bytes", hoop__coding_name(coding), level, size);
            hoop__codec_free(codec);
            bytes_free(&out);
        }
        int usual = hoop__coding_levels(coding).usual;
        assert_int_equal(hoop__coding_cost(coding, 0), hoop__coding_cost(coding, usual));
    }
    bytes_free(&text);
}

/* --- whole bodies ---------------------------------------------------------------------------- */

/* One context for body after body; what does not fit is told, and can be given again. */
static void test_whole_bodies(void **state)
{
    static const size_t sizes[] = { 0, 1, 100, 65536, 1000000 };
    struct bytes text = { 0 };
    add_text(&text, 1000000);
    for_each_coding(coding)
    {
        struct hoop__codec *codec;
        assert_int_equal(hoop__whole_encoder_new(&codec, &hoop__malloc, coding, 0), 0);
        assert_int_equal(codec->whole, hoop__coding_has_whole(coding));
        for (size_t i = 0; i < HOOP_COUNT(sizes); i++) {
            hoop_str in = hoop_str_n(text.data, sizes[i]);
            size_t cap = sizes[i] + 100, len = 0;
            struct bytes back = { 0 };
            char *out = malloc(cap);
            if (codec->whole) {
                assert_int_equal(hoop__codec_run(codec, &in, out, 5, &len, HOOP__CODEC_FINISH),
                                 HOOP_EAGAIN);
                assert_int_equal(len, 0);
                assert_int_equal(in.len, sizes[i]);
            }
            assert_int_equal(hoop__codec_run(codec, &in, out, cap, &len, HOOP__CODEC_FINISH),
                             HOOP_EOF);
            assert_int_equal(in.len, 0);
            assert_int_equal(decompress_all(coding, hoop_str_n(out, len), 4096, &back), HOOP_EOF);
            assert_same(&back, hoop_str_n(text.data, sizes[i]));
            if (codec->ops->reset && codec->ops->reset(codec) == 0) {
                bytes_free(&back);
                free(out);
                continue;
            }
            hoop__codec_free(codec);
            assert_int_equal(hoop__whole_encoder_new(&codec, &hoop__malloc, coding, 0), 0);
            bytes_free(&back);
            free(out);
        }
        hoop__codec_free(codec);
    }
    bytes_free(&text);
}

static void test_memory_of_whole_bodies_is_as_counted(void **state)
{
    if (test_sanitized() || !hoop__coding_has_whole(HOOP__GZIP))
        skip();
    for (int level = 1; level <= 9; level++) {
        struct hoop__codec *codec;
        struct mallinfo2 before = mallinfo2();
        assert_int_equal(hoop__whole_encoder_new(&codec, &hoop__malloc, HOOP__GZIP, level), 0);
        struct mallinfo2 after = mallinfo2();
        size_t size = after.uordblks - before.uordblks + after.hblkhd - before.hblkhd;
        size_t cost = hoop__coding_whole_cost(HOOP__GZIP, level);
        assert_in_range(size, cost / 2, cost + cost / 4);
        assert_true(codec->ops->size(codec) == cost);
        hoop__codec_free(codec);
    }
    assert_int_equal(hoop__coding_whole_cost(HOOP__BR, 4), hoop__coding_cost(HOOP__BR, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_what_is_not_built_is_refused),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_byte_by_byte),
        cmocka_unit_test(test_every_level),
        cmocka_unit_test(test_flushes_are_complete),
        cmocka_unit_test(test_every_cut_is_refused),
        cmocka_unit_test(test_cut_in_two_anywhere),
        cmocka_unit_test(test_bytes_behind_the_end),
        cmocka_unit_test(test_one_after_the_other),
        cmocka_unit_test(test_a_byte_changed_anywhere),
        cmocka_unit_test(test_what_others_made),
        cmocka_unit_test(test_zstd_window_is_bounded),
        cmocka_unit_test(test_reset_makes_it_new),
        cmocka_unit_test(test_each_allocation_fails),
        cmocka_unit_test(test_memory_is_as_counted),
        cmocka_unit_test(test_whole_bodies),
        cmocka_unit_test(test_memory_of_whole_bodies_is_as_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
