/* The border around a folder: what paths may be, and that none leads out, by openat2 and name by name. */
#include "tools.h"

#include <pthread.h>
#include <stdatomic.h>

/* --- paths ----------------------------------------------------------------------------------- */

static void expect(const char *encoded, const char *want, int slash)
{
    char out[256];
    int got_slash = 7;
    if (hoop__root_path(hoop_str_c(encoded), 0, out, &got_slash))
        fail_msg("'%s' was refused", encoded);
    assert_string_equal(out, want);
    assert_int_equal(got_slash, slash);
}

static void refuse(const char *encoded)
{
    char out[256];
    int slash;
    if (hoop__root_path(hoop_str_c(encoded), 0, out, &slash) == 0)
        fail_msg("'%s' was taken for '%s'", encoded, out);
}

static void test_paths(void **state)
{
    expect("/", ".", 1);
    expect("/a", "a", 0);
    expect("/a/", "a", 1);
    expect("/a/b.txt", "a/b.txt", 0);
    expect("/a%20b", "a b", 0);
    expect("/%61", "a", 0);
    expect("/a..b/c..", "a..b/c..", 0);
    expect("/a.", "a.", 0);
    expect("/a+b", "a+b", 0);
    expect("/%25", "%", 0);
    expect("/%252e%252e/x", "%2e%2e/x", 0); /* decoded once, never twice */
    expect("/.well-known/acme", ".well-known/acme", 0);
    expect("/%c3%a9", "\xc3\xa9", 0);
    static const char *const wrong[] = {
        "",
        "a",
        "*",
        "//",
        "//a",
        "/a//b",
        "/a//",
        "/..",
        "/../a",
        "/a/..",
        "/a/../b",
        "/a/../../b",
        "/./a",
        "/a/.",
        "/.",
        "/./",
        "/%2e%2e/a",
        "/%2e./a",
        "/.%2E/a",
        "/%2e",
        "/a/%2e%2e",
        "/..%2fa",
        "/a%2fb",
        "/a%2Fb",
        "/%2f",
        "/%2fetc",
        "/a\\b",
        "/..\\a",
        "/%5c..%5ca",
        "/a%00",
        "/%00",
        "/a%00.txt",
        "/%",
        "/%2",
        "/%zz",
        "/.git",
        "/.git/x",
        "/a/.htaccess",
        "/a/.well-known",
        "/%2egit",
        "/.well-knownx",
    };
    for (size_t i = 0; i < HOOP_COUNT(wrong); i++)
        refuse(wrong[i]);
    char out[64];
    int slash;
    assert_int_equal(hoop__root_path(hoop_str_c("/.git/x"), 1, out, &slash), 0);
    assert_string_equal(out, ".git/x");
    assert_int_equal(hoop__root_path(hoop_str_c("/.git/.."), 1, out, &slash), HOOP_EPARSE);
    assert_int_equal(hoop__root_path(hoop_str_c("/."), 1, out, &slash), HOOP_EPARSE);
}

/* Whatever is taken has no step and no slash that was not there, and fits. */
static void test_random_paths(void **state)
{
    static const char alphabet[] = "/.%2e2f5c\\a0";
    uint32_t seed = 17;
    for (int i = 0; i < 300000; i++) {
        char text[25], out[64];
        size_t len = 1 + i % 24;
        text[0] = '/';
        for (size_t k = 1; k < len; k++) {
            seed = seed * 1664525u + 1013904223u;
            text[k] = alphabet[(seed >> 16) % (sizeof alphabet - 1)];
        }
        int slash, slashes = 0, got = 0;
        if (hoop__root_path(hoop_str_n(text, len), 1, out, &slash))
            continue;
        assert_true(strlen(out) < len + 1);
        assert_true(strncmp(out, "../", 3) != 0 && !strstr(out, "/../") && !strstr(out, "/./"));
        assert_true(strcmp(out, "..") != 0 && !strstr(out, "//") && out[0] != '/' &&
                    !strchr(out, '\\'));
        for (size_t k = 1; k < len; k++)
            slashes += text[k] == '/';
        for (const char *p = out; *p; p++)
            got += *p == '/';
        assert_int_equal(got + (slash && len > 1), slashes);
    }
}

/* --- opening --------------------------------------------------------------------------------- */

/* 1: openat2, 2: name by name, 3: openat2 without what is not in memory. */
static int open_as(const struct hoop__root *root, const char *path, int way)
{
    return way == 2 ? hoop__root_walk(root, path) : hoop__root_open(root, path, way == 3);
}

static void expect_file(const struct hoop__root *root, const char *path, int way, const char *want)
{
    char got[64] = "";
    int fd = open_as(root, path, way);
    if (fd < 0)
        fail_msg("'%s' can't be opened (way %d): %s", path, way, strerror(-fd));
    assert_true(read(fd, got, sizeof got - 1) >= 0);
    assert_string_equal(got, want);
    close(fd);
}

static void expect_none(const struct hoop__root *root, const char *path, int way)
{
    int fd = open_as(root, path, way);
    if (fd >= 0)
        fail_msg("'%s' was opened (way %d)", path, way);
}

static struct place place;

static void fill(void)
{
    place_init(&place);
    make(&place, "public/dir");
    make(&place, "public/dir/deep");
    make(&place, "outside");
    put(&place, "public/a", "A");
    put(&place, "public/dir/b", "B");
    put(&place, "outside/o", "O");
    link_to(&place, "public/in", "a");
    link_to(&place, "public/dir/up", "../a");
    link_to(&place, "public/dirlink", "dir");
    link_to(&place, "public/chain", "dirlink/up");
    link_to(&place, "public/dots", "./dir/../dir/./b");
    link_to(&place, "public/out", "../secret");
    link_to(&place, "public/outdir", "../outside");
    link_to(&place, "public/absolute", in(&place, "secret"));
    link_to(&place, "public/absolute-in", in(&place, "public/a"));
    link_to(&place, "public/there-and-back", "../public/a");
    link_to(&place, "public/loop", "loop");
    link_to(&place, "public/loop2", "dir/loop3");
    link_to(&place, "public/dir/loop3", "../loop2");
    link_to(&place, "public/proc", "/proc/self/cwd");
    link_to(&place, "public/dangling", "nothing");
}

static void test_beneath(void **state)
{
    struct hoop__root root;
    fill();
    int before = test_count_fds();
    assert_int_equal(hoop__root_init(&root, in(&place, "public"), HOOP_LINKS_BENEATH), 0);
    for (int way = 1; way <= 2; way++) {
        expect_file(&root, "a", way, "A");
        expect_file(&root, "dir/b", way, "B");
        expect_file(&root, "in", way, "A");
        expect_file(&root, "dir/up", way, "A");
        expect_file(&root, "dirlink/b", way, "B");
        expect_file(&root, "dirlink/up", way, "A");
        expect_file(&root, "chain", way, "A");
        expect_file(&root, "dots", way, "B");
        static const char *const none[] = { "out",      "outdir/o",    "outdir",
                                            "absolute", "absolute-in", "there-and-back",
                                            "loop",     "loop2",       "proc",
                                            "proc/a",   "dangling",    "nothing",
                                            "a/b",      "dir/nothing", "dirlink/../a/x" };
        for (size_t i = 0; i < HOOP_COUNT(none); i++)
            expect_none(&root, none[i], way);
        int fd = open_as(&root, "dir", way);
        assert_true(fd >= 0);
        close(fd);
        fd = open_as(&root, ".", way);
        assert_true(fd >= 0);
        close(fd);
    }
    if (root.has_cached) {
        expect_file(&root, "a", 3, "A"); /* it was just there */
        expect_none(&root, "out", 3);
    }
    hoop__root_done(&root);
    assert_int_equal(test_count_fds(), before);
    place_done(&place);
}

static void test_no_links(void **state)
{
    struct hoop__root root;
    fill();
    assert_int_equal(hoop__root_init(&root, in(&place, "public"), HOOP_LINKS_NONE), 0);
    for (int way = 1; way <= 2; way++) {
        expect_file(&root, "dir/b", way, "B");
        expect_none(&root, "in", way);
        expect_none(&root, "dirlink/b", way);
        expect_none(&root, "out", way);
    }
    hoop__root_done(&root);
    place_done(&place);
}

static void test_all_links(void **state)
{
    struct hoop__root root;
    fill();
    assert_int_equal(hoop__root_init(&root, in(&place, "public"), HOOP_LINKS_ALL), 0);
    expect_file(&root, "out", 1, "the secret");
    expect_file(&root, "outdir/o", 1, "O");
    expect_none(&root, "loop", 1);
    assert_int_equal(hoop__root_open(&root, "a", 1), -EAGAIN);
    hoop__root_done(&root);
    place_done(&place);
}

static void test_without_openat2(void **state)
{
    struct hoop__root root;
    fill();
    assert_int_equal(hoop__root_init(&root, in(&place, "public"), HOOP_LINKS_BENEATH), 0);
    root.has_open = root.has_cached = 0;
    expect_file(&root, "chain", 1, "A");
    expect_none(&root, "out", 1);
    assert_int_equal(hoop__root_open(&root, "a", 1), -EAGAIN);
    char path[5000];
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = 0;
    assert_int_equal(hoop__root_walk(&root, path), -ENAMETOOLONG);
    path[300] = 0;
    assert_int_equal(hoop__root_walk(&root, path), -ENAMETOOLONG);
    assert_int_equal(hoop__root_open(&root, "nothing", 0), -ENOENT);
    hoop__root_done(&root);
    assert_int_equal(hoop__root_init(&root, in(&place, "nowhere"), 0), -ENOENT);
    assert_int_equal(hoop__root_init(&root, in(&place, "public/a"), 0), -ENOTDIR);
    place_done(&place);
}

static void test_waits_for_nobody(void **state)
{
    struct hoop__root root;
    fill();
    assert_int_equal(mkfifo(in(&place, "public/fifo"), 0644), 0);
    assert_int_equal(hoop__root_init(&root, in(&place, "public"), 0), 0);
    for (int way = 1; way <= 2; way++) {
        int fd = open_as(&root, "fifo", way); /* would wait for a writer */
        assert_true(fd >= 0);
        close(fd);
    }
    hoop__root_done(&root);
    place_done(&place);
}

/* --- races ----------------------------------------------------------------------------------- */

static atomic_int over;

/* Puts a folder and a link out of it in turn in one place. */
static void *swap(void *data)
{
    char real[128], link[128], at[128];
    snprintf(real, sizeof real, "%s/public/real", place.top);
    snprintf(link, sizeof link, "%s/public/evil", place.top);
    snprintf(at, sizeof at, "%s/public/swap", place.top);
    while (!atomic_load(&over)) {
        rename(real, at);
        rename(at, real);
        rename(link, at);
        rename(at, link);
    }
    return NULL;
}

static void test_race(void **state)
{
    struct hoop__root root;
    pthread_t thread;
    fill();
    make(&place, "public/real");
    put(&place, "public/real/o", "R");
    link_to(&place, "public/evil", "../outside");
    assert_int_equal(hoop__root_init(&root, in(&place, "public"), 0), 0);
    atomic_store(&over, 0);
    assert_int_equal(pthread_create(&thread, NULL, swap, NULL), 0);
    for (int i = 0; i < 20000; i++) {
        char got[8] = "";
        int fd = open_as(&root, "swap/o", 1 + i % 2);
        if (fd < 0)
            continue;
        assert_true(read(fd, got, sizeof got - 1) > 0);
        assert_string_equal(got, "R");
        close(fd);
    }
    atomic_store(&over, 1);
    pthread_join(thread, NULL);
    hoop__root_done(&root);
    place_done(&place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_random_paths),
        cmocka_unit_test(test_beneath),
        cmocka_unit_test(test_no_links),
        cmocka_unit_test(test_all_links),
        cmocka_unit_test(test_without_openat2),
        cmocka_unit_test(test_waits_for_nobody),
        cmocka_unit_test(test_race),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
