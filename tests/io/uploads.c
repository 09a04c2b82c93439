/* Forms with files over real sockets: big ones, small ones one after the other, clients that leave at any time. */
#include "client.h"

#include <hoop.h>

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#define HEAD      "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=x\r\n"
#define FILE_PART "--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n"
#define END       "\r\n--x--\r\n"
#define BIG       ((size_t)20 << 20)

static char folder[64];
static hoop_arena *app;
static hoop_server *server;

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

static const hoop_response *tell(const hoop_request *req, void *data)
{
    (void)data;
    size_t count;
    const hoop_upload *files = hoop_uploads(req, &count);
    char first = 0, last = 0;
    if (!count)
        return hoop_text(req, 200, "none");
    assert_int_equal(pread(files->fd, &first, 1, 0), 1);
    assert_int_equal(pread(files->fd, &last, 1, (off_t)files->size - 1), 1);
    return hoop_textf(req, 200, "%zu %zu %c%c", count, (size_t)files->size, first, last);
}

static void start(uint32_t threads)
{
    static hoop_multipart_params_options options;
    static const hoop_limits limits = { .max_body = 2 * BIG };
    options.folder = folder;
    const hoop_middleware chain[] = { HOOP_MULTIPART_PARAMS(&options) };
    hoop_handler handler;
    app = hoop_arena_new();
    assert_int_equal(hoop_chain_new(app, chain, 1, hoop_fn(tell, NULL), &handler, NULL), 0);
    server = test_server_start(handler, &(hoop_server_options){ .threads = threads,
                                                                .limits = &limits,
                                                                .limits_size = sizeof limits });
}

static void stop(int fds)
{
    test_server_stop(server);
    hoop_arena_free(app);
    assert_int_equal(test_count_fds(), fds);
    assert_int_equal(count_names(), 0);
}

static void send_head(struct test_client *c, size_t body)
{
    char text[256];
    snprintf(text, sizeof text, HEAD "Content-Length: %zu\r\n\r\n" FILE_PART,
             strlen(FILE_PART) + body + strlen(END));
    test_send(c, text);
}

static void test_big(void **state)
{
    (void)state;
    int fds = test_count_fds();
    static char piece[1 << 20];
    memset(piece, 'b', sizeof piece);
    start(1);
    struct test_client c = { .fd = -1 };
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    for (int round = 0; round < 2; round++) {
        send_head(&c, BIG);
        for (size_t sent = 0; sent < BIG; sent += sizeof piece)
            test_send_bytes(&c, piece, sizeof piece);
        test_send(&c, END);
        test_expect(&c, 200, "1 20971520 bb");
    }
    test_close(&c);
    stop(fds);
}

static void test_small_ones(void **state)
{
    (void)state;
    int fds = test_count_fds();
    start(1);
    struct test_client c = { .fd = -1 };
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    for (int i = 0; i < 200; i++) {
        send_head(&c, 2);
        test_send(&c, "ab" END);
        test_expect(&c, 200, "1 2 ab");
    }
    /* All at once, in one write. */
    test_send(&c, HEAD "Content-Length: 74\r\n\r\n" FILE_PART "ab" END HEAD
                       "Content-Length: 74\r\n\r\n" FILE_PART "cd" END
                       "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    test_expect(&c, 200, "1 2 ab");
    test_expect(&c, 200, "1 2 cd");
    test_expect(&c, 200, "none");
    test_close(&c);
    stop(fds);
}

/* At the start, in the middle, and in front of the last bytes; by a reset, and by an end. */
static void test_clients_that_leave(void **state)
{
    (void)state;
    enum { ROUNDS = 300, SIZE = 300000 };
    int fds = test_count_fds();
    static char bytes[SIZE];
    memset(bytes, 'b', sizeof bytes);
    start(2);
    for (int i = 0; i < ROUNDS; i++) {
        struct test_client c = { .fd = -1 };
        test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
        send_head(&c, SIZE);
        if (i % 3)
            test_send_some(&c, bytes, i % 3 == 1 ? SIZE / 2 : SIZE - 1);
        if (i % 2)
            test_reset(&c);
        else
            test_close(&c);
    }
    test_until_connections(server, 0);
    struct test_client c = { .fd = -1 };
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    send_head(&c, 2);
    test_send(&c, "ab" END);
    test_expect(&c, 200, "1 2 ab");
    test_close(&c);
    stop(fds);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/hoop-uploads-XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    /* What libuv opens once for the process is no leak. */
    start(1);
    test_server_stop(server);
    hoop_arena_free(app);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_big),
        cmocka_unit_test(test_small_ones),
        cmocka_unit_test(test_clients_that_leave),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
