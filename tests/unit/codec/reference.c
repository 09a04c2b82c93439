/* URI references: RFC 3986's own examples (5.4), and where they end. */
#include "support.h"

#include "codec/reference.h"

static void resolves(const char *path, const char *query, const char *reference, const char *want)
{
    char out[256];
    hoop_str q = hoop_str_c(query);
    size_t room = hoop__reference_room(hoop_str_c(path), q, hoop_str_c(reference));
    size_t len = hoop__reference_resolve(hoop_str_c(path), q, hoop_str_c(reference), out);
    assert_true(len <= room);
    assert_bytes(out, len, want, strlen(want));
}

static void test_the_rfcs_examples(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "g", "/b/c/g" },
        { "./g", "/b/c/g" },
        { "g/", "/b/c/g/" },
        { "/g", "/g" },
        { "?y", "/b/c/d;p?y" },
        { "g?y", "/b/c/g?y" },
        { "#s", "/b/c/d;p?q#s" },
        { "g#s", "/b/c/g#s" },
        { "g?y#s", "/b/c/g?y#s" },
        { ";x", "/b/c/;x" },
        { "g;x", "/b/c/g;x" },
        { "g;x?y#s", "/b/c/g;x?y#s" },
        { "", "/b/c/d;p?q" },
        { ".", "/b/c/" },
        { "./", "/b/c/" },
        { "..", "/b/" },
        { "../", "/b/" },
        { "../g", "/b/g" },
        { "../..", "/" },
        { "../../", "/" },
        { "../../g", "/g" },
        { "../../../g", "/g" },
        { "../../../../g", "/g" },
        { "/./g", "/g" },
        { "/../g", "/g" },
        { "g.", "/b/c/g." },
        { ".g", "/b/c/.g" },
        { "g..", "/b/c/g.." },
        { "..g", "/b/c/..g" },
        { "./../g", "/b/g" },
        { "./g/.", "/b/c/g/" },
        { "g/./h", "/b/c/g/h" },
        { "g/../h", "/b/c/h" },
        { "g;x=1/./y", "/b/c/g;x=1/y" },
        { "g;x=1/../y", "/b/c/y" },
        { "g?y/./x", "/b/c/g?y/./x" },
        { "g?y/../x", "/b/c/g?y/../x" },
        { "g#s/./x", "/b/c/g#s/./x" },
        { "g#s/../x", "/b/c/g#s/../x" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++)
        resolves("/b/c/d;p", "q", cases[i][0], cases[i][1]);
}

static void test_other_bases(void **state)
{
    (void)state;
    resolves("/", NULL, "", "/");
    resolves("/a", NULL, "#f", "/a#f");
    resolves("/a", "", "", "/a?");
    resolves("/", NULL, "..", "/");
    resolves("*", NULL, "a", "/a");
    resolves("/a/b", NULL, "/x//y/../z", "/x//z");
    resolves("/bar/baz.html", NULL, "../foo", "/foo");
}

static void test_kinds(void **state)
{
    (void)state;
    static const char *const absolute[] = { "http://x/y", "mailto:a@b", "a:", "x+1.-:/" };
    static const char *const relative[] = { "", "/", "a/b:c", "1a:b", "?a:b", ":", "//x", "a" };
    for (size_t i = 0; i < HOOP_COUNT(absolute); i++)
        assert_true(hoop__reference_is_absolute(hoop_str_c(absolute[i])));
    for (size_t i = 0; i < HOOP_COUNT(relative); i++)
        assert_false(hoop__reference_is_absolute(hoop_str_c(relative[i])));
    assert_true(hoop__reference_has_authority(hoop_str_c("//x/y")));
    assert_false(hoop__reference_has_authority(hoop_str_c("/x//y")));
    assert_false(hoop__reference_has_authority(hoop_str_c("/")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_rfcs_examples),
        cmocka_unit_test(test_other_bases),
        cmocka_unit_test(test_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
