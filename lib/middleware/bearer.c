/* Middleware "bearer": see hoop/middleware/bearer.h. */
#include "middleware/authenticate.h"

#include <hoop/auth.h>
#include <hoop/middleware/bearer.h>

#include <string.h>

#define MIN_TOKEN 16u

/* What is built of the options. */
struct bearer {
    hoop_bearer_options options;
    hoop_str missing; /* the challenges */
    hoop_str invalid;
    hoop_str malformed;
};

/* Whose token it is; NULL if it is none of the table. All are compared. */
static const char *owner_of(const hoop_bearer_options *options, hoop_str token)
{
    const char *name = NULL;
    for (size_t i = 0; i < options->token_count; i++)
        if (hoop_str_eq_secret(token, hoop_str_c(options->tokens[i].token)))
            name = options->tokens[i].name;
    return name;
}

/* What comes of the request's token: a principal, an answer, pending, or NULL. */
static const hoop_response *check(const hoop_request *req, const struct bearer *bearer)
{
    hoop_str token;
    int rc = hoop_bearer_parse(hoop_header(req, "authorization"), &token);
    if (rc == HOOP_EMISSING)
        return hoop__challenge(req, 401, "a token is needed", bearer->missing);
    if (rc || !hoop_str_is_none(hoop_header_at(req, "authorization", 1)))
        return hoop__challenge(req, 400, "the Authorization header can't be read",
                               bearer->malformed);
    const char *name = owner_of(&bearer->options, token);
    if (name)
        return hoop_accept(req, hoop_str_c(name), NULL);
    return bearer->options.check ? bearer->options.check(req, token, bearer->options.data)
                                 : hoop_reject(req);
}

/* Nonzero if nothing has to be checked. */
static int may_skip(const hoop_request *req, const struct bearer *bearer)
{
    return bearer->options.optional && hoop__has_no_credentials(req, "Bearer");
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    const struct bearer *bearer = value;
    if (may_skip(req, bearer))
        return hoop_call(next, req);
    return hoop__authenticate(req, check(req, bearer), next, &bearer->invalid);
}

static int check_tokens(const hoop_bearer_options *options, hoop_error *error)
{
    if (!options->token_count && !options->check)
        return hoop_error_set(error, HOOP_EINVAL, "bearer: neither tokens nor a check are given");
    for (size_t i = 0; i < options->token_count; i++) {
        const hoop_bearer_token *token = &options->tokens[i];
        if (!token->name)
            return hoop_error_set(error, HOOP_EINVAL, "bearer: token %zu has no name", i);
        if (!token->token || strlen(token->token) < MIN_TOKEN)
            return hoop_error_set(error, HOOP_EINVAL,
                                  "bearer: the token of '%s' has less than %u bytes", token->name,
                                  MIN_TOKEN);
    }
    return 0;
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    const hoop_bearer_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    struct bearer *bearer = own ? hoop_arena_zalloc(arena, sizeof *bearer) : NULL;
    if (!bearer)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    bearer->options = *own;
    const char *realm = own->realm ? own->realm : "api";
    int rc = check_tokens(own, error);
    if (!rc)
        rc = hoop__challenge_new(arena, "Bearer", realm, NULL, &bearer->missing, error);
    if (!rc)
        rc = hoop__challenge_new(arena, "Bearer", realm, "invalid_token", &bearer->invalid, error);
    if (!rc)
        rc = hoop__challenge_new(arena, "Bearer", realm, "invalid_request", &bearer->malformed,
                                 error);
    if (!rc)
        *ret_value = bearer;
    return rc;
}

const hoop_middleware_type hoop_bearer_type = {
    .name = "bearer",
    .provides = "authentication",
    .wrap = wrap,
    .build = build,
    .size = sizeof(hoop_middleware_type),
};

const hoop_request *hoop_bearer_request_sized(const hoop_request *req,
                                              const hoop_response **ret_answer,
                                              const hoop_bearer_options *options,
                                              size_t options_size)
{
    const struct bearer *bearer =
        hoop__options_value(req, &hoop_bearer_type, options, options_size);
    if (!bearer || may_skip(req, bearer))
        return bearer ? req : NULL;
    return hoop__authenticated(req, check(req, bearer), &bearer->invalid, ret_answer);
}
