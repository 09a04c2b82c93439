/* From a FORWARD_REQUEST packet to the request value; fields and attributes have files of their own. */
#include "ajp/ajp.h"

#include "codec/chars.h"
#include "codec/host.h"

#include <hoop/error.h>

#include <stdio.h>
#include <string.h>

/* --- methods --------------------------------------------------------------------------------- */

#define METHOD(text, number)               \
    {                                      \
        { text, sizeof(text) - 1 }, number \
    }

/* By their code, from 1. */
static const struct {
    hoop_str name;
    uint32_t number;
} methods[] = {
    METHOD("OPTIONS", HOOP_METHOD_OPTIONS),
    METHOD("GET", HOOP_METHOD_GET),
    METHOD("HEAD", HOOP_METHOD_HEAD),
    METHOD("POST", HOOP_METHOD_POST),
    METHOD("PUT", HOOP_METHOD_PUT),
    METHOD("DELETE", HOOP_METHOD_DELETE),
    METHOD("TRACE", HOOP_METHOD_TRACE),
    METHOD("PROPFIND", HOOP_METHOD_OTHER),
    METHOD("PROPPATCH", HOOP_METHOD_OTHER),
    METHOD("MKCOL", HOOP_METHOD_OTHER),
    METHOD("COPY", HOOP_METHOD_OTHER),
    METHOD("MOVE", HOOP_METHOD_OTHER),
    METHOD("LOCK", HOOP_METHOD_OTHER),
    METHOD("UNLOCK", HOOP_METHOD_OTHER),
    METHOD("ACL", HOOP_METHOD_OTHER),
    METHOD("REPORT", HOOP_METHOD_OTHER),
    METHOD("VERSION-CONTROL", HOOP_METHOD_OTHER),
    METHOD("CHECKIN", HOOP_METHOD_OTHER),
    METHOD("CHECKOUT", HOOP_METHOD_OTHER),
    METHOD("UNCHECKOUT", HOOP_METHOD_OTHER),
    METHOD("SEARCH", HOOP_METHOD_OTHER),
    METHOD("MKWORKSPACE", HOOP_METHOD_OTHER),
    METHOD("UPDATE", HOOP_METHOD_OTHER),
    METHOD("LABEL", HOOP_METHOD_OTHER),
    METHOD("MERGE", HOOP_METHOD_OTHER),
    METHOD("BASELINE-CONTROL", HOOP_METHOD_OTHER),
    METHOD("MKACTIVITY", HOOP_METHOD_OTHER),
};

#define STORED_METHOD 255u /* the name comes as an attribute */

/* 0 or a status. A name must come exactly if the code says so: nobody may read two methods. */
static int set_method(struct hoop__ajp_exchange *h, unsigned code)
{
    hoop_request *req = &h->x.request.pub;
    hoop_str stored = h->info.texts[HOOP__AJP_STORED_METHOD];
    int has_stored = (h->info.seen >> HOOP__AJP_STORED_METHOD & 1) != 0;
    if (has_stored != (code == STORED_METHOD))
        return 400;
    if (!has_stored) {
        req->method = methods[code - 1].name;
        req->method_number = methods[code - 1].number;
        return 0;
    }
    if (!hoop__is_token(stored))
        return 400;
    req->method = stored;
    req->method_number = hoop__method_number(stored);
    /* There is nothing here to connect to, as in HTTP/1. */
    return req->method_number == HOOP_METHOD_CONNECT ? 501 : 0;
}

/* --- targets --------------------------------------------------------------------------------- */

/* Visible ASCII without a fragment, as HTTP/1 takes it; `question`: a '?' may be among it. */
static int is_target(hoop_str s, int question)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.data[i];
        if (c <= 0x20 || c >= 0x7f || c == '#' || (c == '?' && !question))
            return 0;
    }
    return 1;
}

static size_t scheme_len(hoop_str uri)
{
    if (uri.len >= 7 && hoop_str_eq_nocase(hoop_str_n(uri.data, 7), hoop_str_n("http://", 7)))
        return 7;
    if (uri.len >= 8 && hoop_str_eq_nocase(hoop_str_n(uri.data, 8), hoop_str_n("https://", 8)))
        return 8;
    return 0;
}

/* The host of an absolute URI, which takes Host's place; the path stays (RFC 9112 3.2.2). */
static int split_absolute(struct hoop__ajp_exchange *h, hoop_str *uri, int has_query,
                          hoop_str *ret_authority)
{
    size_t scheme = scheme_len(*uri);
    if (!scheme)
        return 400;
    const char *authority = uri->data + scheme, *end = uri->data + uri->len;
    const char *path = memchr(authority, '/', (size_t)(end - authority));
    hoop_str host, found = hoop_str_n(authority, (size_t)((path ? path : end) - authority));
    uint32_t port;
    if (!found.len || hoop__host_split(found, &host, &port))
        return 400;
    if (hoop__arena_copy(h->x.arena, found, ret_authority))
        return 503;
    if (path)
        *uri = hoop_str_n(path, (size_t)(end - path));
    else if (h->x.request.pub.method_number == HOOP_METHOD_OPTIONS && !has_query)
        *uri = hoop_str_n("*", 1); /* RFC 9112 3.2.4 */
    else
        *uri = hoop_str_n("/", 1);
    return 0;
}

/* 0 or a status. `*ret_authority` is absent unless the target has one. */
static int set_target(struct hoop__ajp_exchange *h, hoop_str uri, hoop_str *ret_authority)
{
    hoop_request *req = &h->x.request.pub;
    hoop_str query = h->info.texts[HOOP__AJP_QUERY];
    uint64_t max = h->x.service->limits->max_target, len = uri.len;
    *ret_authority = hoop_str_none();
    if (!hoop_str_is_none(query))
        len += 1 + query.len;
    if (len > max)
        return 414;
    if (!uri.len || !is_target(uri, /* question= */ 0) || !is_target(query, /* question= */ 1))
        return 400;
    if (uri.data[0] != '/') {
        int has_query = !hoop_str_is_none(query);
        int star = uri.len == 1 && *uri.data == '*' && !has_query &&
                   req->method_number == HOOP_METHOD_OPTIONS;
        int rc = star ? 0 : split_absolute(h, &uri, has_query, ret_authority);
        if (rc)
            return rc;
    }
    req->uri = uri;
    req->query_string = query;
    return 0;
}

/* --- the host -------------------------------------------------------------------------------- */

/* "name:port" for a request without Host, as it would have come over HTTP. 0 or a status. */
static int make_host(struct hoop__ajp_exchange *h, hoop_str name, unsigned port, hoop_str *ret)
{
    hoop_str host;
    uint32_t none;
    int bare = hoop__host_is_ipv6(name);
    unsigned usual = h->x.peer.secure ? 443 : 80;
    if (!bare && (hoop__host_split(name, &host, &none) || host.len != name.len))
        return 400;
    char *text = hoop__arena_alloc(h->x.arena, name.len + 10);
    if (!text)
        return 503;
    int n = snprintf(text, name.len + 3, "%s%s%s", bare ? "[" : "", name.data, bare ? "]" : "");
    if (port && port != usual)
        n += snprintf(text + n, 7, ":%u", port);
    *ret = hoop_str_n(text, (size_t)n);
    return 0;
}

/* One Host, valid, as HTTP/1 has it; fields.c has left room for one more. 0 or a status. */
static int set_host(struct hoop__ajp_exchange *h, hoop_str authority, hoop_str name, unsigned port)
{
    hoop_request *req = &h->x.request.pub;
    hoop_field *fields = (hoop_field *)(uintptr_t)req->headers;
    size_t i = req->header_count;
    hoop_str value = authority, host;
    uint32_t number;
    if (h->has_host) {
        i = hoop__field_find(fields, req->header_count, 0, hoop_str_n("host", 4));
        if (hoop__host_split(fields[i].value, &host, &number))
            return 400;
        if (!value.len)
            value = fields[i].value;
    }
    if (!value.len && name.len) {
        int rc = make_host(h, name, port, &value);
        if (rc)
            return rc;
    }
    if (hoop_str_is_none(value))
        return 0;
    fields[i].name = hoop_str_n("host", 4);
    fields[i].value = value;
    req->header_count += i == req->header_count;
    return 0;
}

/* --- all together ---------------------------------------------------------------------------- */

/* What the packet begins with; the strings lie in it. */
struct start {
    unsigned method, port, secure;
    hoop_str protocol, uri, remote, name;
};

/* "HTTP/1.1", but also "HTTP/2.0", and "INCLUDED" of a subrequest. */
static int is_protocol(hoop_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!hoop__char_is(s.data[i], HOOP__CHAR_TOKEN | HOOP__CHAR_SLASH))
            return 0;
    return s.len > 0 && s.len <= 32;
}

static int read_start(struct hoop__ajp_reader *r, struct start *start)
{
    hoop__ajp_byte(r); /* FORWARD_REQUEST */
    start->method = hoop__ajp_byte(r);
    start->protocol = hoop__ajp_string(r);
    start->uri = hoop__ajp_string(r);
    start->remote = hoop__ajp_string(r);
    hoop__ajp_string(r); /* the remote host: nobody can rely on it */
    start->name = hoop__ajp_string(r);
    start->port = hoop__ajp_int(r);
    start->secure = hoop__ajp_byte(r);
    if (r->bad || !is_protocol(start->protocol) || !hoop__is_field_value(start->remote))
        return 400;
    if (start->method != STORED_METHOD && (!start->method || start->method > HOOP_COUNT(methods)))
        return 400;
    return 0;
}

/* The proxy tells who its client is; the other end of our connection is the proxy's business. */
static void set_peer(struct hoop__ajp_exchange *h, const struct start *start)
{
    struct hoop__peer *peer = &h->x.peer;
    memset(peer, 0, sizeof *peer);
    peer->local_port = (uint16_t)start->port;
    peer->secure = start->secure != 0;
    if (!hoop_str_is_none(start->remote))
        peer->remote_text = start->remote.data;
}

static void set_body(struct hoop__ajp_exchange *h)
{
    struct hoop__body *body = &h->x.body;
    if (!h->chunked && !h->length) {
        h->body_done = 1;
        return;
    }
    body->state = HOOP__BODY_COMING;
    body->length = h->chunked ? HOOP__LENGTH_UNKNOWN : h->length;
}

/* Missing and wrong are the same answer, whatever else the packet has. */
static int check_secret(const struct hoop__ajp_exchange *h)
{
    const struct hoop__ajp *e = h->engine;
    if (!e->secret_len)
        return 0;
    hoop_str secret = hoop_str_n(e->listener->ajp_secret, e->secret_len);
    return hoop_str_eq_secret(h->info.texts[HOOP__AJP_SECRET], secret) ? 0 : 403;
}

int hoop__ajp_request(struct hoop__ajp_exchange *h)
{
    struct hoop__ajp_reader r = { h->packet, h->packet + h->packet_len, 0 };
    hoop_request *req = &h->x.request.pub;
    struct start start;
    hoop_str authority;
    int rc = read_start(&r, &start);
    if (rc)
        return rc;
    set_peer(h, &start);
    rc = hoop__ajp_fields(h, &r);
    if (rc)
        return rc;
    rc = hoop__ajp_attributes(h, &r);
    int denied = rc == 400 ? 0 : check_secret(h);
    if (rc || denied)
        return denied ? denied : rc;
    req->protocol = start.protocol;
    req->scheme = start.secure ? hoop_str_n("https", 5) : hoop_str_n("http", 4);
    rc = set_method(h, start.method);
    if (!rc)
        rc = set_target(h, start.uri, &authority);
    if (!rc)
        rc = set_host(h, authority, start.name, start.port);
    if (!rc)
        set_body(h);
    return rc;
}
