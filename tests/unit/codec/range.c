/* Byte ranges: the grammar, what can be had, merging against a model, and the framing. */
#include "tools.h"

#include "codec/range.h"

#include <inttypes.h>
#include <stdio.h>

/* "from+len" of each range, or "all", or "416". */
static void expect(const char *value, uint64_t size, const char *want)
{
    hoop_str text = tight_c(value);
    struct hoop__range ranges[HOOP__RANGES_MAX];
    char got[512] = "";
    size_t used = 0;
    int count = hoop__range_parse(text, size, ranges);
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(got + used, sizeof got - used, "%s%" PRIu64 "+%" PRIu64,
                                 i ? " " : "", ranges[i].from, ranges[i].len);
    if (count <= 0)
        snprintf(got, sizeof got, "%s", count ? "416" : "all");
    if (strcmp(got, want) != 0)
        fail_msg("'%s' of %" PRIu64 " gave %s, not %s", value, size, got, want);
    drop(text);
}

static void test_single(void **state)
{
    expect("bytes=2-10", 40, "2+9");
    expect("bytes=0-0", 40, "0+1");
    expect("bytes=39-39", 40, "39+1");
    expect("bytes=39-40", 40, "39+1");
    expect("bytes=0-39", 40, "0+40");
    expect("bytes=0-", 40, "0+40");
    expect("bytes=5-", 23, "5+18");
    expect("bytes=-50", 256, "206+50");
    expect("bytes=-1", 6, "5+1");
    expect("bytes=-6", 6, "0+6");
    expect("bytes=-9999", 6, "0+6");
    expect("BYTES=1-2", 6, "1+2");
    expect("bytes=00001-0002", 6, "1+2");
}

static void test_not_to_be_had(void **state)
{
    expect("bytes=100-200", 6, "416");
    expect("bytes=6-", 6, "416");
    expect("bytes=6-6", 6, "416");
    expect("bytes=-0", 6, "416");
    expect("bytes=6-,7-8,-0", 6, "416");
    expect("bytes=18446744073709551615-", 6, "416");
    expect("bytes=18446744073709551616-18446744073709551617", 6, "416");
}

static void test_ignored(void **state)
{
    static const char *const wrong[] = {
        "",
        "bytes",
        "bytes=",
        "bytes=a-b",
        "bytes=a",
        "bytes=47",
        "bytes=0x1-",
        "bytes=5-2",
        "bytes=--1",
        "bytes=-",
        "bytes=1-2-",
        "bytes=1-2;",
        "bytes=1 -2",
        "bytes= , ,",
        "bytes = 0-1",
        "items=0-1",
        "byte=0-1",
        "bytess=0-1",
        "0-1",
        "=0-1",
        "bytes=0-1,x",
        "bytes=x,0-1",
        "bytes=0-1 2-3",
        "bytes=+1-2",
        "bytes=5-2,0-1",
    };
    for (size_t i = 0; i < HOOP_COUNT(wrong); i++)
        expect(wrong[i], 6, "all");
    /* A part of nothing. */
    expect("bytes=0-", 0, "all");
    expect("bytes=-5", 0, "all");
    expect("bytes=0-0", 0, "all");
}

static void test_huge(void **state)
{
    expect("bytes=0-18446744073709551616", 6, "0+6");
    expect("bytes=1-99999999999999999999999999", 6, "1+5");
    expect("bytes=-99999999999999999999999999", 6, "0+6");
    expect("bytes=0-18446744073709551614", UINT64_MAX, "0+18446744073709551615");
    expect("bytes=18446744073709551614-", UINT64_MAX, "18446744073709551614+1");
    expect("bytes=-1", UINT64_MAX, "18446744073709551614+1");
    expect("bytes=4294967296-4294967299", UINT64_C(5000000000), "4294967296+4");
}

static void test_several(void **state)
{
    expect("bytes=0-1,3-4", 6, "0+2 3+2");
    expect("bytes=3-4,0-1", 6, "3+2 0+2");
    expect("bytes= 0-1 , 3-4 ", 6, "0+2 3+2");
    expect("bytes=,,0-1,\t,3-4,", 6, "0+2 3+2");
    expect("bytes=0-1,90-99,3-4", 6, "0+2 3+2");
    expect("bytes=90-99,3-4", 6, "3+2");
    expect("bytes=0-0,-1", 10000, "0+1 9999+1");
}

static void test_merged(void **state)
{
    expect("bytes=0-1,2-3", 6, "0+4");
    expect("bytes=2-3,0-1", 6, "0+4");
    expect("bytes=0-3,1-2", 6, "0+4");
    expect("bytes=1-39,-35", 40, "1+39");
    expect("bytes=0-,0-,0-,0-", 6, "0+6");
    expect("bytes=8-9,0-1,1-2", 20, "0+3 8+2");
    expect("bytes=0-0,2-2,4-4,1-1", 6, "0+3 4+1");
}

static void test_many(void **state)
{
    char value[1024] = "bytes=", want[1024] = "";
    size_t used = 6, want_used = 0;
    for (int i = 0; i < HOOP__RANGES_MAX; i++) {
        used += (size_t)snprintf(value + used, sizeof value - used, "%d-%d,", i * 3, i * 3);
        want_used += (size_t)snprintf(want + want_used, sizeof want - want_used, "%s%d+1",
                                      i ? " " : "", i * 3);
    }
    expect(value, 1000, want);
    snprintf(value + used, sizeof value - used, "900-900");
    expect(value, 1000, "all");
    /* Those that can't be had count, too: a list of a megabyte is given up after the seventeenth. */
    snprintf(value + used, sizeof value - used, "9000-9000");
    expect(value, 1000, "all");
}

/* Random lists of small numbers: exactly the bytes of the union, each once. */
static void test_model(void **state)
{
    uint64_t seed = 7233;
    for (int i = 0; i < 100000; i++) {
        uint64_t size = 1 + random_below(&seed, 40);
        int specs = 1 + (int)random_below(&seed, 5), bad = 0, any = 0;
        char value[256] = "bytes=";
        size_t used = 6;
        uint8_t want[40] = { 0 }, got[40] = { 0 };
        for (int s = 0; s < specs; s++) {
            uint64_t a = random_below(&seed, 45), b = random_below(&seed, 45);
            uint32_t form = random_below(&seed, 4);
            uint64_t from = a, to = b;
            if (form == 0) {
                used += (size_t)snprintf(value + used, sizeof value - used, "%s-%" PRIu64,
                                         s ? "," : "", b);
                from = b > size ? 0 : size - b;
                to = b ? size - 1 : 0;
                if (!b)
                    from = size; /* nothing */
            } else if (form == 1) {
                used += (size_t)snprintf(value + used, sizeof value - used, "%s%" PRIu64 "-",
                                         s ? "," : "", a);
                to = size - 1;
            } else {
                used += (size_t)snprintf(value + used, sizeof value - used,
                                         "%s%" PRIu64 "-%" PRIu64, s ? "," : "", a, b);
                bad |= b < a;
            }
            for (uint64_t at = from; at <= to && at < size; at++)
                want[at] = (uint8_t)(any = 1);
        }
        struct hoop__range ranges[HOOP__RANGES_MAX];
        int count = hoop__range_parse(hoop_str_n(value, used), size, ranges);
        if (bad || !any) {
            assert_int_equal(count, bad ? 0 : HOOP_EINVAL);
            continue;
        }
        assert_true(count > 0 && count <= specs);
        for (int k = 0; k < count; k++)
            for (uint64_t at = 0; at < ranges[k].len; at++)
                got[ranges[k].from + at]++;
        assert_memory_equal(got, want, sizeof got);
    }
}

static void test_random(void **state)
{
    uint64_t seed = 14;
    for (int i = 0; i < 200000; i++) {
        hoop_str tail = random_text(&seed, 24, "0123456789-, \t"), text;
        char bytes[64] = "bytes=";
        if (tail.len)
            memcpy(bytes + 6, tail.data, tail.len);
        text = tight(bytes, 6 + tail.len);
        struct hoop__range ranges[HOOP__RANGES_MAX];
        uint64_t size = random_below(&seed, 3) ? random_below(&seed, 1000) : UINT64_MAX;
        int count = hoop__range_parse(text, size, ranges);
        assert_true(count >= 0 || count == HOOP_EINVAL);
        for (int k = 0; k < count; k++)
            assert_true(ranges[k].len && ranges[k].from < size &&
                        ranges[k].len <= size - ranges[k].from);
        drop(text);
        drop(tail);
    }
}

static void test_content_range(void **state)
{
    char out[HOOP__CONTENT_RANGE_SIZE];
    size_t n = hoop__content_range_write(&(struct hoop__range){ 2, 9 }, 40, out);
    assert_bytes(out, n, "bytes 2-10/40", 13);
    n = hoop__content_range_write(&(struct hoop__range){ UINT64_MAX - 1, 1 }, UINT64_MAX, out);
    assert_int_equal(n, HOOP__CONTENT_RANGE_SIZE - 2);
    n = hoop__content_range_write_none(6, out);
    assert_bytes(out, n, "bytes */6", 9);
}

static void test_multipart(void **state)
{
    char out[512];
    hoop_str b = hoop_str_c("B0"), type = hoop_str_c("text/plain");
    struct hoop__range r = { 2, 9 };
    const char *first = "--B0\r\nContent-Type: text/plain\r\nContent-Range: bytes 2-10/40\r\n\r\n";
    const char *next = "\r\n--B0\r\nContent-Range: bytes 2-10/40\r\n\r\n";
    size_t n = hoop__byteranges_head(b, type, &r, 40, 1, out);
    assert_bytes(out, n, first, strlen(first));
    assert_int_equal(hoop__byteranges_head(b, type, &r, 40, 1, NULL), n);
    n = hoop__byteranges_head(b, hoop_str_none(), &r, 40, 0, out);
    assert_bytes(out, n, next, strlen(next));
    assert_int_equal(hoop__byteranges_head(b, hoop_str_none(), &r, 40, 0, NULL), n);
    n = hoop__byteranges_end(b, out);
    assert_bytes(out, n, "\r\n--B0--\r\n", 10);
    assert_int_equal(hoop__byteranges_end(b, NULL), n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single),    cmocka_unit_test(test_not_to_be_had),
        cmocka_unit_test(test_ignored),   cmocka_unit_test(test_huge),
        cmocka_unit_test(test_several),   cmocka_unit_test(test_merged),
        cmocka_unit_test(test_many),      cmocka_unit_test(test_model),
        cmocka_unit_test(test_random),    cmocka_unit_test(test_content_range),
        cmocka_unit_test(test_multipart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
