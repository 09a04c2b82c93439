/* IP addresses as bytes of a family that the caller knows; see hoop/address.h for what is public. */
#ifndef HOOP_CODEC_ADDRESS_H
#define HOOP_CODEC_ADDRESS_H

#include <hoop/address.h>

/* Reads an address of a family (4 or 6) as it stands: a mapped one stays IPv6. 0, or HOOP_EPARSE. */
int hoop__address_read(hoop_str text, uint32_t family, uint8_t ret_bytes[16]);

/* Nonzero if 16 bytes are an IPv4 address mapped into IPv6. */
int hoop__address_is_mapped(const uint8_t bytes[16]);

#endif
