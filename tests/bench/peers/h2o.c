/* h2o's library on its own loop, with the benchmark's two answers. */
#include "peer.h"

#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>

#include <h2o.h>
#include <h2o/http1.h>

static h2o_globalconf_t config;
static h2o_context_t context;
static h2o_accept_ctx_t accepting;

static int answer(h2o_req_t *request, const char *type, size_t type_len, h2o_iovec_t body)
{
    static h2o_generator_t at_once = { NULL, NULL };
    request->res.status = 200;
    request->res.reason = "OK";
    request->res.content_length = body.len;
    h2o_add_header(&request->pool, &request->res.headers, H2O_TOKEN_CONTENT_TYPE, NULL, type,
                   type_len);
    h2o_start_response(request, &at_once);
    h2o_send(request, &body, 1, H2O_SEND_STATE_FINAL);
    return 0;
}

static int answer_text(h2o_handler_t *handler, h2o_req_t *request)
{
    return answer(request, H2O_STRLIT("text/plain"), h2o_iovec_init(PEER_TEXT, PEER_TEXT_LEN));
}

static int answer_json(h2o_handler_t *handler, h2o_req_t *request)
{
    char *text = h2o_mem_alloc_pool(&request->pool, 256);
    return answer(request, H2O_STRLIT("application/json"),
                  h2o_iovec_init(text, peer_json(text, 256)));
}

static void add(h2o_hostconf_t *host, const char *path, int (*fn)(h2o_handler_t *, h2o_req_t *))
{
    h2o_pathconf_t *place = h2o_config_register_path(host, path, 0);
    h2o_create_handler(place, sizeof(h2o_handler_t))->on_req = fn;
}

static void on_connections(h2o_socket_t *listener, const char *error)
{
    h2o_socket_t *socket;
    while (!error && (socket = h2o_evloop_socket_accept(listener)) != NULL)
        h2o_accept(&accepting, socket);
}

static int listen_on(int port)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, PEER_BACKLOG))
        return -1;
    return fd;
}

int main(int argc, char **argv)
{
    int port = peer_port(argc, argv), fd = listen_on(port);
    if (fd < 0) {
        fprintf(stderr, "port %d can't be had\n", port);
        return 1;
    }
    signal(SIGPIPE, SIG_IGN);
    h2o_config_init(&config);
    config.http1.req_timeout = PEER_IDLE_S * 1000;
    h2o_hostconf_t *host =
        h2o_config_register_host(&config, h2o_iovec_init(H2O_STRLIT("any")), 65535);
    add(host, "/plaintext", answer_text);
    add(host, "/json", answer_json);
    h2o_context_init(&context, h2o_evloop_create(), &config);
    accepting.ctx = &context;
    accepting.hosts = config.hosts;
    h2o_socket_t *listener = h2o_evloop_socket_create(context.loop, fd, H2O_SOCKET_FLAG_DONT_READ);
    h2o_socket_read_start(listener, on_connections);
    while (h2o_evloop_run(context.loop, INT32_MAX) == 0)
        continue;
    return 1;
}
