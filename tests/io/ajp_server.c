/*
 * The server that Apache is tried with: AJP with a secret, with whatever a handler may do to it.
 * Started by ajp.py as `ajp_server PORT [PACKET_SIZE]`, or with a path in place of the port.
 */
#include "ajp_handlers.h"

int main(int argc, char **argv)
{
    hoop_listener listener = {
        .protocol = HOOP_AJP,
        .ajp_secret = "s3cr3t",
        .ajp_attributes = "tenant",
        .ajp_trust_user = 1,
        .ajp_packet_size = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0,
    };
    static const hoop_limits limits = { .max_body = 11 * 1024 * 1024,
                                        .max_arena = 64 * 1024 * 1024,
                                        .drain_ms = 3000 };
    const hoop_server_options options = { .listeners = &listener,
                                          .listener_count = 1,
                                          .listener_size = sizeof listener,
                                          HOOP_LIMITS(&limits) };
    hoop_arena *app = hoop_arena_new();
    hoop_handler handler;
    if (argc < 2 || ajp_handlers(app, &handler))
        return 2;
    if (*argv[1] == '/') {
        listener.path = argv[1];
        listener.unix_mode = 0777;
    } else {
        listener.port = (uint32_t)strtoul(argv[1], NULL, 10);
    }
    int status = hoop_serve(handler, &options);
    hoop_arena_free(app);
    return status;
}
