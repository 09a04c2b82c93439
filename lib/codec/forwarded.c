/* Forwarded (RFC 7239) and the X-Forwarded lists; see hoop/forwarded.h. */
#include "codec/address.h"
#include "codec/chars.h"
#include "codec/list.h"
#include "codec/media.h"

#include <hoop/forwarded.h>

#define MAX_PORT 65535u

/* --- elements -------------------------------------------------------------------------------- */

/* Where a parameter of an element goes; NULL for those that are passed over. */
static hoop_str *member(hoop_forwarded *forwarded, hoop_str name)
{
    if (hoop_str_eq_nocase(name, hoop_str_c("for")))
        return &forwarded->client;
    if (hoop_str_eq_nocase(name, hoop_str_c("by")))
        return &forwarded->by;
    if (hoop_str_eq_nocase(name, hoop_str_c("host")))
        return &forwarded->host;
    if (hoop_str_eq_nocase(name, hoop_str_c("proto")))
        return &forwarded->proto;
    return NULL;
}

static int read_element(hoop_str item, hoop_forwarded *ret_forwarded)
{
    hoop_forwarded got = { HOOP_STR_NONE, HOOP_STR_NONE, HOOP_STR_NONE, HOOP_STR_NONE };
    struct hoop__param param;
    int rc;
    while ((rc = hoop__param_first(&item, &param)) > 0) {
        hoop_str *to = member(&got, param.name);
        if (to && (!hoop_str_is_none(*to) || param.escaped))
            return HOOP_EPARSE;
        if (to)
            *to = param.value;
    }
    if (rc == 0)
        *ret_forwarded = got;
    return rc;
}

int hoop_forwarded_next(hoop_str *rest, hoop_forwarded *ret_forwarded)
{
    hoop_str left = *rest, item;
    int rc = hoop__list_next(&left, &item);
    if (rc > 0 && read_element(item, ret_forwarded))
        rc = HOOP_EPARSE;
    if (rc >= 0)
        *rest = left;
    return rc;
}

/* --- nodes ----------------------------------------------------------------------------------- */

static int is_hidden(hoop_str text)
{
    for (size_t at = 1; at < text.len; at++) {
        char c = text.data[at];
        if (!hoop__char_is(c, HOOP__CHAR_UNRESERVED) || c == '~')
            return 0;
    }
    return text.len > 1 && text.data[0] == '_';
}

/* A port behind its colon: up to five digits, or a hidden one, which is 0. */
static int read_port(hoop_str text, uint32_t *ret_port)
{
    uint32_t port = 0;
    if (is_hidden(text)) {
        *ret_port = 0;
        return 0;
    }
    if (!text.len || text.len > 5)
        return HOOP_EPARSE;
    for (size_t at = 0; at < text.len; at++) {
        if (text.data[at] < '0' || text.data[at] > '9')
            return HOOP_EPARSE;
        port = port * 10 + (uint32_t)(text.data[at] - '0');
    }
    *ret_port = port;
    return port <= MAX_PORT ? 0 : HOOP_EPARSE;
}

/* The bytes of the node's name, in front of its port. */
static size_t name_len(hoop_str node)
{
    const char *colon;
    if (node.len && node.data[0] == '[') {
        const char *close = memchr(node.data, ']', node.len);
        return close ? (size_t)(close - node.data) + 1 : node.len;
    }
    colon = memchr(node.data, ':', node.len);
    size_t len = colon ? (size_t)(colon - node.data) : node.len;
    /* With a second colon it is an IPv6 address without brackets, as X-Forwarded-For has them. */
    if (colon && memchr(colon + 1, ':', node.len - len - 1))
        return node.len;
    return len;
}

int hoop_forwarded_node(hoop_str node, hoop_address *ret_address, uint32_t *ret_port)
{
    size_t len = name_len(node);
    uint32_t port = 0;
    hoop_address address;
    hoop_str name = hoop_str_n(node.data, len);
    if (len < node.len && (node.data[len] != ':' ||
                           read_port(hoop_str_n(node.data + len + 1, node.len - len - 1), &port)))
        return HOOP_EPARSE;
    if (hoop_str_eq_nocase(name, hoop_str_c("unknown")) || is_hidden(name))
        return HOOP_EMISSING;
    if (len && name.data[0] == '[') {
        if (len < 2 || name.data[len - 1] != ']')
            return HOOP_EPARSE;
        name = hoop_str_n(name.data + 1, len - 2);
        if (!memchr(name.data, ':', name.len))
            return HOOP_EPARSE;
    }
    if (hoop_address_parse(name, &address))
        return HOOP_EPARSE;
    *ret_address = address;
    *ret_port = port;
    return 0;
}

/* --- the client ------------------------------------------------------------------------------ */

static int is_trusted(hoop_str node, const hoop_network *trusted, size_t count)
{
    hoop_address address;
    uint32_t port;
    if (hoop_forwarded_node(node, &address, &port))
        return 0;
    for (size_t i = 0; i < count; i++)
        if (hoop_network_contains(&trusted[i], &address))
            return 1;
    return 0;
}

/*
 * Both walks go forward and keep the last element that is the first or not trusted: that is where a walk
 * from the end would stop.
 */
int hoop_forwarded_client(hoop_str header, const hoop_network *trusted, size_t count,
                          hoop_forwarded *ret_forwarded)
{
    hoop_forwarded found, one;
    hoop_str item;
    int rc, result = HOOP_EMISSING;
    while ((rc = hoop__list_next(&header, &item)) > 0) {
        if (read_element(item, &one)) {
            result = HOOP_EPARSE;
        } else if (result == HOOP_EMISSING || !is_trusted(one.client, trusted, count)) {
            found = one;
            result = 0;
        }
    }
    if (rc < 0)
        return rc;
    if (result == 0)
        *ret_forwarded = found;
    return result;
}

int hoop_forwarded_for_client(hoop_str header, const hoop_network *trusted, size_t count,
                              hoop_address *ret_address, uint32_t *ret_port, size_t *ret_behind)
{
    hoop_str item, found = hoop_str_none();
    size_t behind = 0;
    int rc;
    while ((rc = hoop__list_next(&header, &item)) > 0) {
        behind++;
        if (hoop_str_is_none(found) || !is_trusted(item, trusted, count)) {
            found = item;
            behind = 0;
        }
    }
    if (rc < 0 || hoop_str_is_none(found))
        return rc < 0 ? rc : HOOP_EMISSING;
    rc = hoop_forwarded_node(found, ret_address, ret_port);
    if (rc == 0)
        *ret_behind = behind;
    return rc;
}

hoop_str hoop_forwarded_nth(hoop_str header, size_t behind)
{
    hoop_str rest = header, item, found = hoop_str_none();
    size_t count = 0;
    while (hoop__list_next(&rest, &item) > 0)
        count++;
    size_t skip = count > behind ? count - behind - 1 : 0;
    for (size_t i = 0; i <= skip && hoop__list_next(&header, &item) > 0; i++)
        found = item;
    return found;
}
