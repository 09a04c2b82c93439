/* Prefix, slash, methods and encodings of what is served by path; see way.h. */
#include "file/way.h"

#include <hoop/accept.h>
#include <hoop/router.h>

#include <string.h>

const struct hoop__encoding hoop__encodings[HOOP__ENCODINGS] = { { "br", "br" },
                                                                 { "zstd", "zst" },
                                                                 { "gzip", "gz" } };

int hoop__next_encoding(const hoop_request *req, uint32_t *tried)
{
    if (hoop_str_is_none(hoop_header(req, "accept-encoding")))
        return -1;
    hoop_str accept = hoop_header_joined(req, "accept-encoding");
    uint32_t best = hoop_accept_quality(HOOP_ACCEPT_ENCODING, accept, hoop_str_c("identity"));
    int found = -1;
    for (int i = 0; i < HOOP__ENCODINGS; i++) {
        uint32_t q =
            hoop_accept_quality(HOOP_ACCEPT_ENCODING, accept, hoop_str_c(hoop__encodings[i].name));
        if (*tried & 1u << i || !q || q < best || (q == best && found >= 0))
            continue;
        best = q;
        found = i;
    }
    if (found >= 0)
        *tried |= 1u << found;
    return found;
}

int hoop__reads(const hoop_request *req)
{
    return req->method_number == HOOP_METHOD_GET || req->method_number == HOOP_METHOD_HEAD;
}

int hoop__path_below(const hoop_request *req, const char *prefix, hoop_str *ret_path)
{
    size_t len = prefix ? strlen(prefix) : 0;
    hoop_str path = hoop_path_info(req);
    if (hoop_context(req).len == req->uri.len) /* the "/" of the mount itself was not sent */
        path = hoop_str_c("");
    if (path.len < len || memcmp(path.data, prefix ? prefix : "", len) != 0 ||
        (len && path.len > len && path.data[len] != '/'))
        return HOOP_EMISSING;
    *ret_path = hoop_str_n(path.data + len, path.len - len);
    return 0;
}

int hoop__check_way(const char *who, const char *prefix, const char *cache_control,
                    hoop_error *error)
{
    if (prefix && (prefix[0] != '/' || prefix[strlen(prefix) - 1] == '/'))
        return hoop_error_set(error, HOOP_EINVAL,
                              "%s: the prefix '%s' has to begin with '/', and not to end so", who,
                              prefix);
    if (cache_control && !hoop__is_field_value(hoop_str_c(cache_control)))
        return hoop_error_set(error, HOOP_EINVAL, "%s: the Cache-Control can't stand in a header",
                              who);
    return 0;
}

const hoop_response *hoop__add_slash(const hoop_request *req)
{
    int query = !hoop_str_is_none(req->query_string);
    const char *location = hoop_printf(req, "%s/%s%s", req->uri.data, query ? "?" : "",
                                       query ? req->query_string.data : "");
    return location ? hoop_redirect(req, 301, location) : NULL;
}

const hoop_response *hoop__with(const hoop_request *req, const hoop_response *res, const char *name,
                                const char *value)
{
    return res ? hoop__response_with(req, res, hoop_str_c(name), hoop_str_c(value), 1) : NULL;
}

const hoop_response *hoop__only_reads(const hoop_request *req)
{
    return hoop__with(req, hoop_problem(req, 405, NULL), "Allow", "GET, HEAD");
}
