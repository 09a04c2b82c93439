/** @file
 * Middleware "request_id": a name for each request, by which its traces are found.
 */
#ifndef HOOP_MIDDLEWARE_REQUEST_ID_H
#define HOOP_MIDDLEWARE_REQUEST_ID_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Zero means the default given here. */
typedef struct hoop_request_id_options {
    const char *header;   /**< "X-Request-Id"; of requests, if `trust` is set, and of responses */
    uint32_t trust;       /**< nonzero: an id that the client sends is kept */
    uint32_t no_response; /**< nonzero: responses don't tell it */
} hoop_request_id_options;

/** The type of HOOP_REQUEST_ID(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_request_id_type;

/**
 * An entry of a chain: `HOOP_REQUEST_ID(NULL)`, `HOOP_REQUEST_ID(&options)`. Options are borrowed.
 *
 * Each request gets an id of 32 hexadecimal digits, which nobody can guess and no other has, told by
 * hoop_request_id() and by a header of the response, unless the handler has set that; also of an answer that stands
 * for a failure, and of the server's 404. With `trust` the client's
 * own is kept if it is 1 to 128 letters, digits, '-', '_', '.', ':', '+', '/', '=' or '@'. A header that is no
 * token is refused when the chain is built.
 *
 * Needs nothing, provides "request_id". Idempotent: mounted twice, the outer one's id is kept. Mount it further out
 * than HOOP_ACCESS_LOG() to have it in the log.
 *
 * Source: ring-request-id and Rails' X-Request-Id. Costs no system call: a keyed hash of the loop's count of requests.
 */
#define HOOP_REQUEST_ID(...) \
    HOOP_USE(&hoop_request_id_type, (__VA_ARGS__), sizeof(hoop_request_id_options))

/** The id of this request; absent if none was given. Lives with the exchange. */
HOOP_API hoop_str hoop_request_id(const hoop_request *req);

/** The function behind hoop_request_id_request(). */
HOOP_API const hoop_request *hoop_request_id_request_sized(const hoop_request *req,
                                                           const hoop_response **ret_answer,
                                                           const hoop_request_id_options *options,
                                                           size_t options_size);

/** The request with an id. NULL: that failed (noted); nothing is refused. */
#define hoop_request_id_request(req, ret_answer, ...)                 \
    hoop_request_id_request_sized((req), (ret_answer), (__VA_ARGS__), \
                                  sizeof(hoop_request_id_options))

/** The function behind hoop_request_id_response(). */
HOOP_API const hoop_response *hoop_request_id_response_sized(const hoop_request *req,
                                                             const hoop_response *res,
                                                             const hoop_request_id_options *options,
                                                             size_t options_size);

/** The response with the header, of a request that has an id. Pending, NULL and pass as in hoop_with_header(). */
#define hoop_request_id_response(req, res, ...) \
    hoop_request_id_response_sized((req), (res), (__VA_ARGS__), sizeof(hoop_request_id_options))

HOOP_END_DECLS

#endif
