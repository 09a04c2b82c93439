/* A to-do list as a REST service: routes with typed parameters, JSON, and problems for what is wrong. */
#include "port.h"
#include <hoop.h>
#include <hoop/json.h>

/* --- the list: one loop runs all handlers, so it needs no lock --------------------------------- */

struct todo {
    int64_t id;
    char *title;
    int done;
};

static struct {
    struct todo *items;
    size_t count;
    size_t cap;
    int64_t last_id;
} todos;

static struct todo *find_todo(int64_t id)
{
    for (size_t i = 0; i < todos.count; i++)
        if (todos.items[i].id == id)
            return &todos.items[i];
    return NULL;
}

/* A new one without a title; NULL if out of memory. */
static struct todo *add_todo(void)
{
    if (todos.count == todos.cap) {
        size_t cap = todos.cap ? todos.cap * 2 : 16;
        struct todo *grown = realloc(todos.items, cap * sizeof *grown);
        if (!grown)
            return NULL;
        todos.items = grown;
        todos.cap = cap;
    }
    struct todo *todo = &todos.items[todos.count++];
    memset(todo, 0, sizeof *todo);
    todo->id = ++todos.last_id;
    return todo;
}

static void remove_todo(struct todo *todo)
{
    free(todo->title);
    size_t behind = (size_t)(todos.items + todos.count - todo - 1);
    memmove(todo, todo + 1, behind * sizeof *todo);
    todos.count--;
}

static void clear_todos(void)
{
    while (todos.count)
        remove_todo(&todos.items[todos.count - 1]);
    free(todos.items);
    memset(&todos, 0, sizeof todos);
}

/* --- to and from JSON -------------------------------------------------------------------------- */

static json_t *todo_json(const struct todo *todo)
{
    return json_pack("{s:I, s:s, s:b}", "id", (json_int_t)todo->id, "title", todo->title, "done",
                     todo->done);
}

/* What a body says of a to-do. `bad` is the 400 to answer, if it says it wrongly. */
struct change {
    const char *title; /* borrowed of the body; NULL: nothing of it */
    int done;          /* -1: nothing of it */
    const hoop_response *bad;
};

static struct change read_change(const hoop_request *req)
{
    struct change change = { .done = -1 };
    const char *key;
    json_t *body = hoop_request_json(req, &change.bad), *value;
    if (!body)
        return change;
    if (!json_is_object(body))
        change.bad = hoop_problem(req, 400, "a to-do is an object");
    json_object_foreach(body, key, value)
    {
        if (strcmp(key, "title") == 0 && json_string_length(value) > 0)
            change.title = json_string_value(value);
        else if (strcmp(key, "title") == 0)
            change.bad = hoop_problem(req, 400, "the title is a string that is not empty");
        else if (strcmp(key, "done") == 0 && json_is_boolean(value))
            change.done = json_is_true(value);
        else if (strcmp(key, "done") == 0)
            change.bad = hoop_problem(req, 400, "done is true or false");
        else if (strcmp(key, "id") != 0) /* the path tells the id */
            change.bad = hoop_problemf(req, 400, "a to-do has no '%s'", key);
    }
    return change;
}

/* Puts what was said into the to-do. Nonzero if out of memory. */
static int apply_change(struct todo *todo, const struct change *change)
{
    if (change->title) {
        char *title = strdup(change->title);
        if (!title)
            return -1;
        free(todo->title);
        todo->title = title;
    }
    if (change->done >= 0)
        todo->done = change->done;
    return 0;
}

static const hoop_response *no_memory(const hoop_request *req)
{
    return hoop_fail(req, HOOP_ENOMEM, "no memory for a to-do");
}

/* --- /todos ------------------------------------------------------------------------------------ */

static const hoop_response *list_todos(const hoop_request *req, void *data)
{
    int64_t limit = INT64_MAX;
    int done = -1;
    const hoop_response *bad = NULL;
    hoop_param_bool(req, HOOP_IN_QUERY, "done", &done, &bad);
    hoop_param_int64(req, HOOP_IN_QUERY, "limit", &limit, &bad);
    if (bad)
        return bad;
    if (limit < 0)
        return hoop_problem(req, 400, "the limit is 0 or more");
    json_t *list = json_array();
    for (size_t i = 0; i < todos.count && limit > 0; i++) {
        if (done >= 0 && todos.items[i].done != done)
            continue;
        json_array_append_new(list, todo_json(&todos.items[i]));
        limit--;
    }
    return hoop_json(req, 200, list);
}

static const hoop_response *create_todo(const hoop_request *req, void *data)
{
    struct change change = read_change(req);
    if (change.bad)
        return change.bad;
    if (!change.title)
        return hoop_problem(req, 400, "the title is missing");
    struct todo *todo = add_todo();
    if (!todo)
        return no_memory(req);
    if (apply_change(todo, &change)) {
        remove_todo(todo);
        return no_memory(req);
    }
    const char *id = hoop_printf(req, "%lld", (long long)todo->id);
    const char *path = hoop_path_for(req, "todo", HOOP_PAIRS("id", id));
    return hoop_add_header(req, hoop_json(req, 201, todo_json(todo)), "Location", path);
}

/* --- /todos/{id:int} --------------------------------------------------------------------------- */

/* The to-do of the path; if there is none, `*problem` is the 404. */
static struct todo *todo_of(const hoop_request *req, const hoop_response **problem)
{
    int64_t id = 0;
    hoop_param_int64(req, HOOP_IN_PATH, "id", &id, problem);
    struct todo *todo = *problem ? NULL : find_todo(id);
    if (!todo && !*problem)
        *problem = hoop_problemf(req, 404, "there is no to-do %lld", (long long)id);
    return todo;
}

static const hoop_response *show_todo(const hoop_request *req, void *data)
{
    const hoop_response *problem = NULL;
    struct todo *todo = todo_of(req, &problem);
    return todo ? hoop_json(req, 200, todo_json(todo)) : problem;
}

/* PUT replaces all of it, PATCH what is given; `data` is NULL for PATCH. */
static const hoop_response *change_todo(const hoop_request *req, void *data)
{
    const hoop_response *problem = NULL;
    struct todo *todo = todo_of(req, &problem);
    if (!todo)
        return problem;
    struct change change = read_change(req);
    if (change.bad)
        return change.bad;
    if (data && !change.title)
        return hoop_problem(req, 400, "the title is missing");
    if (data && change.done < 0)
        change.done = 0;
    if (apply_change(todo, &change))
        return no_memory(req);
    return hoop_json(req, 200, todo_json(todo));
}

static const hoop_response *delete_todo(const hoop_request *req, void *data)
{
    const hoop_response *problem = NULL;
    struct todo *todo = todo_of(req, &problem);
    if (!todo)
        return problem;
    remove_todo(todo);
    return hoop_respond(req, 204);
}

/* --- routes ------------------------------------------------------------------------------------ */

static char whole[] = "the whole to-do";

static const hoop_route routes[] = {
    HOOP_GET("/todos", list_todos),
    HOOP_POST("/todos", create_todo),
    HOOP_GET("/todos/{id:int}", show_todo, .name = "todo"),
    HOOP_PUT("/todos/{id:int}", change_todo, .data = whole),
    HOOP_PATCH("/todos/{id:int}", change_todo),
    HOOP_DELETE("/todos/{id:int}", delete_todo),
};

/* Errors of the router as problems, too. */
static const hoop_response *tell_problem(const hoop_request *req, void *data)
{
    const int *status = data;
    return hoop_problemf(req, *status, "%s %s", req->method.data, req->uri.data);
}

static int status_404 = 404, status_405 = 405;
static const hoop_handler not_found = { tell_problem, &status_404 };
static const hoop_handler not_allowed = { tell_problem, &status_405 };

static int build(hoop_arena *app, hoop_handler *ret_handler, hoop_error *error)
{
    return hoop_router_new_with(app, routes, HOOP_COUNT(routes), ret_handler, error,
                                &(hoop_router_options){
                                    .not_found = &not_found,
                                    .method_not_allowed = &not_allowed,
                                });
}

int main(int argc, char **argv)
{
    uint32_t port = example_port(argc, argv);
    hoop_error error;
    hoop_handler handler;
    hoop_arena *app = hoop_arena_new();
    if (build(app, &handler, &error)) {
        fprintf(stderr, "rest: %s\n", error.text);
        return 1;
    }
    int status = hoop_serve(handler, &(hoop_server_options){ .port = port });
    hoop_arena_free(app);
    clear_todos();
    return status;
}
