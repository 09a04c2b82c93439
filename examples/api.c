/* A JSON API for pages of another origin: a bundle of middleware, CORS, bearer tokens, a rate limit; no jansson. */
#include "port.h"
#include <hoop.h>

/* --- notes: one loop runs all handlers, so they need no lock ----------------------------------- */

#define MOST 1000

static struct note {
    int64_t id; /* 0: free */
    char owner[32];
    char text[256];
} notes[MOST];

static int64_t last_id;

/* The note `id` of a user; NULL if there is none, or it is another's. */
static struct note *find_note(const char *owner, int64_t id)
{
    for (size_t i = 0; i < MOST; i++)
        if (id && notes[i].id == id && strcmp(notes[i].owner, owner) == 0)
            return &notes[i];
    return NULL;
}

static struct note *free_note(void)
{
    for (size_t i = 0; i < MOST; i++)
        if (!notes[i].id)
            return &notes[i];
    return NULL;
}

/* --- handlers ---------------------------------------------------------------------------------- */

/* Whose token it was. Behind HOOP_BEARER() there is always somebody. */
static const char *user_of(const hoop_request *req)
{
    return hoop_identity(req)->name.data;
}

static const hoop_response *list(const hoop_request *req, void *data)
{
    hoop_json_writer *w = hoop_json_writer_new(req->arena);
    hoop_json_begin_array(w);
    for (size_t i = 0; i < MOST; i++) {
        if (!find_note(user_of(req), notes[i].id))
            continue;
        hoop_json_begin_object(w);
        hoop_json_write_members(w, HOOP_JSON_INT("id", notes[i].id),
                                HOOP_JSON_STR("text", notes[i].text));
        hoop_json_end_object(w);
    }
    hoop_json_end_array(w);
    return hoop_json_respond(req, 200, w); /* whatever went wrong is told here */
}

static const hoop_response *show_note(const hoop_request *req, int status, const struct note *note)
{
    return hoop_json_object(req, status, HOOP_JSON_INT("id", note->id),
                            HOOP_JSON_STR("text", note->text));
}

static const hoop_response *create(const hoop_request *req, void *data)
{
    const hoop_response *bad = NULL;
    const hoop_json_doc *doc = hoop_request_doc(req, &bad);
    const hoop_json_node *root = hoop_doc_root(doc);
    hoop_str text = hoop_str_none();
    if (!doc)
        return bad; /* no JSON: 400, and where */
    hoop_doc_read_str(req, root, HOOP_REQUIRED, "/text", &text, &bad);
    if (!bad && (!text.len || text.len >= sizeof notes->text))
        hoop_doc_refuse(req, root, "/text", "1 to 255 bytes", &bad);
    if (bad)
        return bad;
    struct note *note = free_note();
    if (!note)
        return hoop_problem(req, 507, "there is no room for more notes");
    note->id = ++last_id;
    snprintf(note->owner, sizeof note->owner, "%s", user_of(req));
    snprintf(note->text, sizeof note->text, "%s", text.data);
    const char *id = hoop_printf(req, "%lld", (long long)note->id);
    return hoop_add_header(req, show_note(req, 201, note), "Location",
                           hoop_path_for(req, "note", HOOP_PAIRS("id", id)));
}

/* The note of the path; if there is none, `*problem` is the 404. */
static struct note *note_of(const hoop_request *req, const hoop_response **problem)
{
    int64_t id = 0;
    hoop_param_int64(req, HOOP_IN_PATH, "id", &id, problem);
    struct note *note = *problem ? NULL : find_note(user_of(req), id);
    if (!note && !*problem)
        *problem = hoop_problem(req, 404, "you have no such note");
    return note;
}

static const hoop_response *show(const hoop_request *req, void *data)
{
    const hoop_response *problem = NULL;
    const struct note *note = note_of(req, &problem);
    return note ? show_note(req, 200, note) : problem;
}

static const hoop_response *forget(const hoop_request *req, void *data)
{
    const hoop_response *problem = NULL;
    struct note *note = note_of(req, &problem);
    if (!note)
        return problem;
    note->id = 0;
    return hoop_respond(req, 204);
}

static const hoop_route routes[] = {
    HOOP_GET("/notes", list),
    HOOP_POST("/notes", create),
    HOOP_GET("/notes/{id:int}", show, .name = "note"),
    HOOP_DELETE("/notes/{id:int}", forget),
};

/* --- around them ------------------------------------------------------------------------------- */

/* A real service has them from its configuration. */
static const hoop_bearer_token tokens[] = {
    { "ann-0123456789abcdef", "ann" },
    { "bob-0123456789abcdef", "bob" },
};

static const char *const origins[] = { "https://app.example.com", "http://localhost:3000", NULL };

static const hoop_bearer_options bearer_options = { .tokens = tokens,
                                                    .token_count = HOOP_COUNT(tokens) };
static const hoop_cors_options cors_options = { .origins = origins,
                                                .methods = "GET, POST, DELETE",
                                                .headers = "Authorization, Content-Type",
                                                .expose = "Location" };
static const hoop_rate_limit_options rate_options = { .requests = 100 }; /* in a minute */

static const hoop_middleware bearer = HOOP_BEARER(&bearer_options), cors = HOOP_CORS(&cors_options),
                             rate_limit = HOOP_RATE_LIMIT(&rate_options),
                             catch_errors = HOOP_CATCH_ERRORS(NULL);

/* The bundle knows the order: whoever has no token may still ask what CORS allows, and is counted. */
static int build(hoop_arena *app, hoop_handler *ret_handler, hoop_error *error)
{
    hoop_defaults api = hoop_defaults_api;
    hoop_handler router;
    api.catch_errors = &catch_errors;
    api.cors = &cors;
    api.rate_limit = &rate_limit;
    api.authentication = &bearer;
    int rc = hoop_router_new(app, routes, HOOP_COUNT(routes), &router, error);
    return rc ? rc : hoop_defaults_new(app, &api, router, ret_handler, error);
}

int main(int argc, char **argv)
{
    uint32_t port = example_port(argc, argv);
    hoop_error error;
    hoop_handler handler;
    hoop_arena *app = hoop_arena_new();
    if (build(app, &handler, &error)) {
        fprintf(stderr, "api: %s\n", error.text);
        return 1;
    }
    int status = hoop_serve(handler, &(hoop_server_options){ .port = port });
    hoop_arena_free(app);
    return status;
}
