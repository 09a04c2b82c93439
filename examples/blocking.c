/* A handler that blocks: it runs on a pool of threads, and the loop goes on meanwhile. */
#include "port.h"
#include <hoop.h>

#include <threads.h>

/* Stands for a call that takes its time: a database, a file, a computation. */
static size_t count_words(const char *text)
{
    size_t words = 0;
    thrd_sleep(&(struct timespec){ .tv_nsec = 500000000 }, NULL);
    for (; *text; text += strspn(text, " \n"), words++)
        text += strcspn(text, " \n");
    return words;
}

/* On a thread of the pool; the body is there. It reads, blocks, and makes a response. */
static const hoop_response *words(const hoop_request *req, void *data)
{
    return hoop_textf(req, 200, "%zu words\n", count_words(hoop_body(req).data));
}

/* On the loop's thread, where nothing may block. */
static const hoop_response *now(const hoop_request *req, void *data)
{
    return hoop_text(req, 200, "now\n");
}

int main(int argc, char **argv)
{
    uint32_t port = example_port(argc, argv);
    hoop_error error;
    hoop_arena *app = hoop_arena_new();
    hoop_handler handler, on_pool = hoop_blocking(app, hoop_fn(words, NULL));
    const hoop_route routes[] = {
        HOOP_GET("/now", now),
        HOOP_POST("/words", NULL, .wrapped = &on_pool),
    };
    if (hoop_router_new(app, routes, HOOP_COUNT(routes), &handler, &error)) {
        fprintf(stderr, "blocking: %s\n", error.text);
        return 1;
    }
    int status = hoop_serve(handler, &(hoop_server_options){ .port = port, .blocking_threads = 8 });
    hoop_arena_free(app);
    return status;
}
