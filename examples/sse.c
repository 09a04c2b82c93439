/* Server-sent events: a page with a clock and a chat, which all who look at it share. */
#include "port.h"
#include <hoop.h>
#include <pthread.h>
#include <time.h>

static const char page[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Events</title>\n"
    "<h1 id=\"clock\">...</h1>\n<ul id=\"chat\"></ul>\n"
    "<form id=\"say\"><input name=\"text\" maxlength=\"200\" autocomplete=\"off\" required "
    "aria-label=\"text\"> <button>Say</button></form>\n"
    "<script>\n"
    "const events = new EventSource('/events'), clock = document.querySelector('#clock');\n"
    "events.addEventListener('tick', e => clock.textContent = e.data);\n"
    "events.addEventListener('chat', e => {\n"
    "  const line = document.createElement('li');\n"
    "  line.textContent = e.data;\n"
    "  document.querySelector('#chat').append(line);\n"
    "});\n"
    "document.querySelector('#say').addEventListener('submit', e => {\n"
    "  e.preventDefault();\n"
    "  fetch('/say', { method: 'POST', body: new URLSearchParams(new FormData(e.target)) });\n"
    "  e.target.reset();\n"
    "});\n"
    "</script>\n</html>\n";

static const hoop_response *home(const hoop_request *req, void *data)
{
    return hoop_html(req, 200, page);
}

static const hoop_response *events(const hoop_request *req, void *hub)
{
    return hoop_hub_join(hub, req);
}

static const hoop_response *say(const hoop_request *req, void *hub)
{
    hoop_str text = hoop_param(req, "text");
    if (!text.len || text.len > 800)
        return hoop_problem(req, 400, "'text' must have 1 to 800 bytes");
    int rc = hoop_hub_publish(hub, &(hoop_event){ .event = "chat", .data = text });
    return rc ? hoop_fail(req, rc, "the chat is too busy") : hoop_respond(req, 204);
}

/* The clock runs on a thread of its own: events may be published from any. */
struct clock {
    hoop_hub *hub;
    pthread_mutex_t lock;
    pthread_cond_t stopped;
    int stop;
};

static void *tick(void *data)
{
    struct clock *clock = data;
    struct timespec next;
    clock_gettime(CLOCK_REALTIME, &next);
    pthread_mutex_lock(&clock->lock);
    while (!clock->stop) {
        char text[16];
        struct tm now;
        strftime(text, sizeof text, "%H:%M:%S", gmtime_r(&next.tv_sec, &now));
        hoop_hub_publish(clock->hub, &(hoop_event){ .event = "tick", .data = hoop_str_c(text) });
        next.tv_sec++;
        pthread_cond_timedwait(&clock->stopped, &clock->lock, &next);
    }
    pthread_mutex_unlock(&clock->lock);
    return NULL;
}

static int serve(hoop_hub *hub, uint32_t port)
{
    const hoop_route routes[] = {
        HOOP_GET("/", home),
        HOOP_GET("/events", events, hub),
        HOOP_POST("/say", say, hub),
    };
    hoop_error error;
    hoop_handler handler;
    hoop_arena *app = hoop_arena_new();
    int status = 1;
    if (hoop_router_new(app, routes, HOOP_COUNT(routes), &handler, &error))
        fprintf(stderr, "sse: %s\n", error.text);
    else
        status = hoop_serve(handler, &(hoop_server_options){ .port = port });
    hoop_arena_free(app);
    return status;
}

int main(int argc, char **argv)
{
    uint32_t port = example_port(argc, argv);
    struct clock clock = { NULL, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };
    pthread_t thread;
    hoop_error error;
    if (hoop_hub_new(&clock.hub, &error, &(hoop_hub_options){ .history = 100, .retry_ms = 500 })) {
        fprintf(stderr, "sse: %s\n", error.text);
        return 1;
    }
    if (pthread_create(&thread, NULL, tick, &clock)) {
        fprintf(stderr, "sse: there is no thread for the clock\n");
        return 1;
    }
    int status = serve(clock.hub, port);
    pthread_mutex_lock(&clock.lock);
    clock.stop = 1;
    pthread_cond_signal(&clock.stopped);
    pthread_mutex_unlock(&clock.lock);
    pthread_join(thread, NULL);
    hoop_hub_free(clock.hub);
    return status;
}
