/** @file
 * Who a request is from: what authentication finds out, and what stands on it asks.
 */
#ifndef HOOP_IDENTITY_H
#define HOOP_IDENTITY_H

#include <hoop/request.h>
#include <hoop/response.h>

HOOP_BEGIN_DECLS

/** Somebody who was recognised. */
typedef struct hoop_principal {
    hoop_str name;    /**< for logs and rules: a user's name, an API key's label */
    const void *data; /**< the program's own: a row, a struct of claims; or NULL */
} hoop_principal;

/** Who the request is from, as the innermost authentication says; NULL: nobody knows. Threads: any. */
HOOP_API const hoop_principal *hoop_identity(const hoop_request *req);

/**
 * A new request that is from this principal, for authentication of one's own. The name is copied,
 * `data` borrowed: it must live as long as the exchange. NULL: noted.
 */
HOOP_API const hoop_request *hoop_with_identity(const hoop_request *req, hoop_str name,
                                                const void *data);

/**
 * What a function that checks credentials (hoop_basic_auth_options, hoop_bearer_options) returns or
 * resolves for good ones: a response that carries the principal and is never sent. NULL: noted.
 */
HOOP_API const hoop_response *hoop_accept(const hoop_request *req, hoop_str name, const void *data);

/** What it returns or resolves for bad ones: 401, to which the challenge is added. NULL: noted. */
HOOP_API const hoop_response *hoop_reject(const hoop_request *req);

/** The principal that hoop_accept() put into a response; NULL if it is none of those. */
HOOP_API const hoop_principal *hoop_accepted(const hoop_response *res);

HOOP_END_DECLS

#endif
