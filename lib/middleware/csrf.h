/* What anti_forgery stands on: secrets, the tokens made of them, signed cookies, and where a request comes from. */
#ifndef HOOP_MIDDLEWARE_CSRF_H
#define HOOP_MIDDLEWARE_CSRF_H

#include "middleware/middleware.h"

#include <hoop/middleware/anti_forgery.h>

#define HOOP__CSRF_SECRET 32u /* bytes */
#define HOOP__CSRF_TOKEN \
    86u /* characters of a token, and of a signed cookie: twice the secret's bytes */
#define HOOP__CSRF_TEXT 43u /* characters of a secret */

/* --- secrets and tokens (csrf_token.c) --- */

/* The secret as text, and back. Absent: noted; 0 if it is no secret. */
hoop_str hoop__csrf_write(const hoop_request *req, const unsigned char *secret);
int hoop__csrf_read(hoop_str text, unsigned char secret[HOOP__CSRF_SECRET]);

/* A token of the secret, masked anew. Absent: noted. */
hoop_str hoop__csrf_mask(const hoop_request *req, const unsigned char *secret);

/* Nonzero if `token` is one of the secret. The time tells nothing of it. */
int hoop__csrf_fits(hoop_str token, const unsigned char *secret);

/* A signed cookie's value: the secret and its MAC. Absent: noted. */
hoop_str hoop__csrf_sign(const hoop_request *req, hoop_str key, hoop_str subject,
                         const unsigned char *secret);

/* Nonzero, and the secret, if `text` was signed by one of the keys for this subject. */
int hoop__csrf_verify(hoop_str text, const hoop_str *keys, size_t key_count, hoop_str subject,
                      unsigned char secret[HOOP__CSRF_SECRET]);

/* --- where a request comes from (csrf_origin.c) --- */

enum hoop__origin {
    HOOP__ORIGIN_OWN,
    HOOP__ORIGIN_UNKNOWN,
    HOOP__ORIGIN_ALLOWED,
    HOOP__ORIGIN_FOREIGN
};

/* What the browser says. *ret_why is a phrase if it is foreign. */
enum hoop__origin hoop__origin_of(const hoop_request *req, const char *const *allowed,
                                  const char **ret_why);

#endif
