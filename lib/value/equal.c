/* Whether two requests or two responses are the same value; where they live does not count. */
#include "value/exchange.h"

#include <arpa/inet.h>

static int equal_or_both_absent(hoop_str a, hoop_str b)
{
    return hoop_str_is_none(a) == hoop_str_is_none(b) && hoop_str_eq(a, b);
}

/* `same` compares names. */
static int equal_fields(const hoop_field *a, size_t a_count, const hoop_field *b, size_t b_count,
                        int (*same)(hoop_str, hoop_str))
{
    if (a_count != b_count)
        return 0;
    for (size_t i = 0; i < a_count; i++) {
        if (!same(a[i].name, b[i].name) || !hoop_str_eq(a[i].value, b[i].value))
            return 0;
    }
    return 1;
}

/* hoop_str_eq() is inline; a pointer to it would make a copy in each file. */
static int same_bytes(hoop_str a, hoop_str b)
{
    return hoop_str_eq(a, b);
}

/* The peer's address as hoop_remote_addr() tells it, but in `buffer`, so that nothing is allocated. */
static hoop_str remote_addr(const hoop_request *req, char buffer[INET6_ADDRSTRLEN])
{
    const struct hoop__exchange *x = hoop__exchange_of(req);
    if (!x)
        return hoop_str_none();
    if (x->peer.remote_text)
        return hoop_str_c(x->peer.remote_text);
    if (x->peer.family == 1)
        return hoop_str_c("");
    if (x->peer.family != 4 && x->peer.family != 6)
        return hoop_str_none();
    int family = x->peer.family == 4 ? AF_INET : AF_INET6;
    return hoop_str_c(inet_ntop(family, x->peer.remote, buffer, INET6_ADDRSTRLEN));
}

static int equal_peers(const hoop_request *a, const hoop_request *b)
{
    char a_buffer[INET6_ADDRSTRLEN], b_buffer[INET6_ADDRSTRLEN];
    return equal_or_both_absent(remote_addr(a, a_buffer), remote_addr(b, b_buffer)) &&
           hoop_remote_port(a) == hoop_remote_port(b);
}

int hoop_request_equal(const hoop_request *a, const hoop_request *b)
{
    if (a == b)
        return 1;
    if (!a || !b)
        return 0;
    /* No bytes are no body, however they were framed. */
    return hoop_str_eq(a->method, b->method) && hoop_str_eq(a->scheme, b->scheme) &&
           hoop_str_eq(a->protocol, b->protocol) && hoop_str_eq(a->uri, b->uri) &&
           equal_or_both_absent(a->query_string, b->query_string) &&
           equal_fields(a->headers, a->header_count, b->headers, b->header_count, same_bytes) &&
           equal_peers(a, b) && hoop_str_eq(hoop_body(a), hoop_body(b));
}

int hoop_response_equal(const hoop_response *a, const hoop_response *b)
{
    if (a == b)
        return 1;
    /* What is not there yet, and a pass, equal nothing but themselves. */
    if (!a || !b || hoop__response_of(a)->kind != HOOP__READY ||
        hoop__response_of(b)->kind != HOOP__READY)
        return 0;
    if (a->status != b->status || a->body_kind != b->body_kind ||
        !equal_fields(a->headers, a->header_count, b->headers, b->header_count, hoop_str_eq_nocase))
        return 0;
    switch (a->body_kind) {
    case HOOP_BODY_BYTES:
        return hoop_str_eq(a->body, b->body);
    case HOOP_BODY_STREAM:
        return hoop__response_of(a)->source == hoop__response_of(b)->source;
    default:
        return 1;
    }
}
