/* Sessions in Redis: a hash of version and data for each; writes and removals are scripts, which are atomic. */
#include "redis/redis.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID_CHARS 32u

struct sessions {
    hoop_session_store store;
    struct hoop_redis *redis;
    const char *prefix;
};

/* KEYS[1], version (0: a new one), data, milliseconds (0: for ever). The new version; 0: missing; -1: conflict. */
static const char write_script[] = "local v = redis.call('HGET', KEYS[1], 'v')\n"
                                   "if ARGV[1] ~= '0' and not v then return 0 end\n"
                                   "if v and v ~= ARGV[1] then return -1 end\n"
                                   "local n = tonumber(ARGV[1]) + 1\n"
                                   "redis.call('HSET', KEYS[1], 'v', n, 'd', ARGV[2])\n"
                                   "if ARGV[3] == '0' then redis.call('PERSIST', KEYS[1])\n"
                                   "else redis.call('PEXPIRE', KEYS[1], ARGV[3]) end\n"
                                   "return n\n";

/* KEYS[1], version (0: any). 1: removed; 0: missing; -1: conflict. */
static const char remove_script[] = "local v = redis.call('HGET', KEYS[1], 'v')\n"
                                    "if not v then return 0 end\n"
                                    "if ARGV[1] ~= '0' and v ~= ARGV[1] then return -1 end\n"
                                    "redis.call('DEL', KEYS[1])\n"
                                    "return 1\n";

/* --- answers --------------------------------------------------------------------------------- */

static int on_read(const hoop_request *req, const redisReply *reply, void *result)
{
    hoop_session_entry *entry = result;
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 2)
        return HOOP_EPROTO;
    const redisReply *version = reply->element[0], *data = reply->element[1];
    if (version->type != REDIS_REPLY_STRING || data->type != REDIS_REPLY_STRING) {
        entry->outcome = HOOP_SESSION_MISSING;
        return 0;
    }
    entry->version = strtoull(version->str, NULL, 10);
    entry->data = hoop_arena_copy(req->arena, hoop_str_n(data->str, (size_t)data->len));
    return hoop_str_is_none(entry->data) ? HOOP_ENOMEM : 0;
}

static int on_changed(const hoop_request *req, const redisReply *reply, void *result)
{
    hoop_session_entry *entry = result;
    (void)req;
    if (reply->type != REDIS_REPLY_INTEGER)
        return HOOP_EPROTO;
    entry->outcome = reply->integer > 0    ? HOOP_SESSION_DONE
                     : reply->integer == 0 ? HOOP_SESSION_MISSING
                                           : HOOP_SESSION_CONFLICT;
    if (reply->integer > 0)
        entry->version = (uint64_t)reply->integer;
    return 0;
}

/* --- commands -------------------------------------------------------------------------------- */

/* The key of an id; absent: noted. */
static hoop_str key_of(const hoop_request *req, const struct sessions *sessions, hoop_str id)
{
    const char *key = hoop_printf(req, "%s%s", sessions->prefix, id.data);
    return hoop_str_c(key);
}

/* Ids are ours alone: what has another form is no key of anything. */
static int is_id(hoop_str id)
{
    size_t i = 0;
    for (; i < id.len; i++) {
        char c = id.data[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              c == '-' || c == '_'))
            return 0;
    }
    return i == ID_CHARS;
}

static const hoop_response *missing(const hoop_request *req, hoop_session_entry *entry)
{
    entry->outcome = HOOP_SESSION_MISSING;
    return hoop_respond(req, 204);
}

static const hoop_response *read_entry(const hoop_request *req, hoop_session_entry *entry,
                                       void *data)
{
    struct sessions *sessions = data;
    struct hoop__redis_command command = { 0 };
    if (!is_id(entry->id))
        return missing(req, entry);
    hoop_str key = key_of(req, sessions, entry->id);
    if (!key.len)
        return NULL;
    hoop__redis_arg(&command, hoop_str_c("HMGET"));
    hoop__redis_arg(&command, key);
    hoop__redis_arg(&command, hoop_str_c("v"));
    hoop__redis_arg(&command, hoop_str_c("d"));
    return hoop__redis_send(req, sessions->redis, &command, on_read, entry);
}

static const hoop_response *run_script(const hoop_request *req, struct sessions *sessions,
                                       const char *script, hoop_session_entry *entry, int with_data)
{
    struct hoop__redis_command command = { 0 };
    char version[24], ttl[24];
    hoop_str key = key_of(req, sessions, entry->id);
    if (!key.len)
        return NULL;
    snprintf(version, sizeof version, "%" PRIu64, entry->version);
    snprintf(ttl, sizeof ttl, "%" PRIu64, entry->ttl_ms == HOOP_OFF ? 0 : entry->ttl_ms);
    hoop__redis_arg(&command, hoop_str_c("EVAL"));
    hoop__redis_arg(&command, hoop_str_c(script));
    hoop__redis_arg(&command, hoop_str_c("1"));
    hoop__redis_arg(&command, key);
    hoop__redis_arg(&command, hoop_str_c(version));
    if (with_data) {
        hoop__redis_arg(&command, entry->data);
        hoop__redis_arg(&command, hoop_str_c(ttl));
    }
    return hoop__redis_send(req, sessions->redis, &command, on_changed, entry);
}

static const hoop_response *write_entry(const hoop_request *req, hoop_session_entry *entry,
                                        void *data)
{
    if (!entry->id.len) {
        entry->id = hoop_session_new_id(req);
        entry->version = 0;
    }
    return entry->id.len ? run_script(req, data, write_script, entry, /* with_data= */ 1) : NULL;
}

static const hoop_response *remove_entry(const hoop_request *req, hoop_session_entry *entry,
                                         void *data)
{
    if (!is_id(entry->id))
        return missing(req, entry);
    return run_script(req, data, remove_script, entry, /* with_data= */ 0);
}

int hoop_redis_sessions(hoop_arena *arena, hoop_redis *redis, const char *prefix,
                        const hoop_session_store **ret_store, hoop_error *error)
{
    struct sessions *sessions = hoop_arena_zalloc(arena, sizeof *sessions);
    if (!sessions || !redis)
        return hoop_error_set(error, redis ? HOOP_ENOMEM : HOOP_EINVAL,
                              redis ? "out of memory" : "redis: no server is given");
    sessions->redis = redis;
    sessions->prefix = hoop_arena_strdup(arena, prefix ? prefix : "session:");
    if (!sessions->prefix)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    sessions->store.read = read_entry;
    sessions->store.write = write_entry;
    sessions->store.remove = remove_entry;
    sessions->store.data = sessions;
    *ret_store = &sessions->store;
    return 0;
}
