/* Media types by extension: the table in itself, its use, and the system's format. */
#include "tools.h"

#include "codec/media.h"
#include "codec/mime.h"

#include <stdio.h>

static void expect(const char *path, const char *extension, const char *type)
{
    hoop_str text = tight_c(path), got = hoop__mime_extension(text);
    assert_str(got, extension ? extension : "");
    assert_int_equal(hoop_str_is_none(got), !extension);
    hoop_str found = hoop__mime_builtin(got);
    assert_str(found, type ? type : "");
    assert_int_equal(hoop_str_is_none(found), !type);
    drop(text);
}

static void test_paths(void **state)
{
    expect("/foo/bar.png", "png", "image/png");
    expect("a.txt", "txt", "text/plain");
    expect("/FOO.TXT", "TXT", "text/plain");
    expect("/archive.tar.gz", "gz", "application/gzip");
    expect("/v1.2/readme", NULL, NULL);
    expect("/readme", NULL, NULL);
    expect("/.profile", NULL, NULL);
    expect(".html", NULL, NULL);
    expect("/a/.html", NULL, NULL);
    expect("/a/.x.html", "html", "text/html");
    expect("/a.", "", NULL);
    expect("/a.zzz", "zzz", NULL);
    expect("/a.verylongextension", "verylongextension", NULL);
    expect("/a.averyverylongextension", "averyverylongextension", NULL);
    expect("", NULL, NULL);
    expect("/", NULL, NULL);
    expect(".", NULL, NULL);
}

static void test_well_known(void **state)
{
    static const char *const pairs[][2] = {
        { "html", "text/html" },
        { "htm", "text/html" },
        { "css", "text/css" },
        { "js", "text/javascript" },
        { "mjs", "text/javascript" },
        { "json", "application/json" },
        { "svg", "image/svg+xml" },
        { "wasm", "application/wasm" },
        { "woff2", "font/woff2" },
        { "webp", "image/webp" },
        { "avif", "image/avif" },
        { "mp4", "video/mp4" },
        { "pdf", "application/pdf" },
        { "zip", "application/zip" },
        { "xml", "application/xml" },
        { "ico", "image/vnd.microsoft.icon" },
        { "webmanifest", "application/manifest+json" },
        { "md", "text/markdown" },
        { "map", "application/json" },
        { "7z", "application/x-7z-compressed" },
        { "zst", "application/zstd" },
        { "3g2", "video/3gpp2" },
    };
    for (size_t i = 0; i < HOOP_COUNT(pairs); i++)
        assert_str(hoop__mime_builtin(hoop_str_c(pairs[i][0])), pairs[i][1]);
}

/* In order, lower case, each a media type, and each found. */
static void test_table(void **state)
{
    char before[64] = "";
    size_t count = hoop__mime_builtin_count();
    assert_true(count > 300);
    for (size_t i = 0; i < count; i++) {
        hoop_str type, extension = hoop__mime_builtin_at(i, &type);
        struct hoop__media media;
        assert_true(strcmp(before, extension.data) < 0);
        snprintf(before, sizeof before, "%s", extension.data);
        assert_int_equal(hoop__media_parse(type, &media), 0);
        assert_int_equal(media.params.len, 0);
        char lower[64];
        assert_int_equal(hoop__mime_fold(extension, lower), extension.len);
        assert_memory_equal(lower, extension.data, extension.len);
        assert_ptr_equal(hoop__mime_builtin(extension).data, type.data);
    }
}

static void expect_types(const char *file, const char *want)
{
    hoop_str text = tight_c(file), type, extension;
    struct hoop__mime_types types = { text, hoop_str_none() };
    char got[512] = "";
    size_t used = 0;
    while (hoop__mime_types_next(&types, &type, &extension))
        used += (size_t)snprintf(got + used, sizeof got - used, "%.*s=%.*s;", (int)extension.len,
                                 extension.data, (int)type.len, type.data);
    assert_string_equal(got, want);
    drop(text);
}

static void test_system_format(void **state)
{
    expect_types("", "");
    expect_types("\n\n", "");
    expect_types("text/html html htm\n", "html=text/html;htm=text/html;");
    expect_types("text/html\t\thtml  htm", "html=text/html;htm=text/html;");
    expect_types("# a/b c\ntext/x\n\ntext/y y # z\n", "y=text/y;");
    expect_types("text/x\ny text/z\ntext/q q\r\n", "q=text/q;");
    expect_types("nothing x\n/x y\nx/ y\na/b/c d\na:b/c d\nt/k k", "k=t/k;");
    expect_types("  text/a a\n#\n", "a=text/a;");
}

static void test_random(void **state)
{
    uint64_t seed = 6838;
    for (int i = 0; i < 100000; i++) {
        hoop_str text = random_text(&seed, 40, "a/b .#\n\t"), type, extension;
        struct hoop__mime_types types = { text, hoop_str_none() };
        while (hoop__mime_types_next(&types, &type, &extension)) {
            struct hoop__media media;
            assert_int_equal(hoop__media_parse(type, &media), 0);
            assert_true(extension.len > 0 && extension.data > type.data);
            assert_true(extension.data + extension.len <= text.data + text.len);
        }
        hoop__mime_builtin(hoop__mime_extension(text));
        drop(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),  cmocka_unit_test(test_well_known),
        cmocka_unit_test(test_table),  cmocka_unit_test(test_system_format),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
