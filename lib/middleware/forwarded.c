/* Middleware "forwarded": see hoop/middleware/forwarded.h. */
#include "middleware/middleware.h"

#include "codec/host.h"
#include "value/via.h"

#include <hoop/address.h>
#include <hoop/forwarded.h>
#include <hoop/middleware/forwarded.h>

/* What is built of the options. */
struct proxies {
    hoop_forwarded_options options;
    int unix_too; /* peers on Unix sockets are trusted */
    size_t count;
    hoop_network networks[];
};

/* What was told of the client. */
struct told {
    int client; /* where it is was told, be it that it hides */
    hoop_address address;
    uint32_t port;
    hoop_str proto; /* absent: nothing */
    hoop_str host;
};

/* --- reading --------------------------------------------------------------------------------- */

static int is_trusted(const hoop_request *req, const struct proxies *proxies)
{
    hoop_str text = hoop_remote_addr(req);
    hoop_address address;
    if (!text.len)
        return !hoop_str_is_none(text) && proxies->unix_too;
    if (hoop_address_parse(text, &address))
        return 0;
    for (size_t i = 0; i < proxies->count; i++)
        if (hoop_network_contains(&proxies->networks[i], &address))
            return 1;
    return 0;
}

/* 0; HOOP_EMISSING if there is no header; HOOP_EPARSE. */
static int read_standard(const hoop_request *req, const struct proxies *proxies, struct told *told)
{
    hoop_forwarded element;
    hoop_str header = hoop_header_joined(req, "forwarded");
    int rc = hoop_forwarded_client(header, proxies->networks, proxies->count, &element);
    if (rc)
        return rc;
    told->client = 1;
    told->proto = element.proto;
    told->host = element.host;
    if (hoop_str_is_none(element.client))
        return 0;
    rc = hoop_forwarded_node(element.client, &told->address, &told->port);
    return rc == HOOP_EMISSING ? 0 : rc;
}

static int read_usual(const hoop_request *req, const struct proxies *proxies, struct told *told)
{
    size_t behind = 0;
    hoop_str header = hoop_header_joined(req, "x-forwarded-for");
    int rc = hoop_forwarded_for_client(header, proxies->networks, proxies->count, &told->address,
                                       &told->port, &behind);
    if (rc && rc != HOOP_EMISSING)
        return rc;
    /* Without an address the list has one that hides, or some proxy tells the rest alone. */
    told->client = !hoop_str_is_none(header);
    told->proto =
        hoop_forwarded_nth(hoop_header_joined(req, proxies->options.proto_header), behind);
    told->host = hoop_forwarded_nth(hoop_header_joined(req, "x-forwarded-host"), behind);
    return 0;
}

/* --- the request ----------------------------------------------------------------------------- */

static const hoop_request *with_client(const hoop_request *req, const struct told *told)
{
    char text[HOOP_ADDRESS_SIZE];
    size_t len = hoop_address_format(&told->address, text);
    return hoop__with_remote(req, len ? hoop_str_n(text, len) : hoop_str_none(), told->port);
}

static const hoop_request *with_host(const hoop_request *req, hoop_str host)
{
    hoop_str copy = hoop_arena_copy(req->arena, host);
    return hoop_str_is_none(copy) ? hoop__fail_memory(req)
                                  : hoop_with_request_header(req, "Host", copy.data);
}

static const hoop_response *refuse(const hoop_request *req, const struct proxies *proxies)
{
    return hoop_problemf(req, 400, "%s can't be read",
                         proxies->options.standard ? "Forwarded"
                                                   : "X-Forwarded-For, -Proto or -Host");
}

static int is_scheme(hoop_str proto)
{
    return hoop_str_eq_nocase(proto, hoop_str_c("http")) ||
           hoop_str_eq_nocase(proto, hoop_str_c("https"));
}

/* Nonzero if what was told can be put into a request. */
static int is_fit(const struct told *told, const hoop_forwarded_options *options)
{
    hoop_str name;
    uint32_t port;
    if (!hoop_str_is_none(told->proto) && !options->ignore_proto && !is_scheme(told->proto))
        return 0;
    return hoop_str_is_none(told->host) || !options->use_host ||
           (!hoop__host_split(told->host, &name, &port) && name.len);
}

static const hoop_request *apply(const hoop_request *req, const struct told *told,
                                 const hoop_forwarded_options *options)
{
    if (told->client)
        req = with_client(req, told);
    if (req && !hoop_str_is_none(told->proto) && !options->ignore_proto)
        req = hoop__with_scheme(req, told->proto.len == 5);
    if (req && !hoop_str_is_none(told->host) && options->use_host)
        req = with_host(req, told->host);
    return req;
}

/* NULL, and an answer or a failure, if the request may not go on. */
static const hoop_request *as_sent(const hoop_request *req, const struct proxies *proxies,
                                   const hoop_response **ret_answer)
{
    struct told told = { .proto = HOOP_STR_NONE, .host = HOOP_STR_NONE };
    if (!is_trusted(req, proxies))
        return hoop_failure(req) ? NULL : req; /* of a peer that memory did not suffice to tell */
    int rc = proxies->options.standard ? read_standard(req, proxies, &told)
                                       : read_usual(req, proxies, &told);
    if (hoop_failure(req))
        return NULL;
    if (rc == HOOP_EMISSING)
        return req;
    if (rc || !is_fit(&told, &proxies->options))
        return hoop__refused(ret_answer, refuse(req, proxies));
    return apply(req, &told, &proxies->options);
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    const hoop_response *answer = NULL;
    const hoop_request *more = as_sent(req, value, &answer);
    return more ? hoop_call(next, more) : answer;
}

/* --- building -------------------------------------------------------------------------------- */

static int add_trusted(struct proxies *proxies, const char *text, hoop_error *error)
{
    if (text && strcmp(text, "unix") == 0) {
        proxies->unix_too = 1;
        return 0;
    }
    if (!text || hoop_network_parse(hoop_str_c(text), &proxies->networks[proxies->count]))
        return hoop_error_set(error, HOOP_EINVAL, "forwarded: '%s' is no network",
                              text ? text : "NULL");
    proxies->count++;
    return 0;
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    hoop_forwarded_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    if (!own)
        return HOOP_ENOMEM;
    if (!own->trusted_count)
        return hoop_error_set(error, HOOP_EINVAL, "forwarded: nobody is trusted");
    if (!own->proto_header)
        own->proto_header = "X-Forwarded-Proto";
    if (!hoop__is_token(hoop_str_c(own->proto_header)))
        return hoop_error_set(error, HOOP_EINVAL, "forwarded: '%s' is no header name",
                              own->proto_header);
    struct proxies *proxies = hoop_arena_zalloc(
        arena, sizeof *proxies + own->trusted_count * sizeof proxies->networks[0]);
    if (!proxies)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    proxies->options = *own;
    for (size_t i = 0; i < own->trusted_count; i++) {
        int rc = add_trusted(proxies, own->trusted[i], error);
        if (rc)
            return rc;
    }
    *ret_value = proxies;
    return 0;
}

const hoop_middleware_type hoop_forwarded_type = {
    .name = "forwarded",
    .wrap = wrap,
    .build = build,
    .size = sizeof(hoop_middleware_type),
};

const hoop_request *hoop_forwarded_request_sized(const hoop_request *req,
                                                 const hoop_response **ret_answer,
                                                 const hoop_forwarded_options *options,
                                                 size_t options_size)
{
    const void *value = hoop__options_value(req, &hoop_forwarded_type, options, options_size);
    return value ? as_sent(req, value, ret_answer) : NULL;
}
