/* Who a request is from: see hoop/identity.h. */
#include "handler/log_entry.h"

#include <hoop/identity.h>

const char hoop__log_entry_key;
static const char identity_key, accepted_key;

static const hoop_principal *new_principal(const hoop_request *req, hoop_str name, const void *data)
{
    hoop_principal *principal = hoop_alloc(req, sizeof *principal);
    if (!principal)
        return NULL;
    principal->name = hoop_arena_copy(req->arena, name);
    principal->data = data;
    if (hoop_str_is_none(principal->name) && !hoop_str_is_none(name)) {
        hoop_fail(req, HOOP_ENOMEM, "out of memory");
        return NULL;
    }
    return principal;
}

const hoop_principal *hoop_identity(const hoop_request *req)
{
    return hoop_get(req, &identity_key);
}

const hoop_request *hoop_with_identity(const hoop_request *req, hoop_str name, const void *data)
{
    const hoop_principal *principal = req ? new_principal(req, name, data) : NULL;
    struct hoop__log_entry *entry = hoop_get(req, &hoop__log_entry_key);
    if (!principal)
        return NULL;
    if (entry)
        entry->user = principal->name;
    return hoop_assoc(req, &identity_key, principal);
}

const hoop_response *hoop_accept(const hoop_request *req, hoop_str name, const void *data)
{
    const hoop_principal *principal = req ? new_principal(req, name, data) : NULL;
    if (!principal)
        return NULL;
    return hoop_response_assoc(req, hoop_respond(req, 200), &accepted_key, principal);
}

const hoop_response *hoop_reject(const hoop_request *req)
{
    return hoop_problem(req, 401, "these credentials are not accepted");
}

const hoop_principal *hoop_accepted(const hoop_response *res)
{
    return hoop_response_get(res, &accepted_key);
}
