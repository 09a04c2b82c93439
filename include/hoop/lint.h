/** @file
 * Lint: whether values that came through foreign hands keep the rules.
 */
#ifndef HOOP_LINT_H
#define HOOP_LINT_H

#include <hoop/error.h>
#include <hoop/export.h>
#include <hoop/request.h>
#include <hoop/response.h>

HOOP_BEGIN_DECLS

/**
 * Checks a request by Ring's SPEC and RFC 9110: method a token, scheme http, https, ws or wss, uri
 * beginning with '/' (or "*" with OPTIONS), header names lower-case tokens, values without control
 * characters. 0, or HOOP_EINVAL and a text that names the rule and the value.
 */
HOOP_API int hoop_lint_request(const hoop_request *req, hoop_error *error);

/**
 * Checks a response: there and not pending, status 200 to 599 (no 1xx is final), header names tokens,
 * values without control characters, a Content-Length that fits the body, at most one of it, no
 * header that belongs to the server, no body with 204, 205 and 304. `req` (NULL allowed) tells the method.
 */
HOOP_API int hoop_lint_response(const hoop_request *req, const hoop_response *res,
                                hoop_error *error);

HOOP_END_DECLS

#endif
