/* A prefix matched names that only began like it, and a folder without a slash at its end was not found. */
#include "folder.h"

static const struct {
    const char *target;
    int status;
    const char *told; /* the body, or Location */
} cases[] = {
    { "/mount/x", 200, "x" },
    { "/mount/", 200, "top" },
    { "/mount/dir/", 200, "index" },
    { "/mount/dir", 301, "/mount/dir/" },
    { "/mount/dir?a=b&c=%2f", 301, "/mount/dir/?a=b&c=%2f" },
    { "/mount/d%20e?q", 301, "/mount/d%20e/?q" },
    { "/mount", 301, "/mount/" },
    { "/other/x", 200, "x" },
    { "/other/dir?q", 301, "/other/dir/?q" },
    { "/mountdir/x", 404, NULL },
    { "/mountdir/", 404, NULL },
    { "/mountx", 404, NULL },
    { "/mount%2fx", 404, NULL },
    { "/Mount/x", 404, NULL },
    { "/mount//x", 404, NULL },
    { "//mount/x", 404, NULL },
    { "/mount/x/", 404, NULL },
    { "/x", 404, NULL },
};

static const hoop_response *nothing(const hoop_request *req, void *data)
{
    return hoop_pass(req);
}

static hoop_handler chain_of(struct folder *f, const char *outer, const char *inner)
{
    hoop_static_options first = { .folder = f->folder, .prefix = outer };
    hoop_static_options second = { .folder = f->folder, .prefix = inner };
    hoop_middleware chain[] = { HOOP_STATIC_FILES(&first), HOOP_STATIC_FILES(&second) };
    hoop_handler handler;
    hoop_error error = { 0 };
    chain[0].name = "outer";
    chain[1].name = "inner";
    if (hoop_chain_new(f->arena, chain, 2, hoop_fn(nothing, NULL), &handler, &error))
        fail_msg("%s", error.text);
    return handler;
}

static hoop_handler mounts(struct folder *f, const char *first, const char *second)
{
    hoop_handler files = folder_handler(f, &(hoop_static_options){ 0 }), handler;
    const hoop_route routes[] = { HOOP_MOUNT(first, &files), HOOP_MOUNT(second, &files) };
    hoop_error error = { 0 };
    if (hoop_router_new(f->arena, routes, 2, &handler, &error))
        fail_msg("%s", error.text);
    return handler;
}

static void ask_all(struct folder *f)
{
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        struct test_answer answer = folder_ask(f, "GET", cases[i].target, "");
        if (answer.status != cases[i].status)
            fail_msg("'%s': %d, not %d", cases[i].target, answer.status, cases[i].status);
        if (cases[i].status == 200)
            assert_string_equal(answer.body, cases[i].told);
        if (cases[i].status == 301)
            assert_string_equal(folder_header(&answer, "Location"), cases[i].told);
    }
}

static void test(void **state)
{
    struct folder f;
    folder_init(&f);
    make(&f.place, "public/dir");
    make(&f.place, "public/d e");
    put(&f.place, "public/x", "x");
    put(&f.place, "public/index.html", "top");
    put(&f.place, "public/dir/x", "inside");
    put(&f.place, "public/dir/index.html", "index");
    put(&f.place, "public/d e/index.html", "blank");
    for (int turned = 0; turned < 2; turned++) {
        const char *one = turned ? "/other" : "/mount", *two = turned ? "/mount" : "/other";
        folder_handler(&f, &(hoop_static_options){ 0 });
        folder_start(&f, chain_of(&f, one, two));
        ask_all(&f);
        folder_stop(&f);
        folder_start(&f, mounts(&f, one, two));
        ask_all(&f);
        folder_stop(&f);
    }
    place_done(&f.place);
}

REGRESS(test)
