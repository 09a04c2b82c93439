/* IP addresses and networks, by the C library's reader; see address.h and hoop/address.h. */
#include "codec/address.h"

#include <arpa/inet.h>

int hoop__address_is_mapped(const uint8_t bytes[16])
{
    static const uint8_t prefix[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
    return memcmp(bytes, prefix, sizeof prefix) == 0;
}

int hoop__address_read(hoop_str text, uint32_t family, uint8_t ret_bytes[16])
{
    char copy[INET6_ADDRSTRLEN];
    uint8_t bytes[16] = { 0 };
    if (!text.len || text.len >= sizeof copy || memchr(text.data, '\0', text.len))
        return HOOP_EPARSE;
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    if (inet_pton(family == 4 ? AF_INET : AF_INET6, copy, bytes) != 1)
        return HOOP_EPARSE;
    memcpy(ret_bytes, bytes, sizeof bytes);
    return 0;
}

/* Makes a mapped address the one that it stands for. */
static uint32_t unmap(uint8_t bytes[16], uint32_t family)
{
    if (family != 6 || !hoop__address_is_mapped(bytes))
        return family;
    memmove(bytes, bytes + 12, 4);
    memset(bytes + 4, 0, 12);
    return 4;
}

static uint32_t family_of(hoop_str text)
{
    return memchr(text.data, ':', text.len) ? 6 : 4;
}

int hoop_address_parse(hoop_str text, hoop_address *ret_address)
{
    hoop_address address = { .family = family_of(text) };
    if (hoop__address_read(text, address.family, address.bytes))
        return HOOP_EPARSE;
    address.family = unmap(address.bytes, address.family);
    *ret_address = address;
    return 0;
}

size_t hoop_address_format(const hoop_address *address, char out[HOOP_ADDRESS_SIZE])
{
    out[0] = '\0';
    if (address->family != 4 && address->family != 6)
        return 0;
    inet_ntop(address->family == 4 ? AF_INET : AF_INET6, address->bytes, out, HOOP_ADDRESS_SIZE);
    return strlen(out);
}

int hoop_address_equal(const hoop_address *a, const hoop_address *b)
{
    return a->family == b->family && memcmp(a->bytes, b->bytes, a->family == 4 ? 4 : 16) == 0;
}

/* One to three digits without a zero in front. */
static int read_bits(hoop_str text, uint32_t max, uint32_t *ret_bits)
{
    uint32_t bits = 0;
    if (!text.len || text.len > 3 || (text.len > 1 && text.data[0] == '0'))
        return HOOP_EPARSE;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return HOOP_EPARSE;
        bits = bits * 10 + (uint32_t)(text.data[i] - '0');
    }
    *ret_bits = bits;
    return bits <= max ? 0 : HOOP_EPARSE;
}

/* Nonzero if all bits behind the first `bits` are zero. */
static int ends_in_zeros(const uint8_t *bytes, size_t size, uint32_t bits)
{
    for (size_t i = 0; i < size; i++) {
        uint32_t kept = bits > i * 8 ? bits - (uint32_t)i * 8 : 0;
        if (kept < 8 && (bytes[i] & (0xff >> kept)))
            return 0;
    }
    return 1;
}

int hoop_network_parse(hoop_str text, hoop_network *ret_network)
{
    const char *slash = memchr(text.data, '/', text.len);
    hoop_str address = hoop_str_n(text.data, slash ? (size_t)(slash - text.data) : text.len);
    hoop_network network = { .family = family_of(address) };
    uint32_t max = network.family == 4 ? 32 : 128;
    network.bits = max;
    if (hoop__address_read(address, network.family, network.bytes))
        return HOOP_EPARSE;
    if (slash && read_bits(hoop_str_n(slash + 1, text.len - address.len - 1), max, &network.bits))
        return HOOP_EPARSE;
    if (!ends_in_zeros(network.bytes, max / 8, network.bits))
        return HOOP_EPARSE;
    if (network.family == 6 && network.bits >= 96 && unmap(network.bytes, 6) == 4) {
        network.family = 4;
        network.bits -= 96;
    }
    *ret_network = network;
    return 0;
}

int hoop_network_contains(const hoop_network *network, const hoop_address *address)
{
    size_t bytes = network->bits / 8, rest = network->bits % 8;
    if (network->family != address->family || bytes > sizeof network->bytes)
        return 0;
    if (memcmp(network->bytes, address->bytes, bytes))
        return 0;
    return !rest || !((network->bytes[bytes] ^ address->bytes[bytes]) >> (8 - rest));
}
