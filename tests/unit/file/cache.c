/* What a loop knows of a folder's files: its bounds, and what it sees of changes; descriptors come back. */
#include "tools.h"

#include <hoop/mock.h>

static struct place place;
static hoop_arena *arena;
static const hoop_folder *folder;
static const hoop_request *base; /* those derived from it have its loop */
static hoop_handler files;
static struct hoop__file_counts counts; /* behind the last response */

static const hoop_response *look(const hoop_request *req, const hoop_response *res,
                                 const void *value)
{
    counts = hoop__file_cache_counts(hoop__file_cache_of(hoop_loop_of(req), folder));
    return res;
}

static const hoop_response *serve(const hoop_request *req, void *data)
{
    const hoop_response *res = hoop_call(*(hoop_handler *)data, req);
    return hoop_is_pass(res) ? look(req, res, NULL) : hoop_then(req, res, look, NULL);
}

static void begin(const hoop_folder_options *options)
{
    hoop_error error;
    place_init(&place);
    arena = hoop_arena_new();
    base = hoop_mock(arena, "GET", "/", NULL);
    assert_int_equal(hoop_folder_open_sized(arena, in(&place, "public"), &folder, &error, options,
                                            sizeof *options),
                     0);
    assert_int_equal(
        hoop_static_new(arena, &files, &error, &(hoop_static_options){ .folder = folder }), 0);
}

static void end(int fds)
{
    hoop_arena_free(arena);
    place_done(&place);
    assert_int_equal(test_count_fds(), fds);
}

/* Asks for a path; its body, or NULL if nothing is there. */
static const char *get(const char *path)
{
    const hoop_request *req = hoop_with_uri(base, path, NULL);
    const hoop_response *res = hoop_call_sync(hoop_fn(serve, &files), req);
    if (!res)
        fail_msg("%s failed: %s", path, hoop_mock_failure(req)->text);
    if (hoop_is_pass(res))
        return NULL;
    assert_int_equal(res->status, 200);
    return hoop_response_read(req, res).data;
}

static void pass_time(void)
{
    hoop_mock_advance(base, 1000);
}

#define assert_counts(known_, open_, bytes_)      \
    do {                                          \
        assert_int_equal(counts.known, (known_)); \
        assert_int_equal(counts.open, (open_));   \
        assert_int_equal(counts.bytes, (bytes_)); \
    } while (0)

static void put_ten(void)
{
    for (char name[] = "public/0"; name[7] <= '9'; name[7]++)
        put_size(&place, name, 10);
}

/* The paths that are known, and whose turn it is to go. */
static void test_known(void **state)
{
    int fds = test_count_fds();
    begin(&(hoop_folder_options){ .max_known = 3 });
    put_ten();
    get("/0");
    get("/1");
    assert_counts(2, 0, 20);
    get("/2");
    assert_counts(3, 0, 30);
    get("/0"); /* now 1 is the oldest */
    get("/3");
    assert_counts(3, 0, 30);
    put(&place, "public/0", "changed");
    put(&place, "public/1", "changed");
    assert_string_equal(get("/0"), "abcdefghij"); /* known still */
    assert_string_equal(get("/1"), "changed");
    assert_counts(3, 0, 27);
    /* What is not there takes no place. */
    for (char name[] = "/a"; name[1] <= 'z'; name[1]++)
        assert_null(get(name));
    assert_counts(3, 0, 27);
    end(fds);
}

static void test_bytes(void **state)
{
    int fds = test_count_fds();
    begin(&(hoop_folder_options){ .max_bytes = 20 });
    put_ten();
    put_size(&place, "public/20", 20);
    put_size(&place, "public/21", 21);
    get("/0");
    get("/1");
    assert_counts(2, 0, 20);
    get("/2");
    assert_counts(2, 0, 20);
    assert_int_equal(strlen(get("/20")), 20);
    assert_counts(1, 0, 20);
    assert_int_equal(strlen(get("/21")), 21); /* too large for all of it, but served */
    assert_counts(0, 0, 0);
    end(fds);
}

static void test_open(void **state)
{
    int fds = test_count_fds();
    begin(&(hoop_folder_options){ .max_open = 2, .max_file = 9 });
    put_ten();
    put(&place, "public/small", "small");
    get("/small");
    get("/0");
    get("/1");
    assert_counts(3, 2, 5);
    for (char name[] = "/2"; name[1] <= '9'; name[1]++) {
        assert_string_equal(get(name), "abcdefghij");
        assert_counts(3, 2, 5); /* the small one needs no descriptor, and stays */
    }
    end(fds);
}

static void test_uncached(void **state)
{
    int fds = test_count_fds();
    begin(&(hoop_folder_options){ .uncached = 1 });
    put_ten();
    get("/0");
    for (int i = 0; i < 3; i++) {
        get("/0");
        assert_counts(0, 0, 0);
    }
    end(fds);
}

/* What may happen to a file, one after the other. */
static void append(void)
{
    put(&place, "public/f", "first, and more");
}

static void same_size(void)
{
    put(&place, "public/f", "second");
}

static void removed(void)
{
    assert_int_equal(unlink(in(&place, "public/f")), 0);
}

static void renamed(void)
{
    char to[128];
    put(&place, "public/new", "renamed");
    snprintf(to, sizeof to, "%s/public/f", place.top);
    assert_int_equal(rename(in(&place, "public/new"), to), 0);
}

static void linked_out(void)
{
    removed();
    link_to(&place, "public/f", "../secret");
}

static void linked_within(void)
{
    removed();
    put(&place, "public/target", "target");
    link_to(&place, "public/f", "target");
}

static void target_changed(void)
{
    put(&place, "public/target", "target, changed");
}

static void fifo(void)
{
    removed();
    assert_int_equal(mkfifo(in(&place, "public/f"), 0644), 0);
}

static void folder_made(void)
{
    removed();
    make(&place, "public/f");
}

static void made_again(void)
{
    assert_int_equal(rmdir(in(&place, "public/f")), 0);
    put(&place, "public/f", "again");
}

static const struct {
    void (*change)(void);
    const char *body; /* NULL: nothing is there */
} steps[] = { { append, "first, and more" },
              { same_size, "second" },
              { renamed, "renamed" },
              { linked_out, NULL },
              { renamed, "renamed" },
              { linked_within, "target" },
              { target_changed, "target, changed" },
              { fifo, NULL },
              { renamed, "renamed" },
              { folder_made, NULL },
              { made_again, "again" },
              { removed, NULL },
              { renamed, "renamed" } };

static void test_changes(void **state)
{
    static const hoop_folder_options variants[] = {
        { 0 }, { .max_file = 1 }, { .links = HOOP_LINKS_ALL }, { .uncached = 1 }
    };
    for (size_t v = 0; v < HOOP_COUNT(variants); v++) {
        int fds = test_count_fds();
        begin(&variants[v]);
        put(&place, "public/f", "first.");
        assert_string_equal(get("/f"), "first.");
        int all_links = variants[v].links == HOOP_LINKS_ALL;
        for (size_t i = 0; i < HOOP_COUNT(steps); i++) {
            const char *body = steps[i].body;
            steps[i].change();
            pass_time();
            if (steps[i].change == folder_made)
                continue; /* sent to its slash, which static.c has */
            const char *got = get("/f");
            if (steps[i].change == linked_out && all_links)
                body = "the secret";
            if (!body != !got || (got && strcmp(got, body) != 0))
                fail_msg("variant %zu, step %zu: %s", v, i, got ? got : "nothing");
            assert_true(counts.known <= 1);
        }
        end(fds);
    }
}

/* Two changes within a tick of the file system's clock, the first one seen: the second one shows, too. */
static void test_quick_changes(void **state)
{
    int fds = test_count_fds();
    begin(&(hoop_folder_options){ 0 });
    for (int i = 0; i < 50; i++) {
        put(&place, "public/f", "one");
        pass_time();
        assert_string_equal(get("/f"), "one");
        put(&place, "public/f", "two");
        pass_time();
        assert_string_equal(get("/f"), "two");
    }
    end(fds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),   cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_open),    cmocka_unit_test(test_uncached),
        cmocka_unit_test(test_changes), cmocka_unit_test(test_quick_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
