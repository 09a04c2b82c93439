/* What large.py asks: an echo of bodies that come compressed, and go compressed if that is accepted. */
#include <hoop.h>

#include <stdio.h>

static const hoop_response *echo(const hoop_request *req, void *data)
{
    (void)data;
    return hoop_pipe(req, 200, "text/plain", &(hoop_pipe_options){ .limit = HOOP_OFF });
}

int main(void)
{
    static const hoop_decompress_options no_limit = { .max_size = HOOP_OFF };
    const hoop_middleware chain[] = { HOOP_COMPRESS(NULL), HOOP_DECOMPRESS(&no_limit) };
    hoop_arena *app = hoop_arena_new();
    hoop_handler handler;
    hoop_error error = { 0 };
    int rc = hoop_chain_new(app, chain, HOOP_COUNT(chain), hoop_streaming(app, hoop_fn(echo, NULL)),
                            &handler, &error);
    if (rc)
        fprintf(stderr, "large_server: %s\n", error.text);
    else
        rc = hoop_serve(handler, &(hoop_server_options){ 0 });
    hoop_arena_free(app);
    return rc ? 1 : 0;
}
