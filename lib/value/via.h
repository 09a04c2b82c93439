/* Requests that came through a proxy: the client's address and scheme in place of the peer's. */
#ifndef HOOP_VALUE_VIA_H
#define HOOP_VALUE_VIA_H

#include <hoop/request.h>

/* Who sent a request, if that is not the peer. */
struct hoop__remote {
    hoop_str addr; /* absent: unknown */
    uint32_t port; /* 0: unknown */
};

/* The attribute that has it. */
extern const char hoop__remote_key;

/* A request from there; the address is copied. NULL: noted. */
const hoop_request *hoop__with_remote(const hoop_request *req, hoop_str addr, uint32_t port);

/* A request by https, or by http. NULL: noted. */
const hoop_request *hoop__with_scheme(const hoop_request *req, int secure);

#endif
