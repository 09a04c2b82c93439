/* A guest in a program that has a libuv loop, timers and signals of its own. */
#include "port.h"
#include <hoop.h>

#include <uv.h>

/* The host: its loop, what it does besides, and the server that is its guest. */
struct host {
    uv_loop_t loop;
    uv_timer_t timer;
    uv_signal_t signals[2];
    unsigned ticks;
    hoop_server *server;
};

/* Host and handlers share a thread, so they share values without a lock. */
static const hoop_response *show_ticks(const hoop_request *req, void *data)
{
    const struct host *host = data;
    return hoop_textf(req, 200, "%u ticks\n", host->ticks);
}

static void on_tick(uv_timer_t *timer)
{
    struct host *host = timer->data;
    host->ticks++;
}

/* The server has ended: the host closes its own handles, and uv_run() returns. */
static void on_server_end(void *data)
{
    struct host *host = data;
    hoop_server_free(host->server);
    uv_close((uv_handle_t *)&host->timer, NULL);
    uv_close((uv_handle_t *)&host->signals[0], NULL);
    uv_close((uv_handle_t *)&host->signals[1], NULL);
}

/* Lets running requests end, for up to ten seconds. From now on a signal kills, as by default. */
static void on_signal(uv_signal_t *handle, int number)
{
    struct host *host = handle->data;
    uv_signal_stop(&host->signals[0]);
    uv_signal_stop(&host->signals[1]);
    hoop_server_drain(host->server, 10000, on_server_end, host);
}

static void start_host(struct host *host)
{
    uv_loop_init(&host->loop);
    uv_timer_init(&host->loop, &host->timer);
    uv_timer_start(&host->timer, on_tick, 100, 100);
    host->timer.data = host;
    for (int i = 0; i < 2; i++) {
        uv_signal_init(&host->loop, &host->signals[i]);
        uv_signal_start(&host->signals[i], on_signal, i == 0 ? SIGINT : SIGTERM);
        host->signals[i].data = host;
    }
}

int main(int argc, char **argv)
{
    struct host host = { .ticks = 0 };
    hoop_error error;
    const hoop_server_options options = {
        .port = example_port(argc, argv),
        .loop = &host.loop,
        .log = hoop_log_stderr,
    };
    start_host(&host);
    int failed = hoop_server_new(hoop_fn(show_ticks, &host), &host.server, &error, &options) ||
                 hoop_server_start(host.server, &error);
    if (failed) {
        fprintf(stderr, "embed: %s\n", error.text);
        on_server_end(&host);
    } else {
        fprintf(stderr, "listening on %s\n", hoop_listener_url(host.server, 0));
    }
    uv_run(&host.loop, UV_RUN_DEFAULT);
    uv_loop_close(&host.loop);
    return failed;
}
