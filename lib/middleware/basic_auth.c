/* Middleware "basic_auth": see hoop/middleware/basic_auth.h. */
#include "middleware/authenticate.h"

#include <hoop/auth.h>
#include <hoop/middleware/basic_auth.h>

#include <string.h>

/* What is built of the options. */
struct basic {
    hoop_basic_auth_options options;
    hoop_str challenge;
};

/* Nonzero if the table has this user with this password; how long it takes does not tell which of them is. */
static int is_user(const hoop_basic_auth_options *options, hoop_str name, hoop_str password)
{
    int found = 0;
    for (size_t i = 0; i < options->user_count; i++) {
        int same_name = hoop_str_eq_secret(name, hoop_str_c(options->users[i].name));
        int same_password = hoop_str_eq_secret(password, hoop_str_c(options->users[i].password));
        found |= same_name & same_password;
    }
    return found;
}

/* What comes of the request's credentials: a principal, an answer, pending, or NULL. */
static const hoop_response *check(const hoop_request *req, const struct basic *basic)
{
    hoop_str user, password;
    int rc = hoop_basic_parse(req->arena, hoop_header(req, "authorization"), &user, &password);
    if (rc == HOOP_ENOMEM)
        return hoop__fail_memory(req);
    if (rc == HOOP_EMISSING)
        return hoop__challenge(req, 401, "a name and a password are needed", basic->challenge);
    if (rc || !hoop_str_is_none(hoop_header_at(req, "authorization", 1)))
        return hoop_reject(req);
    if (is_user(&basic->options, user, password))
        return hoop_accept(req, user, NULL);
    return basic->options.check ? basic->options.check(req, user, password, basic->options.data)
                                : hoop_reject(req);
}

/* Nonzero if nothing has to be checked. */
static int may_skip(const hoop_request *req, const struct basic *basic)
{
    return basic->options.optional && hoop__has_no_credentials(req, "Basic");
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    const struct basic *basic = value;
    if (may_skip(req, basic))
        return hoop_call(next, req);
    return hoop__authenticate(req, check(req, basic), next, &basic->challenge);
}

static int check_users(const hoop_basic_auth_options *options, hoop_error *error)
{
    if (!options->user_count && !options->check)
        return hoop_error_set(error, HOOP_EINVAL,
                              "basic_auth: neither users nor a check are given");
    for (size_t i = 0; i < options->user_count; i++) {
        const hoop_basic_user *user = &options->users[i];
        if (!user->name || strchr(user->name, ':') || !user->password)
            return hoop_error_set(error, HOOP_EINVAL, "basic_auth: user %zu, '%s', can't log in", i,
                                  user->name ? user->name : "NULL");
    }
    return 0;
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    const hoop_basic_auth_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    struct basic *basic = own ? hoop_arena_zalloc(arena, sizeof *basic) : NULL;
    if (!basic)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    basic->options = *own;
    const hoop_auth_param params[] = { { "realm", own->realm ? own->realm : "protected" },
                                       { "charset", "UTF-8" } };
    int rc = check_users(own, error);
    if (!rc)
        rc = hoop_challenge_format(arena, "Basic", params, 2, &basic->challenge, error);
    if (!rc)
        *ret_value = basic;
    return rc;
}

const hoop_middleware_type hoop_basic_auth_type = {
    .name = "basic_auth",
    .provides = "authentication",
    .wrap = wrap,
    .build = build,
    .size = sizeof(hoop_middleware_type),
};

const hoop_request *hoop_basic_auth_request_sized(const hoop_request *req,
                                                  const hoop_response **ret_answer,
                                                  const hoop_basic_auth_options *options,
                                                  size_t options_size)
{
    const struct basic *basic =
        hoop__options_value(req, &hoop_basic_auth_type, options, options_size);
    if (!basic || may_skip(req, basic))
        return basic ? req : NULL;
    return hoop__authenticated(req, check(req, basic), &basic->challenge, ret_answer);
}
