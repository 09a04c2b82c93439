/* What a request tells on demand: headers, addresses, the host it names, the type of its body. */
#include "value/exchange.h"
#include "value/via.h"

#include "codec/host.h"
#include "codec/media.h"

#include <arpa/inet.h>
#include <string.h>

/* --- headers --------------------------------------------------------------------------------- */

hoop_str hoop_header_at(const hoop_request *req, const char *name, size_t index)
{
    if (!req || !name)
        return hoop_str_none();
    hoop_str n = hoop_str_c(name);
    size_t i = hoop__field_find(req->headers, req->header_count, 0, n);
    while (i < req->header_count && index--)
        i = hoop__field_find(req->headers, req->header_count, i + 1, n);
    return i < req->header_count ? req->headers[i].value : hoop_str_none();
}

hoop_str hoop_header(const hoop_request *req, const char *name)
{
    return hoop_header_at(req, name, 0);
}

hoop_str hoop_header_joined(const hoop_request *req, const char *name)
{
    if (!req || !name)
        return hoop_str_none();
    hoop_str n = hoop_str_c(name);
    hoop_str separator = hoop_str_c(hoop_str_eq_nocase(n, hoop_str_c("cookie")) ? "; " : ", ");
    size_t first = hoop__field_find(req->headers, req->header_count, 0, n), size = 0, count = 0;
    for (size_t i = first; i < req->header_count; count++) {
        size += req->headers[i].value.len + separator.len;
        i = hoop__field_find(req->headers, req->header_count, i + 1, n);
    }
    if (count == 0)
        return hoop_str_none();
    if (count == 1)
        return req->headers[first].value;
    char *joined = hoop_alloc(req, size + 1), *end = joined;
    if (!joined)
        return hoop_str_none();
    for (size_t i = first; i < req->header_count;) {
        if (end != joined) {
            memcpy(end, separator.data, separator.len);
            end += separator.len;
        }
        memcpy(end, req->headers[i].value.data, req->headers[i].value.len);
        end += req->headers[i].value.len;
        i = hoop__field_find(req->headers, req->header_count, i + 1, n);
    }
    *end = 0;
    return hoop_str_n(joined, (size_t)(end - joined));
}

/* --- addresses ------------------------------------------------------------------------------- */

/* A copy that ends with a NUL; absent: noted. */
static hoop_str copy_of(const hoop_request *req, hoop_str text)
{
    hoop_str copy = hoop_arena_copy(req->arena, text);
    if (hoop_str_is_none(copy))
        hoop__fail_memory(req);
    return copy;
}

static hoop_str address_text(const hoop_request *req, uint8_t family, const uint8_t *bytes)
{
    if (family == 1)
        return hoop_str_c("");
    if (family != 4 && family != 6)
        return hoop_str_none();
    char text[INET6_ADDRSTRLEN];
    if (!inet_ntop(family == 4 ? AF_INET : AF_INET6, bytes, text, sizeof text))
        return hoop_str_none();
    return copy_of(req, hoop_str_c(text));
}

hoop_str hoop_remote_addr(const hoop_request *req)
{
    struct hoop__exchange *x = req ? hoop__exchange_of(req) : NULL;
    const struct hoop__remote *remote = hoop_get(req, &hoop__remote_key);
    if (remote)
        return remote->addr;
    if (!x)
        return hoop_str_none();
    if (x->peer.remote_text)
        return hoop_str_c(x->peer.remote_text);
    return address_text(req, x->peer.family, x->peer.remote);
}

uint32_t hoop_remote_port(const hoop_request *req)
{
    struct hoop__exchange *x = req ? hoop__exchange_of(req) : NULL;
    const struct hoop__remote *remote = hoop_get(req, &hoop__remote_key);
    if (remote)
        return remote->port;
    return x ? x->peer.remote_port : 0;
}

hoop_str hoop_client_cert(const hoop_request *req)
{
    struct hoop__exchange *x = req ? hoop__exchange_of(req) : NULL;
    return x && x->peer.cert ? hoop_str_c(x->peer.cert) : hoop_str_none();
}

hoop_str hoop_server_name(const hoop_request *req)
{
    if (!req)
        return hoop_str_none();
    hoop_str host;
    uint32_t port;
    if (hoop__host_split(hoop_header(req, "host"), &host, &port) == 0 && host.len)
        return copy_of(req, host);
    struct hoop__exchange *x = hoop__exchange_of(req);
    return x ? address_text(req, x->peer.family, x->peer.local) : hoop_str_none();
}

uint32_t hoop_server_port(const hoop_request *req)
{
    if (!req)
        return 0;
    hoop_str value = hoop_header(req, "host"), host;
    uint32_t port = 0;
    if (value.len && hoop__host_split(value, &host, &port) == 0 && port)
        return port;
    struct hoop__exchange *x = hoop__exchange_of(req);
    if (!value.len && x && x->peer.local_port)
        return x->peer.local_port;
    return hoop_str_eq_c(req->scheme, "https") ? 443 : 80;
}

hoop_str hoop_request_url(const hoop_request *req)
{
    if (!req)
        return hoop_str_none();
    hoop_str host = hoop_header(req, "host");
    if (!host.len)
        host = hoop_server_name(req);
    int query = !hoop_str_is_none(req->query_string);
    return hoop_arena_printf(req->arena, "%s://%s%s%s%s", req->scheme.data, host.data,
                             req->uri.data, query ? "?" : "", req->query_string.data);
}

/* --- the body's type ------------------------------------------------------------------------- */

hoop_str hoop_request_content_type(const hoop_request *req)
{
    hoop_str value = hoop_header(req, "content-type");
    if (hoop_str_is_none(value))
        return value;
    const char *end = memchr(value.data, ';', value.len);
    hoop_str type =
        hoop_str_trim(hoop_str_n(value.data, end ? (size_t)(end - value.data) : value.len));
    return end ? hoop_arena_copy(req->arena, type) : type;
}

uint64_t hoop_request_content_length(const hoop_request *req)
{
    struct hoop__exchange *x = req ? hoop__exchange_of(req) : NULL;
    if (!x || x->body.state == HOOP__BODY_ABSENT)
        return hoop_str_eq_c(hoop_header(req, "content-length"), "0") ? 0 : UINT64_MAX;
    return x->body.length;
}

hoop_str hoop_request_charset(const hoop_request *req)
{
    struct hoop__media media;
    struct hoop__param param;
    if (hoop__media_parse(hoop_header(req, "content-type"), &media) ||
        !hoop__media_param(&media, "charset", &param))
        return hoop_str_none();
    hoop_str copy = hoop_arena_copy(req->arena, param.value);
    if (param.escaped && !hoop_str_is_none(copy)) {
        char *text = (char *)(uintptr_t)copy.data;
        copy.len = hoop__param_unescape(param.value, text);
        text[copy.len] = 0;
    }
    return copy;
}
