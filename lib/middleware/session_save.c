/*
 * What comes of a session behind the handler: nothing, a write, a removal, or a removal and a write under a new
 * id; again if somebody else has written meanwhile. Each step waits for the store by hoop_then().
 */
#include "middleware/cookies.h"
#include "middleware/session.h"
#include "value/conditional.h"

#include <hoop/limits.h>

#define MAX_TRIES 5

static const struct hoop__session_found nothing = { .entry = { .id = HOOP_STR_NONE } };

/* A session that is being written; in the exchange's arena. */
struct saving {
    const struct hoop__session_config *config;
    const hoop_response *res;
    const struct hoop__session_change *changes;
    hoop_str sent_id; /* what the cookie said, and the store knew; absent: none */
    struct hoop__session_found found;
    struct hoop__session_plan plan;
    unsigned tries;
};

/* --- times ----------------------------------------------------------------------------------- */

static uint64_t now_of(const hoop_request *req)
{
    int64_t now = hoop__wall_of(req);
    return now > 0 ? (uint64_t)now : 0;
}

static uint64_t since(uint64_t then, uint64_t now)
{
    return now > then ? now - then : 0;
}

static int has_ended(const hoop_session_options *options, const struct hoop__session *session,
                     uint64_t now)
{
    return (options->idle != HOOP_OFF && since(session->touched, now) >= options->idle) ||
           (options->lifetime != HOOP_OFF && since(session->created, now) >= options->lifetime);
}

/* Nonzero if it is time to write a session for the sake of its `touched`. */
static int is_due(const hoop_session_options *options, const struct hoop__session *session,
                  uint64_t now)
{
    uint64_t step = options->idle / 16 ? options->idle / 16 : 1;
    return options->idle != HOOP_OFF && since(session->touched, now) >= step;
}

/* Milliseconds for which a session written now has to be kept. */
static uint64_t ttl_of(const hoop_session_options *options, const struct hoop__session *session,
                       uint64_t now)
{
    uint64_t seconds = options->idle;
    if (options->lifetime != HOOP_OFF) {
        uint64_t left = options->lifetime - since(session->created, now);
        seconds = seconds == HOOP_OFF || left < seconds ? left : seconds;
    }
    return seconds == HOOP_OFF || seconds > HOOP_OFF / 1000 ? HOOP_OFF : seconds * 1000;
}

/* --- loading --------------------------------------------------------------------------------- */

int hoop__session_load(const hoop_request *req, const struct hoop__session_config *config,
                       struct hoop__session_found *found)
{
    int rc = HOOP_EMISSING;
    if (found->entry.outcome == HOOP_SESSION_DONE)
        rc = hoop__session_decode(req->arena, found->entry.data, &found->session);
    if (rc == HOOP_ENOMEM) {
        hoop__fail_memory(req);
        return rc;
    }
    if (rc || has_ended(&config->options, &found->session, now_of(req)))
        *found = nothing;
    return 0;
}

/* --- the cookie ------------------------------------------------------------------------------ */

static const hoop_response *send_cookie(const hoop_request *req, const struct saving *saving,
                                        hoop_str id)
{
    const struct hoop__session_config *config = saving->config;
    hoop_cookie_options cookie = config->cookie;
    const uint64_t *age = hoop__session_max_age(saving->res);
    cookie.secure |= hoop_str_eq_c(req->scheme, "https");
    cookie.remove = hoop_str_is_none(id);
    if (cookie.remove)
        cookie.max_age = 0;
    else if (age)
        cookie.max_age = *age;
    return hoop__add_set_cookie(req, saving->res, config->options.name, id, &cookie, sizeof cookie);
}

/* --- steps ----------------------------------------------------------------------------------- */

static const hoop_response *start(const hoop_request *req, struct saving *saving);

static struct saving *saving_of(const void *value)
{
    return (struct saving *)(uintptr_t)value; /* hoop_then() hands on what was made here */
}

static const hoop_response *ask(const hoop_request *req, hoop_session_store_fn *fn,
                                hoop_then_fn *then, struct saving *saving)
{
    saving->found.entry.outcome = HOOP_SESSION_DONE;
    return hoop_then(req, fn(req, &saving->found.entry, saving->config->options.store->data), then,
                     saving);
}

static const hoop_response *reloaded(const hoop_request *req, const hoop_response *said,
                                     const void *value)
{
    (void)said;
    struct saving *saving = saving_of(value);
    if (hoop__session_load(req, saving->config, &saving->found))
        return NULL;
    if (hoop_str_is_none(saving->found.entry.id) && !saving->plan.rotated)
        return saving->res;
    return start(req, saving);
}

/* Somebody else has written: begins again with what is there now. */
static const hoop_response *again(const hoop_request *req, struct saving *saving)
{
    if (++saving->tries == MAX_TRIES)
        return hoop_fail(req, HOOP_EBUSY, "session: others wrote it at each of %d tries",
                         MAX_TRIES);
    saving->found.entry.id = saving->sent_id;
    return ask(req, saving->config->options.store->read, reloaded, saving);
}

static const hoop_response *written(const hoop_request *req, const hoop_response *said,
                                    const void *value)
{
    (void)said;
    struct saving *saving = saving_of(value);
    const hoop_session_entry *entry = &saving->found.entry;
    if (entry->outcome == HOOP_SESSION_CONFLICT && saving->changes)
        return again(req, saving);
    if (entry->outcome != HOOP_SESSION_DONE)
        return saving->res; /* it was touched by another, or removed */
    if (hoop_str_eq(entry->id, saving->sent_id) && !saving->config->cookie.max_age &&
        !hoop__session_max_age(saving->res))
        return saving->res;
    return send_cookie(req, saving, entry->id);
}

static const hoop_response *write_values(const hoop_request *req, struct saving *saving)
{
    const hoop_session_options *options = &saving->config->options;
    hoop_session_entry *entry = &saving->found.entry;
    struct hoop__session *session = &saving->found.session;
    uint64_t now = now_of(req);
    session->items = saving->plan.items;
    session->count = saving->plan.count;
    session->touched = now;
    if (hoop_str_is_none(entry->id)) {
        entry->version = 0;
        session->created = session->created && !saving->plan.cleared ? session->created : now;
    }
    if (hoop__session_size(session) > options->max_bytes)
        return hoop_fail(req, HOOP_EINVAL, "session: %zu bytes are more than the %llu allowed",
                         hoop__session_size(session), (unsigned long long)options->max_bytes);
    if (hoop__session_encode(req->arena, session, &entry->data))
        return hoop__fail_memory(req);
    entry->ttl_ms = ttl_of(options, session, now);
    return ask(req, options->store->write, written, saving);
}

static const hoop_response *write_new(const hoop_request *req, struct saving *saving)
{
    saving->found.entry.id = hoop_str_none();
    return write_values(req, saving);
}

/* The old id is gone: on with a new one, or without any. */
static const hoop_response *removed(const hoop_request *req, const hoop_response *said,
                                    const void *value)
{
    (void)said;
    struct saving *saving = saving_of(value);
    if (saving->found.entry.outcome == HOOP_SESSION_CONFLICT)
        return again(req, saving);
    if (saving->plan.cleared && !saving->plan.count)
        return send_cookie(req, saving, hoop_str_none());
    if (saving->plan.cleared || saving->found.entry.outcome == HOOP_SESSION_DONE)
        return write_new(req, saving);
    /* Somebody else has removed it: of what it had nothing comes back. */
    saving->found = nothing;
    return start(req, saving);
}

static const hoop_response *start(const hoop_request *req, struct saving *saving)
{
    hoop_session_entry *entry = &saving->found.entry;
    struct hoop__session_plan *plan = &saving->plan;
    if (hoop__session_apply(req, &saving->found.session, saving->changes, plan))
        return NULL;
    if (hoop_str_is_none(entry->id))
        return plan->count ? write_new(req, saving) : saving->res;
    if (plan->cleared || plan->rotated) {
        if (plan->cleared)
            entry->version = 0;
        return ask(req, saving->config->options.store->remove, removed, saving);
    }
    if (plan->changed || entry->stale ||
        is_due(&saving->config->options, &saving->found.session, now_of(req)))
        return write_values(req, saving);
    return hoop__session_max_age(saving->res) ? send_cookie(req, saving, entry->id) : saving->res;
}

const hoop_response *hoop__session_save(const hoop_request *req, const hoop_response *res,
                                        const struct hoop__session_config *config,
                                        const struct hoop__session_found *found)
{
    const struct hoop__session_change *changes = hoop__session_changes(res);
    if (!found)
        found = &nothing;
    int has_id = !hoop_str_is_none(found->entry.id);
    if (!changes && (!has_id || (!found->entry.stale && !hoop__session_max_age(res) &&
                                 !is_due(&config->options, &found->session, now_of(req)))))
        return res;
    struct saving *saving = hoop_alloc(req, sizeof *saving);
    if (!saving)
        return NULL;
    saving->config = config;
    saving->res = res;
    saving->changes = changes;
    saving->sent_id = found->entry.id;
    saving->found = *found;
    saving->tries = 0;
    return start(req, saving);
}
