/* Takes files of any size into a folder, while they come: upload [PORT] [FOLDER], then PUT /NAME, which logs how
 * far it is, and GET /NAME gives it back. */
#include "port.h"
#include <hoop.h>

static const hoop_folder *folder;

struct upload {
    const char *name;
    uint64_t size; /* UINT64_MAX: it was not told */
    uint64_t told; /* megabytes that were logged */
};

static void progress(uint64_t bytes, void *data)
{
    struct upload *u = data;
    if (bytes >> 20 == u->told)
        return;
    u->told = bytes >> 20;
    if (u->size == UINT64_MAX)
        fprintf(stderr, "%s: %llu MiB\n", u->name, (unsigned long long)u->told);
    else
        fprintf(stderr, "%s: %d %%\n", u->name, (int)(bytes * 100 / u->size));
}

static const hoop_response *saved(const hoop_request *req, int code, uint64_t bytes, void *data)
{
    struct upload *u = data;
    if (code)
        return NULL; /* answered by the code */
    return hoop_textf(req, 201, "%s: %llu bytes\n", u->name, (unsigned long long)bytes);
}

static const hoop_response *put(const hoop_request *req, void *data)
{
    struct upload *u = hoop_alloc(req, sizeof *u);
    if (!u)
        return NULL;
    u->name = hoop_param_in(req, HOOP_IN_PATH, "name").data;
    u->size = hoop_request_content_length(req);
    u->told = 0;
    return hoop_save(
        req, folder, u->name,
        &(hoop_save_options){
            .saved = saved, .progress = progress, .data = u, .limit = HOOP_OFF, .replace = 1 });
}

static const hoop_response *get(const hoop_request *req, void *data)
{
    return hoop_file(req, 200, folder, hoop_param_in(req, HOOP_IN_PATH, "name").data);
}

static const hoop_route routes[] = {
    HOOP_PUT("/:name", put, .body = HOOP_REQUEST_STREAM),
    HOOP_GET("/:name", get),
};

int main(int argc, char **argv)
{
    uint32_t port = example_port(argc, argv);
    hoop_arena *app = hoop_arena_new();
    hoop_handler handler;
    hoop_error error = { 0 };
    int rc = hoop_folder_open(app, argc > 2 ? argv[2] : ".", &folder, &error, NULL);
    if (rc == 0)
        rc = hoop_router_new(app, routes, HOOP_COUNT(routes), &handler, &error);
    if (rc)
        fprintf(stderr, "upload: %s\n", error.text);
    else
        rc = hoop_serve(handler, &(hoop_server_options){ .port = port });
    hoop_arena_free(app);
    return rc ? 1 : 0;
}
