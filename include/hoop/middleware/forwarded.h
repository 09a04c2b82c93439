/** @file
 * Middleware "forwarded": what trusted proxies tell of the client.
 */
#ifndef HOOP_MIDDLEWARE_FORWARDED_H
#define HOOP_MIDDLEWARE_FORWARDED_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Whom to trust, and with what. Zero means the default given here. */
typedef struct hoop_forwarded_options {
    /** Networks of proxies: "10.0.0.0/8", "::1"; "unix" for peers on a Unix socket. Must not be empty. */
    const char *const *trusted;
    size_t trusted_count; /**< how many */
    uint32_t
        standard; /**< nonzero: Forwarded (RFC 7239) is read; else X-Forwarded-For, -Proto and -Host */
    uint32_t
        use_host; /**< nonzero: the host, too, as the proxy got it; it must overwrite what clients send */
    uint32_t ignore_proto;    /**< nonzero: the scheme is left alone */
    uint32_t reserved;        /**< zero */
    const char *proto_header; /**< in place of "X-Forwarded-Proto"; not read if `standard` is set */
} hoop_forwarded_options;

/** The type of HOOP_FORWARDED(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_forwarded_type;

/**
 * An entry of a chain: `HOOP_FORWARDED(&options)`. Options are borrowed.
 *
 * If the peer is in a trusted network, hoop_remote_addr() and hoop_remote_port() become those of the client:
 * of the chain of addresses, read from its end, the first that is in none of these networks (if all are, the
 * foremost). The scheme, and with `use_host` the Host header, are what the proxy that was asked by
 * that client tells. A client that hides ("unknown", "_name") has no address. From other peers these headers
 * mean nothing. Only one kind of header is read, since a proxy that writes one kind lets the other through. A
 * proxy that tells the scheme or the host, but no address, leaves the address as it was.
 *
 * A header of a trusted peer that can't be read is answered 400. An empty list, and an entry that is no network
 * ("10.1.0.0/8" among them), or a `proto_header` that is no name, are refused when the chain is built.
 *
 * Needs nothing, provides "forwarded". Not idempotent. Mount it furthest out.
 *
 * Source: RFC 7239; Ring, wrap-forwarded-remote-addr and wrap-forwarded-scheme. Unlike Ring: only
 * from peers that are trusted, and not the last address but the last that is no proxy's.
 */
#define HOOP_FORWARDED(...) \
    HOOP_USE(&hoop_forwarded_type, (__VA_ARGS__), sizeof(hoop_forwarded_options))

/** The function behind hoop_forwarded_request(). */
HOOP_API const hoop_request *hoop_forwarded_request_sized(const hoop_request *req,
                                                          const hoop_response **ret_answer,
                                                          const hoop_forwarded_options *options,
                                                          size_t options_size);

/** The request as the client sent it. Or NULL, and `*ret_answer` as in hoop_params_request(). */
#define hoop_forwarded_request(req, ret_answer, ...) \
    hoop_forwarded_request_sized((req), (ret_answer), (__VA_ARGS__), sizeof(hoop_forwarded_options))

HOOP_END_DECLS

#endif
