/* Uses the public headers' macros as a C++ program does; compiled in each dialect, never run. */
#include <hoop.h>
#include <hoop/redis.h>

static const hoop_response *home(const hoop_request *req, void *data)
{
    return hoop_textf(req, 200, "%s", static_cast<const char *>(data));
}

static const hoop_response *object(const hoop_request *req, void *data)
{
    hoop_json_writer_options options = {};
    options.sequence = HOOP_JSON_LINES;
    hoop_json_writer *w = hoop_json_writer_new_with(req->arena, &options);
    hoop_json_begin_object(w);
    hoop_json_write_members(w, HOOP_JSON_STR("text", static_cast<const char *>(data)),
                            HOOP_JSON_NULL("null"));
    hoop_json_end_object(w);
    if (hoop_json_writer_code(w))
        return hoop_json_respond(req, 200, w);
    return hoop_json_object(req, 200, HOOP_JSON_STR("a", "b"), HOOP_JSON_STRN("s", req->uri),
                            HOOP_JSON_INT("i", -1), HOOP_JSON_UINT("u", UINT64_MAX),
                            HOOP_JSON_DOUBLE("d", 0.5), HOOP_JSON_BOOL("t", true),
                            HOOP_JSON_RAW("r", hoop_str_c("[]")));
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *)
{
    return hoop_call(next, req);
}

static char text[] = "text";

static const hoop_route routes[] = {
    HOOP_GET("/", home),         HOOP_GET("/text", home, text), HOOP_POST("/", home),
    HOOP_GET("/object", object), HOOP_PUT("/", home),           HOOP_PATCH("/", home),
    HOOP_DELETE("/", home),
};

static const hoop_params_options params = { 0, 100, 0, 0, 0 };

static const char *const hosts[] = { "a.example" };
static const hoop_host_check_options host_check = { hosts, 1 };

static const hoop_access_rule rules[] = { { "/a/*", NULL, hoop_access_anyone, NULL } };
static const hoop_access_rules_options access_options = { rules, 1, NULL, NULL, NULL, NULL, 0, 0 };

static const hoop_forwarded_options forwarded_options = { hosts, 1, 0, 0, 0, 0, NULL };
static const hoop_basic_user users[] = { { "ann", "secret" } };
static const hoop_basic_auth_options basic_options = { users, 1, NULL, NULL, NULL, 0, 0 };
static const hoop_bearer_token tokens[] = { { "0123456789abcdef", "ann" } };
static const hoop_bearer_options bearer_options = { tokens, 1, NULL, NULL, NULL, 0, 0 };

static const hoop_middleware chain[] = {
    HOOP_WRAP("plain", wrap),
    HOOP_WRAP("more", wrap, text, "plain"),
    HOOP_PARAMS(&params),
    HOOP_SESSION(NULL),
    HOOP_FLASH(NULL),
    HOOP_ANTI_FORGERY(NULL),
    HOOP_MULTIPART_PARAMS(NULL),
    HOOP_COOKIES(NULL),
    HOOP_DEFAULT_CHARSET(NULL),
    HOOP_ACCESS_LOG(NULL),
    HOOP_CATCH_ERRORS(NULL),
    HOOP_CONCURRENCY_LIMIT(NULL),
    HOOP_DUMP(NULL),
    HOOP_LINT(NULL),
    HOOP_REQUEST_ID(NULL),
    HOOP_TIMEOUT(NULL),
    HOOP_TRACEPARENT(NULL),
    HOOP_CORS(NULL),
    HOOP_FORMATS(NULL),
    HOOP_NESTED_PARAMS(NULL),
    HOOP_FORWARDED(&forwarded_options),
    HOOP_BASIC_AUTH(&basic_options),
    HOOP_BEARER(&bearer_options),
    HOOP_ACCESS_RULES(&access_options),
    HOOP_RATE_LIMIT(NULL),
    HOOP_HOST_CHECK(&host_check),
    HOOP_HSTS(NULL),
    HOOP_SECURE_HEADERS(NULL),
    HOOP_SSL_REDIRECT(NULL),
    HOOP_COMPRESS(NULL),
    HOOP_DECOMPRESS(NULL),
    HOOP_ANTI_FORGERY_COOKIE(NULL),
    HOOP_ABSOLUTE_REDIRECTS(NULL),
    HOOP_CONTENT_TYPE(NULL),
    HOOP_ETAG(NULL),
    HOOP_HEAD(NULL),
    HOOP_JSON_PARAMS(NULL),
    HOOP_JSON_RESPONSE(NULL),
    HOOP_METHOD_OVERRIDE(NULL),
    HOOP_NOT_MODIFIED(NULL),
};

/* A bundle, with a store of its own. */
static int bundle(hoop_arena *arena, hoop_handler handler, hoop_handler *ret_handler)
{
    hoop_error error;
    hoop_redis *redis;
    hoop_session_options session = {};
    const hoop_middleware sessions = HOOP_SESSION(&session);
    hoop_defaults site = hoop_defaults_site;
    if (hoop_redis_new(arena, &redis, &error, NULL) ||
        hoop_redis_sessions(arena, redis, NULL, &session.store, &error))
        return error.code;
    site.session = &sessions;
    return hoop_defaults_new(arena, &site, handler, ret_handler, &error);
}

int main()
{
    const hoop_str none = HOOP_STR_NONE;
    hoop_arena_options arena_options = {};
    arena_options.limit = HOOP_OFF;
    hoop_arena *arena = hoop_arena_new_with(&arena_options);
    hoop_handler handler = hoop_fn(home, text);
    hoop_error error;
    if (hoop_router_new(arena, routes, HOOP_COUNT(routes), &handler, &error) != 0)
        return 1;
    if (hoop_chain_new(arena, chain, HOOP_COUNT(chain), handler, &handler, &error) != 0)
        return 1;
    if (bundle(arena, handler, &handler) != 0)
        return 1;
    hoop_server_options options = {};
    options.threads = 2;
    hoop_server *server;
    if (hoop_server_new(handler, &server, &error, &options) != 0)
        return 1;
    return hoop_str_is_none(none) && hoop_serve(handler, &options);
}
