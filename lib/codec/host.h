/* The value of Host and the authority of a target: validated and split; no name is looked up. */
#ifndef HOOP_CODEC_HOST_H
#define HOOP_CODEC_HOST_H

#include <hoop/error.h>
#include <hoop/str.h>

/*
 * Splits `host [":" port]` (RFC 9110 7.2, RFC 3986 3.2.2) without OWS around it. The host is a
 * reg-name (an IPv4 address is one), or an address in brackets, which stay; it is a slice of `value`.
 * An empty value is right (a target without authority) and gives the empty host; an empty host
 * with a port is refused (RFC 9110 4.2.1). The port is 1 to 65535; "host:" has none, as 0.
 * 0, or HOOP_EPARSE with the outputs untouched.
 */
int hoop__host_split(hoop_str value, hoop_str *ret_host, uint32_t *ret_port);

/* Nonzero if the text is an IPv4 address in its strict dotted form (RFC 3986 3.2.2). */
int hoop__host_is_ipv4(hoop_str text);

/* Nonzero if the text is an IPv6 address without brackets and without zone (RFC 3986 3.2.2). */
int hoop__host_is_ipv6(hoop_str text);

#endif
