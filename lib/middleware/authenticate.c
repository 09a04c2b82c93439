/* From credentials to an identity; see authenticate.h. */
#include "middleware/authenticate.h"

#include "value/response.h"

#include <hoop/auth.h>

static const char header_name[] = "WWW-Authenticate";

int hoop__has_no_credentials(const hoop_request *req, const char *scheme)
{
    hoop_auth auth;
    hoop_str value = hoop_header(req, "authorization");
    if (hoop_str_is_none(value))
        return 1;
    return hoop_str_is_none(hoop_header_at(req, "authorization", 1)) &&
           !hoop_auth_parse(value, &auth) && !hoop_str_eq_nocase(auth.scheme, hoop_str_c(scheme));
}

static const hoop_response *add_challenge(const hoop_request *req, const hoop_response *res,
                                          hoop_str challenge)
{
    if (!res || res->status != 401 || hoop_response_header(res, header_name).len)
        return res;
    return hoop__response_with(req, res, hoop_str_c(header_name), challenge, /* replace= */ 0);
}

const hoop_response *hoop__challenge(const hoop_request *req, int status, const char *detail,
                                     hoop_str challenge)
{
    const hoop_response *res = hoop_problem(req, status, detail);
    return res ? hoop__response_with(req, res, hoop_str_c(header_name), challenge, 0) : NULL;
}

/* What waits for the check. */
struct checking {
    hoop_handler next;
    const hoop_str *challenge;
};

static const hoop_response *go_on(const hoop_request *req, const hoop_response *checked,
                                  const void *value)
{
    const struct checking *checking = value;
    const hoop_principal *principal = hoop_accepted(checked);
    if (!principal)
        return add_challenge(req, checked, *checking->challenge);
    const hoop_request *more = hoop_with_identity(req, principal->name, principal->data);
    return more ? hoop_call(checking->next, more) : NULL;
}

const hoop_response *hoop__authenticate(const hoop_request *req, const hoop_response *checked,
                                        hoop_handler next, const hoop_str *challenge)
{
    struct checking here = { next, challenge }, *kept = &here;
    if (checked && hoop_is_pending(checked)) {
        kept = hoop_alloc(req, sizeof *kept);
        if (!kept)
            return NULL;
        *kept = here;
    }
    return hoop_then(req, checked, go_on, kept);
}

const hoop_request *hoop__authenticated(const hoop_request *req, const hoop_response *checked,
                                        const hoop_str *challenge, const hoop_response **ret_answer)
{
    if (checked && hoop_is_pending(checked)) {
        hoop_fail(req, HOOP_EUNSUPPORTED, "this check of credentials does not answer at once");
        return NULL;
    }
    const hoop_principal *principal = hoop_accepted(checked);
    if (principal)
        return hoop_with_identity(req, principal->name, principal->data);
    return hoop__refused(ret_answer, add_challenge(req, checked, *challenge));
}

int hoop__challenge_new(hoop_arena *arena, const char *scheme, const char *realm,
                        const char *problem, hoop_str *ret, hoop_error *error)
{
    const hoop_auth_param params[] = { { "realm", realm }, { "error", problem } };
    return hoop_challenge_format(arena, scheme, params, problem ? 2 : 1, ret, error);
}
