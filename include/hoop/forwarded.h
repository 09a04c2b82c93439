/** @file
 * What proxies tell of the request that they got: Forwarded, and the X-Forwarded headers before it.
 *
 * Everyone can send these headers. They say something only if the peer is a proxy that one trusts, and only as
 * far as each proxy on the way is one: hoop_forwarded_client() and hoop_forwarded_for_client() look so far.
 */
#ifndef HOOP_FORWARDED_H
#define HOOP_FORWARDED_H

#include <hoop/address.h>
#include <hoop/error.h>
#include <hoop/export.h>
#include <hoop/str.h>

HOOP_BEGIN_DECLS

/** An element of Forwarded: what one proxy tells. Slices of the header without quotes; absent if not told. */
typedef struct hoop_forwarded {
    hoop_str client; /**< `for`: who asked the proxy; see hoop_forwarded_node() */
    hoop_str by;     /**< where the proxy was asked */
    hoop_str host;   /**< the Host that it got */
    hoop_str proto;  /**< "http" or "https" */
} hoop_forwarded;

/**
 * Takes the next element off the front of `*rest`, the value of a Forwarded header. Each proxy adds one at
 * the end. Other parameters are passed over. 1, 0 at the end, or HOOP_EPARSE (then `*rest` stays) for what
 * breaks the grammar, a parameter that comes twice, or a backslash in one of the four, which none of them
 * needs. Threads: any. Source: RFC 7239 4.
 */
HOOP_API int hoop_forwarded_next(hoop_str *rest, hoop_forwarded *ret_forwarded);

/**
 * Reads a node, `for` or `by` of an element or an element of X-Forwarded-For: an IPv4 address, an IPv6
 * address with or without brackets, with brackets or IPv4 also a port ("192.0.2.1:80"). A hidden port
 * ("_a1") is 0, as is none. 0; HOOP_EMISSING for "unknown" and hidden names ("_proxy"); HOOP_EPARSE.
 * Threads: any. Source: RFC 7239 6.
 */
HOOP_API int hoop_forwarded_node(hoop_str node, hoop_address *ret_address, uint32_t *ret_port);

/**
 * The element that tells of the client: going from the last one to the front, as long as what it tells of is
 * itself in one of the trusted networks; if all are, it is the first. The peer, which sent the header, has to be
 * trusted: the caller looks at that. 0; HOOP_EMISSING if there is no element; HOOP_EPARSE if one from
 * there on is broken; what stands in front of it may be the client's invention and is not looked at, but
 * it has to be possible to tell where it ends. Threads: any.
 */
HOOP_API int hoop_forwarded_client(hoop_str header, const hoop_network *trusted, size_t count,
                                   hoop_forwarded *ret_forwarded);

/**
 * The same for X-Forwarded-For: the address of the client, and how many elements stand behind it (0: it is the
 * last), by which hoop_forwarded_nth() finds what the same proxy said in its other headers. HOOP_EMISSING also
 * if that element is "unknown" or hidden.
 */
HOOP_API int hoop_forwarded_for_client(hoop_str header, const hoop_network *trusted, size_t count,
                                       hoop_address *ret_address, uint32_t *ret_port,
                                       size_t *ret_behind);

/**
 * The element of a list that `behind` others follow (0: the last): of X-Forwarded-Proto, -Host or -Port. If the
 * list is shorter it is the first. Absent if there is none. Threads: any.
 */
HOOP_API hoop_str hoop_forwarded_nth(hoop_str header, size_t behind);

HOOP_END_DECLS

#endif
