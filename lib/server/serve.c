/* hoop_serve(): a server as a whole program, with signals and lines about what it does. */
#include "server/server.h"

#include "server/options.h"

#include <stdio.h>

/* What the signals do. */
struct ending {
    hoop_server *server;
    int signals; /* seen so far */
};

static void log_line(const hoop_server_options *options, int level, const char *format, ...)
    HOOP_PRINTF(3, 4);

static void log_line(const hoop_server_options *options, int level, const char *format, ...)
{
    struct hoop_loop base = { .log = options->log, .log_data = options->log_data };
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    hoop__log(&base, level, "%s", text);
}

static void on_signal(void *data)
{
    struct ending *ending = data;
    const hoop_server_options *options = &ending->server->options;
    ending->signals++;
    if (ending->signals == 1) {
        log_line(options, HOOP_LOG_DEBUG, "draining; a second signal stops at once");
        hoop_server_drain(ending->server, ending->server->limits.drain_ms, NULL, NULL);
    } else if (ending->signals == 2) {
        log_line(options, HOOP_LOG_INFO, "stopping");
        hoop_server_stop(ending->server, NULL, NULL);
    }
}

/* Serves until the end. 0, or a code and text if it could not start. */
static int run(hoop_server *server, hoop_error *error)
{
    struct ending ending = { server, 0 };
    int rc = hoop__server_begin(server, /* leave_first= */ 1, error);
    if (rc)
        return rc;
    rc = hoop__net_loop_signals(server->loops[0].net, on_signal, &ending);
    if (rc) {
        hoop_error_set(error, rc, "signals can't be handled: %s", hoop_strerror(rc));
        hoop_server_stop(server, NULL, NULL);
    }
    for (size_t i = 0; !rc && i < server->net.place_count; i++)
        log_line(&server->options, HOOP_LOG_INFO, "listening on %s", hoop_listener_url(server, i));
    hoop__server_run_loop(&server->loops[0]);
    hoop_server_wait(server);
    return rc;
}

int hoop_serve_sized(hoop_handler handler, const hoop_server_options *options, size_t options_size)
{
    hoop_server *server = NULL;
    hoop_server_options complete;
    hoop_limits limits;
    hoop_error error = { 0, "" };
    int rc = hoop__options_read(&complete, &limits, options, options_size, &error);
    if (!complete.log)
        complete.log = hoop_log_stderr;
    if (!rc && complete.loop)
        rc = hoop_error_set(&error, HOOP_EINVAL, "a host's loop can't be given to hoop_serve()");
    if (!rc)
        rc = hoop_server_new_sized(handler, &server, &error, &complete, sizeof complete);
    if (!rc)
        rc = run(server, &error);
    if (rc)
        log_line(&complete, HOOP_LOG_ERROR, "%s", error.text);
    hoop_server_free(server);
    return rc ? 1 : 0;
}
