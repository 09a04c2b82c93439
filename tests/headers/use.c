/* Uses the public headers' macros as a C program does; compiled in each dialect, never run. */
#include <hoop.h>
#include <hoop/redis.h>

static const hoop_response *home(const hoop_request *req, void *data)
{
    return hoop_textf(req, 200, "%s", (const char *)data);
}

static const hoop_response *object(const hoop_request *req, void *data)
{
    hoop_json_writer *w = hoop_json_writer_new_with(
        req->arena, &(hoop_json_writer_options){ .indent = 2, .sequence = HOOP_JSON_LINES });
    hoop_json_begin_object(w);
    hoop_json_write_members(w, HOOP_JSON_STR("text", data), HOOP_JSON_NULL("null"));
    hoop_json_end_object(w);
    if (hoop_json_writer_code(w))
        return hoop_json_respond(req, 200, w);
    return hoop_json_object(req, 200, HOOP_JSON_STR("a", "b"), HOOP_JSON_STRN("s", req->uri),
                            HOOP_JSON_INT("i", -1), HOOP_JSON_UINT("u", UINT64_MAX),
                            HOOP_JSON_DOUBLE("d", 0.5), HOOP_JSON_BOOL("t", 1),
                            HOOP_JSON_RAW("r", hoop_str_c("[]")));
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    (void)value;
    return hoop_call(next, req);
}

static char text[] = "text";

static const hoop_route routes[] = {
    HOOP_GET("/", home),
    HOOP_GET("/text", home, text),
    HOOP_POST("/", home, .data = text, .name = "post"),
    HOOP_PUT("/", home),
    HOOP_PATCH("/", home),
    HOOP_DELETE("/", home),
    HOOP_ANY("/any", home),
    HOOP_GET("/object", object),
};

static const hoop_middleware_type type = { .name = "type", .wrap = wrap };

static const char *const hosts[] = { "a.example" };
static const hoop_csp_directive csp[] = { { "default-src", "'self'" } };

static const hoop_access_rule rules[] = { { "/a/*", NULL, hoop_access_authenticated, NULL } };

static const hoop_basic_user users[] = { { "ann", "secret" } };
static const hoop_str keys[] = { { "0123456789abcdef0123456789abcdef", 32 } };
static const hoop_bearer_token tokens[] = { { "0123456789abcdef", "ann" } };

static const hoop_middleware chain[] = {
    HOOP_WRAP("plain", wrap, NULL),
    HOOP_WRAP("more", wrap, text, .needs = "plain"),
    HOOP_USE(&type, NULL, 0),
    HOOP_PARAMS(&(hoop_params_options){ .max_count = 100 }),
    HOOP_SESSION(&(hoop_session_options){ .idle = 600 }),
    HOOP_FLASH(&(hoop_flash_options){ .prefix = "f." }),
    HOOP_ANTI_FORGERY(&(hoop_anti_forgery_options){ .development = 1 }),
    HOOP_ANTI_FORGERY_COOKIE(&(hoop_anti_forgery_options){ .keys = keys, .key_count = 1 }),
    HOOP_MULTIPART_PARAMS(&(hoop_multipart_params_options){ .store = HOOP_UPLOADS_IN_MEMORY }),
    HOOP_COOKIES(&(hoop_cookies_options){ .max_count = 100 }),
    HOOP_DEFAULT_CHARSET(NULL),
    HOOP_ACCESS_LOG(&(hoop_access_log_options){ .format = HOOP_LOG_JSON }),
    HOOP_CATCH_ERRORS(NULL),
    HOOP_CONCURRENCY_LIMIT(&(hoop_concurrency_limit_options){ .max = 10 }),
    HOOP_DUMP(NULL),
    HOOP_LINT(NULL),
    HOOP_REQUEST_ID(NULL),
    HOOP_TIMEOUT(&(hoop_timeout_options){ .ms = 100 }),
    HOOP_TRACEPARENT(NULL),
    HOOP_CORS(&(hoop_cors_options){ .credentials = 1 }),
    HOOP_FORMATS(&(hoop_formats_options){ .strict = 1 }),
    HOOP_NESTED_PARAMS(NULL),
    HOOP_FORWARDED(&(hoop_forwarded_options){ .trusted = hosts, .trusted_count = 1 }),
    HOOP_BASIC_AUTH(&(hoop_basic_auth_options){ .users = users, .user_count = 1 }),
    HOOP_BEARER(&(hoop_bearer_options){ .tokens = tokens, .token_count = 1 }),
    HOOP_ACCESS_RULES(&(hoop_access_rules_options){ .rules = rules, .count = 1 }),
    HOOP_RATE_LIMIT(&(hoop_rate_limit_options){ .requests = 10, .window_ms = 1000 }),
    HOOP_COMPRESS(&(hoop_compress_options){ .codings = "gzip" }),
    HOOP_DECOMPRESS(NULL),
    HOOP_HOST_CHECK(&(hoop_host_check_options){ hosts, 1 }),
    HOOP_HSTS(NULL),
    HOOP_SECURE_HEADERS(&(hoop_secure_headers_options){ .csp = csp, .csp_count = 1 }),
    HOOP_SSL_REDIRECT(NULL),
    HOOP_ABSOLUTE_REDIRECTS(NULL),
    HOOP_CONTENT_TYPE(&(hoop_content_type_options){ .fallback = "a/b" }),
    HOOP_ETAG(&(hoop_etag_options){ .weak = 1 }),
    HOOP_HEAD(NULL),
    HOOP_JSON_PARAMS(&(hoop_json_params_options){ .max_depth = 8 }),
    HOOP_JSON_RESPONSE(&(hoop_json_response_options){ .indent = 2 }),
    HOOP_METHOD_OVERRIDE(NULL),
    HOOP_NOT_MODIFIED(NULL),
};

/* A bundle, with stores of its own. */
static int bundle(hoop_arena *arena, hoop_handler handler, hoop_handler *ret_handler)
{
    hoop_error error;
    hoop_redis *redis;
    hoop_session_options session = { .store = NULL };
    hoop_rate_limit_options rate = { .requests = 10 };
    const hoop_middleware sessions = HOOP_SESSION(&session), rates = HOOP_RATE_LIMIT(&rate);
    const hoop_middleware *table;
    size_t count;
    hoop_defaults site = hoop_defaults_site;
    if (hoop_redis_new(arena, &redis, &error, &(hoop_redis_options){ .host = "::1" }) ||
        hoop_redis_sessions(arena, redis, NULL, &session.store, &error) ||
        hoop_redis_rates(arena, redis, NULL, &rate.store, &error))
        return error.code;
    site.session = &sessions;
    site.rate_limit = &rates;
    if (hoop_defaults_table(arena, &site, &table, &count, &error))
        return error.code;
    return hoop_defaults_new(arena, &hoop_defaults_secure, handler, ret_handler, &error);
}

static const hoop_listener listeners[] = { { .host = "::", .port = 80 }, { .path = "socket" } };

int main(void)
{
    const hoop_str none = HOOP_STR_NONE;
    hoop_arena *arena = hoop_arena_new_with(&(hoop_arena_options){ .limit = HOOP_OFF });
    hoop_handler handler = hoop_fn(home, text);
    hoop_error error;
    hoop_server *server;
    if (hoop_router_new(arena, routes, HOOP_COUNT(routes), &handler, &error) != 0)
        return 1;
    if (hoop_chain_new(arena, chain, HOOP_COUNT(chain), handler, &handler, &error) != 0)
        return 1;
    if (bundle(arena, handler, &handler) != 0)
        return 1;
    if (hoop_server_new(handler, &server, &error,
                        &(hoop_server_options){
                            HOOP_LISTENERS(listeners),
                            HOOP_LIMITS(&(hoop_limits){ .max_body = 10, .idle_ms = HOOP_OFF }),
                            .threads = 2,
                        }) != 0)
        return 1;
    return hoop_str_is_none(none) && hoop_serve(handler, NULL);
}
