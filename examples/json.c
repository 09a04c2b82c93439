/* JSON written and read, and routes: TechEmpower's /plaintext and /json, a list, a POST that sums numbers. */
#include "port.h"
#include <hoop.h>
#include <hoop/json.h>

/* The text lives for ever, so it is borrowed instead of copied. */
static const hoop_response *plaintext(const hoop_request *req, void *data)
{
    return hoop_text_static(req, 200, "Hello, World!");
}

/* A small object in one line; the members' types are checked. */
static const hoop_response *message(const hoop_request *req, void *data)
{
    return hoop_json_object(req, 200, HOOP_JSON_STR("message", "Hello, World!"));
}

/* Anything larger is written value by value; a mistake is reported at the end, with its place. */
static const hoop_response *squares(const hoop_request *req, void *data)
{
    hoop_json_writer *w = hoop_json_writer_new(req->arena);
    hoop_json_begin_array(w);
    for (int64_t n = 1; n <= 3; n++) {
        hoop_json_begin_object(w);
        hoop_json_write_members(w, HOOP_JSON_INT("n", n), HOOP_JSON_DOUBLE("half", 0.5 * (double)n),
                                HOOP_JSON_INT("square", n * n));
        hoop_json_end_object(w);
    }
    hoop_json_end_array(w);
    return hoop_json_respond(req, 200, w);
}

/* The body has been read before a handler runs. What is no JSON is answered by `problem`, a 400. */
static const hoop_response *sum(const hoop_request *req, void *data)
{
    const hoop_response *problem = NULL;
    json_t *numbers = hoop_request_json(req, &problem), *number;
    json_int_t total = 0;
    size_t i;
    if (problem)
        return problem;
    json_array_foreach(numbers, i, number) total += json_integer_value(number);
    return hoop_json_pack(req, 200, "{s:I}", "sum", total);
}

/* A path that stands in no row is answered by 404, another method by 405. */
static const hoop_route routes[] = {
    HOOP_GET("/plaintext", plaintext),
    HOOP_GET("/json", message),
    HOOP_GET("/squares", squares),
    HOOP_POST("/sum", sum),
};

int main(int argc, char **argv)
{
    uint32_t port = example_port(argc, argv);
    hoop_error error;
    hoop_handler handler;
    /* What lives as long as the program lies in an arena of the program's own. */
    hoop_arena *app = hoop_arena_new();
    if (hoop_router_new(app, routes, HOOP_COUNT(routes), &handler, &error)) {
        fprintf(stderr, "json: %s\n", error.text);
        return 1;
    }
    int status = hoop_serve(handler, &(hoop_server_options){ .port = port });
    hoop_arena_free(app);
    return status;
}
