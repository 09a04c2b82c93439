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

/* What can't be changed is read faster as a tree, whose values are asked for by type and place. */
static const hoop_response *order(const hoop_request *req, void *data)
{
    const hoop_response *bad = NULL;
    const hoop_json_doc *doc = hoop_request_doc(req, &bad);
    const hoop_json_node *root = hoop_doc_root(doc), *items = NULL, *item;
    hoop_str name = hoop_str_none();
    int64_t count = 0;
    if (!doc)
        return bad;
    hoop_doc_read_str(req, root, HOOP_REQUIRED, "/customer/name", &name, &bad);
    hoop_doc_read_array(req, root, HOOP_REQUIRED, "/items", &items, &bad);
    for (hoop_json_iter i = hoop_doc_iter(items); hoop_doc_next(&i, NULL, &item);) {
        int64_t n = 1; /* if it is not said */
        hoop_doc_read_int64(req, item, 0, "/count", &n, &bad);
        if (n < 1 || n > 100)
            hoop_doc_refuse(req, item, "/count", "1 to 100", &bad);
        else
            count += n;
    }
    /* One 400 names all that was wrong, each by its JSON Pointer. */
    if (bad)
        return bad;
    return hoop_json_object(req, 200, HOOP_JSON_STRN("for", name), HOOP_JSON_INT("items", count));
}

/* A path that stands in no row is answered by 404, another method by 405. */
static const hoop_route routes[] = {
    HOOP_GET("/plaintext", plaintext), HOOP_GET("/json", message),
    HOOP_GET("/squares", squares),     HOOP_POST("/sum", sum),
    HOOP_POST("/orders", order),
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
