/* What basic_auth and bearer share: from a check's outcome to an identity, or to a 401 with a challenge. */
#ifndef HOOP_MIDDLEWARE_AUTHENTICATE_H
#define HOOP_MIDDLEWARE_AUTHENTICATE_H

#include "middleware/middleware.h"

#include <hoop/identity.h>

/* Nonzero if the request has no credentials, or one header with credentials of another scheme. */
int hoop__has_no_credentials(const hoop_request *req, const char *scheme);

/* A 401 (or other status) with its challenge, which is known to be fit and lives long enough. */
const hoop_response *hoop__challenge(const hoop_request *req, int status, const char *detail,
                                     hoop_str challenge);

/*
 * Goes on with `next` once `checked`, which may be pending, has come: with the identity that it
 * carries, or else with that response, to which the challenge is added if it is a 401 without.
 */
const hoop_response *hoop__authenticate(const hoop_request *req, const hoop_response *checked,
                                        hoop_handler next, const hoop_str *challenge);

/* The same for pure functions: `checked` has to be there, and the request is what comes of it. */
const hoop_request *hoop__authenticated(const hoop_request *req, const hoop_response *checked,
                                        const hoop_str *challenge,
                                        const hoop_response **ret_answer);

/* "SCHEME realm=\"...\"" and, if `error` is not NULL, that. 0, or a code and the error. */
int hoop__challenge_new(hoop_arena *arena, const char *scheme, const char *realm,
                        const char *problem, hoop_str *ret, hoop_error *error);

#endif
