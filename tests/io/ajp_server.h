/*
 * Has a program that serves HTTP by hoop_serve() or hoop_server_new() speak AJP in its place, so that every
 * example can stand behind Apache without a change. Included in front of its source.
 */
#ifndef HOOP_TEST_AJP_SERVER_H
#define HOOP_TEST_AJP_SERVER_H

#include <hoop.h>

/* The options of a program, with one listener for AJP in place of its port. */
static inline const hoop_server_options *ajp_options(const hoop_server_options *options)
{
    static hoop_listener listener;
    static hoop_server_options changed;
    changed = *options;
    listener.port = options->port;
    listener.protocol = HOOP_AJP;
    listener.ajp_secret = "s3cr3t";
    changed.port = 0;
    changed.listeners = &listener;
    changed.listener_count = 1;
    changed.listener_size = sizeof listener;
    return &changed;
}

#undef hoop_serve
#define hoop_serve(handler, ...) \
    hoop_serve_sized((handler), ajp_options(__VA_ARGS__), sizeof(hoop_server_options))
#undef hoop_server_new
#define hoop_server_new(handler, ret_server, error, ...)                                \
    hoop_server_new_sized((handler), (ret_server), (error), ajp_options((__VA_ARGS__)), \
                          sizeof(hoop_server_options))

#endif
