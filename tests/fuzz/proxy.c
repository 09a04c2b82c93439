/*
 * Fuzz target: bytes as a PROXY header, whole against byte by byte; the first byte says where the rest is a
 * trust list instead. Both ways must agree on result, consumption and the peer.
 */
#include "support.h"

#include "net/proxy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct outcome {
    int rc;
    size_t used;
    struct hoop__peer peer;
};

/* Feeds pieces of `step` bytes until the header is decided or the input is used up. */
static void read_in(const char *data, size_t size, size_t step, struct outcome *ret)
{
    struct hoop__proxy proxy;
    memset(&proxy, 0, sizeof proxy);
    memset(ret, 0, sizeof *ret);
    ret->rc = HOOP_EAGAIN;
    while (ret->used < size && ret->rc == HOOP_EAGAIN) {
        size_t len = size - ret->used < step ? size - ret->used : step, used = 0;
        ret->rc = hoop__proxy_read(&proxy, data + ret->used, len, &used, &ret->peer);
        if (used > len || (ret->rc == HOOP_EAGAIN && used != len))
            abort();
        ret->used += used;
    }
}

static void try_list(const char *data, size_t size)
{
    char *list = malloc(size + 1);
    memcpy(list, data, size);
    list[size] = 0;
    size_t len = 0;
    const char *bad = hoop__proxy_bad_entry(list, &len);
    if (bad && (bad < list || bad + len > list + strlen(list)))
        abort();
    struct hoop__peer peer = { .family = 4, .remote = { 127, 0, 0, 1 } };
    if (!bad)
        hoop__proxy_trusts(list, &peer);
    free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size && data[0] == 'L') {
        try_list((const char *)data + 1, size - 1);
        return 0;
    }
    struct outcome whole, cut;
    read_in((const char *)data, size, size, &whole);
    read_in((const char *)data, size, 1, &cut);
    if (whole.rc != cut.rc || (!whole.rc && whole.used != cut.used) ||
        (!whole.rc && memcmp(&whole.peer, &cut.peer, sizeof cut.peer) != 0))
        abort();
    return 0;
}
