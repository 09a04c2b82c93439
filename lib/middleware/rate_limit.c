/* Middleware "rate_limit": see hoop/middleware/rate_limit.h. */
#include "middleware/middleware.h"

#include "base/digits.h"
#include "value/response.h"

#include <hoop/middleware/rate_limit.h>

#include <arpa/inet.h>

static const char verdict_key;

/* What is built of the options. */
struct limit {
    hoop_rate_limit_options options;
    hoop_rate_policy policy;
    hoop_str header; /* the value of RateLimit-Policy */
    hoop_str begin;  /* that of RateLimit up to its first number */
};

/* A request that has asked the store. */
struct asked {
    hoop_handler next;
    const struct limit *limit;
    hoop_rate_verdict verdict;
    int failed;
};

/* --- keys ------------------------------------------------------------------------------------ */

/* The client's address in binary, without the part of it that the client chooses. */
static hoop_str address_key(const hoop_request *req)
{
    static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
    hoop_str text = hoop_remote_addr(req);
    unsigned char *bytes = hoop_alloc(req, 16);
    if (!bytes)
        return hoop_str_none();
    if (hoop_str_is_none(text)) /* unknown: all of those share a bucket */
        return hoop_failure(req) ? text : hoop_str_c("");
    if (inet_pton(AF_INET, text.data, bytes) == 1)
        return hoop_str_n((char *)bytes, 4);
    if (inet_pton(AF_INET6, text.data, bytes) != 1)
        return text;
    if (memcmp(bytes, mapped, sizeof mapped) == 0)
        return hoop_str_n((char *)bytes + 12, 4);
    return hoop_str_n((char *)bytes, 8);
}

static hoop_str key_of(const hoop_request *req, const struct limit *limit)
{
    return limit->options.key ? limit->options.key(req, limit->options.data) : address_key(req);
}

/* --- responses ------------------------------------------------------------------------------- */

/* Milliseconds as whole seconds, the begun one counted. */
static uint64_t seconds(uint64_t ms)
{
    return ms / 1000 + (ms % 1000 != 0);
}

static const hoop_response *tell(const hoop_request *req, const hoop_response *res,
                                 const struct limit *limit, const hoop_rate_verdict *verdict)
{
    if (limit->options.no_headers)
        return res;
    char remaining[HOOP__DIGITS], reset[HOOP__DIGITS];
    const hoop_str parts[] = {
        limit->begin,
        hoop_str_n(remaining, hoop__digits(verdict->remaining, remaining)),
        hoop_str_n(";t=", 3),
        hoop_str_n(reset, hoop__digits(seconds(verdict->reset_ms), reset)),
    };
    hoop_str left = hoop__join(req, parts, HOOP_COUNT(parts));
    struct hoop__response *more = hoop__response_derive(req, res);
    if (!more || hoop_str_is_none(left))
        return NULL;
    if (hoop__response_append(req, more, hoop_str_c("RateLimit-Policy"), limit->header) ||
        hoop__response_append(req, more, hoop_str_c("RateLimit"), left))
        return NULL;
    return &more->pub;
}

static const hoop_response *respond(const hoop_request *req, const hoop_response *res,
                                    const void *value)
{
    const hoop_rate_verdict *verdict = hoop_rate_limit_verdict(req);
    return verdict ? tell(req, res, value, verdict) : res;
}

static const hoop_response *refuse(const hoop_request *req, const struct limit *limit,
                                   const hoop_rate_verdict *verdict)
{
    hoop_str after = hoop__number_text(req, seconds(verdict->retry_ms));
    const hoop_response *res = hoop_problem(req, 429, "too many requests; see Retry-After");
    if (!res || hoop_str_is_none(after))
        return NULL;
    res = hoop__response_with(req, res, hoop_str_n("Retry-After", 11), after, /* replace= */ 0);
    return res ? tell(req, res, limit, verdict) : NULL;
}

/* --- requests -------------------------------------------------------------------------------- */

const hoop_rate_verdict *hoop_rate_limit_verdict(const hoop_request *req)
{
    return hoop_get(req, &verdict_key);
}

/* The store has spoken, or failed. */
static const hoop_response *go_on(const hoop_request *req, const hoop_response *said,
                                  const void *value)
{
    (void)said;
    const struct asked *asked = value;
    if (asked->failed)
        return asked->limit->options.fail_closed
                   ? hoop_problem(req, 503, "requests can't be counted now")
                   : hoop_call(asked->next, req);
    if (!asked->verdict.allowed)
        return refuse(req, asked->limit, &asked->verdict);
    const hoop_request *more = hoop_assoc(req, &verdict_key, &asked->verdict);
    return more ? hoop_then(more, hoop_call(asked->next, more), respond, asked->limit) : NULL;
}

static const hoop_response *note_failure(const hoop_request *req, const hoop_error *error,
                                         const void *value)
{
    (void)error;
    struct asked *asked = (struct asked *)(uintptr_t)value;
    asked->failed = 1;
    return hoop_respond(req, 503); /* go_on() says what it means */
}

static struct asked *new_asked(const hoop_request *req, hoop_handler next,
                               const struct limit *limit)
{
    struct asked *asked = hoop_alloc(req, sizeof *asked);
    if (asked) {
        memset(asked, 0, sizeof *asked);
        asked->next = next;
        asked->limit = limit;
    }
    return asked;
}

static const hoop_response *ask(const hoop_request *req, hoop_str key, struct asked *asked)
{
    const struct limit *limit = asked->limit;
    const hoop_rate_store *store = limit->options.store;
    return store->take(req, key, &limit->policy, &asked->verdict, store->data);
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    const struct limit *limit = value;
    hoop_str key = key_of(req, limit);
    const hoop_error *failure = hoop_failure(req);
    if (hoop_str_is_none(key))
        return failure && failure->code == HOOP_ENOMEM ? NULL : hoop_call(next, req);
    struct asked *asked = new_asked(req, next, limit);
    if (!asked)
        return NULL;
    return hoop_then(req, hoop_catch(req, ask(req, key, asked), note_failure, asked), go_on, asked);
}

/* --- building -------------------------------------------------------------------------------- */

static void put_defaults(hoop_rate_limit_options *options)
{
    if (!options->name)
        options->name = "default";
    if (!options->requests)
        options->requests = 100;
    if (!options->window_ms)
        options->window_ms = 60000;
    if (!options->burst)
        options->burst = options->requests;
}

/* Bounds within which no product of two of them is too large for 64 bits of nanoseconds. */
static int check(const hoop_rate_limit_options *options, hoop_error *error)
{
    if (!hoop__is_token(hoop_str_c(options->name)))
        return hoop_error_set(error, HOOP_EINVAL, "rate_limit: the name '%s' is no token",
                              options->name);
    if (options->window_ms > UINT64_C(31536000000))
        return hoop_error_set(error, HOOP_EINVAL, "rate_limit: a window of %llu ms is over a year",
                              (unsigned long long)options->window_ms);
    if (options->requests > 1000000 * options->window_ms)
        return hoop_error_set(error, HOOP_EINVAL,
                              "rate_limit: %llu requests in %llu ms are more than one a nanosecond",
                              (unsigned long long)options->requests,
                              (unsigned long long)options->window_ms);
    if (options->burst / options->requests > 100)
        return hoop_error_set(
            error, HOOP_EINVAL, "rate_limit: a burst of %llu is over 100 windows of %llu requests",
            (unsigned long long)options->burst, (unsigned long long)options->requests);
    return 0;
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    hoop_rate_limit_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    struct limit *limit = own ? hoop_arena_zalloc(arena, sizeof *limit) : NULL;
    if (!limit)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    put_defaults(own);
    int rc = check(own, error);
    if (!rc && !own->store)
        rc = hoop_rate_memory_new(arena, own->max_keys, &own->store, error);
    if (rc)
        return rc;
    limit->options = *own;
    limit->policy.requests = own->requests;
    limit->policy.window_ms = own->window_ms;
    limit->policy.burst = own->burst;
    limit->header = hoop_arena_printf(arena, "\"%s\";q=%llu;w=%llu", own->name,
                                      (unsigned long long)own->requests,
                                      (unsigned long long)seconds(own->window_ms));
    limit->begin = hoop_arena_printf(arena, "\"%s\";r=", own->name);
    if (hoop_str_is_none(limit->header) || hoop_str_is_none(limit->begin))
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    *ret_value = limit;
    return 0;
}

const hoop_middleware_type hoop_rate_limit_type = {
    .name = "rate_limit",
    .wrap = wrap,
    .build = build,
    .size = sizeof(hoop_middleware_type),
};

/* --- as functions ---------------------------------------------------------------------------- */

/* The store's part of the pure function: its verdict in hand, or nothing, noted. */
static struct asked *ask_now(const hoop_request *req, hoop_str key, const struct limit *limit)
{
    static const hoop_handler nobody = { NULL, NULL };
    struct asked *asked = new_asked(req, nobody, limit);
    const hoop_response *said = asked ? ask(req, key, asked) : NULL;
    if (said && hoop_is_pending(said)) {
        hoop_fail(req, HOOP_EUNSUPPORTED, "rate_limit: this store does not answer at once");
        return NULL;
    }
    return said ? asked : NULL;
}

const hoop_request *hoop_rate_limit_request_sized(const hoop_request *req,
                                                  const hoop_response **ret_answer,
                                                  const hoop_rate_limit_options *options,
                                                  size_t options_size)
{
    const struct limit *limit =
        hoop__options_value(req, &hoop_rate_limit_type, options, options_size);
    if (!limit)
        return NULL;
    if (!options || !options->store) {
        hoop_fail(req, HOOP_EMISSING, "rate_limit: as a function it needs a store");
        return NULL;
    }
    hoop_str key = key_of(req, limit);
    if (hoop_str_is_none(key))
        return req;
    struct asked *asked = ask_now(req, key, limit);
    if (!asked)
        return NULL;
    if (!asked->verdict.allowed)
        return hoop__refused(ret_answer, refuse(req, limit, &asked->verdict));
    return hoop_assoc(req, &verdict_key, &asked->verdict);
}

const hoop_response *hoop_rate_limit_response_sized(const hoop_request *req,
                                                    const hoop_response *res,
                                                    const hoop_rate_limit_options *options,
                                                    size_t options_size)
{
    const void *value = hoop__options_value(req, &hoop_rate_limit_type, options, options_size);
    return value ? hoop_then(req, res, respond, value) : NULL;
}
