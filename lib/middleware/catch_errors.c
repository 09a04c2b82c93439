/* Middleware "catch_errors": see hoop/middleware/catch_errors.h. The page for developers is error_page.c's. */
#include "handler/router.h"
#include "middleware/error_page.h"
#include "middleware/middleware.h"

#include <hoop/accept.h>
#include <hoop/json_writer.h>
#include <hoop/middleware/catch_errors.h>

/* What waits for a failure. */
struct watch {
    const hoop_catch_errors_options *options;
    hoop_handler next; /* for the page */
};

static int wants_page(const hoop_request *req)
{
    static const char *const types[] = { "application/problem+json", "text/html" };
    size_t best;
    hoop_str accept = hoop_header_joined(req, "accept");
    return !hoop_str_is_none(accept) &&
           !hoop_accept_best(HOOP_ACCEPT_MEDIA, accept, types, 2, &best) && best == 1;
}

/* The problem with all that is known. */
static const hoop_response *full_problem(const hoop_request *req, int status,
                                         const hoop_error *error)
{
    hoop_json_writer *writer = hoop_json_writer_new(req->arena);
    hoop_json_begin_object(writer);
    hoop_json_write_key(writer, "title");
    hoop_json_write_string(writer, hoop_reason(status));
    hoop_json_write_key(writer, "status");
    hoop_json_write_int(writer, status);
    hoop_json_write_key(writer, "detail");
    hoop_json_write_string(writer, error->text);
    hoop_json_write_key(writer, "code");
    hoop_json_write_int(writer, error->code);
    hoop_json_write_key(writer, "name");
    hoop_json_write_string(writer, hoop_err_name(error->code));
    hoop_json_end_object(writer);
    const hoop_response *res = hoop_json_respond(req, status, writer);
    return hoop_with_header(req, res, "Content-Type", "application/problem+json");
}

static const hoop_response *caught(const hoop_request *req, const hoop_error *error,
                                   const void *value)
{
    const struct watch *watch = value;
    int status = hoop_failure_status(error->code);
    if (!watch->options->quiet)
        hoop__log(hoop__exchange_of(req)->loop, HOOP_LOG_ERROR, "%s %s: %d: %s", req->method.data,
                  req->uri.data, status, error->text);
    if (!watch->options->development)
        return hoop_problem(req, status, NULL);
    return hoop__add_vary(req,
                          wants_page(req) ? hoop__error_page(req, status, error, watch->next)
                                          : full_problem(req, status, error),
                          "Accept");
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    struct watch *watch = hoop_alloc(req, sizeof *watch);
    if (!watch)
        return NULL;
    watch->options = value;
    watch->next = next;
    return hoop_catch(req, hoop_call(next, req), caught, watch);
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    hoop_catch_errors_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    if (!own)
        return HOOP_ENOMEM;
    *ret_value = own;
    return 0;
}

const hoop_middleware_type hoop_catch_errors_type = {
    .name = "catch_errors",
    .wrap = wrap,
    .build = build,
    .flags = HOOP_IDEMPOTENT,
    .size = sizeof(hoop_middleware_type),
};
