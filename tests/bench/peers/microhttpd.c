/* GNU libmicrohttpd with the benchmark's two answers: epoll, one thread. */
#include "peer.h"

#include <microhttpd.h>

#include <arpa/inet.h>
#include <unistd.h>

#define MAX_CONNECTIONS 20000

static struct MHD_Response *text;

static enum MHD_Result answer_json(struct MHD_Connection *connection)
{
    char *body = malloc(256);
    size_t len = peer_json(body, 256);
    struct MHD_Response *response =
        MHD_create_response_from_buffer(len, body, MHD_RESPMEM_MUST_FREE);
    MHD_add_response_header(response, "Server", "microhttpd");
    MHD_add_response_header(response, "Content-Type", "application/json");
    enum MHD_Result result = MHD_queue_response(connection, 200, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result answer(void *data, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_len, void **state)
{
    static int seen;
    if (!*state) { /* the first call brings the head, the second asks for the answer */
        *state = &seen;
        return MHD_YES;
    }
    if (strcmp(path, "/plaintext") == 0)
        return MHD_queue_response(connection, 200, text);
    return answer_json(connection);
}

int main(int argc, char **argv)
{
    int port = peer_port(argc, argv);
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    static char body[] = PEER_TEXT;
    text = MHD_create_response_from_buffer(PEER_TEXT_LEN, body, MHD_RESPMEM_PERSISTENT);
    MHD_add_response_header(text, "Server", "microhttpd");
    MHD_add_response_header(text, "Content-Type", "text/plain");
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_TURBO, (uint16_t)port, NULL, NULL, answer, NULL,
        MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_LIMIT, (unsigned)MAX_CONNECTIONS,
        MHD_OPTION_LISTEN_BACKLOG_SIZE, (unsigned)PEER_BACKLOG, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)PEER_IDLE_S, MHD_OPTION_END);
    if (!daemon) {
        fprintf(stderr, "port %d can't be had\n", port);
        return 1;
    }
    for (;;)
        pause();
}
