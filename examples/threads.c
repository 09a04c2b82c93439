/* A server of four loops, each on a thread of its own with its own state and without a lock. */
#include "port.h"
#include <hoop.h>

/* What each loop has for itself; in a real program a connection to a database, a cache. */
struct state {
    unsigned long requests;
};

/* Both run on the loop's thread, before its first request and after its last. */
static int make_state(hoop_loop *loop, void *data, void **ret_state)
{
    *ret_state = calloc(1, sizeof(struct state));
    return *ret_state ? 0 : HOOP_ENOMEM;
}

static void free_state(hoop_loop *loop, void *state, void *data)
{
    free(state);
}

static const hoop_response *count(const hoop_request *req, void *data)
{
    struct state *state = hoop_loop_state(hoop_loop_of(req));
    return hoop_textf(req, 200, "request %lu of loop %p\n", ++state->requests, (void *)state);
}

int main(int argc, char **argv)
{
    const hoop_server_options options = {
        .port = example_port(argc, argv),
        .threads = 4,
        .on_loop_start = make_state,
        .on_loop_stop = free_state,
    };
    return hoop_serve(hoop_fn(count, NULL), &options);
}
