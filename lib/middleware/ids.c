/* Identifiers for requests; see ids.h. */
#include "middleware/ids.h"

#include "base/hash.h"
#include "base/random.h"

int hoop__id_keys(struct hoop__id_key *keys, size_t count, const char *who, hoop_error *error)
{
    int rc = hoop__random(keys, count * sizeof *keys);
    if (!rc)
        return 0;
    return hoop_error_set(error, rc, "%s: no random bytes: %s", who, hoop_strerror(rc));
}

uint64_t hoop__id_draw(const hoop_request *req, const struct hoop__id_key *key)
{
    const struct hoop_loop *loop = hoop__exchange_of(req)->loop;
    const uint64_t what[3] = {
        (uint64_t)(uintptr_t)loop,
        atomic_load_explicit(&loop->counters.requests, memory_order_relaxed),
        loop->now,
    };
    return hoop__hash(key->words, what, sizeof what);
}

char *hoop__id_write(uint64_t id, char *out)
{
    static const char hex[] = "0123456789abcdef";
    for (int shift = 60; shift >= 0; shift -= 4)
        *out++ = hex[id >> shift & 15];
    return out;
}
