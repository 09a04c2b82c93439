/* Bodies into files over real sockets: in full, refused, broken off; nothing half is ever left. */
#include "../unit/file/tools.h"
#include "client.h"

#include <dirent.h>
#include <hoop/mock.h>
#include <hoop/save.h>
#include <stdatomic.h>

static struct place place;
static hoop_arena *arena;
static hoop_server *server;
static const hoop_folder *folder;
static hoop_save_options options;
static atomic_ullong told;
static atomic_int codes[4]; /* what saved() got, by kind: none, too big, gone, other */

static void progress(uint64_t bytes, void *data)
{
    if (bytes <= atomic_load(&told))
        abort();
    atomic_store(&told, bytes);
}

static const hoop_response *saved(const hoop_request *req, int code, uint64_t bytes, void *data)
{
    int kind = code == 0 ? 0 : code == HOOP_ETOOBIG ? 1 : code == HOOP_EGONE ? 2 : 3;
    atomic_fetch_add(&codes[kind], 1);
    return code ? NULL : hoop_textf(req, 201, "%llu", (unsigned long long)bytes);
}

static const hoop_response *put_file(const hoop_request *req, void *data)
{
    return hoop_save_sized(req, folder, req->uri.data + 1, &options, sizeof options);
}

static void start(hoop_save_options given, uint32_t threads)
{
    hoop_error error;
    place_init(&place);
    make(&place, "public/dir");
    put(&place, "public/taken", "old");
    link_to(&place, "public/out", "..");
    options = given;
    arena = hoop_arena_new();
    for (int i = 0; i < 4; i++)
        atomic_store(&codes[i], 0);
    atomic_store(&told, 0);
    assert_int_equal(hoop_folder_open(arena, in(&place, "public"), &folder, &error, NULL), 0);
    server = test_server_start(hoop_streaming(arena, hoop_fn(put_file, NULL)),
                               &(hoop_server_options){ .threads = threads });
}

/* Files of the folder, hidden ones too. */
static int count_files(void)
{
    int count = 0;
    DIR *dir = opendir(in(&place, "public"));
    assert_non_null(dir);
    for (const struct dirent *e; (e = readdir(dir));)
        count += e->d_name[0] != '.' || e->d_name[1] == 'h';
    closedir(dir);
    return count;
}

static int has_three_files(void *data)
{
    return count_files() == 3;
}

static void stop(int fds)
{
    test_server_stop(server);
    hoop_arena_free(arena);
    place_done(&place);
    assert_int_equal(test_count_fds(), fds);
}

static void send_head(struct test_client *c, const char *path, size_t len)
{
    char head[512];
    snprintf(head, sizeof head, "PUT %s HTTP/1.1\r\nHost: a\r\nContent-Length: %zu\r\n\r\n", path,
             len);
    test_send(c, head);
}

static char *bytes_of(size_t len)
{
    char *bytes = malloc(len + 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < len; i++)
        bytes[i] = (char)(i * 31 % 251);
    return bytes;
}

static void check_file(const char *name, const char *want, size_t len)
{
    char *got = malloc(len + 1);
    int fd = open(in(&place, name), O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    size_t at = 0;
    for (ssize_t n; at <= len && (n = read(fd, got + at, len + 1 - at)) > 0;)
        at += (size_t)n;
    assert_int_equal(at, len);
    assert_memory_equal(got, want, len);
    close(fd);
    free(got);
}

static uint32_t port(void)
{
    return hoop_listener_port(server, 0);
}

static void whole(void **state)
{
    static const size_t sizes[] = { 0, 1, 65536, 3000000 };
    int fds = test_count_fds();
    start(
        (hoop_save_options){
            .saved = saved, .progress = progress, .limit = HOOP_OFF, .replace = 1 },
        1);
    struct test_client c = { 0 };
    test_connect(&c, "127.0.0.1", port());
    for (size_t i = 0; i < HOOP_COUNT(sizes); i++) {
        char text[32], *bytes = bytes_of(sizes[i]);
        atomic_store(&told, 0);
        send_head(&c, "/dir/new", sizes[i]);
        test_send_bytes(&c, bytes, sizes[i]);
        snprintf(text, sizeof text, "%zu", sizes[i]);
        test_expect(&c, 201, text);
        check_file("public/dir/new", bytes, sizes[i]);
        assert_int_equal(atomic_load(&told), sizes[i]);
        free(bytes);
    }
    atomic_store(&told, 0);
    test_send(&c, "PUT /chunked HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                  "3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n");
    test_expect(&c, 201, "7");
    check_file("public/chunked", "abcdefg", 7);
    test_close(&c);
    assert_int_equal(count_files(), 4);
    stop(fds);
}

static const hoop_response *give_file(const hoop_request *req, void *data)
{
    return hoop_file(req, 200, folder, req->uri.data + 1);
}

static const hoop_response *by_method(const hoop_request *req, void *data)
{
    return req->method_number == HOOP_METHOD_PUT ? put_file(req, data) : give_file(req, data);
}

/* Whoever was told that a file is saved gets it, on any loop, though the one before is known. */
static void seen_at_once(void **state)
{
    int fds = test_count_fds();
    struct test_client c[4] = { 0 };
    start((hoop_save_options){ .saved = saved, .replace = 1 }, 1);
    test_server_stop(server);
    server = test_server_start(hoop_streaming(arena, hoop_fn(by_method, NULL)),
                               &(hoop_server_options){ .threads = 2 });
    for (size_t i = 0; i < HOOP_COUNT(c); i++)
        test_connect(&c[i], "127.0.0.1", port());
    for (size_t round = 0; round < 20; round++) {
        size_t len = round % 3 ? 5 : 100000; /* in memory, and by a descriptor */
        char text[32], *bytes = malloc(len + 1);
        assert_non_null(bytes);
        memset(bytes, 'a' + (int)round, len);
        bytes[len] = 0;
        snprintf(text, sizeof text, "%zu", len);
        send_head(&c[round % 4], "/taken", len);
        test_send_bytes(&c[round % 4], bytes, len);
        test_expect(&c[round % 4], 201, text);
        for (size_t i = 0; i < HOOP_COUNT(c); i++) {
            test_send(&c[i], "GET /taken HTTP/1.1\r\nHost: a\r\n\r\n");
            test_expect(&c[i], 200, bytes);
        }
        free(bytes);
    }
    for (size_t i = 0; i < HOOP_COUNT(c); i++)
        test_close(&c[i]);
    stop(fds);
}

/* The window is small, so that the client waits again and again. */
static void by_small_windows(void **state)
{
    int fds = test_count_fds();
    start((hoop_save_options){ .limit = HOOP_OFF, .window = 1, .sync = 1 }, 2);
    struct test_client c = { 0 };
    struct test_answer answer;
    char *bytes = bytes_of(500000);
    test_connect(&c, "127.0.0.1", port());
    send_head(&c, "/new", 500000);
    test_send_bytes(&c, bytes, 500000);
    test_answer(&c, &answer);
    assert_int_equal(answer.status, 201);
    check_file("public/new", bytes, 500000);
    free(bytes);
    test_close(&c);
    stop(fds);
}

/* With an answer of the program's own, which leaves failures to the library, and without. */
static void refuse_all(int own)
{
    static const struct {
        const char *path;
        int status;
    } cases[] = { { "/taken", 409 }, { "/dir", 409 },     { "/nowhere/x", 404 },
                  { "/out/x", 404 }, { "/../x", 404 },    { "/.x", 404 },
                  { "/", 404 },      { "/taken/x", 404 }, { "/a//b", 404 } };
    int fds = test_count_fds();
    char name[300] = "/";
    memset(name + 1, 'n', sizeof name - 2);
    start((hoop_save_options){ .saved = own ? saved : NULL }, 1);
    for (size_t i = 0; i <= HOOP_COUNT(cases); i++) {
        int last = i == HOOP_COUNT(cases), status = last ? 404 : cases[i].status;
        const char *path = last ? name : cases[i].path;
        struct test_client c = { 0 };
        struct test_answer answer;
        test_connect(&c, "127.0.0.1", port());
        send_head(&c, path, 3);
        test_send(&c, "new");
        test_answer(&c, &answer);
        if (answer.status != status)
            fail_msg("%s: %d, not %d", path, answer.status, status);
        test_close(&c);
    }
    check_file("public/taken", "old", 3);
    assert_int_equal(count_files(), 3);
    stop(fds);
}

static void refused(void **state)
{
    refuse_all(/* own= */ 0);
    refuse_all(/* own= */ 1);
}

static void over_the_limit(void **state)
{
    int fds = test_count_fds();
    start((hoop_save_options){ .saved = saved, .limit = 100000 }, 1);
    struct test_client c = { 0 };
    struct test_answer answer;
    test_connect(&c, "127.0.0.1", port());
    send_head(&c, "/new", 100001);
    test_answer(&c, &answer);
    assert_int_equal(answer.status, 413);
    test_close(&c);
    /* Without a length it shows only when much has been written. */
    test_connect(&c, "127.0.0.1", port());
    test_send(&c, "PUT /new HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    char *bytes = bytes_of(50000);
    for (int i = 0; i < 3; i++) {
        test_send(&c, "c350\r\n");
        test_send_bytes(&c, bytes, 50000);
        test_send(&c, "\r\n");
    }
    free(bytes);
    test_answer(&c, &answer);
    assert_int_equal(answer.status, 413);
    test_close(&c);
    test_until(has_three_files, NULL);
    assert_int_equal(atomic_load(&codes[0]), 0);
    stop(fds);
}

/* At any point, on two loops: no file, no hidden rest, no descriptor. */
static void clients_leave(void **state)
{
    int fds = test_count_fds();
    start((hoop_save_options){ .saved = saved, .limit = HOOP_OFF, .window = 100000 }, 2);
    char *bytes = bytes_of(1000000);
    for (int i = 0; i < 40; i++) {
        struct test_client c = { 0 };
        test_connect(&c, "127.0.0.1", port());
        send_head(&c, "/new", 1000000);
        test_send_bytes(&c, bytes, (size_t)i * 24000);
        if (i % 2)
            test_reset(&c);
        else
            test_close(&c);
    }
    free(bytes);
    test_until_connections(server, 0);
    test_until(has_three_files, NULL);
    assert_int_equal(atomic_load(&codes[0]), 0);
    stop(fds);
}

/* The server ends while a body is on its way. */
static void stopped(void **state)
{
    int fds = test_count_fds();
    start((hoop_save_options){ .saved = saved, .limit = HOOP_OFF }, 1);
    struct test_client c = { 0 };
    char *bytes = bytes_of(600000);
    test_connect(&c, "127.0.0.1", port());
    send_head(&c, "/new", 1000000);
    test_send_bytes(&c, bytes, 600000);
    test_until_requests(server, 1);
    free(bytes);
    test_server_stop(server);
    assert_int_equal(count_files(), 3);
    test_close(&c);
    hoop_arena_free(arena);
    place_done(&place);
    assert_int_equal(test_count_fds(), fds);
}

static void save_each(struct test_allocator *allocator, void *data)
{
    hoop_arena *own = hoop_arena_new_with(&(hoop_arena_options){ .allocator = &allocator->hoop });
    const hoop_request *req = hoop_mock(own, "PUT", "/new", "0123456789");
    hoop_handler handler = hoop_streaming(own, hoop_fn(put_file, NULL));
    req = hoop_mock_chunks(req, 4);
    const hoop_response *res = req && handler.fn ? hoop_call_sync(handler, req) : NULL;
    int saved_all = res && res->status == 201;
    hoop_arena_free(own);
    assert_int_equal(count_files(), saved_all ? 4 : 3);
    if (saved_all)
        check_file("public/new", "0123456789", 10);
    unlink(in(&place, "public/new"));
}

/* All of the file, or nothing of it. */
static void each_allocation_may_fail(void **state)
{
    int fds = test_count_fds();
    start((hoop_save_options){ .window = 4 }, 1);
    int before = test_count_fds();
    test_each_allocation(save_each, NULL);
    assert_int_equal(test_count_fds(), before);
    stop(fds);
}

/* libuv keeps two descriptors for ever, from the first loop on. */
static int warm_up(void **state)
{
    start((hoop_save_options){ 0 }, 1);
    test_server_stop(server);
    hoop_arena_free(arena);
    place_done(&place);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole),         cmocka_unit_test(by_small_windows),
        cmocka_unit_test(refused),       cmocka_unit_test(over_the_limit),
        cmocka_unit_test(clients_leave), cmocka_unit_test(stopped),
        cmocka_unit_test(seen_at_once),  cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, warm_up, NULL);
}
