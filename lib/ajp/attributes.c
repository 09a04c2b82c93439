/* The attributes of a FORWARD_REQUEST: which are believed, which are refused, and how handlers ask. */
#include "ajp/ajp.h"

#include <hoop/ajp.h>

#include <arpa/inet.h>
#include <string.h>

/* Codes (the others are HOOP_AJP_* and HOOP__AJP_*); each is followed by a string but these. */
#define NAMED    10u  /* two strings: name and value */
#define KEY_SIZE 11u  /* an integer */
#define END      255u /* nothing */
#define LAST     13u

/* The attribute of the request that all this hangs on. */
static const char info_key;

/* --- patterns -------------------------------------------------------------------------------- */

static int is_separator(char c)
{
    return c == ',' || c == ' ' || c == '\t';
}

/* Iterative, with one point to go back to, so that it is never more than quadratic. */
static int matches(const char *pattern, const char *end, hoop_str name)
{
    const char *star = NULL, *p = pattern;
    size_t i = 0, back = 0;
    while (i < name.len) {
        if (p < end && *p == '*') {
            star = p++;
            back = i;
        } else if (p < end && *p == name.data[i]) {
            p++;
            i++;
        } else if (star) {
            p = star + 1;
            i = ++back;
        } else {
            return 0;
        }
    }
    while (p < end && *p == '*')
        p++;
    return p == end;
}

int hoop__ajp_allows(const char *patterns, hoop_str name)
{
    const char *p = patterns;
    while (p && *p) {
        while (is_separator(*p))
            p++;
        const char *begin = p;
        while (*p && !is_separator(*p))
            p++;
        if (p > begin && matches(begin, p, name))
            return 1;
    }
    return 0;
}

/* --- named attributes ------------------------------------------------------------------------ */

/* What Apache's modules and IIS send of their own accord, beside those that are read below. */
static const char known[] = "JK_LB_ACTIVATION CERT_ISSUER CERT_SUBJECT CERT_COOKIE CERT_FLAGS "
                            "CERT_SERIALNUMBER HTTPS_SERVER_SUBJECT HTTPS_SERVER_ISSUER "
                            "HTTPS_SECRETKEYSIZE HTTPS_KEYSIZE";

/* What is no port is ignored: it comes from the proxy's environment. */
static void read_port(struct hoop__ajp_exchange *h, hoop_str value)
{
    unsigned port = 0;
    if (!value.len || value.len > 5)
        return;
    for (size_t i = 0; i < value.len; i++) {
        unsigned digit = (unsigned)(unsigned char)value.data[i] - '0';
        if (digit > 9)
            return;
        port = port * 10 + digit;
    }
    if (port <= 65535)
        h->x.peer.remote_port = (uint16_t)port;
}

static void read_local(struct hoop__ajp_exchange *h, hoop_str value)
{
    struct hoop__peer *peer = &h->x.peer;
    if (!peer->remote_text)
        return; /* both ends are of one family, and the other must stay unknown */
    if (inet_pton(AF_INET, value.data, peer->local) == 1)
        peer->family = 4;
    else if (inet_pton(AF_INET6, value.data, peer->local) == 1)
        peer->family = 6;
}

static int keep(struct hoop__ajp_exchange *h, hoop_str name, hoop_str value)
{
    struct hoop__ajp_named *named = hoop__arena_alloc(h->x.arena, sizeof *named);
    if (!named)
        return 503;
    named->next = NULL;
    named->name = name;
    named->value = value;
    *h->info.last = named;
    h->info.last = &named->next;
    return 0;
}

/* 0 or a status. */
static int take_named(struct hoop__ajp_exchange *h, hoop_str name, hoop_str value)
{
    const hoop_listener *listener = h->engine->listener;
    if (hoop_str_eq_c(name, "AJP_REMOTE_PORT"))
        read_port(h, value);
    else if (hoop_str_eq_c(name, "AJP_LOCAL_ADDR"))
        read_local(h, value);
    else if (hoop_str_eq_c(name, "AJP_SSL_PROTOCOL"))
        h->info.texts[HOOP_AJP_TLS_PROTOCOL] = value;
    else if (hoop__ajp_allows(known, name) ||
             (listener && hoop__ajp_allows(listener->ajp_attributes, name)))
        return keep(h, name, value);
    else
        return 403;
    return 0;
}

/* --- reading --------------------------------------------------------------------------------- */

/* 0 or a status. A refused attribute is read all the same, since the secret may come behind it. */
static int read_named(struct hoop__ajp_exchange *h, struct hoop__ajp_reader *r)
{
    hoop_str name = hoop__ajp_string(r), value = hoop__ajp_string(r);
    if (r->bad || !name.len || !hoop__is_field_value(name))
        return 400;
    return take_named(h, name, value);
}

static void take_text(struct hoop__ajp_exchange *h, unsigned code, hoop_str value)
{
    const hoop_listener *listener = h->engine->listener;
    if (code < HOOP_AJP_REMOTE_USER)
        return; /* a servlet's context and path */
    int is_user = code == HOOP_AJP_REMOTE_USER || code == HOOP_AJP_AUTH_TYPE;
    if (!is_user || (listener && listener->ajp_trust_user))
        h->info.texts[code] = value;
}

/* One attribute. 0, or a status; 400 if it can't be read on behind it. */
static int read_one(struct hoop__ajp_exchange *h, struct hoop__ajp_reader *r, unsigned code)
{
    if (r->bad || !code || code > LAST)
        return 400; /* of what length an unknown one is nobody knows */
    if (code == NAMED)
        return read_named(h, r);
    if (h->info.seen & 1u << code)
        return 400; /* which of two would count? */
    h->info.seen |= 1u << code;
    if (code == KEY_SIZE)
        h->info.key_size = hoop__ajp_int(r);
    else
        take_text(h, code, hoop__ajp_string(r));
    return r->bad ? 400 : 0;
}

/* Texts that a handler may put into a log or a header of its own have no line ends. */
static int are_clean(const struct hoop__ajp_info *info)
{
    for (unsigned code = 1; code < HOOP_COUNT(info->texts); code++)
        if (code != HOOP__AJP_CERT && !hoop__is_field_value(info->texts[code]))
            return 0;
    return 1;
}

int hoop__ajp_attributes(struct hoop__ajp_exchange *h, struct hoop__ajp_reader *r)
{
    struct hoop__ajp_info *info = &h->info;
    int status = 0;
    uint64_t count = h->x.request.pub.header_count;
    for (size_t i = 0; i < HOOP_COUNT(info->texts); i++)
        info->texts[i] = hoop_str_none();
    info->named = NULL;
    info->last = &info->named;
    info->key_size = info->seen = 0;
    for (;;) {
        unsigned code = hoop__ajp_byte(r);
        if (!r->bad && code == END)
            break;
        int rc = read_one(h, r, code);
        if (rc == 400)
            return rc;
        if (code == NAMED && ++count > h->x.service->limits->max_headers && !rc)
            rc = 431; /* they count as fields do */
        if (!status)
            status = rc;
    }
    if (r->at != r->end || !are_clean(info))
        return 400;
    if (h->x.peer.secure && info->texts[HOOP__AJP_CERT].len)
        h->x.peer.cert = info->texts[HOOP__AJP_CERT].data;
    h->attribute.next = NULL;
    h->attribute.key = &info_key;
    h->attribute.value = info;
    h->x.request.attributes = &h->attribute;
    return status;
}

/* --- asking ---------------------------------------------------------------------------------- */

hoop_str hoop_ajp_get(const hoop_request *req, uint32_t what)
{
    const struct hoop__ajp_info *info = hoop_get(req, &info_key);
    if (!info)
        return hoop_str_none();
    switch (what) {
    case HOOP_AJP_TLS_KEY_SIZE:
        if (!(info->seen & 1u << KEY_SIZE))
            return hoop_str_none();
        return hoop_arena_printf(req->arena, "%u", (unsigned)info->key_size);
    case HOOP_AJP_REMOTE_USER:
    case HOOP_AJP_AUTH_TYPE:
    case HOOP_AJP_ROUTE:
    case HOOP_AJP_TLS_CIPHER:
    case HOOP_AJP_TLS_SESSION:
    case HOOP_AJP_TLS_PROTOCOL:
        return info->texts[what];
    default:
        return hoop_str_none();
    }
}

hoop_str hoop_ajp_attribute(const hoop_request *req, const char *name)
{
    const struct hoop__ajp_info *info = name ? hoop_get(req, &info_key) : NULL;
    for (const struct hoop__ajp_named *n = info ? info->named : NULL; n; n = n->next)
        if (hoop_str_eq_c(n->name, name))
            return n->value;
    return hoop_str_none();
}
