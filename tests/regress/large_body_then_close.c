/* A large response before a close was cut short, since the connection ended with bytes still to send. */
#include "folder.h"
#include "source.h"

#define SIZE ((size_t)3 * 1024 * 1024)

static char *bytes;
static struct folder f;

static const hoop_response *large(const hoop_request *req, void *data)
{
    if (hoop_str_eq_c(req->uri, "/source"))
        return test_source_respond(req, SIZE, 10000, /* known= */ 1, 0);
    if (hoop_str_eq_c(req->uri, "/file"))
        return hoop_file(req, 200, f.folder, "large");
    return hoop_bytes_static(req, 200, "text/plain", hoop_str_n(bytes, SIZE));
}

static void test(void **state)
{
    static const char *const requests[] = {
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "GET /source HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        "GET /source HTTP/1.0\r\n\r\n",
        "GET /file HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        "GET /file HTTP/1.0\r\n\r\n",
    };
    folder_init(&f);
    put_size(&f.place, "public/large", SIZE);
    folder_handler(&f, &(hoop_static_options){ 0 }); /* opens the folder */
    hoop_server *server = test_server_start(hoop_fn(large, NULL), &(hoop_server_options){ 0 });
    bytes = malloc(SIZE);
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = test_source_byte(i);
    for (size_t i = 0; i < HOOP_COUNT(requests); i++) {
        struct test_client c = { 0 };
        struct test_answer answer;
        test_connect_small(&c, hoop_listener_port(server, 0), 4096);
        test_send(&c, requests[i]);
        test_answer(&c, &answer);
        assert_int_equal(answer.body_len, SIZE);
        assert_memory_equal(answer.body, bytes, SIZE);
        test_expect_end(&c);
        test_close(&c);
    }
    test_server_stop(server);
    hoop_arena_free(f.arena);
    place_done(&f.place);
    free(bytes);
}

REGRESS(test)
