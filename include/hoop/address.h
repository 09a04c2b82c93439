/** @file
 * IP addresses and networks: read, written, and whether one lies in the other.
 */
#ifndef HOOP_ADDRESS_H
#define HOOP_ADDRESS_H

#include <hoop/error.h>
#include <hoop/export.h>
#include <hoop/str.h>

HOOP_BEGIN_DECLS

/**
 * An IP address. An IPv4 address that is mapped into IPv6 (`::ffff:10.0.0.1`) is the IPv4 address, so that
 * two spellings of one address are equal. Zero is no address.
 */
typedef struct hoop_address {
    uint8_t bytes[16]; /**< in the order of the network; of IPv4 the first four, zero behind */
    uint32_t family;   /**< 4 or 6 */
} hoop_address;

/** The addresses whose first `bits` bits are those of `bytes`; the others are zero in it. */
typedef struct hoop_network {
    uint8_t bytes[16]; /**< as in hoop_address */
    uint32_t family;   /**< 4 or 6 */
    uint32_t bits;     /**< 0 to 32 or 128 */
} hoop_network;

/** Room for an address as text, its NUL included. */
#define HOOP_ADDRESS_SIZE 46

/**
 * Reads "10.0.0.1" or "2001:db8::1"; no brackets, no port, no zone, no leading zeros in IPv4. 0, or HOOP_EPARSE.
 * Threads: any. Source: RFC 3986 3.2.2.
 */
HOOP_API int hoop_address_parse(hoop_str text, hoop_address *ret_address);

/** Writes an address with a NUL behind and returns its length; 0 and "" for none. Threads: any. */
HOOP_API size_t hoop_address_format(const hoop_address *address, char out[HOOP_ADDRESS_SIZE]);

/** Nonzero if both are the same address. Threads: any. */
HOOP_API int hoop_address_equal(const hoop_address *a, const hoop_address *b);

/**
 * Reads "10.0.0.0/8", "fd00::/8" or a single address. Bits behind the network have to be zero, since
 * "10.1.0.0/8" is more likely a mistake than not. `::ffff:0:0/96` and what is within are IPv4
 * networks. 0, or HOOP_EPARSE. Threads: any. Source: RFC 4632 3.1, RFC 4291 2.3.
 */
HOOP_API int hoop_network_parse(hoop_str text, hoop_network *ret_network);

/** Nonzero if the address lies in the network. Threads: any. */
HOOP_API int hoop_network_contains(const hoop_network *network, const hoop_address *address);

HOOP_END_DECLS

#endif
