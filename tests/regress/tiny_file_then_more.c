/* After a form with a tiny file the connection stayed paused, and the next request on it hung. */
#include "regress.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>

static const hoop_response *tell(const hoop_request *req, void *data)
{
    const hoop_upload *file = hoop_upload_find(req, "f");
    return file ? hoop_bytes(req, 200, "text/plain", file->bytes) : hoop_text(req, 200, "none");
}

static void test(void **state)
{
    static const char body[] =
        "--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\nab\r\n--x--\r\n";
    static const hoop_multipart_params_options options = { .store = HOOP_UPLOADS_IN_MEMORY };
    const hoop_middleware chain[] = { HOOP_MULTIPART_PARAMS(&options) };
    hoop_arena *arena = hoop_arena_new();
    hoop_handler handler;
    char request[512];
    assert_int_equal(hoop_chain_new(arena, chain, 1, hoop_fn(tell, NULL), &handler, NULL), 0);
    hoop_server *server = test_server_start(handler, &(hoop_server_options){ 0 });
    struct test_client c = { 0 };
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    setsockopt(c.fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
    int head = snprintf(request, sizeof request,
                        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %zu\r\n"
                        "Content-Type: multipart/form-data; boundary=x\r\n\r\n",
                        strlen(body));
    strcat(request, body);
    /* In one write, head and body apart, and cut within the file and its last boundary. */
    for (size_t cut = (size_t)head - 1; cut <= strlen(request); cut++) {
        for (int i = 0; i < 2; i++) {
            test_send_bytes(&c, request, cut);
            test_send(&c, request + cut);
            test_expect(&c, 200, "ab");
        }
        test_send(&c, REGRESS_GET);
        test_expect(&c, 200, "none");
    }
    assert_int_equal(regress_stats(server).accepted, 1);
    test_close(&c);
    test_server_stop(server);
    hoop_arena_free(arena);
}

REGRESS(test)
