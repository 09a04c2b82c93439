/* The PROXY protocol: its two headers read, the list of who may send them, the engine that waits. */
#include "net/proxy.h"

#include "codec/address.h"

#include <hoop/error.h>
#include <hoop/limits.h>

#include <string.h>

#define V2_HEAD  16u /* signature, version and command, family and transport, length of the block */
#define V4_BLOCK 12u
#define V6_BLOCK 36u
#define MAX_PORT 65535u

static const char v1_start[] = "PROXY ";
static const char v2_start[] = "\r\n\r\n\0\r\nQUIT\n";
#define V1_START (sizeof v1_start - 1)
#define V2_START (sizeof v2_start - 1)

/* --- addresses ------------------------------------------------------------------------------- */

/* The two ends of a connection as a header has them, in the order of the network. */
struct ends {
    uint8_t remote[16];
    uint8_t local[16];
    uint16_t remote_port;
    uint16_t local_port;
    int family; /* 4 or 6 */
};

/* Who came by IPv4 is shown so, as where the socket itself tells it. */
static void set_peer(struct hoop__peer *peer, const struct ends *ends)
{
    int mapped = ends->family == 6 && hoop__address_is_mapped(ends->remote) &&
                 hoop__address_is_mapped(ends->local);
    size_t from = mapped ? 12 : 0, size = mapped || ends->family == 4 ? 4 : 16;
    memset(peer->remote, 0, sizeof peer->remote);
    memset(peer->local, 0, sizeof peer->local);
    memcpy(peer->remote, ends->remote + from, size);
    memcpy(peer->local, ends->local + from, size);
    peer->remote_port = ends->remote_port;
    peer->local_port = ends->local_port;
    peer->family = size == 4 ? 4 : 6;
}

/* Decimal digits without a zero in front. */
static int read_number(const char *text, size_t len, uint32_t max, uint32_t *ret)
{
    uint32_t number = 0;
    if (!len || len > 5 || (len > 1 && *text == '0'))
        return HOOP_EINVAL;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return HOOP_EINVAL;
        number = number * 10 + (uint32_t)(text[i] - '0');
    }
    *ret = number;
    return number <= max ? 0 : HOOP_EINVAL;
}

/* --- version 1 ------------------------------------------------------------------------------- */

/* The bytes up to the next space or the end; the space is passed over, and has to be there unless it
 * is the `last` word. */
static int next_word(const char **at, const char *end, int last, const char **ret_word,
                     size_t *ret_len)
{
    const char *space = memchr(*at, ' ', (size_t)(end - *at));
    if (!space == !last)
        return HOOP_EINVAL;
    *ret_word = *at;
    *ret_len = (size_t)((space ? space : end) - *at);
    *at = space ? space + 1 : end;
    return 0;
}

/* What follows "TCP4 " and "TCP6 ": two addresses and two ports. */
static int read_v1_ends(const char *at, const char *end, struct ends *ends)
{
    uint8_t *addresses[] = { ends->remote, ends->local };
    uint16_t *ports[] = { &ends->remote_port, &ends->local_port };
    const char *word;
    size_t len;
    for (int i = 0; i < 2; i++)
        if (next_word(&at, end, /* last= */ 0, &word, &len) ||
            hoop__address_read(hoop_str_n(word, len), (uint32_t)ends->family, addresses[i]))
            return HOOP_EINVAL;
    for (int i = 0; i < 2; i++) {
        uint32_t port;
        if (next_word(&at, end, /* last= */ i == 1, &word, &len) ||
            read_number(word, len, MAX_PORT, &port))
            return HOOP_EINVAL;
        *ports[i] = (uint16_t)port;
    }
    return 0;
}

/* A line, without its end. */
static int read_v1(const char *line, size_t len, struct hoop__peer *peer)
{
    static const char unknown[] = "UNKNOWN";
    const char *at = line + V1_START, *end = line + len;
    size_t left = (size_t)(end - at);
    struct ends ends;
    /* What stands behind UNKNOWN says nothing. */
    if (left >= sizeof unknown - 1 && !memcmp(at, unknown, sizeof unknown - 1) &&
        (left == sizeof unknown - 1 || at[sizeof unknown - 1] == ' '))
        return 0;
    memset(&ends, 0, sizeof ends);
    if (left < 5 || memcmp(at, "TCP", 3) || at[4] != ' ' || (at[3] != '4' && at[3] != '6'))
        return HOOP_EINVAL;
    ends.family = at[3] - '0';
    int rc = read_v1_ends(at + 5, end, &ends);
    if (!rc)
        set_peer(peer, &ends);
    return rc;
}

/* --- version 2 ------------------------------------------------------------------------------- */

/* Looks at the fixed part: what of the block is needed, what is passed over. */
static int read_v2_head(struct hoop__proxy *proxy)
{
    const uint8_t *head = proxy->data;
    static const uint8_t sizes[] = { 0, V4_BLOCK, V6_BLOCK, 216 }; /* none, IPv4, IPv6, Unix */
    unsigned command = head[12] & 15, family = head[13] >> 4, transport = head[13] & 15;
    uint32_t size = (uint32_t)head[14] << 8 | head[15];
    proxy->need = V2_HEAD;
    proxy->skip = size;
    if (head[12] >> 4 != 2 || command > 1)
        return HOOP_EINVAL;
    if (command == 0) /* LOCAL: the front end itself asks, whatever the block says */
        return 0;
    if (family > 3 || transport > 2 || size < sizes[family])
        return HOOP_EINVAL;
    /* Only addresses of TCP are known here; others are let in as who they are. */
    if (transport == 1 && (family == 1 || family == 2)) {
        proxy->need = (uint8_t)(V2_HEAD + sizes[family]);
        proxy->skip = size - sizes[family];
    }
    return 0;
}

static void read_v2_block(const struct hoop__proxy *proxy, struct hoop__peer *peer)
{
    const uint8_t *block = proxy->data + V2_HEAD;
    struct ends ends;
    if (proxy->need == V2_HEAD)
        return;
    size_t size = proxy->need == V2_HEAD + V4_BLOCK ? 4 : 16;
    memset(&ends, 0, sizeof ends);
    ends.family = size == 4 ? 4 : 6;
    memcpy(ends.remote, block, size);
    memcpy(ends.local, block + size, size);
    block += 2 * size;
    ends.remote_port = (uint16_t)(block[0] << 8 | block[1]);
    ends.local_port = (uint16_t)(block[2] << 8 | block[3]);
    set_peer(peer, &ends);
}

/* --- both ------------------------------------------------------------------------------------ */

/* One byte more. 0: the last but for those to skip; HOOP_EAGAIN, HOOP_EINVAL. */
static int add_byte(struct hoop__proxy *proxy, uint8_t byte, struct hoop__peer *peer)
{
    size_t at = proxy->used;
    proxy->data[proxy->used++] = byte;
    int v1 = proxy->data[0] == (uint8_t)v1_start[0];
    if (at < (v1 ? V1_START : V2_START))
        return byte == (uint8_t)(v1 ? v1_start : v2_start)[at] ? HOOP_EAGAIN : HOOP_EINVAL;
    if (v1 && byte == '\n')
        return proxy->data[at - 1] == '\r' ? read_v1((const char *)proxy->data, at - 1, peer)
                                           : HOOP_EINVAL;
    if (v1)
        return at + 1 < HOOP__PROXY_MAX ? HOOP_EAGAIN : HOOP_EINVAL;
    int rc = at + 1 == V2_HEAD ? read_v2_head(proxy) : 0;
    if (rc || at + 1 < V2_HEAD || at + 1 < proxy->need)
        return rc ? rc : HOOP_EAGAIN;
    read_v2_block(proxy, peer);
    return 0;
}

int hoop__proxy_read(struct hoop__proxy *proxy, const char *data, size_t len, size_t *ret_used,
                     struct hoop__peer *peer)
{
    size_t used = 0;
    int rc = HOOP_EAGAIN;
    while (rc == HOOP_EAGAIN && used < len && !(proxy->need && proxy->used == proxy->need))
        rc = add_byte(proxy, (uint8_t)data[used++], peer);
    if (rc == 0 || (proxy->need && proxy->used == proxy->need && rc != HOOP_EINVAL)) {
        size_t n = proxy->skip < len - used ? proxy->skip : len - used;
        proxy->skip -= (uint32_t)n;
        used += n;
        rc = proxy->skip ? HOOP_EAGAIN : 0;
    }
    *ret_used = used;
    return rc;
}

/* --- who is trusted -------------------------------------------------------------------------- */

/* Reads an entry of a list; family 1 stands for all that come by a Unix socket. */
static int read_entry(const char *text, size_t len, hoop_network *ret)
{
    if (len != 4 || memcmp(text, "unix", 4) != 0)
        return hoop_network_parse(hoop_str_n(text, len), ret);
    memset(ret, 0, sizeof *ret);
    ret->family = 1;
    return 0;
}

static int contains(const hoop_network *network, const struct hoop__peer *peer)
{
    hoop_address address = { .family = peer->family };
    if (network->family == 1)
        return peer->family == 1;
    memcpy(address.bytes, peer->remote, sizeof address.bytes);
    return hoop_network_contains(network, &address);
}

/* The next entry without the blanks around it; 0 behind the last. */
static int next_entry(const char **at, const char **ret_entry, size_t *ret_len)
{
    if (!*at)
        return 0;
    const char *entry = *at + strspn(*at, " ");
    size_t len = strcspn(entry, ",");
    *at = entry[len] ? entry + len + 1 : NULL;
    while (len && entry[len - 1] == ' ')
        len--;
    *ret_entry = entry;
    *ret_len = len;
    return 1;
}

const char *hoop__proxy_bad_entry(const char *list, size_t *ret_len)
{
    const char *entry;
    hoop_network network;
    while (next_entry(&list, &entry, ret_len))
        if (read_entry(entry, *ret_len, &network))
            return entry;
    return NULL;
}

int hoop__proxy_trusts(const char *list, const struct hoop__peer *peer)
{
    const char *entry;
    size_t len;
    hoop_network network;
    if (!list)
        list = "127.0.0.0/8, ::1, unix";
    while (next_entry(&list, &entry, &len))
        if (!read_entry(entry, len, &network) && contains(&network, peer))
            return 1;
    return 0;
}

/* --- the engine that waits ------------------------------------------------------------------- */

struct waiting {
    struct hoop__engine base; /* first */
    const struct hoop__protocol *protocol;
    struct hoop__proxy proxy;
    uint8_t begun; /* a byte has come */
};

static struct waiting *waiting_of(struct hoop__engine *engine)
{
    return (struct waiting *)(void *)engine;
}

static uint64_t later(uint64_t now, uint64_t ms)
{
    return now + ms < now ? HOOP__NEVER : now + ms;
}

static void refuse(struct hoop__engine *engine)
{
    HOOP__COUNT(engine->host->loop->counters.refused_proxy, 1);
    engine->want = HOOP__WANT_CLOSE;
    engine->deadline = HOOP__NEVER;
}

static size_t feed(struct hoop__engine *engine, const char *data, size_t len)
{
    struct waiting *waiting = waiting_of(engine);
    const struct hoop__protocol *protocol = waiting->protocol;
    struct hoop__host *host = engine->host;
    size_t used = 0;
    if (!waiting->begun) {
        waiting->begun = 1;
        engine->deadline = later(host->loop->now, host->loop->limits->head_ms);
    }
    int rc = hoop__proxy_read(&waiting->proxy, data, len, &used, &host->peer);
    if (rc == HOOP_EAGAIN)
        return used;
    if (rc) {
        refuse(engine);
        return used;
    }
    memset(engine, 0, protocol->engine_size);
    protocol->init(engine, host);
    return used;
}

static void pull(struct hoop__engine *engine, struct hoop__out *out)
{
}

static void took(struct hoop__engine *engine, size_t n)
{
}

/* One that leaves without a byte has only looked whether somebody listens. */
static void on_eof(struct hoop__engine *engine)
{
    if (waiting_of(engine)->begun)
        refuse(engine);
    engine->want = HOOP__WANT_CLOSE;
}

static void hangup(struct hoop__engine *engine)
{
}

static void tick(struct hoop__engine *engine)
{
    if (engine->host->loop->now >= engine->deadline)
        refuse(engine);
}

static void drain(struct hoop__engine *engine)
{
    engine->want = HOOP__WANT_CLOSE;
}

static void stop(struct hoop__engine *engine, int code)
{
}

static const struct hoop__engine_ops ops = {
    .feed = feed,
    .pull = pull,
    .took = took,
    .eof = on_eof,
    .hangup = hangup,
    .tick = tick,
    .drain = drain,
    .stop = stop,
};

size_t hoop__proxy_engine_size(const struct hoop__protocol *protocol)
{
    size_t size = sizeof(struct waiting);
    return protocol->engine_size > size ? protocol->engine_size : size;
}

void hoop__proxy_engine_init(struct hoop__engine *engine, struct hoop__host *host,
                             const struct hoop__protocol *protocol, const char *trusted)
{
    struct waiting *waiting = waiting_of(engine);
    memset(waiting, 0, sizeof *waiting);
    engine->ops = &ops;
    engine->host = host;
    engine->want = HOOP__WANT_INPUT;
    engine->deadline = later(host->loop->now, host->loop->limits->first_byte_ms);
    waiting->protocol = protocol;
    if (!hoop__proxy_trusts(trusted, &host->peer))
        refuse(engine);
}
