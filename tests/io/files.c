/* Files over real sockets: large ones whole and in parts, slow readers, files that change, cold ones, clients that leave. */
#include "../unit/file/tools.h"
#include "client.h"

#include <hoop/range.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#define LARGE ((size_t)5 << 20)

static struct place place;
static hoop_arena *arena;
static hoop_server *server;

static void start(const hoop_folder_options *options, uint32_t threads)
{
    const hoop_folder *folder;
    hoop_handler files;
    hoop_error error;
    place_init(&place);
    put_size(&place, "public/large", LARGE);
    put_size(&place, "public/small", 1000);
    put_size(&place, "public/middle", 60000);
    arena = hoop_arena_new();
    assert_int_equal(hoop_folder_open_sized(arena, in(&place, "public"), &folder, &error, options,
                                            sizeof *options),
                     0);
    assert_int_equal(
        hoop_static_new(arena, &files, &error, &(hoop_static_options){ .folder = folder }), 0);
    server = test_server_start(files, &(hoop_server_options){ .threads = threads });
}

static void stop(int fds)
{
    test_server_stop(server);
    hoop_arena_free(arena);
    place_done(&place);
    assert_int_equal(test_count_fds(), fds);
}

static uint32_t port(void)
{
    return hoop_listener_port(server, 0);
}

static void check(const struct test_answer *answer, size_t from, size_t size)
{
    assert_int_equal(answer->body_len, size);
    for (size_t i = 0; i < size; i++)
        if (answer->body[i] != 'a' + (char)((from + i) % 23))
            fail_msg("byte %zu is wrong", from + i);
}

static void ask(struct test_client *c, const char *path, const char *more)
{
    char text[256];
    snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: a\r\n%s\r\n", path, more);
    test_send(c, text);
}

static const hoop_folder_options *const variants[] = {
    &(hoop_folder_options){ 0 },
    &(hoop_folder_options){ .max_file = 1 },
    &(hoop_folder_options){ .uncached = 1 },
    &(hoop_folder_options){ .links = HOOP_LINKS_ALL },
};

static void whole_and_parts(void **state)
{
    for (size_t v = 0; v < HOOP_COUNT(variants); v++) {
        int fds = test_count_fds();
        start(variants[v], 1);
        struct test_client c = { 0 };
        struct test_answer answer;
        test_connect(&c, "127.0.0.1", port());
        for (int i = 0; i < 3; i++) {
            ask(&c, "/large", "");
            ask(&c, "/small", "");
            ask(&c, "/middle", "");
            ask(&c, "/large", "Range: bytes=1000000-3999999\r\n");
            test_answer(&c, &answer);
            assert_int_equal(answer.status, 200);
            check(&answer, 0, LARGE);
            test_answer(&c, &answer);
            check(&answer, 0, 1000);
            test_answer(&c, &answer);
            check(&answer, 0, 60000);
            test_answer(&c, &answer);
            assert_int_equal(answer.status, 206);
            check(&answer, 1000000, 3000000);
        }
        ask(&c, "/large", "Range: bytes=0-999999,2000000-2999999\r\n");
        test_answer(&c, &answer);
        assert_int_equal(answer.status, 206);
        const char *body = strstr(answer.body, "bytes 2000000-2999999/5242880\r\n\r\n") + 33;
        for (size_t i = 0; i < 1000000; i++)
            assert_int_equal(body[i], 'a' + (2000000 + i) % 23);
        test_close(&c);
        stop(fds);
    }
}

/* Its pages are dropped from memory each time: they are read ahead on the pool. */
static void cold(void **state)
{
    int fds = test_count_fds();
    start(&(hoop_folder_options){ .uncached = 1 }, 1);
    struct test_client c = { 0 };
    struct test_answer answer;
    test_connect(&c, "127.0.0.1", port());
    for (int i = 0; i < 5; i++) {
        int fd = open(in(&place, i % 2 ? "public/small" : "public/large"), O_RDONLY | O_CLOEXEC);
        fsync(fd);
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        close(fd);
        ask(&c, i % 2 ? "/small" : "/large", "");
        test_answer(&c, &answer);
        check(&answer, 0, i % 2 ? 1000 : LARGE);
    }
    test_close(&c);
    stop(fds);
}

static void to_a_slow_reader(void **state)
{
    int fds = test_count_fds();
    start(NULL, 1);
    struct test_client c = { 0 };
    struct test_answer answer;
    test_connect_small(&c, port(), 4096);
    ask(&c, "/large", "");
    ask(&c, "/small", "Connection: close\r\n");
    test_answer(&c, &answer);
    check(&answer, 0, LARGE);
    test_answer(&c, &answer);
    check(&answer, 0, 1000);
    test_expect_end(&c);
    test_close(&c);
    stop(fds);
}

/* What was announced can't be kept: the connection ends, nothing is made up. */
static void gets_shorter(void **state)
{
    int fds = test_count_fds();
    start(NULL, 1);
    struct test_client c = { 0 };
    test_connect_small(&c, port(), 4096);
    ask(&c, "/large", "");
    test_read(&c, 1000);
    assert_int_equal(truncate(in(&place, "public/large"), 4 << 20), 0);
    size_t got = test_read_end(&c);
    assert_true(got > 1000 && got < (5 << 20));
    test_close(&c);
    stop(fds);
}

static void grows_or_is_replaced(void **state)
{
    int fds = test_count_fds();
    start(NULL, 1);
    for (int replaced = 0; replaced < 2; replaced++) {
        struct test_client c = { 0 };
        struct test_answer answer;
        char to[128];
        test_connect_small(&c, port(), 4096);
        ask(&c, "/large", "");
        test_read(&c, 1000);
        if (replaced) {
            put(&place, "public/new", "new");
            snprintf(to, sizeof to, "%s/public/large", place.top);
            assert_int_equal(rename(in(&place, "public/new"), to), 0);
        } else {
            int fd = open(in(&place, "public/large"), O_WRONLY | O_APPEND | O_CLOEXEC);
            assert_int_equal(write(fd, "more", 4), 4);
            close(fd);
        }
        test_answer(&c, &answer);
        if (!replaced)
            assert_int_equal(truncate(in(&place, "public/large"), LARGE), 0);
        check(&answer, 0, LARGE);
        test_close(&c);
    }
    stop(fds);
}

#ifdef TCP_NOTSENT_LOWAT

/* What the server's end of the connection may have waiting unsent in the kernel. */
static int unsent_bound(const struct test_client *c)
{
    struct sockaddr_in client, peer;
    socklen_t len = sizeof client;
    assert_int_equal(getsockname(c->fd, (struct sockaddr *)&client, &len), 0);
    for (int fd = 0; fd < 1024; fd++) {
        int bound;
        len = sizeof peer;
        if (getpeername(fd, (struct sockaddr *)&peer, &len) || peer.sin_port != client.sin_port)
            continue;
        len = sizeof bound;
        assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bound, &len), 0);
        return bound;
    }
    return -1;
}

static int has_more(void *data)
{
    return unsent_bound(data) == 4 << 20;
}

/* More than usual is for files, whose pages are the file's; copies would be the kernel's own. */
static void the_kernel_gets_more_of_files_only(void **state)
{
    int fds = test_count_fds();
    start(NULL, 1);
    struct test_client c = { 0 };
    struct test_answer answer;
    test_connect(&c, "127.0.0.1", port());
    for (int i = 0; i < 2; i++) {
        ask(&c, "/small", "");
        test_answer(&c, &answer);
        assert_int_equal(unsent_bound(&c), 256 * 1024);
        ask(&c, "/large", "");
        test_answer(&c, &answer);
        check(&answer, 0, LARGE);
        test_until(has_more, &c); /* it may be raised behind the last byte */
    }
    ask(&c, "/middle", "");
    test_answer(&c, &answer);
    assert_int_equal(unsent_bound(&c), 256 * 1024);
    test_close(&c);
    stop(fds);
}

#endif

static int has_two_open(void *data)
{
    return test_count_fds() == *(int *)data + 2;
}

/* As many as are allowed stay open, and no more, however many are asked for; responses under way have their own. */
static void open_files_are_bounded(void **state)
{
    int fds = test_count_fds();
    start(&(hoop_folder_options){ .max_open = 2, .max_file = 1 }, 1);
    struct test_client c = { 0 }, slow = { 0 };
    test_connect(&c, "127.0.0.1", port());
    ask(&c, "/none", "");
    struct test_answer answer;
    test_answer(&c, &answer);
    int before = test_count_fds();
    for (int round = 0; round < 3; round++) {
        for (char name[] = "public/f0"; name[8] <= '9'; name[8]++) {
            put_size(&place, name, 3000);
            ask(&c, name + 6, "");
            test_answer(&c, &answer);
            check(&answer, 0, 3000);
            assert_true(test_count_fds() <= before + 4); /* and one whose response has just ended */
        }
        test_until(has_two_open, &before);
    }
    /* Its place in the cache is taken while it is sent. */
    test_connect_small(&slow, port(), 4096);
    ask(&slow, "/large", "");
    test_read(&slow, 1000);
    for (char path[] = "/f0"; path[2] <= '9'; path[2]++) {
        ask(&c, path, "");
        test_answer(&c, &answer);
        check(&answer, 0, 3000);
    }
    test_answer(&slow, &answer);
    check(&answer, 0, LARGE);
    test_close(&slow);
    test_until(has_two_open, &before);
    test_close(&c);
    stop(fds);
}

/* A file of 5 GiB, none of which is on disk: the numbers are of 64 bits. */
static void beyond_four_gibibytes(void **state)
{
    int fds = test_count_fds();
    start(NULL, 1);
    int fd = open(in(&place, "public/huge"), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    assert_int_equal(ftruncate(fd, (off_t)5 << 30), 0);
    assert_int_equal(pwrite(fd, "end", 3, ((off_t)5 << 30) - 3), 3);
    close(fd);
    struct test_client c = { 0 };
    struct test_answer answer;
    test_connect(&c, "127.0.0.1", port());
    test_send(&c, "HEAD /huge HTTP/1.1\r\nHost: a\r\n\r\n");
    test_answer_head(&c, &answer);
    assert_non_null(strstr(answer.head, "Content-Length: 5368709120"));
    ask(&c, "/huge", "Range: bytes=-3\r\n");
    test_answer(&c, &answer);
    assert_int_equal(answer.status, 206);
    assert_string_equal(answer.body, "end");
    assert_non_null(strstr(answer.head, "Content-Range: bytes 5368709117-5368709119/5368709120"));
    test_close(&c);
    stop(fds);
}

/* Clients that leave at any point, with cold files and warm ones, on two loops: all descriptors come back. */
static void clients_leave(void **state)
{
    int fds = test_count_fds();
    start(&(hoop_folder_options){ .uncached = 1, .links = HOOP_LINKS_ALL }, 2);
    for (int i = 0; i < 60; i++) {
        struct test_client c = { 0 };
        test_connect_small(&c, port(), 4096);
        if (i % 3 == 0) {
            int fd = open(in(&place, "public/large"), O_RDONLY | O_CLOEXEC);
            posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
            close(fd);
        }
        ask(&c, "/large", "");
        if (i % 2)
            test_read(&c, (size_t)i * 100);
        if (i % 5)
            test_reset(&c);
        else
            test_close(&c);
    }
    test_until_connections(server, 0);
    stop(fds);
}

/* libuv keeps two descriptors for ever, from the first loop on. */
static int warm_up(void **state)
{
    start(NULL, 1);
    test_server_stop(server);
    hoop_arena_free(arena);
    place_done(&place);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_and_parts),
        cmocka_unit_test(cold),
        cmocka_unit_test(to_a_slow_reader),
        cmocka_unit_test(gets_shorter),
        cmocka_unit_test(grows_or_is_replaced),
        cmocka_unit_test(beyond_four_gibibytes),
        cmocka_unit_test(clients_leave),
        cmocka_unit_test(open_files_are_bounded),
#ifdef TCP_NOTSENT_LOWAT
        cmocka_unit_test(the_kernel_gets_more_of_files_only),
#endif
    };
    return cmocka_run_group_tests(tests, warm_up, NULL);
}
