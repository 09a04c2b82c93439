/* Multipart bodies: python-multipart's files, whole and cut everywhere, hard cases, limits and errors. */
#include "tools.h"

#include <hoop/multipart.h>

#include <jansson.h>
#include <stdio.h>

/* --- reading into a text --------------------------------------------------------------------- */

/* What was read: "name=... file=... type=...|data|" for each part, "." at the end, "!text" for an error. */
struct got {
    char *text;
    size_t len, cap;
    int rc;
};

static void add(struct got *got, const char *data, size_t len)
{
    if (got->len + len + 1 > got->cap) {
        got->cap = (got->len + len + 1) * 2;
        got->text = realloc(got->text, got->cap);
        assert_non_null(got->text);
    }
    memcpy(got->text + got->len, data, len);
    got->len += len;
    got->text[got->len] = 0;
}

static void add_c(struct got *got, const char *text)
{
    add(got, text, strlen(text));
}

static void add_named(struct got *got, const char *name, hoop_str value)
{
    if (hoop_str_is_none(value))
        return;
    assert_int_equal(value.data[value.len], 0);
    add_c(got, name);
    add(got, value.data, value.len);
}

static void add_part(struct got *got, const hoop_part *part)
{
    add_named(got, "name=", part->name);
    add_named(got, " file=", part->filename);
    add_named(got, " type=", part->content_type);
    add_c(got, "|");
}

/* Feeds one piece; from memory of its size, which is gone behind it. 0, or the error. */
static int feed(hoop_multipart *reader, const char *data, size_t len, struct got *got)
{
    hoop_str copy = tight(data, len), piece = copy, bytes;
    int rc;
    while ((rc = hoop_multipart_next(reader, &piece, &bytes)) > 0) {
        if (rc == HOOP_MULTIPART_PART) {
            add_part(got, hoop_multipart_part(reader));
        } else if (rc == HOOP_MULTIPART_DATA) {
            assert_true(bytes.len > 0);
            add(got, bytes.data, bytes.len);
        } else if (rc == HOOP_MULTIPART_PART_END) {
            assert_non_null(hoop_multipart_part(reader));
            add_c(got, "|");
        } else {
            add_c(got, ".");
        }
    }
    assert_true(rc < 0 || piece.len == 0);
    drop(copy);
    return rc;
}

static const hoop_multipart_options *with; /* NULL: the defaults */

static struct got read_in(const char *type, const char *body, size_t len, size_t first, size_t step)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_multipart *reader;
    hoop_error error;
    struct got got = { NULL, 0, 0, 0 };
    add_c(&got, "");
    if (hoop_multipart_new(arena, hoop_str_c(type), &reader, &error, with))
        fail_msg("%s", error.text);
    for (size_t at = 0; at < len && got.rc == 0;) {
        size_t n = at ? step : first;
        n = n && n < len - at ? n : len - at;
        got.rc = feed(reader, body + at, n, &got);
        at += n;
    }
    int rc = hoop_multipart_finish(reader);
    if (got.rc)
        assert_int_equal(rc, got.rc);
    got.rc = rc;
    assert_int_equal(hoop_multipart_error(reader)->code, rc);
    if (rc) {
        /* An error stays. */
        hoop_str piece = hoop_str_c("x"), data;
        assert_int_equal(hoop_multipart_next(reader, &piece, &data), rc);
        assert_int_equal(hoop_multipart_finish(reader), rc);
        add_c(&got, "!");
        add_c(&got, hoop_multipart_error(reader)->text);
    }
    hoop_arena_free(arena);
    return got;
}

/* Whole, in two pieces cut at every position, and in pieces of every small size: always the same. */
static void expect_bytes(const char *type, const char *body, size_t len, const char *want,
                         size_t want_len)
{
    struct got got = read_in(type, body, len, 0, 0);
    assert_bytes(got.text, got.len, want, want_len);
    free(got.text);
    for (size_t cut = 1; cut < len; cut++) {
        got = read_in(type, body, len, cut, 0);
        assert_bytes(got.text, got.len, want, want_len);
        free(got.text);
    }
    for (size_t step = 1; step < 8; step++) {
        got = read_in(type, body, len, step, step);
        assert_bytes(got.text, got.len, want, want_len);
        free(got.text);
    }
}

#define TYPE "multipart/form-data; boundary=b"

static void expect(const char *body, const char *want)
{
    expect_bytes(TYPE, body, strlen(body), want, strlen(want));
}

/* --- files ----------------------------------------------------------------------------------- */

static void data_path(char *out, size_t cap, const char *name)
{
    const char *here = __FILE__, *end = strstr(here, "unit/codec/multipart.c");
    assert_non_null(end);
    snprintf(out, cap, "%.*sdata/multipart/%s", (int)(end - here), here, name);
}

static size_t read_file(const char *name, char *out, size_t cap)
{
    char path[1024];
    data_path(path, sizeof path, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s: not there", path);
    size_t len = fread(out, 1, cap, file);
    fclose(file);
    assert_true(len < cap);
    return len;
}

static void add_expected(struct got *want, const json_t *part)
{
    const char *file = json_string_value(json_object_get(part, "filename"));
    const char *hex = json_string_value(json_object_get(part, "data"));
    add_c(want, "name=");
    add_c(want, json_string_value(json_object_get(part, "name")));
    if (file) {
        add_c(want, " file=");
        add_c(want, file);
    }
    const char *type = json_string_value(json_object_get(part, "type"));
    if (type) {
        add_c(want, " type=");
        add_c(want, type);
    }
    add_c(want, "|");
    for (; *hex; hex += 2) {
        unsigned byte;
        assert_int_equal(sscanf(hex, "%2x", &byte), 1);
        add(want, (const char[]){ (char)byte }, 1);
    }
    add_c(want, "|");
}

static void check_file(const char *name, const json_t *item)
{
    static char body[1 << 20];
    char file[256], type[256];
    snprintf(file, sizeof file, "%s.http", name);
    snprintf(type, sizeof type, "multipart/form-data; boundary=\"%s\"",
             json_string_value(json_object_get(item, "boundary")));
    size_t len = read_file(file, body, sizeof body), i;
    struct got whole = read_in(type, body, len, 0, 0), want = { NULL, 0, 0, 0 };
    json_t *part;
    if (json_object_get(item, "error")) {
        if (whole.rc != HOOP_EPARSE)
            fail_msg("%s was taken", name);
    } else {
        add_c(&want, "");
        json_array_foreach(json_object_get(item, "parts"), i, part)
        {
            add_expected(&want, part);
        }
        add_c(&want, ".");
        assert_bytes(whole.text, whole.len, want.text, want.len);
        free(want.text);
    }
    /* Cut, it is the same, at every position where that takes no time. */
    if (len < 4000)
        expect_bytes(type, body, len, whole.text, whole.len);
    for (size_t step = 1; len >= 4000 && step < 9000; step = step * 2 + 1) {
        struct got cut = read_in(type, body, len, step, step);
        assert_bytes(cut.text, cut.len, whole.text, whole.len);
        free(cut.text);
    }
    free(whole.text);
}

static void test_files(void **state)
{
    char path[1024];
    const char *name;
    json_t *item;
    json_error_t error;
    data_path(path, sizeof path, "expected.json");
    json_t *cases = json_load_file(path, 0, &error);
    if (!cases)
        fail_msg("%s: %s", path, error.text);
    assert_int_equal(json_object_size(cases), 30);
    json_object_foreach(cases, name, item)
    {
        check_file(name, item);
    }
    json_decref(cases);
}

/* --- cases ----------------------------------------------------------------------------------- */

#define FIELD(name) "Content-Disposition: form-data; name=" name "\r\n\r\n"

static void test_parts(void **state)
{
    expect("--b--", ".");
    expect("--b--\r\n", ".");
    expect("--b\r\n" FIELD("a") "x\r\n--b--", "name=a|x|.");
    expect("--b\r\n" FIELD("a") "\r\n--b--", "name=a||.");
    expect("--b\r\n" FIELD("a") "--b--", "name=a||.");
    expect("--b\r\n" FIELD("a") "1\r\n--b\r\n" FIELD("a") "2\r\n--b--", "name=a|1|name=a|2|.");
    expect("--b\r\n" FIELD("a") "\r\n--b\r\n" FIELD("b") "--b\r\n" FIELD("c") "3\r\n--b--",
           "name=a||name=b||name=c|3|.");
    expect("--b\r\n\r\nx\r\n--b--", "|x|.");
    expect("--b\r\nX: y\r\n\r\n\r\n\r\n\r\n--b--", "|\r\n\r\n|.");
    expect("--b\r\nContent-Type:text/plain\r\n\r\nx\r\n--b--", " type=text/plain|x|.");
}

static void test_around(void **state)
{
    expect("preamble\r\n--b\r\n" FIELD("a") "x\r\n--b--\r\nepilogue --b\r\n", "name=a|x|.");
    expect("\r\n\r\n--b\r\n" FIELD("a") "x\r\n--b--", "name=a|x|.");
    expect("\r\n--b--", ".");
    expect("--bx\r\n--b\r\n" FIELD("a") "x\r\n--b--", "name=a|x|.");
    expect("--b \t\r\n" FIELD("a") "x\r\n--b  \r\n" FIELD("b") "y\r\n--b--  \r\n",
           "name=a|x|name=b|y|.");
    expect("preamble\r\n--b--", "!the final boundary comes before any other");
}

/* What only looks like a boundary is data, to the byte. */
static void test_look_alikes(void **state)
{
    static const char *const datas[] = {
        "\r",
        "\n",
        "\r\n",
        "\r\n-",
        "\r\n--",
        "\r\n--c",
        "\r\n--bc",
        "\r\n--b-",
        "\r\n--b-\r\n",
        "\r\n--b\r",
        "\r\n--b\rx",
        "\n--b\n",
        "\n--b\r\n",
        "\r--b\r\n",
        "\r\n--b-x",
        "--b",
        "\r\n\r\n--\r\n",
        "\r\r\n-",
        "\r\n--b\r\r\n",
        "\r\n--B--",
        "\r\n--b\n",
        "\r\n --b",
        "\r\n-\r\n--c",
        "x\r\n--a--",
        "\r\n--b\r\r\n--",
    };
    for (size_t i = 0; i < HOOP_COUNT(datas); i++) {
        char body[200], want[100];
        snprintf(body, sizeof body, "--b\r\n" FIELD("a") "x%s\r\n--b--", datas[i]);
        snprintf(want, sizeof want, "name=a|x%s|.", datas[i]);
        expect(body, want);
    }
    expect("--b\r\n" FIELD("a") "x\r\n--b x\r\n--b--",
           "name=a|x!part 1: a boundary is followed by blanks and then 0x78");
    expect("--b\r\n" FIELD("a") "x\r\n--b \rx\r\n--b--",
           "name=a|x!part 1: a boundary is followed by blanks and then 0x78");
}

static void test_disposition(void **state)
{
    static const struct {
        const char *value, *want;
    } cases[] = {
        { "form-data; name=\"a\"", "name=a" },
        { "form-data;name=a;filename=x.txt", "name=a file=x.txt" },
        { "form-data; filename=\"x\"; name=\"a\"", "name=a file=x" },
        { "Form-Data; NAME=a; FileName=x", "name=a file=x" },
        { "form-data; name=\"a\"; filename=\"\"", "name=a file=" },
        { "form-data; name=\"\"", "name=" },
        { "form-data; name=\"a\\\"b;c\"", "name=a\"b;c" },
        { "form-data; name=a; filename=\"a\\\"b;c.txt\"", "name=a file=a\"b;c.txt" },
        { "form-data; name=a; filename=\"C:\\x\\y.txt\"", "name=a file=y.txt" },
        { "form-data; name=a; filename=\"../../etc/passwd\"", "name=a file=passwd" },
        { "form-data; name=a; filename=\"..\"", "name=a file=.." },
        { "form-data; name=a; filename=\"x/\"", "name=a file=" },
        { "form-data; name=\"\xc3\xa4\"; filename=\"\xe3\x81\x93\"",
          "name=\xc3\xa4 file=\xe3\x81\x93" },
        { "form-data; name=a; filename=b; filename*=UTF-8''%e2%82%ac%20c",
          "name=a file=\xe2\x82\xac c" },
        { "form-data; name=a; filename*=UTF-8''x%2Fy; filename=b", "name=a file=y" },
        { "form-data; name=a; filename*=UTF-8''%ff; filename=b", "name=a file=b" },
        { "form-data; name=a; filename*=UTF-8''%ff", "name=a" },
        { "form-data; name=a; filename*=iso-8859-1'en'%A3", "name=a file=\xc2\xa3" },
        { "form-data; name=a%22b", "name=a%22b" },
        { "form-data", "" },
        { "attachment; filename=x", " file=x" },
        { "", "!part 1: Content-Disposition '' is broken" },
        { "form-data; name", "!part 1: Content-Disposition 'form-data; name' is broken" },
        { "form-data; name=\"a", "!part 1: Content-Disposition 'form-data; name=\"a' is broken" },
        { "form-data name=a", "!part 1: Content-Disposition 'form-data name=a' is broken" },
        { "form-data; name=a; name=b", "!part 1: 'name' comes twice in Content-Disposition" },
        { "form-data; filename=a; Filename=b",
          "!part 1: 'Filename' comes twice in Content-Disposition" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        char body[300], want[200];
        snprintf(body, sizeof body, "--b\r\nContent-Disposition: %s\r\n\r\nx\r\n--b--",
                 cases[i].value);
        snprintf(want, sizeof want, "%s%s", cases[i].want, cases[i].want[0] == '!' ? "" : "|x|.");
        expect(body, want);
    }
}

static void test_names_kept(void **state)
{
    static const char body[] = "--b\r\nX-A: 1\r\ncontent-disposition: form-data; name=a; "
                               "filename=\"/x\\y\"\r\nX-a:\t2 \r\n\r\n\r\n--b--";
    hoop_arena *arena = hoop_arena_new();
    hoop_multipart *reader;
    hoop_str piece = hoop_str_c(body), data;
    assert_int_equal(hoop_multipart_new(arena, hoop_str_c(TYPE), &reader, NULL, NULL), 0);
    assert_null(hoop_multipart_part(reader));
    assert_int_equal(hoop_multipart_next(reader, &piece, &data), HOOP_MULTIPART_PART);
    const hoop_part *part = hoop_multipart_part(reader);
    assert_str(part->filename, "y");
    assert_str(part->filename_sent, "/x\\y");
    assert_int_equal(part->index, 0);
    assert_int_equal(part->header_count, 3);
    assert_str(part->headers[0].name, "x-a");
    assert_str(part->headers[0].value, "1");
    assert_str(part->headers[1].name, "content-disposition");
    assert_str(part->headers[2].name, "x-a");
    assert_str(part->headers[2].value, "2");
    assert_true(hoop_str_is_none(part->content_type));
    assert_int_equal(hoop_multipart_next(reader, &piece, &data), HOOP_MULTIPART_PART_END);
    assert_ptr_equal(hoop_multipart_part(reader), part);
    assert_str(part->name, "a");
    assert_int_equal(hoop_multipart_next(reader, &piece, &data), HOOP_MULTIPART_END);
    assert_int_equal(hoop_multipart_next(reader, &piece, &data), 0);
    assert_int_equal(hoop_multipart_finish(reader), 0);
    hoop_arena_free(arena);
}

static void test_headers(void **state)
{
    expect("--b\r\nX Y: z\r\n\r\n\r\n--b--",
           "!part 1: header line 1 is none: a name and ':' are missing");
    expect("--b\r\nX: y\r\nZ\r\n\r\n\r\n--b--",
           "!part 1: header line 2 is none: a name and ':' are missing");
    expect("--b\r\nX: y\r\n z\r\n\r\n\r\n--b--",
           "!part 1: header line 2 is none: a name and ':' are missing");
    expect("--b\r\nX : y\r\n\r\n\r\n--b--",
           "!part 1: header line 1 is none: a name and ':' are missing");
    expect("--b\r\n: y\r\n\r\n\r\n--b--",
           "!part 1: header line 1 is none: a name and ':' are missing");
    expect("--b\r\nX: a\rb\r\n\r\n\r\n--b--", "!part 1: header 'x' has a control character");
    expect("--b\r\nX: y\n\r\n\r\n--b--", "!part 1: a header line ends without CR");
    expect("--b\r\n\n", "!part 1: a header line ends without CR");
    expect("--b\r\nContent-Type: a/b\r\ncontent-type: c/d\r\n\r\n\r\n--b--",
           "!part 1: header 'content-type' comes twice");
    expect("--b\r\n" FIELD("a") "x\r\n--b\r\nX\r\n\r\n",
           "name=a|x|!part 2: header line 1 is none: a "
           "name and ':' are missing");
    static const char nul[] = "--b\r\nX: a\0b\r\n\r\n\r\n--b--";
    static const char want[] = "!part 1: header 'x' has a control character";
    expect_bytes(TYPE, nul, sizeof nul - 1, want, sizeof want - 1);
}

/* Every front of a right body is an error, but where only the epilogue is missing. */
static void test_ends_early(void **state)
{
    static const char body[] = "--b\r\n" FIELD("a") "x\r\n--b\r\n" FIELD("b") "y\r\n--b--\r\n";
    static const char end[] = "\r\n";
    for (size_t len = 0; len < sizeof body - 1; len++) {
        struct got got = read_in(TYPE, body, len, 1, 1);
        assert_int_equal(got.rc, len + sizeof end > sizeof body - 1 ? 0 : HOOP_EPARSE);
        free(got.text);
    }
    expect("", "!the body has no boundary line");
    expect("x", "!the body has no boundary line");
    expect("--b", "!the body has no boundary line");
    expect("--b\r\n", "!part 1: the body ends within its headers");
    expect("--b\r\nX: y\r\n", "!part 1: the body ends within its headers");
    expect("--b\r\n\r\nx", "|x!part 1: the body ends without the final boundary");
    expect("--b\r\n\r\nx\r\n--b", "|x!part 1: the body ends without the final boundary");
    expect("--b\r\n\r\nx\r\n--b-", "|x!part 1: the body ends without the final boundary");
    expect("--b\n\n\nx\n--b--", "!the body has no boundary line");
}

/* --- boundaries ------------------------------------------------------------------------------ */

static void boundary(const char *type, int rc, const char *line)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_multipart *reader = NULL;
    hoop_error error = { 0, "" };
    hoop_str text = tight_c(type);
    int got = hoop_multipart_new(arena, text, &reader, &error, NULL);
    if (got != rc)
        fail_msg("'%s' gave %d: %s", type, got, error.text);
    assert_int_equal(error.code, rc);
    if (rc == 0) {
        char body[200];
        snprintf(body, sizeof body, "--%s\r\n\r\nx\r\n--%s--", line, line);
        struct got read = read_in(type, body, strlen(body), 0, 0);
        assert_string_equal(read.text, "|x|.");
        free(read.text);
    } else {
        assert_null(reader);
    }
    drop(text);
    hoop_arena_free(arena);
}

static void test_boundaries(void **state)
{
    static const char seventy[] =
        "0123456789012345678901234567890123456789012345678901234567890123456789";
    char type[200];
    boundary("multipart/form-data; boundary=x", 0, "x");
    boundary("Multipart/Mixed; charset=utf-8; BOUNDARY=x", 0, "x");
    boundary("multipart/form-data; boundary=\"a b'c\"; charset=utf-8", 0, "a b'c");
    boundary("multipart/form-data; boundary=----geckoformboundaryX", 0, "----geckoformboundaryX");
    boundary("multipart/form-data; boundary=----=_Part_1:2/3; a=b", 0, "----=_Part_1:2/3");
    boundary("multipart/form-data; boundary=\"a\\\"\\\\b\"", 0, "a\"\\b");
    snprintf(type, sizeof type, "multipart/form-data; boundary=%s", seventy);
    boundary(type, 0, seventy);
    snprintf(type, sizeof type, "multipart/form-data; boundary=\"%s\"", seventy);
    boundary(type, 0, seventy);
    snprintf(type, sizeof type, "multipart/form-data; boundary=%s1", seventy);
    boundary(type, HOOP_EPARSE, NULL);
    snprintf(type, sizeof type, "multipart/form-data; boundary=%s%s%s", seventy, seventy, "xyz");
    boundary(type, HOOP_EPARSE, NULL);
    boundary("multipart/form-data", HOOP_EPARSE, NULL);
    boundary("multipart/form-data; boundary=", HOOP_EPARSE, NULL);
    boundary("multipart/form-data; boundary=\"\"", HOOP_EPARSE, NULL);
    boundary("multipart/form-data; boundary=\"a ", HOOP_EPARSE, NULL);
    boundary("multipart/form-data; boundary=\"a \"", HOOP_EPARSE, NULL);
    boundary("multipart/form-data; boundary=\"\xc3\xa4\"", HOOP_EPARSE, NULL);
    boundary("multipart/form-data; charset=x", HOOP_EPARSE, NULL);
    boundary("text/plain; boundary=x", HOOP_EMISSING, NULL);
    boundary("", HOOP_EMISSING, NULL);
}

/* --- limits ---------------------------------------------------------------------------------- */

static void limited(const hoop_multipart_options *options, const char *body, const char *want)
{
    with = options;
    expect(body, want);
    with = NULL;
}

#define LIMITS(...) (&(hoop_multipart_options){ __VA_ARGS__ })

static void test_limits(void **state)
{
    static const char two[] = "--b\r\n" FIELD("a") "123\r\n--b\r\n" FIELD("b") "45\r\n--b--";
    limited(LIMITS(.max_parts = 2), two, "name=a|123|name=b|45|.");
    limited(LIMITS(.max_parts = 1), two, "name=a|123!part 1: there are more than 1 parts");
    limited(LIMITS(.max_part = 3), two, "name=a|123|name=b|45|.");
    limited(LIMITS(.max_part = 3, .max_total = 5), two, "name=a|123|name=b|45|.");
    limited(LIMITS(.max_headers = 1), two, "name=a|123|name=b|45|.");
    limited(LIMITS(.max_headers = 1), "--b\r\nA: b\r\nC: d\r\n\r\n",
            "!part 1: there are more than 1 headers");
    limited(LIMITS(.max_head = 6), "--b\r\nA:\r\n\r\n\r\n--b--", "||.");
    limited(LIMITS(.max_head = 5), "--b\r\nA:\r\n\r\n\r\n--b--",
            "!part 1: its headers are over 5 bytes");
    limited(LIMITS(.max_parts = HOOP_OFF, .max_part = HOOP_OFF), two, "name=a|123|name=b|45|.");
    hoop_arena *arena = hoop_arena_new();
    hoop_multipart *reader;
    hoop_error error;
    hoop_str type = hoop_str_c(TYPE);
    assert_int_equal(hoop_multipart_new(arena, type, &reader, &error, LIMITS(.max_head = HOOP_OFF)),
                     HOOP_EINVAL);
    assert_non_null(strstr(error.text, "max_head is"));
    assert_int_equal(hoop_multipart_new(arena, type, &reader, &error, LIMITS(.max_headers = 1001)),
                     HOOP_EINVAL);
    assert_non_null(strstr(error.text, "max_headers is 1001"));
    assert_int_equal(hoop_multipart_new(NULL, type, &reader, &error, NULL), HOOP_EINVAL);
    hoop_arena_free(arena);
}

/* How far data gets that is over a limit hangs on the pieces; that it is an error does not. */
static void test_data_limits(void **state)
{
    static const char two[] = "--b\r\n" FIELD("a") "123\r\n--b\r\n" FIELD("b") "45\r\n--b--";
    for (size_t step = 0; step < sizeof two; step++) {
        with = LIMITS(.max_part = 2);
        struct got got = read_in(TYPE, two, sizeof two - 1, step, step);
        assert_int_equal(got.rc, HOOP_ETOOBIG);
        assert_non_null(strstr(got.text, "!part 1: 'a' is over 2 bytes"));
        free(got.text);
        with = LIMITS(.max_total = 4);
        got = read_in(TYPE, two, sizeof two - 1, step, step);
        assert_int_equal(got.rc, HOOP_ETOOBIG);
        assert_non_null(strstr(got.text, "!part 2: all parts are over 4 bytes"));
        free(got.text);
    }
    with = NULL;
}

static void new_once(struct test_allocator *allocator, void *data)
{
    hoop_arena *arena = hoop_arena_new_with(&(hoop_arena_options){ .allocator = &allocator->hoop });
    hoop_multipart *reader = NULL;
    if (!arena)
        return;
    int rc = hoop_multipart_new(arena, hoop_str_c(TYPE), &reader, NULL, NULL);
    assert_true(rc == HOOP_ENOMEM ? !reader : rc == 0 && reader);
    hoop_arena_free(arena);
}

static void test_memory(void **state)
{
    test_each_allocation(new_once, NULL);
}

/* A million bytes cost an arena what one byte costs. */
static void test_bounded(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_multipart *reader;
    struct got got = { NULL, 0, 0, 0 };
    assert_int_equal(hoop_multipart_new(arena, hoop_str_c(TYPE), &reader, NULL, NULL), 0);
    size_t size = hoop_arena_size(arena);
    for (int part = 0; part < 500; part++) {
        static const char head[] = "--b\r\n" FIELD("a");
        feed(reader, head, sizeof head - 1, &got);
        for (int i = 0; i < 20; i++)
            feed(reader, "\r\n--0123456789\r\n--b\r0123456789\r\n", 33, &got);
        feed(reader, "\r\n", 2, &got);
    }
    assert_int_equal(hoop_arena_size(arena), size);
    assert_int_equal(got.len, 500 * (8 + 20 * 33) - 1);
    free(got.text);
    hoop_arena_free(arena);
}

/* --- random ---------------------------------------------------------------------------------- */

/* Data made of a boundary's pieces comes back whole, however it is cut. */
static void test_there_and_back(void **state)
{
    static const char *const boundaries[] = { "b", "--", "a-a-a", "-b-" };
    uint64_t seed = 2046;
    for (int i = 0; i < 20000; i++) {
        const char *b = boundaries[random_below(&seed, HOOP_COUNT(boundaries))];
        char type[100], body[400], want[200];
        hoop_str data = random_text(&seed, 60, "\r\n---ab");
        size_t used = (size_t)snprintf(body, sizeof body, "--%s\r\n\r\n", b);
        memcpy(body + used, data.data, data.len);
        used += data.len;
        used += (size_t)snprintf(body + used, sizeof body - used, "\r\n--%s--", b);
        snprintf(type, sizeof type, "multipart/x; boundary=\"%s\"", b);
        want[0] = '|';
        memcpy(want + 1, data.data, data.len);
        memcpy(want + 1 + data.len, "|.", 2);
        struct got whole = read_in(type, body, used, 0, 0);
        size_t step = random_below(&seed, 9) + 1;
        struct got cut = read_in(type, body, used, step, step);
        assert_bytes(cut.text, cut.len, whole.text, whole.len);
        /* The data may have a boundary by chance. */
        char line[20];
        snprintf(line, sizeof line, "\r\n--%s", b);
        body[used - 2] = 0;
        if (!memmem(body, used - 2 - strlen(line), line, strlen(line)) &&
            (data.len < strlen(line) - 2 || memcmp(data.data, line + 2, strlen(line) - 2) != 0))
            assert_bytes(whole.text, whole.len, want, data.len + 3);
        free(whole.text);
        free(cut.text);
        drop(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),       cmocka_unit_test(test_parts),
        cmocka_unit_test(test_around),      cmocka_unit_test(test_look_alikes),
        cmocka_unit_test(test_disposition), cmocka_unit_test(test_names_kept),
        cmocka_unit_test(test_headers),     cmocka_unit_test(test_ends_early),
        cmocka_unit_test(test_boundaries),  cmocka_unit_test(test_limits),
        cmocka_unit_test(test_data_limits), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_bounded),     cmocka_unit_test(test_there_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
