/* libevent's HTTP server with the benchmark's two answers. */
#include "peer.h"

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

static void set_headers(struct evhttp_request *request, const char *type)
{
    struct evkeyvalq *headers = evhttp_request_get_output_headers(request);
    evhttp_add_header(headers, "Server", "evhttp");
    evhttp_add_header(headers, "Content-Type", type);
}

static void answer_text(struct evhttp_request *request, void *data)
{
    struct evbuffer *body = evbuffer_new();
    set_headers(request, "text/plain");
    evbuffer_add_reference(body, PEER_TEXT, PEER_TEXT_LEN, NULL, NULL);
    evhttp_send_reply(request, 200, "OK", body);
    evbuffer_free(body);
}

static void answer_json(struct evhttp_request *request, void *data)
{
    struct evbuffer *body = evbuffer_new();
    char text[256];
    set_headers(request, "application/json");
    evbuffer_add(body, text, peer_json(text, sizeof text));
    evhttp_send_reply(request, 200, "OK", body);
    evbuffer_free(body);
}

int main(int argc, char **argv)
{
    int port = peer_port(argc, argv);
    struct event_base *base = event_base_new();
    struct evhttp *http = evhttp_new(base);
    evhttp_set_cb(http, "/plaintext", answer_text, NULL);
    evhttp_set_cb(http, "/json", answer_json, NULL);
    evhttp_set_timeout(http, PEER_IDLE_S);
    struct evhttp_bound_socket *bound =
        evhttp_bind_socket_with_handle(http, "127.0.0.1", (unsigned short)port);
    if (!bound) {
        fprintf(stderr, "port %d can't be had\n", port);
        return 1;
    }
    /* Accepted sockets inherit it; without, answers to pipelined requests wait 40 ms each. */
    setsockopt(evhttp_bound_socket_get_fd(bound), IPPROTO_TCP, TCP_NODELAY, &(int){ 1 },
               sizeof(int));
    return event_base_dispatch(base);
}
