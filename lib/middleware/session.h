/* The inside of sessions: their values, what a response changes in them, and how they are written as bytes. */
#ifndef HOOP_MIDDLEWARE_SESSION_INSIDE_H
#define HOOP_MIDDLEWARE_SESSION_INSIDE_H

#include "middleware/middleware.h"

#include <hoop/middleware/session.h>

/* What is in a session. */
struct hoop__session {
    const hoop_field *items;
    size_t count;
    uint64_t created; /* seconds since 1970 */
    uint64_t touched; /* likewise: the last write */
};

/* --- values (session_values.c) --- */

/* What a response changes, newest first. */
enum hoop__session_kind { HOOP__SESSION_SET, HOOP__SESSION_CLEAR, HOOP__SESSION_ROTATE };

struct hoop__session_change {
    const struct hoop__session_change *next;
    enum hoop__session_kind kind;
    hoop_str key;
    hoop_str value; /* absent: removed */
};

/* The session that handlers see; NULL if there is none. */
const struct hoop__session *hoop__session_of(const hoop_request *req);

/* A request whose handlers see `session`. NULL: noted. */
const hoop_request *hoop__session_put(const hoop_request *req, const struct hoop__session *session);

const struct hoop__session_change *hoop__session_changes(const hoop_response *res);

/* What hoop_with_session_max_age() said; NULL: nothing. */
const uint64_t *hoop__session_max_age(const hoop_response *res);

/* The value of a key among items; absent if there is none. */
hoop_str hoop__session_find(const hoop_field *items, size_t count, hoop_str key);

/* What changes amount to. */
struct hoop__session_plan {
    const hoop_field *items; /* the values that result */
    size_t count;
    int changed; /* the values are others */
    int cleared;
    int rotated;
};

/* Applies changes to the values of `base`. 0, or HOOP_ENOMEM (noted). */
int hoop__session_apply(const hoop_request *req, const struct hoop__session *base,
                        const struct hoop__session_change *changes,
                        struct hoop__session_plan *ret_plan);

/* --- bytes (session_data.c) --- */

/* The bytes of a session. 0, or HOOP_ENOMEM. */
int hoop__session_encode(hoop_arena *arena, const struct hoop__session *session, hoop_str *ret);

/* Reads them; strings are slices of `data`. 0, HOOP_EPARSE or HOOP_ENOMEM. */
int hoop__session_decode(hoop_arena *arena, hoop_str data, struct hoop__session *ret);

/* The bytes that names and values take. */
size_t hoop__session_size(const struct hoop__session *session);

/* --- the middleware's value, and writing (session_save.c) --- */

struct hoop__session_config {
    hoop_session_options options;
    hoop_cookie_options cookie;
};

/* A session as the middleware found it. */
struct hoop__session_found {
    struct hoop__session session;
    hoop_session_entry entry; /* `id` is absent if there was none */
};

/* Puts what a read gave into `found`: nothing if it is missing, broken, or its time has passed. 0, or
 * HOOP_ENOMEM (noted). */
int hoop__session_load(const hoop_request *req, const struct hoop__session_config *config,
                       struct hoop__session_found *found);

/* The response behind whatever has to be written for it; `found` NULL is as none. */
const hoop_response *hoop__session_save(const hoop_request *req, const hoop_response *res,
                                        const struct hoop__session_config *config,
                                        const struct hoop__session_found *found);

/* --- stores --- */

/* The response of a store that has answered at once. */
const hoop_response *hoop__session_said(void);

#endif
