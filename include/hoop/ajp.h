/** @file
 * What a request that came over AJP brings along besides what every request has.
 */
#ifndef HOOP_AJP_H
#define HOOP_AJP_H

#include <hoop/export.h>
#include <hoop/request.h>
#include <hoop/str.h>

HOOP_BEGIN_DECLS

/** What hoop_ajp_get() is asked for. */
#define HOOP_AJP_TLS_PROTOCOL 2u  /**< of the client's connection to the proxy: "TLSv1.3" */
#define HOOP_AJP_REMOTE_USER  3u  /**< who the proxy says it is; only with `ajp_trust_user` */
#define HOOP_AJP_AUTH_TYPE    4u  /**< how that was found out: "Basic"; likewise */
#define HOOP_AJP_ROUTE        6u  /**< the route of a balancer's sticky sessions */
#define HOOP_AJP_TLS_CIPHER   8u  /**< the cipher's name, as the proxy's TLS library has it */
#define HOOP_AJP_TLS_SESSION  9u  /**< the TLS session's id */
#define HOOP_AJP_TLS_KEY_SIZE 11u /**< bits of the cipher's key, decimal */

/**
 * One of the above; absent if the proxy did not tell it, if it is not to be believed, or if the request
 * did not come over AJP. The client's certificate is hoop_client_cert(). Lives with the exchange.
 */
HOOP_API hoop_str hoop_ajp_get(const hoop_request *req, uint32_t what);

/**
 * The request attribute `name` (case counts) that the proxy sent, if it is one that Apache and IIS send of
 * their own accord, or the listener's `ajp_attributes` allow it; else absent. Lives with the exchange.
 */
HOOP_API hoop_str hoop_ajp_attribute(const hoop_request *req, const char *name);

HOOP_END_DECLS

#endif
