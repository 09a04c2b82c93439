/* The reader that is fed piece by piece: events, framings, limits, errors, at every cut. */
#include "reader_tools.h"

#include "json/read_scan.h"

#include <sys/mman.h>
#include <unistd.h>

/* Whole, byte by byte, and cut in two at each place. `error`: the text of the error, or NULL. */
static void reads_with(const char *text, size_t len, const hoop_json_events *events,
                       const hoop_json_reader_options *options, const char *want,
                       const char *error_text)
{
    hoop_str all = hoop_str_n(text, len);
    for (size_t at = 0; at <= len; at++) {
        struct told told = { 0 };
        hoop_json_error error = { .text = "" };
        int rc = read_pieces(all, at ? at : 1, at ? len : 1, events, &told, options, &error);
        if ((rc != 0) != (error_text != NULL))
            fail_msg("%s, cut at %zu: %s (%s)", text, at, error.text, told.text);
        if (error_text)
            assert_string_equal(error.text, error_text);
        if (want)
            assert_string_equal(told.text ? told.text : "", want);
        free(told.text);
    }
}

static void reads(const char *text, uint32_t framing, const char *want)
{
    reads_with(text, strlen(text), &tell_all, &(hoop_json_reader_options){ .framing = framing },
               want, NULL);
}

static void refuses(const char *text, uint32_t framing, const char *want, const char *error)
{
    reads_with(text, strlen(text), &tell_all, &(hoop_json_reader_options){ .framing = framing },
               want, error);
}

static void test_events(void **state)
{
    reads("null", HOOP_JSON_ONE, "null ; ");
    reads(" 12 ", HOOP_JSON_ONE, "12 ; ");
    reads("-0.5e+10", HOOP_JSON_ONE, "-0.5e+10 ; ");
    reads("\"\"", HOOP_JSON_ONE, "'' ; ");
    reads("[]", HOOP_JSON_ONE, "[ ] ; ");
    reads("{ }\n", HOOP_JSON_ONE, "{ } ; ");
    reads("{\"a\":[1,true,\r\n\t[],{\"b\\n\\u00e4\":false}],\"\":\"x\"}", HOOP_JSON_ONE,
          "{ a: [ 1 true [ ] { b\n\xc3\xa4: false } ] : 'x' } ; ");
    reads("\"a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80 \\ud83d\\ude00\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
          HOOP_JSON_ONE,
          "'a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80 \xf0\x9f\x98\x80\"\\/\b\f\n\r\t' ; ");
}

static void test_errors(void **state)
{
    refuses("", 0, "", "line 1, column 1: expected a value, found the end");
    refuses("[1,\n  x]", 0, "[ 1 ", "line 2, column 3: expected a value, found 'x'");
    refuses("[\"\xc3\xa4\xc3\xa4\" 1]", 0, "[ '\xc3\xa4\xc3\xa4' ",
            "line 1, column 7: expected ',' or ']', found '1'");
    refuses("\"\xe2\x82\"", 0, NULL, "line 1, column 3: expected UTF-8, found '\"'");
    refuses("\"\xe0\x80\x80\"", 0, NULL, "line 1, column 3: expected UTF-8, found byte 0x80");
    refuses("\"\xed\xa0\x80\"", 0, NULL, "line 1, column 3: expected UTF-8, found byte 0xa0");
    refuses("\"\xc0\x80\"", 0, NULL, "line 1, column 2: expected UTF-8, found byte 0xc0");
    refuses("\"\xf4\x90\x80\x80\"", 0, NULL, "line 1, column 3: expected UTF-8, found byte 0x90");
    refuses("\"\xf0\x9f\x98", 0, NULL, "line 1, column 3: expected UTF-8, found the end");
    refuses("\"\\u00g0\"", 0, NULL, "line 1, column 6: expected a hexadecimal digit, found 'g'");
    refuses("\"\\ud83d\\u0041\"", 0, NULL,
            "line 1, column 10: expected the second half of a surrogate pair, found '0'");
    refuses("\"\\ud83d\\ud83d\"", 0, NULL,
            "line 1, column 11: expected the second half of a surrogate pair, found '8'");
    refuses("\"\\ude00\"", 0, NULL,
            "line 1, column 5: expected the first half of a surrogate pair before the second, "
            "found 'e'");
    refuses("\"\\u0000\"", 0, NULL, "line 1, column 7: \\u0000 is refused in strings");
    refuses("1 2", 0, "1 ; ", "line 1, column 3: expected the end, found '2'");
    refuses("[1", 0, "[ 1 ", "line 1, column 3: expected ',' or ']', found the end");
    refuses("-", 0, "", "line 1, column 2: expected a digit, found the end");
    refuses("1e", 0, "", "line 1, column 3: expected a digit or a sign, found the end");
    refuses("nul", 0, "", "line 1, column 4: expected null, found the end");
    refuses("{\"a\"", 0, "{ a: ", "line 1, column 5: expected ':', found the end");
    refuses("{\"a\":", 0, "{ a: ", "line 1, column 6: expected a value, found the end");
    refuses("{\"a\":1,", 0, "{ a: 1 ", "line 1, column 8: expected a key in quotes, found the end");
    refuses("{1", 0, "{ ", "line 1, column 2: expected a key in quotes or '}', found '1'");
    refuses("\xef\xbb\xbf{}", 0, "", "line 1, column 1: expected a value, found byte 0xef");
}

static void test_lines(void **state)
{
    reads("", HOOP_JSON_LINES, "");
    reads("1\n\"a\"\r\n\n  \n{\"b\": [2]}", HOOP_JSON_LINES, "1 ; 'a' ; { b: [ 2 ] } ; ");
    reads("true\n1\n", HOOP_JSON_LINES, "true ; 1 ; ");
    refuses("1 2\n", HOOP_JSON_LINES, "1 ; ",
            "line 1, column 3: expected the end of the line, found '2'");
    refuses("1\n[2,\n3]", HOOP_JSON_LINES, "1 ; [ 2 ",
            "line 2, column 4: expected a value, found a line's end");
    refuses("1\n\"a\n\"", HOOP_JSON_LINES, NULL,
            "line 2, column 3: expected control characters as \\u escapes, found a line's end");
    refuses("1\n[2", HOOP_JSON_LINES, NULL, "line 2, column 3: expected ',' or ']', found the end");
}

static void test_sequence(void **state)
{
    reads("", HOOP_JSON_SEQ, "");
    reads("\x1e{\"a\":1}\n\x1e[2]\x1e\x1e\n\x1e\"x\"\n\x1e 3\n", HOOP_JSON_SEQ,
          "{ a: 1 } ; [ 2 ] ; 'x' ; 3 ; ");
    refuses("1\n", HOOP_JSON_SEQ, "",
            "line 1, column 1: expected RS (0x1e) in front of a text, found '1'");
    refuses("\x1e"
            "12\x1e"
            "3\n",
            HOOP_JSON_SEQ, "12 ",
            "line 1, column 4: expected white space behind the value, found byte 0x1e");
    refuses("\x1e"
            "12",
            HOOP_JSON_SEQ, "12 ",
            "line 1, column 4: expected white space behind the value, found the end");
    refuses("\x1e[1\x1e[2]", HOOP_JSON_SEQ, NULL,
            "line 1, column 4: expected ',' or ']', found byte 0x1e");
    refuses("\x1e[1] 2", HOOP_JSON_SEQ, "[ 1 ] ; ",
            "line 1, column 6: expected RS (0x1e), found '2'");
}

/* Wrong texts are told, and those behind them are read. */
static void test_broken(void **state)
{
    hoop_json_events events = tell_all;
    events.broken = tell_broken;
    const char *lines = "1\n[2,\n{\"a\":\n\xff\xc3\xa4\nx y z\n3";
    reads_with(lines, strlen(lines), &events,
               &(hoop_json_reader_options){ .framing = HOOP_JSON_LINES },
               "1 ; [ 2 <line 2, column 4: expected a value, found a line's end> { a: "
               "<line 3, column 6: expected a value, found a line's end> "
               "<line 4, column 1: expected a value, found byte 0xff> "
               "<line 5, column 1: expected a value, found 'x'> 3 ; ",
               NULL);
    const char *records = "junk\x1e[1\x1e"
                          "2\n\x1e"
                          "3";
    reads_with(records, strlen(records), &events,
               &(hoop_json_reader_options){ .framing = HOOP_JSON_SEQ },
               "<line 1, column 1: expected RS (0x1e) in front of a text, found 'j'> [ 1 "
               "<line 1, column 8: expected ',' or ']', found byte 0x1e> 2 ; 3 "
               "<line 2, column 3: expected white space behind the value, found the end> ",
               NULL);
    /* A limit breaks a text only; one text has no next. */
    reads_with("[[[\n1", 5, &events,
               &(hoop_json_reader_options){ .framing = HOOP_JSON_LINES, .max_depth = 2 },
               "[ [ <line 1, column 3: more than 2 arrays and objects within each other> 1 ; ",
               NULL);
    reads_with("x\n1", 3, &events, NULL, "", "line 1, column 1: expected a value, found 'x'");
}

static void test_limits(void **state)
{
    hoop_json_reader_options o = { .max_bytes = 5 };
    reads_with("[1,2]", 5, &tell_all, &o, "[ 1 2 ] ; ", NULL);
    reads_with("[1,2]       \n", 13, &tell_all, &o, "[ 1 2 ] ; ", NULL);
    o = (hoop_json_reader_options){ .max_values = 3 };
    reads_with("[1,2]", 5, &tell_all, &o, "[ 1 2 ] ; ", NULL);
    reads_with("[1,2,3]", 7, &tell_all, &o, "[ 1 2 ", "line 1, column 6: more than 3 values");
    o = (hoop_json_reader_options){ .max_values = 3, .framing = HOOP_JSON_LINES };
    reads_with("[1,2]\n[3,4]", 11, &tell_all, &o, "[ 1 2 ] ; [ 3 4 ] ; ", NULL);
    o = (hoop_json_reader_options){ .max_key = 3 };
    reads_with("{\"abc\":1}", 9, &tell_all, &o, "{ abc: 1 } ; ", NULL);
    reads_with("{\"abcd\":1}", 10, &tell_all, &o, "{ ",
               "line 1, column 7: more than 3 bytes in a key");
    reads_with("{\"ab\xc3\xa4xyz\":1}", 13, &tell_all, &o, "{ ",
               "line 1, column 6: more than 3 bytes in a key");
    reads_with("{\"ab\\u00e4xyz\":1}", 17, &tell_all, &o, "{ ",
               "line 1, column 11: more than 3 bytes in a key");
    o = (hoop_json_reader_options){ .max_number = 3 };
    reads_with("[123]", 5, &tell_all, &o, "[ 123 ] ; ", NULL);
    reads_with("[1234]", 6, &tell_all, &o, "[ ", "line 1, column 5: more than 3 bytes in a number");
    reads_with("[-123]", 6, &tell_all, &o, "[ ", "line 1, column 5: more than 3 bytes in a number");
    o = (hoop_json_reader_options){ .allow_nul = 1 };
    hoop_arena *arena = hoop_arena_new();
    char *deep = hoop_arena_alloc(arena, 6000);
    assert_non_null(deep);
    memset(deep, '[', 3000);
    memset(deep + 3000, ']', 3000);
    struct told told = { 0 };
    hoop_json_error error;
    assert_int_equal(read_pieces(hoop_str_n(deep, 6000), 1000, 1000, &tell_all, &told, &o, &error),
                     HOOP_ETOOBIG);
    assert_int_equal(error.offset, 2048);
    free(told.text);
    told = (struct told){ 0 };
    o.max_depth = HOOP_OFF;
    assert_int_equal(read_pieces(hoop_str_n(deep, 6000), 1000, 1000, &tell_all, &told, &o, &error),
                     0);
    free(told.text);
    hoop_arena_free(arena);
}

/* The text's length is looked at wherever it is cut. */
static void test_max_bytes(void **state)
{
    hoop_json_reader_options o = { .max_bytes = 5 };
    const char *text = "[1,  \"a\"]";
    for (size_t step = 1; step < 10; step++) {
        struct told told = { 0 };
        hoop_json_error error;
        assert_int_equal(read_pieces(hoop_str_c(text), step, step, &tell_all, &told, &o, &error),
                         HOOP_ETOOBIG);
        free(told.text);
    }
}

/* Each event can stop the reader. */
static void test_stop(void **state)
{
    const char *text = "{\"a\":[1,true,null,\"x\\ny\"]}";
    struct told all = { 0 };
    hoop_json_error error;
    read_pieces(hoop_str_c(text), 100, 1, &tell_all, &all, NULL, &error);
    for (int at = 1; at <= all.count; at++) {
        struct told told = { .stop_at = at };
        int rc = read_pieces(hoop_str_c(text), 100, 1, &tell_all, &told, NULL, &error);
        /* The tools look at what they return at a token's end only. */
        if (rc) {
            assert_int_equal(rc, -77);
            assert_int_equal(told.count, at);
            assert_non_null(strstr(error.text, "stopped by the program"));
        }
        free(told.text);
    }
    free(all.text);
}

static void test_arguments(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_json_reader_options wrong = { .framing = 3 };
    assert_null(hoop_json_reader_new(NULL, &tell_all, NULL, NULL));
    assert_null(hoop_json_reader_new(arena, &tell_all, NULL, &wrong));
    assert_int_equal(hoop_json_reader_feed(NULL, hoop_str_c("1")), HOOP_EINVAL);
    assert_int_equal(hoop_json_reader_end(NULL), HOOP_EINVAL);
    assert_null(hoop_json_reader_error(NULL));
    assert_int_equal(hoop_json_reader_depth(NULL), 0);
    /* Without events it only checks. */
    hoop_json_reader *reader = hoop_json_reader_new(arena, NULL, NULL, NULL);
    assert_int_equal(hoop_json_reader_feed(reader, hoop_str_c("[{\"a\\n\":")), 0);
    assert_int_equal(hoop_json_reader_depth(reader), 2);
    assert_int_equal(hoop_json_reader_feed(reader, hoop_str_c("")), 0);
    assert_int_equal(hoop_json_reader_feed(reader, hoop_str_c("-1}, \"\\u00e4\", true, null]")), 0);
    assert_int_equal(hoop_json_reader_end(reader), 0);
    assert_int_equal(hoop_json_reader_depth(reader), 0);
    assert_null(hoop_json_reader_error(reader));
    hoop_arena_free(arena);
}

/* --- memory ------------------------------------------------------------------------------------ */

static void read_once(struct test_allocator *allocator, void *data)
{
    hoop_arena *arena = failing_arena(allocator);
    struct told told = { 0 };
    if (!arena)
        return;
    hoop_json_reader *reader = hoop_json_reader_new(arena, &tell_all, &told, NULL);
    int rc = 0;
    for (const char *p = data; reader && rc == 0 && *p; p++)
        rc = hoop_json_reader_feed(reader, hoop_str_n(p, 1));
    assert_true(rc == 0 || rc == HOOP_ENOMEM);
    if (rc)
        assert_int_equal(hoop_json_reader_error(reader)->code, HOOP_ENOMEM);
    hoop_arena_free(arena);
    free(told.text);
}

static void test_allocations(void **state)
{
    char deep[701] = "";
    memset(deep, '[', 700);
    char key[900] = "{\"";
    memset(key + 2, 'k', 800);
    strcpy(key + 802, "\":-1234567890.5}");
    test_each_allocation(read_once, deep);
    test_each_allocation(read_once, key);
}

/* Whatever its length, a body takes the same memory. */
static void test_memory(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_json_reader *reader = hoop_json_reader_new(arena, NULL, NULL, NULL);
    hoop_str body = data_file("body-4k.json");
    size_t held = hoop_arena_size(arena);
    hoop_json_reader_feed(reader, hoop_str_c("["));
    for (int i = 0; i < 500; i++) {
        if (i)
            assert_int_equal(hoop_json_reader_feed(reader, hoop_str_c(",")), 0);
        assert_int_equal(hoop_json_reader_feed(reader, body), 0);
    }
    assert_int_equal(hoop_json_reader_feed(reader, hoop_str_c("]")), 0);
    assert_int_equal(hoop_json_reader_end(reader), 0);
    assert_int_equal(hoop_arena_size(arena), held);
    drop_exact(body);
    hoop_arena_free(arena);
}

/* With and without SSE2 the same; the bytes end with their memory, so that ASan sees a step too far. */
static void test_scan(void **state)
{
    static const char alphabet[] = "abc \xc3\xa4\x80\xff!#[]\x7f ~";
    static const char specials[] = { '"', '\\', '\0', '\n', '\x1f' };
    uint64_t seed = 1627;
    for (int i = 0; i < 20000; i++) {
        size_t len = random_below(&seed, 70), want = len;
        char *text = malloc(len + 1), *end = text + 1 + len;
        for (size_t k = 1; k <= len; k++)
            text[k] = alphabet[random_below(&seed, i % 2 ? sizeof alphabet - 1 : 4)];
        if (len && i % 3) {
            want = random_below(&seed, (uint32_t)len);
            text[1 + want] = specials[random_below(&seed, sizeof specials)];
        }
        unsigned high = 0, high_words = 0, high_want = 0;
        for (size_t k = 0; k < want; k++)
            high_want |= (unsigned char)text[1 + k] >> 7;
        assert_ptr_equal(hoop__json_plain(text + 1, end, &high), text + 1 + want);
        assert_ptr_equal(hoop__json_plain_words(text + 1, end, &high_words), text + 1 + want);
        assert_int_equal(high != 0, high_want);
        assert_int_equal(high_words != 0, high_want);
        for (size_t k = 0; k < len; k++)
            text[1 + k] = k < want ? " \t\r\n"[random_below(&seed, 4)] : 'x';
        assert_ptr_equal(hoop__json_space(text + 1, end), text + 1 + want);
        free(text);
    }
}

/* A text of each length that ends where the memory does: nothing behind it is read, nor in front. */
static void test_page_end(void **state)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    char *memory = pages + page;
    assert_int_equal(mprotect(memory, page, PROT_READ | PROT_WRITE), 0);
    for (size_t i = 0; i < 2 * 80; i++) {
        size_t len = 2 + i / 2;
        char *text = i % 2 ? memory : memory + page - len;
        memset(memory, 'a', page);
        text[0] = text[len - 1] = '"';
        hoop_arena *arena = hoop_arena_new();
        const hoop_json_doc *doc;
        hoop_str written;
        assert_int_equal(hoop_doc_parse(arena, hoop_str_n(text, len), &doc, NULL, NULL), 0);
        assert_int_equal(hoop_doc_str(hoop_doc_root(doc)).len, len - 2);
        hoop_json_reader *reader = hoop_json_reader_new(arena, NULL, NULL, NULL);
        assert_int_equal(hoop_json_reader_feed(reader, hoop_str_n(text, len)), 0);
        assert_int_equal(hoop_json_reader_end(reader), 0);
        hoop_json_writer *writer = hoop_json_writer_new(arena);
        text[0] = text[len - 1] = 'a';
        hoop_json_write_str(writer, hoop_str_n(text, len));
        assert_int_equal(hoop_json_writer_finish(writer, &written, NULL), 0);
        assert_int_equal(written.len, len + 2);
        memset(text, ' ', len);
        text[0] = '1';
        assert_int_equal(hoop_doc_parse(arena, hoop_str_n(text, len), &doc, NULL, NULL), 0);
        memset(text, '1', len);
        assert_int_equal(hoop_doc_parse(arena, hoop_str_n(text, len), &doc, NULL, NULL), 0);
        hoop_arena_free(arena);
    }
    munmap(pages, 3 * page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events),    cmocka_unit_test(test_errors),
        cmocka_unit_test(test_lines),     cmocka_unit_test(test_sequence),
        cmocka_unit_test(test_broken),    cmocka_unit_test(test_limits),
        cmocka_unit_test(test_max_bytes), cmocka_unit_test(test_stop),
        cmocka_unit_test(test_arguments), cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_memory),    cmocka_unit_test(test_scan),
        cmocka_unit_test(test_page_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
