/* Identifiers for requests without a system call for each: a keyed hash of the loop's count of requests. */
#ifndef HOOP_MIDDLEWARE_IDS_H
#define HOOP_MIDDLEWARE_IDS_H

#include "middleware/middleware.h"

/* A key per 64 bits of an identifier. */
struct hoop__id_key {
    uint64_t words[2];
};

/* Draws `count` keys. 0, or a code and the error. */
int hoop__id_keys(struct hoop__id_key *keys, size_t count, const char *who, hoop_error *error);

/*
 * 64 bits for this request, in which the same request and key give the same: nobody can guess them, and
 * no other request of the program has them, but by a chance of 2^-64.
 */
uint64_t hoop__id_draw(const hoop_request *req, const struct hoop__id_key *key);

/* Writes 16 lower-case hexadecimal digits and no NUL. Returns the end. */
char *hoop__id_write(uint64_t id, char *out);

#endif
