/* Gives back what it is sent, while it still comes: POST / of any size flows through 64 KiB of memory. GET
 * /count sends numbers until the client has had enough of them. */
#include "port.h"
#include <hoop.h>

static const hoop_response *echo(const hoop_request *req, void *data)
{
    hoop_str type = hoop_header(req, "content-type");
    return hoop_pipe(req, 200, type.len ? type.data : "application/octet-stream",
                     &(hoop_pipe_options){ .limit = HOOP_OFF });
}

/* Writes until it is told to wait, and goes on when there is room again. */
static void write_numbers(hoop_sink *sink, void *data)
{
    unsigned long *next = data;
    while (hoop_stream_printf(sink, "%lu\n", *next) == 0)
        ++*next;
    ++*next; /* that one was taken, too */
}

static const hoop_response *count(const hoop_request *req, void *data)
{
    unsigned long *next = hoop_alloc(req, sizeof *next);
    if (!next)
        return NULL;
    *next = 1;
    return hoop_stream(
        req, 200, "text/plain",
        &(hoop_stream_options){ .start = write_numbers, .drained = write_numbers, .data = next });
}

static const hoop_route routes[] = {
    HOOP_POST("/", echo, .body = HOOP_REQUEST_STREAM),
    HOOP_GET("/count", count),
};

int main(int argc, char **argv)
{
    hoop_arena *app = hoop_arena_new();
    hoop_handler handler;
    hoop_error error;
    if (hoop_router_new(app, routes, HOOP_COUNT(routes), &handler, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    int status = hoop_serve(handler, &(hoop_server_options){ .port = example_port(argc, argv) });
    hoop_arena_free(app);
    return status;
}
