/* The memo of header blocks: which may go in, for whom, and finding them again. */
#include "http1/memo.h"

#include "http1/scan.h"

#include <string.h>

#define MIN_LEN    16 /* shorter ones are not worth it */
#define MAX_CREDIT 16
#define MAX_DULL   4  /* so many blocks in a row that are not the one before */
#define WAIT       30 /* requests that nothing is tried for then */

/* --- what may go in -------------------------------------------------------------------------- */

/* For whom a block is. */
enum audience { NOBODY, OWNER, EVERYBODY };

/*
 * Fields that nobody's secret is in. A block of these alone is for every connection; one with any
 * other is only for the connection that it came from, since how long a comparison takes tells how far
 * it came.
 */
static const char *const open_names[] = {
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "cache-control",
    "connection",
    "content-type",
    "dnt",
    "host",
    "keep-alive",
    "origin",
    "pragma",
    "priority",
    "range",
    "save-data",
    "sec-ch-ua",
    "sec-ch-ua-mobile",
    "sec-ch-ua-platform",
    "sec-fetch-dest",
    "sec-fetch-mode",
    "sec-fetch-site",
    "sec-fetch-user",
    "upgrade-insecure-requests",
    "user-agent",
    "via",
};

/* Fields by which messages are framed or connections changed: these are always read anew. */
static const char *const shut_names[] = {
    "content-length", "expect", "http2-settings",    "proxy-connection",
    "trailer",        "te",     "transfer-encoding", "upgrade",
};

static int is_among(hoop_str name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (hoop_str_eq_c(name, names[i]))
            return 1;
    return 0;
}

static enum audience audience_of(const struct hoop__h1_exchange *h)
{
    enum audience audience = EVERYBODY;
    for (size_t i = 0; i < h->field_count; i++) {
        hoop_str name = h->fields[i].name;
        if (is_among(name, shut_names, sizeof shut_names / sizeof shut_names[0]))
            return NOBODY;
        if (!is_among(name, open_names, sizeof open_names / sizeof open_names[0]))
            audience = OWNER;
    }
    return audience;
}

/* --- finding --------------------------------------------------------------------------------- */

#ifdef HOOP__H1_SSE2
static inline __m128i load(const char *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static inline void store(char *p, __m128i v)
{
    _mm_storeu_si128((__m128i *)(void *)p, v);
}
#endif

/* Nonzero if `len` (MIN_LEN or more) bytes are the same; `ready` is copied alongside. */
static HOOP__H1_HOT int match(const char *data, const struct hoop__h1_memo_entry *entry, char *to)
{
    size_t len = entry->len;
#ifdef HOOP__H1_SSE2
    size_t last = len - 16;
    __m128i same = _mm_cmpeq_epi8(load(data + last), load(entry->raw + last));
    for (size_t i = 0; i < last; i += 16) {
        same = _mm_and_si128(same, _mm_cmpeq_epi8(load(data + i), load(entry->raw + i)));
        store(to + i, load(entry->ready + i));
    }
    store(to + last, load(entry->ready + last));
    return _mm_movemask_epi8(same) == 0xffff;
#else
    if (memcmp(data, entry->raw, len) != 0)
        return 0;
    memcpy(to, entry->ready, len);
    return 1;
#endif
}

const struct hoop__h1_memo_entry *hoop__h1_memo_find(const struct hoop__h1_exchange *h,
                                                     const char *data, const char *end, char *to)
{
    const struct hoop__h1 *e = h->engine;
    if (!e->memo_slot)
        return NULL;
    struct hoop__h1_memo *memo = e->base.host->loop->head_memo;
    struct hoop__h1_memo_entry *entry = &memo->entries[e->memo_slot - 1];
    if (entry->len > (size_t)(end - data) || entry->method_number != h->method_number ||
        entry->minor != h->minor || (entry->owner && entry->owner != e->memo_id) ||
        entry->field_count > h->field_cap) /* limits are the service's, the memo the loop's */
        return NULL;
    if (!match(data, entry, to))
        return NULL;
    entry->credit = MAX_CREDIT;
    return entry;
}

static inline hoop_str moved(hoop_str s, ptrdiff_t by)
{
    s.data += by;
    return s;
}

void hoop__h1_memo_use(struct hoop__h1_exchange *h, const struct hoop__h1_memo_entry *entry,
                       const char *to)
{
    ptrdiff_t by = to - entry->ready;
    for (size_t i = 0; i < entry->field_count; i++) {
        h->fields[i].name = moved(entry->fields[i].name, by);
        h->fields[i].value = moved(entry->fields[i].value, by);
    }
    h->field_count = entry->field_count;
    h->noted = entry->noted;
}

/* --- remembering ----------------------------------------------------------------------------- */

static inline uint64_t word(const char *p)
{
    uint64_t w;
    memcpy(&w, p, 8);
    return w;
}

/* Tells nearly all blocks apart. No more than a hint: what it finds is compared. Never 0. */
static uint32_t key_of(const char *raw, size_t len)
{
    const uint64_t k = 0x9e3779b97f4a7c15u;
    uint64_t a = len, b = word(raw + len - 8);
#ifdef HOOP__H1_SSE2
    __m128i sum = load(raw + len - 16);
    for (size_t i = 0; i < len - 16; i += 16)
        sum = _mm_add_epi64(_mm_add_epi64(sum, _mm_slli_epi64(sum, 5)), load(raw + i));
    char both[16];
    store(both, sum);
    a ^= word(both);
    b ^= word(both + 8);
#else
    for (size_t i = 0; i + 8 < len; i += 8)
        a = (a ^ word(raw + i)) * k;
#endif
    a = (a ^ a >> 29) * k + b;
    a = (a ^ a >> 32) * k;
    return (uint32_t)(a >> 32) | 1;
}

static struct hoop__h1_memo *memo_of(struct hoop_loop *loop)
{
    struct hoop__h1_memo *memo = loop->head_memo;
    if (memo)
        return memo;
    memo = hoop__alloc(loop->allocator, sizeof *memo);
    if (!memo)
        return NULL; /* then it goes without */
    memo->last_id = 0;
    for (size_t i = 0; i < HOOP__H1_MEMO_SLOTS; i++)
        memo->entries[i].len = memo->entries[i].credit = 0;
    loop->head_memo = memo;
    return memo;
}

static void fill(struct hoop__h1_memo_entry *entry, const struct hoop__h1_exchange *h,
                 const char *raw, const char *ready, size_t len)
{
    ptrdiff_t by = entry->ready - ready;
    memcpy(entry->raw, raw, len);
    memcpy(entry->ready, ready, len);
    for (size_t i = 0; i < h->field_count; i++) {
        entry->fields[i].name = moved(h->fields[i].name, by);
        entry->fields[i].value = moved(h->fields[i].value, by);
    }
    entry->field_count = (uint32_t)h->field_count;
    entry->len = (uint32_t)len;
    entry->method_number = h->method_number;
    entry->minor = h->minor;
    entry->noted = h->noted;
    entry->credit = MAX_CREDIT;
}

static HOOP__H1_COLD void remember(struct hoop__h1_exchange *h, const char *raw, const char *ready,
                                   size_t len)
{
    struct hoop__h1 *e = h->engine;
    enum audience audience = audience_of(h);
    struct hoop__h1_memo *memo = audience == NOBODY ? NULL : memo_of(h->engine->base.host->loop);
    if (!memo)
        return;
    if (audience == OWNER && !e->memo_id)
        e->memo_id = ++memo->last_id;
    /* Where a block with secrets goes says nothing about it. */
    uint64_t place = audience == OWNER ? e->memo_id : e->memo_key >> 1;
    uint64_t owner = audience == OWNER ? e->memo_id : 0;
    struct hoop__h1_memo_entry *entry = &memo->entries[place % HOOP__H1_MEMO_SLOTS];
    e->memo_slot = (uint8_t)(place % HOOP__H1_MEMO_SLOTS + 1);
    if (entry->len == len && entry->owner == owner && memcmp(entry->raw, raw, len) == 0 &&
        entry->method_number == h->method_number && entry->minor == h->minor)
        return; /* another connection brought it */
    if (entry->credit) {
        entry->credit--;
        e->memo_wait = WAIT;
        return;
    }
    entry->owner = owner;
    fill(entry, h, raw, ready, len);
}

/* Blocks differ from one request to the next: looked at are two in a row, now and then. */
static void grow_dull(struct hoop__h1 *e)
{
    if (++e->memo_dull < MAX_DULL)
        return;
    e->memo_dull -= 2;
    e->memo_wait = WAIT;
}

void hoop__h1_memo_note(struct hoop__h1_exchange *h, const char *raw, const char *ready, size_t len)
{
    struct hoop__h1 *e = h->engine;
    if (len < MIN_LEN || len > HOOP__H1_MEMO_SIZE || h->method_number == HOOP_METHOD_OTHER ||
        h->has_length || h->chunked || h->expect)
        return;
    uint32_t key = key_of(raw, len);
    if (key == e->memo_key)
        remember(h, raw, ready, len);
    else
        grow_dull(e);
    e->memo_key = key;
}
