/*
 * The PROXY protocol, versions 1 and 2: a front end's word, ahead of all else, on who the client is.
 * Source: HAProxy's proxy-protocol.txt. Nothing here does I/O.
 */
#ifndef HOOP_NET_PROXY_H
#define HOOP_NET_PROXY_H

#include "value/engine.h"

#define HOOP__PROXY_MAX 107 /* bytes of the longest line of version 1, and more than is kept of 2 */

/* Reads a header however it is cut; zeroed before its first byte. */
struct hoop__proxy {
    uint32_t skip;                 /* bytes of version 2's block that are passed over */
    uint8_t used;                  /* bytes in `data` */
    uint8_t need;                  /* version 2: how many there have to be */
    uint8_t data[HOOP__PROXY_MAX]; /* the header but for what is skipped */
};

/*
 * Takes bytes off the front, *ret_used of `len`. 0: the header is complete, and if it names a client
 * he is in `peer`; HOOP_EAGAIN: all were taken, more are needed; HOOP_EINVAL: this is no header.
 */
int hoop__proxy_read(struct hoop__proxy *proxy, const char *data, size_t len, size_t *ret_used,
                     struct hoop__peer *peer);

/*
 * Nonzero if the peer's own address is in `list`: networks and addresses between commas, and "unix" for
 * all that come by a Unix socket. NULL: this machine's, by loopback or Unix socket.
 */
int hoop__proxy_trusts(const char *list, const struct hoop__peer *peer);

/* The first entry of a list that is none, with its length; NULL if all are well. */
const char *hoop__proxy_bad_entry(const char *list, size_t *ret_len);

/*
 * An engine that stands in place of another until the header has come, and then becomes it: in the same
 * memory, for which there have to be hoop__proxy_engine_size(protocol) bytes. Whoever is not trusted,
 * sends no header or is late is closed without a word, and counted.
 */
size_t hoop__proxy_engine_size(const struct hoop__protocol *protocol);
void hoop__proxy_engine_init(struct hoop__engine *engine, struct hoop__host *host,
                             const struct hoop__protocol *protocol, const char *trusted);

#endif
