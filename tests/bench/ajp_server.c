/* One server that speaks HTTP and AJP, for comparing the two: `ajp_server HTTP_PORT AJP_PORT`. */
#include <hoop.h>

#include <stdio.h>
#include <stdlib.h>

static char text[65536];

/* "/16384": so many bytes. */
static const hoop_response *give(const hoop_request *req, void *data)
{
    size_t len = strtoul(req->uri.data + 1, NULL, 10);
    if (len > sizeof text)
        len = sizeof text;
    return hoop_bytes_static(req, 200, "text/plain", hoop_str_n(text, len));
}

int main(int argc, char **argv)
{
    hoop_listener listeners[2] = { { 0 } };
    if (argc != 3) {
        fprintf(stderr, "usage: ajp_server HTTP_PORT AJP_PORT\n");
        return 2;
    }
    memset(text, 'x', sizeof text);
    listeners[0].port = (uint32_t)strtoul(argv[1], NULL, 10);
    listeners[1].port = (uint32_t)strtoul(argv[2], NULL, 10);
    listeners[1].protocol = HOOP_AJP;
    return hoop_serve(hoop_fn(give, NULL), &(hoop_server_options){ HOOP_LISTENERS(listeners) });
}
