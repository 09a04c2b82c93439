/* The smallest service: one handler that answers every request. */
#include "port.h"
#include <hoop.h>

/* A handler is a function from a request to a response. */
static const hoop_response *hello(const hoop_request *req, void *data)
{
    return hoop_text(req, 200, "Hello, World!");
}

int main(int argc, char **argv)
{
    uint32_t port = example_port(argc, argv);
    return hoop_serve(hoop_fn(hello, NULL), &(hoop_server_options){ .port = port });
}
