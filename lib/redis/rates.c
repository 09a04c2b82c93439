/* Buckets of rate limits in Redis: each is the time at which it will be full again; a script moves it. */
#include "redis/redis.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct rates {
    hoop_rate_store store;
    struct hoop_redis *redis;
    const char *prefix;
};

/*
 * KEYS[1], microseconds for a token, burst. {allowed, remaining, reset, retry}, the last two in milliseconds. Whole
 * numbers of microseconds since 1970 fit a double of Lua's exactly.
 */
static const char script[] =
    "local t = redis.call('TIME')\n"
    "local now = tonumber(t[1]) * 1000000 + tonumber(t[2])\n"
    "local each = tonumber(ARGV[1])\n"
    "local most = each * tonumber(ARGV[2])\n"
    "local full = tonumber(redis.call('GET', KEYS[1]) or now)\n"
    "if full < now then full = now end\n"
    "if full - now + each > most then\n"
    "  return {0, 0, math.ceil((full - now) / 1000), math.ceil((full - now + each - most) / 1000)}\n"
    "end\n"
    "full = full + each\n"
    "local reset = math.ceil((full - now) / 1000)\n"
    "redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', reset)\n"
    "return {1, math.floor((most - (full - now)) / each), reset, 0}\n";

static int on_taken(const hoop_request *req, const redisReply *reply, void *result)
{
    hoop_rate_verdict *verdict = result;
    long long numbers[4];
    (void)req;
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 4)
        return HOOP_EPROTO;
    for (size_t i = 0; i < 4; i++) {
        if (reply->element[i]->type != REDIS_REPLY_INTEGER || reply->element[i]->integer < 0)
            return HOOP_EPROTO;
        numbers[i] = reply->element[i]->integer;
    }
    verdict->allowed = numbers[0] != 0;
    verdict->remaining = (uint64_t)numbers[1];
    verdict->reset_ms = (uint64_t)numbers[2];
    verdict->retry_ms = (uint64_t)numbers[3];
    return 0;
}

/* Prefix and key, which may hold any bytes. Absent: noted. */
static hoop_str full_key(const hoop_request *req, const char *prefix, hoop_str key)
{
    size_t len = strlen(prefix);
    char *text = hoop_alloc(req, len + key.len);
    if (!text)
        return hoop_str_none();
    memcpy(text, prefix, len);
    memcpy(text + len, key.data, key.len);
    return hoop_str_n(text, len + key.len);
}

static const hoop_response *take(const hoop_request *req, hoop_str key,
                                 const hoop_rate_policy *policy, hoop_rate_verdict *ret_verdict,
                                 void *data)
{
    struct rates *rates = data;
    struct hoop__redis_command command = { 0 };
    char each[24], burst[24];
    uint64_t token = policy->window_ms * 1000 / policy->requests;
    hoop_str name = full_key(req, rates->prefix, key);
    if (hoop_str_is_none(name))
        return NULL;
    snprintf(each, sizeof each, "%" PRIu64, token ? token : 1);
    snprintf(burst, sizeof burst, "%" PRIu64, policy->burst);
    hoop__redis_arg(&command, hoop_str_c("EVAL"));
    hoop__redis_arg(&command, hoop_str_c(script));
    hoop__redis_arg(&command, hoop_str_c("1"));
    hoop__redis_arg(&command, name);
    hoop__redis_arg(&command, hoop_str_c(each));
    hoop__redis_arg(&command, hoop_str_c(burst));
    return hoop__redis_send(req, rates->redis, &command, on_taken, ret_verdict);
}

int hoop_redis_rates(hoop_arena *arena, hoop_redis *redis, const char *prefix,
                     const hoop_rate_store **ret_store, hoop_error *error)
{
    struct rates *rates = hoop_arena_zalloc(arena, sizeof *rates);
    if (!rates || !redis)
        return hoop_error_set(error, redis ? HOOP_ENOMEM : HOOP_EINVAL,
                              redis ? "out of memory" : "redis: no server is given");
    rates->redis = redis;
    rates->prefix = hoop_arena_strdup(arena, prefix ? prefix : "rate:");
    if (!rates->prefix)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    rates->store.take = take;
    rates->store.data = rates;
    *ret_store = &rates->store;
    return 0;
}
