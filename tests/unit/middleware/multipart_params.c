/* Middleware "multipart_params": ring.md's cases 2.5, limits, stores, charsets, every cut, what is left behind, memory. */
#include "middleware.h"

#include "fake.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define TYPE        "Content-Type: multipart/form-data; boundary=x"
#define FIELD(name) "--x\r\nContent-Disposition: form-data; name=\"" name "\"\r\n\r\n"
#define FILE_(name, file) \
    "--x\r\nContent-Disposition: form-data; name=\"" name "\"; filename=\"" file "\"\r\n"
#define PART(headers, bytes) headers "\r\n" bytes "\r\n"
#define TEXT(name, value)    FIELD(name) value "\r\n"
#define END                  "--x--\r\n"

static const hoop_middleware entry = HOOP_MULTIPART_PARAMS(NULL);
static const hoop_multipart_params_options memory_options = { .store = HOOP_UPLOADS_IN_MEMORY };
static const hoop_middleware in_memory = HOOP_MULTIPART_PARAMS(&memory_options);

static void add(char *text, size_t size, const char *format, hoop_str a, hoop_str b)
{
    size_t len = strlen(text);
    assert_int_equal(a.data[a.len] | b.data[b.len], 0);
    snprintf(text + len, size - len, format, a.data, b.data);
}

/* The contents of a file, by its path, which must be those of its descriptor. */
static const char *read_file(const hoop_upload *file)
{
    static char text[8192], again[8192];
    if (file->fd < 0)
        return file->bytes.data;
    FILE *stream = fopen(file->path.data, "rb");
    assert_non_null(stream);
    size_t len = fread(text, 1, sizeof text - 1, stream);
    fclose(stream);
    text[len] = 0;
    assert_int_equal(pread(file->fd, again, sizeof again, 0), len);
    assert_memory_equal(text, again, len);
    struct stat info;
    assert_int_equal(fstat(file->fd, &info), 0);
    assert_int_equal(info.st_mode, S_IFREG | 0600);
    assert_int_equal(info.st_size, file->size);
    return text;
}

static void add_file(char *text, size_t size, const hoop_upload *file)
{
    size_t len = strlen(text);
    snprintf(text + len, size - len, "; %u %s=", (unsigned)file->index, file->name.data);
    add(text, size, "%s(%s)", file->filename, file->filename_sent);
    len = strlen(text);
    snprintf(text + len, size - len, " %s %zu [%s]",
             hoop_str_is_none(file->content_type) ? "-" : file->content_type.data,
             (size_t)file->size, read_file(file));
}

/* Tells all parameters and files: "name=value ...; INDEX name=filename(sent) type size [contents]". */
static const hoop_response *show_from(const hoop_request *req, uint32_t place)
{
    char text[16384] = "";
    size_t count;
    const hoop_field *items = hoop_params(req, place, &count);
    for (size_t i = 0; i < count; i++)
        add(text, sizeof text, i ? " %s=%s" : "%s=%s", items[i].name, items[i].value);
    const hoop_upload *files = hoop_uploads(req, &count);
    for (size_t i = 0; i < count; i++)
        add_file(text, sizeof text, &files[i]);
    return hoop_bytes(req, 200, NULL, hoop_str_c(text));
}

static const hoop_response *show(const hoop_request *req, void *data)
{
    (void)data;
    return show_from(req, HOOP_IN_FORM);
}

static const hoop_response *show_any(const hoop_request *req, void *data)
{
    (void)data;
    return show_from(req, HOOP_IN_ANY);
}

#define PROBLEM(status, title, detail)                                        \
#status "\nContent-Type: application/problem+json\n\n{\"title\":\"" title \
            "\",\"status\":" #status ",\"detail\":\"" detail "\"}"
#define BAD(detail) PROBLEM(400, "Bad Request", detail)
#define BIG(detail) PROBLEM(413, "Content Too Large", detail)

static const struct middleware_case cases[] = {
    { .method = "POST",
      .headers = TYPE,
      .body =
          PART(FILE_("up", "a.txt") "Content-Type: text/plain\r\n", "foo") TEXT("baz", "quux") END,
      .want = "200\n\nbaz=quux; 0 up=a.txt(a.txt) text/plain 3 [foo]" },
    { .method = "POST",
      .headers = TYPE,
      .body = TEXT("a", "bar") TEXT("a", "baz") END,
      .want = "200\n\na=bar a=baz" },
    { .method = "POST", .headers = TYPE, .body = END, .want = "200\n\n" },
    { .method = "POST",
      .headers = "content-type: Multipart/Form-Data ; x=y ; Boundary=\"x\"",
      .body = TEXT("", "") END,
      .want = "200\n\n=" },
    /* Cases of filenames. */
    { .method = "POST",
      .headers = TYPE,
      .body = PART(FILE_("a", "../../etc/passwd"), "1") PART(FILE_("a", "C:\\\\x\\\\y.txt"), "")
          PART(FILE_("a", "a\\\"b;c.txt"), "2") END,
      .want = "200\n\n; 0 a=passwd(../../etc/passwd) - 1 [1]; 1 a=y.txt(C:\\x\\y.txt) - 0 []"
              "; 2 a=a\"b;c.txt(a\"b;c.txt) - 1 [2]" },
    { .method = "POST",
      .headers = TYPE,
      .body = "--x\r\nContent-Disposition: form-data; filename=b; filename*=UTF-8''%e2%82%ac; "
              "name=a\r\n\r\n1\r\n" END,
      .want = "200\n\n; 0 a=\xe2\x82\xac(\xe2\x82\xac) - 1 [1]" },
    /* A file input that was left empty keeps its place, and the fields behind it. */
    { .method = "POST",
      .headers = TYPE,
      .body =
          PART(FILE_("up", "") "Content-Type: application/octet-stream\r\n", "") TEXT("b", "1") END,
      .want = "200\n\nup= b=1" },
    { .method = "POST",
      .headers = TYPE,
      .body = PART(FILE_("up", ""), "1") END,
      .want = "200\n\n; 0 up=() - 1 [1]" },
    { .method = "POST",
      .headers = TYPE,
      .body = "front\r\n" TEXT("a", "") TEXT("b", "\r\n--\r\n--y") TEXT("c", "") END "behind",
      .want = "200\n\na= b=\r\n--\r\n--y c=" },
    { .method = "POST",
      .uri = "/?a=1",
      .headers = TYPE,
      .body = TEXT("a", "2+%20") END,
      .want = "200\n\na=2+%20" },
    { .headers = TYPE, .want = "200\n\n" },
};

static void test_cases(void **state)
{
    (void)state;
    struct middleware_case shown[HOOP_COUNT(cases)];
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        shown[i] = cases[i];
        shown[i].inner = show;
    }
    check_middleware(entry, shown);
    check_middleware(in_memory, shown);
}

static const hoop_response *untouched(const hoop_request *req, void *data)
{
    (void)data;
    size_t files = 1, fields = 1;
    assert_null(hoop_uploads(req, &files));
    hoop_params(req, HOOP_IN_FORM, &fields);
    return hoop_textf(req, 200, "%s %zu %zu", hoop_body(req).data, files, fields);
}

static void test_what_is_no_form(void **state)
{
    (void)state;
    static const struct middleware_case others[] = {
        { .method = "POST",
          .headers = "Content-Type: multipart/mixed; boundary=x",
          .body = END,
          .inner = untouched,
          .want = "200\nContent-Type: text/plain; charset=utf-8\n\n" END " 0 0" },
        { .method = "POST",
          .headers = "Content-Type: application/x-www-form-urlencoded",
          .body = "a=1",
          .inner = untouched,
          .want = "200\nContent-Type: text/plain; charset=utf-8\n\na=1 0 0" },
        { .method = "POST",
          .body = "a",
          .inner = untouched,
          .want = "200\nContent-Type: text/plain; charset=utf-8\n\na 0 0" },
    };
    check_middleware(entry, others);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    static const struct middleware_case bad[] = {
        { .method = "POST",
          .headers = "Content-Type: multipart/form-data",
          .body = END,
          .want = BAD("'multipart/form-data' has no boundary of 1 to 70 printable characters") },
        { .method = "POST",
          .headers = "Content-Type: multipart/form-data; boundary="
                     "12345678901234567890123456789012345678901234567890123456789012345678901",
          .body = END,
          .want = BAD("'multipart/form-data; boundary=12345678901234567890123456789012345678901234"
                      "567890' has no boundary of 1 to 70 printable characters") },
        { .method = "POST",
          .headers = TYPE,
          .body = TEXT("a", "1"),
          .want = BAD("part 1: the body ends without the final boundary") },
        { .method = "POST",
          .headers = TYPE,
          .body = "a",
          .want = BAD("the body has no boundary line") },
        { .method = "POST",
          .headers = TYPE,
          .body = "--x\r\nContent-Type: text/plain\r\n\r\n1\r\n" END,
          .want = BAD("part 1 has no name") },
        { .method = "POST",
          .headers = TYPE,
          .body = TEXT("a", "\xff") END,
          .want = BAD("part 1 has bytes that are no UTF-8") },
        { .method = "POST",
          .headers = TYPE,
          .body = TEXT("a", "") TEXT("\xff", "") END,
          .want = BAD("part 2 has bytes that are no UTF-8") },
        { .method = "POST",
          .headers = TYPE,
          .body = PART(FILE_("a", "\xff"), "") END,
          .want = BAD("part 1 has bytes that are no UTF-8") },
    };
    check_middleware(entry, bad);
    static const hoop_multipart_params_options lenient = { .lenient = 1 };
    static const hoop_middleware forgiving = HOOP_MULTIPART_PARAMS(&lenient);
    static const struct middleware_case repaired[] = {
        { .method = "POST",
          .headers = TYPE,
          .body = TEXT("\xff", "a\xff") PART(FILE_("b", "\xff"), "") END,
          .inner = show,
          .want = "200\n\n\xef\xbf\xbd=a\xef\xbf\xbd; 1 b=\xef\xbf\xbd(\xef\xbf\xbd) - 0 []" },
    };
    check_middleware(forgiving, repaired);
}

/* A NUL can't stand in a C string of a case. */
static void test_nul(void **state)
{
    (void)state;
    static const char text[] = FIELD("a") "b\0c\r\n" END;
    hoop_arena *arena = hoop_arena_new();
    hoop_handler handler;
    assert_int_equal(hoop_chain_new(arena, &entry, 1, hoop_fn(show, NULL), &handler, NULL), 0);
    const hoop_request *req =
        hoop_mock_body(hoop_mock(arena, "POST", "/", NULL), "multipart/form-data; boundary=x",
                       hoop_str_n(text, sizeof text - 1));
    assert_response(hoop_call_sync(handler, req), BAD("part 1 has a NUL"));
    hoop_arena_free(arena);
}

/* --- limits ---------------------------------------------------------------------------------- */

#define TWO_FILES PART(FILE_("a", "a"), "123456789") PART(FILE_("b", "b"), "123456") END

static const hoop_response *count_files(const hoop_request *req, void *data)
{
    (void)data;
    size_t files, fields;
    hoop_uploads(req, &files);
    hoop_params(req, HOOP_IN_FORM, &fields);
    const char *text = hoop_printf(req, "%zu %zu", files, fields);
    return text ? hoop_bytes(req, 200, NULL, hoop_str_c(text)) : NULL;
}

static void check_limit(const hoop_multipart_params_options *options, const char *body,
                        const char *want)
{
    const hoop_middleware limited = HOOP_MULTIPART_PARAMS(options);
    const struct middleware_case one = {
        .method = "POST", .headers = TYPE, .body = body, .inner = count_files, .want = want
    };
    test_middleware(&limited, 1, &one, 1);
}

static void test_limits(void **state)
{
    (void)state;
    for (uint32_t store = HOOP_UPLOADS_IN_FILES; store <= HOOP_UPLOADS_IN_MEMORY; store++) {
        hoop_multipart_params_options o = { .store = store };
        o.max_file = 6;
        check_limit(&o, TWO_FILES, BIG("a file is over the limit of 6 bytes"));
        o.max_file = 8;
        check_limit(&o, TWO_FILES, BIG("a file is over the limit of 8 bytes"));
        o.max_file = 9;
        check_limit(&o, TWO_FILES, "200\n\n2 0");
        o.max_files = 1;
        check_limit(&o, TWO_FILES, BIG("the form is over the limit of 1 files"));
        o.max_files = 2;
        check_limit(&o, TWO_FILES, "200\n\n2 0");
        /* Text parts are no files, but parts. */
        check_limit(&o, TEXT("c", "1") TEXT("d", "2") TWO_FILES, "200\n\n2 2");
        o.max_parts = 3;
        check_limit(&o, TEXT("c", "1") TEXT("d", "2") TWO_FILES,
                    BIG("the form is over the limit of 3 parts"));
        check_limit(&o, TEXT("c", "1") TWO_FILES, "200\n\n2 1");
    }
    hoop_multipart_params_options o = { .max_field = 3, .max_fields = 5, .max_name = 2 };
    check_limit(&o, TEXT("c", "123") TEXT("d", "12") TWO_FILES, "200\n\n2 2");
    check_limit(&o, TEXT("c", "1234") END, BIG("a field is over the limit of 3 bytes"));
    check_limit(&o, TEXT("c", "123") TEXT("d", "123") END,
                BIG("the fields are over the limit of 5 bytes"));
    check_limit(&o, TEXT("cc", "") END, "200\n\n0 1");
    check_limit(&o, TEXT("ccc", "") END, BAD("part 1 has a name over the limit of 2 bytes"));
    o = (hoop_multipart_params_options){ .max_body = strlen(TWO_FILES) };
    check_limit(&o, TWO_FILES, "200\n\n2 0");
    o.max_body--;
    char want[200];
    snprintf(want, sizeof want, BIG("the body is over the limit of %zu bytes"), (size_t)o.max_body);
    check_limit(&o, TWO_FILES, want);
    o = (hoop_multipart_params_options){ .max_headers = 1 };
    check_limit(&o, TWO_FILES, "200\n\n2 0");
    check_limit(&o, FILE_("a", "a") "X: y\r\n\r\n\r\n" END,
                BAD("part 1: there are more than 1 headers"));
}

/* A form of `count` parts, each begun by `head` with `len` bytes in it; then one more with `more` bytes. */
static char *form_of(const char *head, size_t count, size_t len, const char *last, size_t more)
{
    size_t each = strlen(head) + len + 2;
    char *form = malloc(count * each + strlen(last) + more + sizeof END + 8), *end = form;
    for (size_t i = 0; i < count; i++) {
        end += sprintf(end, "%s", head);
        memset(end, 'x', len);
        end += len;
        end += sprintf(end, "\r\n");
    }
    if (*last) {
        end += sprintf(end, "%s", last);
        memset(end, 'x', more);
        end += more;
        end += sprintf(end, "\r\n");
    }
    strcpy(end, END);
    return form;
}

/* What an instance with these options answers to a form, at once; the form is freed. */
static void check_form(const hoop_multipart_params_options *options, char *form, const char *want)
{
    const hoop_middleware one = HOOP_MULTIPART_PARAMS(options);
    hoop_arena *arena = hoop_arena_new();
    hoop_handler handler;
    assert_int_equal(hoop_chain_new(arena, &one, 1, hoop_fn(count_files, NULL), &handler, NULL), 0);
    const hoop_request *req = hoop_mock_body(hoop_mock(arena, "POST", "/", NULL),
                                             "multipart/form-data; boundary=x", hoop_str_c(form));
    assert_response(hoop_call_sync(handler, req), want);
    hoop_arena_free(arena);
    free(form);
}

/* Each is finite if nothing is said: what is at it passes, what is over it does not. */
static void test_limits_by_default(void **state)
{
    (void)state;
    static const hoop_multipart_params_options roomy = { .store = HOOP_UPLOADS_IN_MEMORY,
                                                         .max_body = 4 << 20 };
    static const char file[] = FILE_("f", "f") "\r\n";
    const hoop_multipart_params_options *none = &memory_options;
    check_form(none, form_of(FIELD("a"), 512, 1, "", 0), "200\n\n0 512");
    check_form(none, form_of(FIELD("a"), 512, 1, FIELD("a"), 0),
               BIG("the form is over the limit of 512 parts"));
    check_form(none, form_of(file, 32, 1, "", 0), "200\n\n32 0");
    check_form(none, form_of(file, 32, 1, file, 0), BIG("the form is over the limit of 32 files"));
    check_form(none, form_of(FIELD("a"), 1, 65536, "", 0), "200\n\n0 1");
    check_form(none, form_of(FIELD("a"), 1, 65537, "", 0),
               BIG("a field is over the limit of 65536 bytes"));
    check_form(&roomy, form_of(FIELD("a"), 16, 65536, "", 0), "200\n\n0 16");
    check_form(&roomy, form_of(FIELD("a"), 16, 65536, FIELD("b"), 1),
               BIG("the fields are over the limit of 1048576 bytes"));
    /* A file has no limit of its own but the body's, which is the server's. */
    size_t around = sizeof file - 1 + 2 + sizeof END - 1, most = 1 << 20;
    check_form(none, form_of(file, 1, most - around, "", 0), "200\n\n1 0");
    check_form(none, form_of(file, 1, most - around + 1, "", 0),
               BIG("the body is over the limit of 1048576 bytes"));
    check_form(&roomy, form_of(file, 1, most, "", 0), "200\n\n1 0");
}

static void test_limits_of_heads_by_default(void **state)
{
    (void)state;
    char head[9000], lines[400] = "";
    for (int len = 1024; len <= 1025; len++) {
        snprintf(head, sizeof head, "--x\r\nContent-Disposition: form-data; name=\"%0*d\"\r\n\r\n",
                 len, 1);
        check_form(&memory_options, form_of(head, 1, 0, "", 0),
                   len == 1024 ? "200\n\n0 1"
                               : BAD("part 1 has a name over the limit of 1024 bytes"));
    }
    for (int i = 0; i < 31; i++)
        strcat(lines, "X: y\r\n");
    for (int more = 0; more < 2; more++) {
        snprintf(head, sizeof head, "%s%s%s\r\n", FILE_("f", "f"), lines, more ? "X: y\r\n" : "");
        check_form(&memory_options, form_of(head, 1, 0, "", 0),
                   more ? BAD("part 1: there are more than 32 headers") : "200\n\n1 0");
    }
}

static void test_a_head_of_eight_kilobytes(void **state)
{
    (void)state;
    /* Without the boundary's line, with the empty one. */
    int pad =
        8192 - (int)(sizeof FILE_("a", "a") - sizeof "--x\r\n") - (int)sizeof "X: \r\n\r\n" + 1;
    char head[9000];
    for (int more = 0; more < 2; more++) {
        snprintf(head, sizeof head, "%sX: %0*d\r\n\r\n", FILE_("a", "a"), pad + more, 1);
        check_form(&memory_options, form_of(head, 1, 0, "", 0),
                   more ? BAD("part 1: its headers are over 8192 bytes") : "200\n\n1 0");
    }
}

/* --- charsets -------------------------------------------------------------------------------- */

#define OF_TYPE(name, type, value)                                                    \
    "--x\r\nContent-Disposition: form-data; name=\"" name "\"\r\nContent-Type: " type \
    "\r\n\r\n" value "\r\n"

static void check_charset(const hoop_multipart_params_options *options, const char *headers,
                          const char *body, const char *want)
{
    const hoop_middleware with = HOOP_MULTIPART_PARAMS(options);
    const struct middleware_case one = {
        .method = "POST", .headers = headers, .body = body, .inner = show, .want = want
    };
    test_middleware(&with, 1, &one, 1);
}

static void test_charsets(void **state)
{
    (void)state;
    hoop_multipart_params_options o = { .store = HOOP_UPLOADS_IN_MEMORY };
    check_charset(&o, TYPE, TEXT("a", "\xe2\x82\xac") END, "200\n\na=\xe2\x82\xac");
    check_charset(&o, TYPE,
                  OF_TYPE("a", "text/plain; charset=ISO-8859-15", "\xa4") TEXT("b", "\xc3\xa4") END,
                  "200\n\na=\xe2\x82\xac b=\xc3\xa4");
    check_charset(&o, TYPE "; charset=US-ASCII",
                  TEXT("_charset_", "ISO-8859-15") TEXT("\xa4", "\xa4") END,
                  "200\n\n_charset_=ISO-8859-15 \xe2\x82\xac=\xe2\x82\xac");
    /* Wherever it stands; it beats what a part says. */
    check_charset(&o, TYPE,
                  OF_TYPE("a", "text/plain; charset=utf-8", "\xe4")
                      TEXT("_charset_", "windows-1252") PART(FILE_("f", "\x80"), "\x80") END,
                  "200\n\na=\xc3\xa4 _charset_=windows-1252; 2 f=\xe2\x82\xac(\xe2\x82\xac) - 1 "
                  "[\x80]");
    check_charset(&o, TYPE "; charset=koi8-r", TEXT("a", "\xc1") END, "200\n\na=\xd0\xb0");
    o.fallback_charset = "iso-8859-1";
    check_charset(&o, TYPE "; charset=koi8-r",
                  TEXT("a", "\xc1") OF_TYPE("b", "text/plain;charset=koi8-r", "\xc1") END,
                  "200\n\na=\xc3\x81 b=\xd0\xb0");
    o.charset = "iso-8859-2";
    check_charset(&o, TYPE,
                  OF_TYPE("b", "text/plain;charset=koi8-r", "\xa1") TEXT("_charset_", "koi8-r") END,
                  "200\n\nb=\xc4\x84 _charset_=koi8-r");
    o = memory_options;
    static const char unknown[] =
        PROBLEM(415, "Unsupported Media Type", "the form is in a charset that is not known");
    check_charset(&o, TYPE, TEXT("_charset_", "klingon") END, unknown);
    check_charset(&o, TYPE "; charset=ISO-2022-CN-EXT", TEXT("a", "") END, unknown);
    check_charset(&o, TYPE, OF_TYPE("a", "text/plain; charset=utf-7", "") END, unknown);
    check_charset(&o, TYPE, OF_TYPE("a", "text/plain; charset=windows-1253", "\xaa") END,
                  BAD("part 1 has bytes that are no WINDOWS-1253"));
    o.lenient = 1;
    check_charset(&o, TYPE, OF_TYPE("a", "text/plain; charset=windows-1253", "b\xaa\xc1") END,
                  "200\n\na=b\xef\xbf\xbd\xce\x91");
}

/* --- pieces ---------------------------------------------------------------------------------- */

static const char mixed[] = TEXT("a", "1\r\n--x-\r\n-") PART(FILE_("f", "1"), "\r\n--\r\n--xy\r")
    PART(FILE_("g", "2"), "") TEXT("b", "2") PART(FILE_("h", "3"), "abc") END;

static const char mixed_want[] = "200\n\na=1\r\n--x-\r\n- b=2; 1 f=1(1) - 11 [\r\n--\r\n--xy\r]; 2 "
                                 "g=2(2) - 0 []; 4 h=3(3) - 3 [abc]";

static void check_pieces(const hoop_middleware *one, size_t size)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_handler handler;
    assert_int_equal(hoop_chain_new(arena, one, 1, hoop_fn(show, NULL), &handler, NULL), 0);
    const hoop_request *req = hoop_mock_header(hoop_mock(arena, "POST", "/", mixed), "content-type",
                                               "multipart/form-data; boundary=x");
    assert_response(hoop_call_sync(handler, hoop_mock_chunks(req, size)), mixed_want);
    hoop_arena_free(arena);
}

static void test_every_size_of_pieces(void **state)
{
    (void)state;
    for (size_t size = 1; size <= sizeof mixed; size++) {
        check_pieces(&entry, size);
        check_pieces(&in_memory, size);
    }
}

/* Cut at every byte, then nothing more: never an answer but 400, and nothing left open. */
static void test_every_front(void **state)
{
    (void)state;
    int fds = test_count_fds();
    for (size_t len = 1; len < sizeof mixed - 3; len++) {
        hoop_arena *arena = hoop_arena_new();
        hoop_handler handler;
        assert_int_equal(hoop_chain_new(arena, &entry, 1, hoop_fn(show, NULL), &handler, NULL), 0);
        const hoop_request *req =
            hoop_mock_body(hoop_mock(arena, "POST", "/", NULL), "multipart/form-data; boundary=x",
                           hoop_str_n(mixed, len));
        const hoop_response *res = hoop_call_sync(handler, req);
        assert_non_null(res);
        assert_int_equal(res->status, 400);
        hoop_arena_free(arena);
        assert_int_equal(test_count_fds(), fds);
    }
}

/* A body that somebody has read before is a form all the same. */
static const hoop_response *read_first(const hoop_request *req, hoop_str body, void *data)
{
    (void)body;
    return hoop_call(*(const hoop_handler *)data, req);
}

static const hoop_response *wrap_reader(const hoop_request *req, hoop_handler next,
                                        const void *value)
{
    (void)value;
    hoop_handler *kept = hoop_alloc(req, sizeof *kept);
    *kept = next;
    return hoop_read_body(req, 0, read_first, kept);
}

static void test_a_body_that_was_read(void **state)
{
    (void)state;
    static const hoop_middleware chain[] = { HOOP_WRAP("reader", wrap_reader, NULL),
                                             HOOP_MULTIPART_PARAMS(NULL) };
    static const struct middleware_case one = {
        .method = "POST", .headers = TYPE, .body = mixed, .inner = show, .want = mixed_want
    };
    test_middleware(chain, HOOP_COUNT(chain), &one, 1);
}

static const hoop_response *sizes(const hoop_request *req, void *data)
{
    (void)data;
    size_t count;
    const hoop_upload *files = hoop_uploads(req, &count);
    assert_int_equal(count, 2);
    for (size_t i = 0; i < count; i++) {
        char *text = malloc(files[i].size + 1);
        assert_non_null(text);
        if (files[i].fd >= 0)
            assert_int_equal(pread(files[i].fd, text, files[i].size + 1, 0), files[i].size);
        else
            memcpy(text, files[i].bytes.data, files[i].size);
        for (size_t k = 0; k < files[i].size; k++)
            assert_int_equal((unsigned char)text[k], (unsigned char)(k * 7 + i));
        free(text);
    }
    return hoop_textf(req, 200, "%zu %zu", (size_t)files[0].size, (size_t)files[1].size);
}

/* Two files of 300,000 bytes: writes in between hold the client up, and memory stays small. */
static void test_big_files(void **state)
{
    (void)state;
    enum { SIZE = 300000 };
    static char body[2 * SIZE + 1000];
    size_t len = 0;
    for (size_t i = 0; i < 2; i++) {
        len += (size_t)sprintf(body + len, "%s\r\n", FILE_("f", "f"));
        for (size_t k = 0; k < SIZE; k++)
            body[len++] = (char)(k * 7 + i);
        len += (size_t)sprintf(body + len, "\r\n");
    }
    len += (size_t)sprintf(body + len, "%s", END);
    for (int memory = 0; memory < 2; memory++) {
        hoop_arena *arena = hoop_arena_new();
        hoop_handler handler;
        assert_int_equal(hoop_chain_new(arena, memory ? &in_memory : &entry, 1,
                                        hoop_fn(sizes, NULL), &handler, NULL),
                         0);
        const hoop_request *req = hoop_mock_chunks(
            hoop_mock_body(hoop_mock(arena, "POST", "/", NULL), "multipart/form-data; boundary=x",
                           hoop_str_n(body, len)),
            10000);
        assert_response(hoop_call_sync(handler, req),
                        "200\nContent-Type: text/plain; charset=utf-8\n\n300000 300000");
        hoop_arena_free(arena);
    }
}

/* --- progress -------------------------------------------------------------------------------- */

struct progress {
    uint64_t calls, received, length, parts;
};

static void on_progress(const hoop_request *req, uint64_t received, uint64_t length, uint64_t parts,
                        void *data)
{
    struct progress *p = data;
    assert_string_equal(req->uri.data, "/");
    assert_true(received > p->received);
    assert_true(parts >= p->parts);
    *p = (struct progress){ p->calls + 1, received, length, parts };
}

static void test_progress(void **state)
{
    (void)state;
    struct progress p = { 0, 0, 0, 0 };
    hoop_multipart_params_options o = { .progress = on_progress, .data = &p };
    const hoop_middleware told = HOOP_MULTIPART_PARAMS(&o);
    hoop_arena *arena = hoop_arena_new();
    hoop_handler handler;
    assert_int_equal(hoop_chain_new(arena, &told, 1, hoop_fn(show, NULL), &handler, NULL), 0);
    const hoop_request *req = hoop_mock_header(hoop_mock(arena, "POST", "/", mixed), "content-type",
                                               "multipart/form-data; boundary=x");
    assert_response(hoop_call_sync(handler, hoop_mock_chunks(req, 10)), mixed_want);
    assert_int_equal(p.calls, (sizeof mixed - 1 + 9) / 10);
    assert_int_equal(p.received, sizeof mixed - 1);
    assert_int_equal(p.length, sizeof mixed - 1);
    assert_int_equal(p.parts, 5);
    /* A trailer makes the length unknown. */
    p = (struct progress){ 0, 0, 0, 0 };
    req = hoop_mock_trailer(req, "x", "y");
    assert_response(hoop_call_sync(handler, req), mixed_want);
    assert_true(p.length == UINT64_MAX);
    hoop_arena_free(arena);
}

/* --- among others ---------------------------------------------------------------------------- */

static void test_with_params(void **state)
{
    (void)state;
    static const hoop_middleware chains[][2] = {
        { HOOP_PARAMS(NULL), HOOP_MULTIPART_PARAMS(NULL) },
        { HOOP_MULTIPART_PARAMS(NULL), HOOP_PARAMS(NULL) },
    };
    static const struct middleware_case one[] = {
        { .method = "POST",
          .uri = "/?q=1&a=2",
          .headers = TYPE,
          .body = TEXT("a", "3") PART(FILE_("f", "f"), "4") END,
          .inner = show_any,
          .want = "200\n\nq=1 a=2 a=3; 1 f=f(f) - 1 [4]" },
        { .method = "POST",
          .uri = "/?q=1",
          .headers = "Content-Type: application/x-www-form-urlencoded",
          .body = "a=3",
          .inner = show_any,
          .want = "200\n\nq=1 a=3" },
    };
    for (size_t i = 0; i < HOOP_COUNT(chains); i++)
        test_middleware(chains[i], 2, one, HOOP_COUNT(one));
}

static void test_mounted_twice(void **state)
{
    (void)state;
    static const hoop_multipart_params_options none = { .max_parts = 1 };
    static const hoop_middleware chain[] = { HOOP_MULTIPART_PARAMS(NULL),
                                             HOOP_MULTIPART_PARAMS(&none) };
    static const struct middleware_case one = {
        .method = "POST", .headers = TYPE, .body = mixed, .inner = show, .want = mixed_want
    };
    test_middleware(chain, HOOP_COUNT(chain), &one, 1);
}

static const hoop_response *look(const hoop_request *req, void *data)
{
    (void)data;
    const hoop_upload *f = hoop_upload_find(req, "f");
    return hoop_textf(req, 200, "%d %s", hoop_str_is_none(hoop_body(req)),
                      f ? f->filename.data : "none");
}

static void test_routes(void **state)
{
    (void)state;
    static const hoop_middleware chain[] = { HOOP_MULTIPART_PARAMS(NULL) };
    hoop_arena *arena = hoop_arena_new();
    const hoop_route routes[] = {
        HOOP_POST("/whole", look),
        HOOP_POST("/stream", look, .body = HOOP_REQUEST_STREAM),
    };
    const hoop_route groups[] = { HOOP_NEST("/", HOOP_ROUTES(routes), HOOP_WITH(chain)) };
    hoop_handler router, blocking;
    assert_int_equal(hoop_router_new(arena, groups, 1, &router, NULL), 0);
    assert_int_equal(
        hoop_chain_new(arena, chain, 1, hoop_blocking(arena, hoop_fn(look, NULL)), &blocking, NULL),
        0);
    const char *type = "multipart/form-data; boundary=x";
    const char *body = PART(FILE_("f", "1"), "a") PART(FILE_("f", "2"), "b") END;
    const hoop_request *whole = hoop_mock(arena, "POST", "/whole", body),
                       *stream = hoop_mock(arena, "POST", "/stream", body);
    whole = hoop_mock_header(whole, "content-type", type);
    stream = hoop_mock_header(stream, "content-type", type);
    assert_str(hoop_call_sync(router, whole)->body, "1 2");
    assert_str(hoop_call_sync(router, stream)->body, "1 none");
    assert_str(hoop_call_sync(blocking, whole)->body, "1 2");
    hoop_arena_free(arena);
}

/* --- keeping --------------------------------------------------------------------------------- */

static char folder[64];

static int count_names(void)
{
    int count = -2; /* "." and ".." */
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static void check_kept(const char *path, const char *text)
{
    char got[100];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    got[fread(got, 1, sizeof got - 1, file)] = 0;
    fclose(file);
    assert_string_equal(got, text);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode, S_IFREG | 0600);
    assert_int_equal(unlink(path), 0);
}

static const hoop_response *keep(const hoop_request *req, void *data)
{
    (void)data;
    char path[100], taken[100], nowhere[100];
    snprintf(path, sizeof path, "%s/kept", folder);
    snprintf(taken, sizeof taken, "%s/..", folder);
    snprintf(nowhere, sizeof nowhere, "%s/no/where", folder);
    const hoop_upload *h = hoop_upload_find(req, "h");
    assert_int_equal(hoop_upload_keep(h, path), 0);
    assert_int_equal(hoop_upload_keep(h, path), -17);
    assert_int_equal(hoop_upload_keep(h, taken), -17);
    assert_int_equal(hoop_upload_keep(h, nowhere), -2);
    assert_int_equal(hoop_upload_keep(NULL, path), HOOP_EINVAL);
    assert_int_equal(hoop_upload_keep(h, NULL), HOOP_EINVAL);
    /* Another file system: the bytes are copied. */
    assert_int_equal(hoop_upload_keep(h, "/dev/shm/hoop-kept"), 0);
    check_kept("/dev/shm/hoop-kept", "abc");
    assert_null(hoop_upload_find(req, "none"));
    assert_null(hoop_upload_find(req, NULL));
    assert_null(hoop_upload_find(NULL, "h"));
    return hoop_respond(req, 204);
}

static void test_keeping(void **state)
{
    (void)state;
    char path[100];
    snprintf(path, sizeof path, "%s/kept", folder);
    for (uint32_t store = HOOP_UPLOADS_IN_FILES; store <= HOOP_UPLOADS_IN_MEMORY; store++) {
        const hoop_multipart_params_options o = { .folder = folder, .store = store };
        const hoop_middleware with = HOOP_MULTIPART_PARAMS(&o);
        hoop_arena *arena = hoop_arena_new();
        hoop_handler handler;
        assert_int_equal(hoop_chain_new(arena, &with, 1, hoop_fn(keep, NULL), &handler, NULL), 0);
        const hoop_request *req =
            hoop_mock_header(hoop_mock(arena, "POST", "/", mixed), "content-type",
                             "multipart/form-data; boundary=x");
        assert_int_equal(hoop_call_sync(handler, req)->status, 204);
        hoop_arena_free(arena);
        check_kept(path, "abc");
        assert_int_equal(count_names(), 0);
    }
}

/* --- as it stands between engine and pool ---------------------------------------------------- */

static hoop_handler chain_in(hoop_arena *app, const hoop_middleware *one)
{
    hoop_handler handler;
    hoop_error error = { 0, "" };
    assert_int_equal(hoop_chain_new(app, one, 1, hoop_fn(show, NULL), &handler, &error), 0);
    return handler;
}

static struct fake_exchange *begin(struct fake *fake, hoop_handler *handler)
{
    struct fake_exchange *fx = fake_make(fake, "POST", "/");
    hoop_field *field = hoop_alloc(&fx->x.request.pub, sizeof *field);
    *field =
        (hoop_field){ hoop_str_c("content-type"), hoop_str_c("multipart/form-data; boundary=x") };
    fx->x.request.pub.headers = field;
    fx->x.request.pub.header_count = 1;
    fake_body(fx, HOOP__LENGTH_UNKNOWN);
    fake_dispatch(fx, handler->fn, handler->data);
    return fx;
}

static void run_job(struct fake *fake)
{
    struct hoop__job *job = fake->job;
    assert_non_null(job);
    fake->job = NULL;
    job->work(job);
}

static void feed_big(struct fake_exchange *fx)
{
    static char big[100001];
    memset(big, 'a', sizeof big - 1);
    fake_feed(fx, PART(FILE_("f", "f"), ""));
    fake_feed(fx, FILE_("g", "g") "\r\n");
    fake_feed(fx, big);
}

static const hoop_response *tell_sizes(const hoop_request *req, void *data)
{
    (void)data;
    size_t count;
    const hoop_upload *files = hoop_uploads(req, &count);
    assert_int_equal(count, 2);
    return hoop_bytes(req, 200, NULL, hoop_str_c(hoop_printf(req, "%zu", (size_t)files[1].size)));
}

static void test_the_client_is_held_up(void **state)
{
    (void)state;
    struct fake fake;
    fake_init(&fake);
    hoop_arena *app = hoop_arena_new();
    hoop_handler handler;
    assert_int_equal(hoop_chain_new(app, &entry, 1, hoop_fn(tell_sizes, NULL), &handler, NULL), 0);
    int fds = test_count_fds();
    struct fake_exchange *fx = begin(&fake, &handler);
    feed_big(fx);
    assert_int_equal(fx->x.body.credit, 0);
    run_job(&fake);
    assert_int_equal(test_count_fds(), fds + 2);
    fake_turn(&fake);
    assert_true(fx->x.body.credit > 0);
    fake_feed(fx, "b\r\n" END);
    assert_null(fake.job);
    hoop__exchange_body_end(&fx->x, NULL, 0); /* the last byte is written now */
    fake_turn(&fake);
    assert_int_equal(fx->responses, 0);
    run_job(&fake);
    fake_turn(&fake);
    assert_string_equal(fake.sent, "200\n\n100001");
    fake_end(fx, 0);
    assert_int_equal(test_count_fds(), fds);
    hoop_arena_free(app);
    fake_done(&fake);
}

/* The end may come while a write is under way, or when it has just ended. */
static void test_the_end_waits(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        struct fake fake;
        fake_init(&fake);
        hoop_arena *app = hoop_arena_new();
        hoop_handler handler;
        assert_int_equal(hoop_chain_new(app, &entry, 1, hoop_fn(tell_sizes, NULL), &handler, NULL),
                         0);
        struct fake_exchange *fx = begin(&fake, &handler);
        char *big = malloc(200001);
        memset(big, 'a', 200000);
        strcpy(big + 200000 - 9, "\r\n" END);
        fake_feed(fx, PART(FILE_("f", "f"), ""));
        fake_feed(fx, FILE_("g", "g") "\r\n");
        fake_feed(fx, big);
        free(big);
        if (order)
            run_job(&fake);
        hoop__exchange_body_end(&fx->x, NULL, 0);
        fake_turn(&fake);
        if (!order) {
            assert_int_equal(fx->responses, 0);
            run_job(&fake);
            fake_turn(&fake);
        }
        assert_string_equal(fake.sent, "200\n\n199991");
        fake_end(fx, 0);
        hoop_arena_free(app);
        fake_done(&fake);
    }
}

/* At each stage; the job that runs on keeps what it needs. */
static void test_the_client_leaves(void **state)
{
    (void)state;
    const hoop_multipart_params_options o = { .folder = folder };
    const hoop_middleware with = HOOP_MULTIPART_PARAMS(&o);
    for (int stage = 0; stage < 5; stage++) {
        struct fake fake;
        fake_init(&fake);
        hoop_arena *app = hoop_arena_new();
        hoop_handler handler = chain_in(app, &with);
        int fds = test_count_fds();
        struct fake_exchange *fx = begin(&fake, &handler);
        if (stage > 0)
            feed_big(fx);
        if (stage == 2 || stage == 4) {
            run_job(&fake);
            fake_turn(&fake);
        }
        if (stage == 4) {
            fake_feed(fx, "b\r\n" END);
            hoop__exchange_body_end(&fx->x, NULL, 0);
            assert_non_null(fake.job);
        }
        fake_end(fx, HOOP_EGONE);
        if (fake.job && stage == 3)
            fake.job->cancel(fake.job);
        else if (fake.job)
            run_job(&fake);
        fake_turn(&fake);
        assert_int_equal(test_count_fds(), fds);
        assert_int_equal(count_names(), 0);
        hoop_arena_free(app);
        fake_done(&fake);
    }
}

/* The loop closes while a job is under way. */
static void test_the_loop_closes(void **state)
{
    (void)state;
    struct fake fake;
    fake_init(&fake);
    hoop_arena *app = hoop_arena_new();
    hoop_handler handler = chain_in(app, &entry);
    int fds = test_count_fds();
    struct fake_exchange *fx = begin(&fake, &handler);
    feed_big(fx);
    fake_end(fx, HOOP_EGONE);
    struct hoop__job *job = fake.job;
    fake_close(&fake);
    job->work(job);
    assert_int_equal(test_count_fds(), fds);
    hoop_arena_free(app);
    fake_done(&fake);
}

static void test_the_pool_is_full(void **state)
{
    (void)state;
    struct fake fake;
    fake_init(&fake);
    fake.block_code = HOOP_EBUSY;
    hoop_arena *app = hoop_arena_new();
    hoop_handler handler = chain_in(app, &entry);
    struct fake_exchange *fx = begin(&fake, &handler);
    feed_big(fx);
    fake_turn(&fake);
    assert_int_equal(atoi(fake.sent), 503);
    fake_end(fx, 0);
    fx = begin(&fake, &handler);
    fake_feed(fx, PART(FILE_("f", "f"), "1") END);
    hoop__exchange_body_end(&fx->x, NULL, 0);
    fake_turn(&fake);
    assert_int_equal(atoi(fake.sent), 503);
    fake_end(fx, 0);
    assert_int_equal(fake.loop.counters.limit_blocking, 2);
    hoop_arena_free(app);
    fake_done(&fake);
}

/* What the disk refuses is a failure that names the folder. */
static void test_writing_fails(void **state)
{
    (void)state;
    char gone[] = "/tmp/hoop-gone-XXXXXX";
    assert_non_null(mkdtemp(gone));
    const hoop_multipart_params_options o = { .folder = gone };
    const hoop_middleware with = HOOP_MULTIPART_PARAMS(&o);
    for (int big = 0; big < 2; big++) {
        struct fake fake;
        fake_init(&fake);
        hoop_arena *app = hoop_arena_new();
        assert_true(big == 0 || mkdir(gone, 0700) == 0);
        hoop_handler handler = chain_in(app, &with);
        assert_int_equal(rmdir(gone), 0);
        struct fake_exchange *fx = begin(&fake, &handler);
        if (big) {
            feed_big(fx);
            run_job(&fake);
            fake_turn(&fake);
            fake_feed(fx, "a");
        } else {
            fake_feed(fx, PART(FILE_("f", "f"), "1") END);
            hoop__exchange_body_end(&fx->x, NULL, 0);
            run_job(&fake);
        }
        fake_turn(&fake);
        assert_int_equal(atoi(fake.sent), 500);
        char want[200];
        snprintf(want, sizeof want,
                 "a file of a form can't be written to '%s': no such file or directory", gone);
        assert_noted(&fx->x.request.pub, -2, want);
        fake_end(fx, 0);
        hoop_arena_free(app);
        fake_done(&fake);
    }
}

/* --- building, functions, memory ------------------------------------------------------------- */

static void test_what_is_not_built(void **state)
{
    (void)state;
    static const hoop_multipart_params_options store = { .store = 2 },
                                               headers = { .max_headers = 1001 },
                                               charset = { .charset = "klingon" },
                                               fallback = { .fallback_charset = "x" },
                                               nowhere = { .folder = "/no/where" };
    static const hoop_middleware chain[] = { HOOP_MULTIPART_PARAMS(&store),
                                             HOOP_MULTIPART_PARAMS(&headers),
                                             HOOP_MULTIPART_PARAMS(&charset),
                                             HOOP_MULTIPART_PARAMS(&fallback),
                                             HOOP_MULTIPART_PARAMS(&nowhere) };
    test_middleware_refused(&chain[0], 1, HOOP_EINVAL, "multipart_params: there is no store 2");
    test_middleware_refused(&chain[1], 1, HOOP_EINVAL,
                            "multipart_params: max_headers is 1001, over 1000");
    test_middleware_refused(&chain[2], 1, HOOP_EINVAL,
                            "multipart_params: the charset 'klingon' is not known");
    test_middleware_refused(&chain[3], 1, HOOP_EINVAL,
                            "multipart_params: the charset 'x' is not known");
    test_middleware_refused(
        &chain[4], 1, -2,
        "multipart_params: no file can be made in '/no/where': no such file or directory");
}

static const hoop_response *as_function(const hoop_request *req, void *data)
{
    const hoop_response *answer = NULL;
    const hoop_request *more =
        hoop_multipart_params_request(req, &answer, (const hoop_multipart_params_options *)data);
    return more ? show(more, NULL) : answer;
}

static void test_as_a_function(void **state)
{
    (void)state;
    static const hoop_multipart_params_options tight = { .max_files = 1 };
    const hoop_multipart_params_options *const options[] = { NULL, &memory_options };
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *answer = NULL;
    const hoop_request *req = hoop_mock_header(hoop_mock(arena, "POST", "/", mixed), "content-type",
                                               "multipart/form-data; boundary=x");
    for (size_t i = 0; i < 2; i++)
        assert_response(hoop_call_sync(hoop_fn(as_function, (void *)(uintptr_t)options[i]), req),
                        mixed_want);
    assert_response(hoop_call_sync(hoop_fn(as_function, (void *)(uintptr_t)&tight), req),
                    BIG("the form is over the limit of 1 files"));
    const hoop_request *broken =
        hoop_mock_header(hoop_mock(arena, "POST", "/", "a"), "content-type", "multipart/form-data");
    assert_int_equal(hoop_call_sync(hoop_fn(as_function, NULL), broken)->status, 400);
    const hoop_request *empty = hoop_mock(arena, "POST", "/", NULL);
    assert_ptr_equal(hoop_multipart_params_request(empty, &answer, NULL), empty);
    assert_null(hoop_multipart_params_request(NULL, &answer, NULL));
    assert_null(answer);
    size_t count = 1;
    assert_null(hoop_uploads(NULL, &count));
    assert_int_equal(count, 0);
    hoop_arena_free(arena);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    int fds = test_count_fds();
    char *big = malloc(60000);
    memset(big, 'a', 60000);
    memcpy(big, FIELD("a"), strlen(FIELD("a")));
    strcpy(big + 40000, "\r\n" TEXT("_charset_", "iso-8859-1") TEXT("b", "\xe4")
                            PART(FILE_("f", "\xe4") "Content-Type: a/b\r\n", "123") END);
    const struct middleware_case one = {
        .method = "POST", .headers = TYPE, .body = big, .inner = count_files, .want = "200\n\n1 3"
    };
    test_middleware_memory(&entry, 1, &one);
    test_middleware_memory(&in_memory, 1, &one);
    static const struct middleware_case bad = { .method = "POST",
                                                .headers = TYPE,
                                                .body = TEXT("a", ""),
                                                .want = BAD("part 1: the body ends without the "
                                                            "final boundary") };
    test_middleware_memory(&entry, 1, &bad);
    free(big);
    assert_int_equal(test_count_fds(), fds);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/hoop-multipart-XXXXXX");
    return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_what_is_no_form),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_nul),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_limits_by_default),
        cmocka_unit_test(test_limits_of_heads_by_default),
        cmocka_unit_test(test_a_head_of_eight_kilobytes),
        cmocka_unit_test(test_charsets),
        cmocka_unit_test(test_every_size_of_pieces),
        cmocka_unit_test(test_every_front),
        cmocka_unit_test(test_a_body_that_was_read),
        cmocka_unit_test(test_big_files),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_with_params),
        cmocka_unit_test(test_mounted_twice),
        cmocka_unit_test(test_routes),
        cmocka_unit_test(test_keeping),
        cmocka_unit_test(test_the_client_is_held_up),
        cmocka_unit_test(test_the_end_waits),
        cmocka_unit_test(test_the_client_leaves),
        cmocka_unit_test(test_the_loop_closes),
        cmocka_unit_test(test_the_pool_is_full),
        cmocka_unit_test(test_writing_fails),
        cmocka_unit_test(test_what_is_not_built),
        cmocka_unit_test(test_as_a_function),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
