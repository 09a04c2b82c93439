/* The request line: method, the four forms of a target, and version; fields are head.c's. */
#include "http1/http1.h"

#include "codec/host.h"
#include "http1/scan.h"

#include <string.h>

/* --- methods --------------------------------------------------------------------------------- */

/*
 * What both llhttp 8 and 9 take in HTTP, less CONNECT and those that the switch below knows. Every
 * other token is answered 501.
 */
static const char *const other_methods[] = {
    "ACL",    "BIND",       "CHECKOUT",   "COPY",   "LINK",   "LOCK",
    "MERGE",  "MKACTIVITY", "MKCALENDAR", "MKCOL",  "MOVE",   "M-SEARCH",
    "NOTIFY", "PROPFIND",   "PROPPATCH",  "PURGE",  "REBIND", "REPORT",
    "SEARCH", "SUBSCRIBE",  "UNBIND",     "UNLINK", "UNLOCK", "UNSUBSCRIBE",
};

static int is_other_method(const char *data, size_t len)
{
    for (size_t i = 0; i < sizeof other_methods / sizeof other_methods[0]; i++)
        if (strlen(other_methods[i]) == len && memcmp(other_methods[i], data, len) == 0)
            return 1;
    return 0;
}

/* 0 and its number, or 501. */
static int find_method(hoop_str method, uint32_t *ret_number)
{
    const char *p = method.data;
    uint32_t number = HOOP_METHOD_OTHER;
    switch (method.len) {
    case 3:
        number = memcmp(p, "GET", 3) == 0   ? HOOP_METHOD_GET
                 : memcmp(p, "PUT", 3) == 0 ? HOOP_METHOD_PUT
                                            : HOOP_METHOD_OTHER;
        break;
    case 4:
        number = memcmp(p, "POST", 4) == 0   ? HOOP_METHOD_POST
                 : memcmp(p, "HEAD", 4) == 0 ? HOOP_METHOD_HEAD
                                             : HOOP_METHOD_OTHER;
        break;
    case 5:
        number = memcmp(p, "PATCH", 5) == 0   ? HOOP_METHOD_PATCH
                 : memcmp(p, "TRACE", 5) == 0 ? HOOP_METHOD_TRACE
                                              : HOOP_METHOD_OTHER;
        break;
    case 6:
        number = memcmp(p, "DELETE", 6) == 0 ? HOOP_METHOD_DELETE : HOOP_METHOD_OTHER;
        break;
    case 7:
        number = memcmp(p, "OPTIONS", 7) == 0 ? HOOP_METHOD_OPTIONS : HOOP_METHOD_OTHER;
        break;
    default:
        break;
    }
    *ret_number = number;
    return number == HOOP_METHOD_OTHER && !is_other_method(p, method.len) ? 501 : 0;
}

/* --- targets --------------------------------------------------------------------------------- */

/*
 * The end of a target that begins at `p`: the first blank. `*ret_question` is its first '?', or
 * NULL. NULL if it has a fragment or a byte that may not stand there (RFC 3986 3.3, 3.4).
 */
static char *find_target_end(char *p, char **ret_question)
{
    *ret_question = NULL;
    for (;;) {
        p = hoop__h1_target_stop(p);
        if (*p == ' ')
            return p;
        if (*p != '?')
            return NULL;
        if (!*ret_question)
            *ret_question = p;
        p++;
    }
}

/* Nonzero if an absolute URI of a scheme that we serve begins at `p`; its length with "://". */
static size_t scheme_len(const char *p, size_t len)
{
    static const char *const schemes[] = { "http://", "https://" };
    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(schemes[i]), at = 0;
        while (at < n && at < len &&
               (hoop__h1_lower[(unsigned char)p[at]] == schemes[i][at] || p[at] == schemes[i][at]))
            at++;
        if (at == n)
            return n;
    }
    return 0;
}

/* RFC 9112 3.2.2. `path_end` is the first '?' or the end. */
static int read_absolute(struct hoop__h1_exchange *h, char *target, char *path_end, int has_query)
{
    size_t scheme = scheme_len(target, (size_t)(path_end - target));
    if (!scheme)
        return 400;
    char *authority = target + scheme;
    char *path = memchr(authority, '/', (size_t)(path_end - authority));
    hoop_str host;
    uint32_t port;
    h->authority = hoop_str_n(authority, (size_t)((path ? path : path_end) - authority));
    if (!h->authority.len || hoop__host_split(h->authority, &host, &port))
        return 400;
    if (path)
        h->uri = hoop_str_n(path, (size_t)(path_end - path));
    else if (h->method_number == HOOP_METHOD_OPTIONS && !has_query)
        h->uri = hoop_str_n("*", 1); /* RFC 9112 3.2.4 */
    else
        h->uri = hoop_str_n("/", 1);
    return 0;
}

static int read_target(struct hoop__h1_exchange *h, char *target, char *end, char *question)
{
    char *path_end = question ? question : end;
    h->query = question ? hoop_str_n(question + 1, (size_t)(end - question - 1)) : hoop_str_none();
    if (*target == '/') {
        h->uri = hoop_str_n(target, (size_t)(path_end - target));
        return 0;
    }
    if (*target != '*')
        return read_absolute(h, target, path_end, question != NULL);
    if (end - target != 1 || h->method_number != HOOP_METHOD_OPTIONS)
        return 400;
    h->uri = hoop_str_n(target, 1);
    return 0;
}

/* --- the line -------------------------------------------------------------------------------- */

/* RFC 9112 2.3: exactly "HTTP/" DIGIT "." DIGIT. 1.2 and later minor versions are served as 1.1. */
static int read_version(struct hoop__h1_exchange *h, const char *p, const char *eol)
{
    if (eol - p != 8)
        return 400;
    if (memcmp(p, "HTTP/1.1", 8) == 0) {
        h->minor = 1;
        return 0;
    }
    if (memcmp(p, "HTTP/", 5) != 0 || p[6] != '.')
        return 400;
    unsigned major = (unsigned)(unsigned char)p[5] - '0';
    unsigned minor = (unsigned)(unsigned char)p[7] - '0';
    if (major > 9 || minor > 9)
        return 400;
    h->minor = (uint8_t)minor;
    return major == 1 ? 0 : 505;
}

int hoop__h1_request_line(struct hoop__h1_exchange *h, char *line, char *eol, char **ret_target_end)
{
    char *p = line, *question;
    int is_get = memcmp(line, "GET ", 4) == 0;
    if (is_get)
        p += 3;
    while (hoop__h1_lower[(unsigned char)*p])
        p++;
    if (p == line || *p != ' ')
        return 400;
    h->method = hoop_str_n(line, (size_t)(p - line));
    h->method_number = HOOP_METHOD_GET;
    char *target = p + 1, *end = find_target_end(target, &question);
    if (!end || end == target)
        return 400;
    int rc = read_version(h, end + 1, eol);
    if (rc)
        return rc;
    if (!is_get)
        rc = find_method(h->method, &h->method_number);
    if (rc)
        return rc; /* CONNECT among them: there is nothing here to connect to */
    if ((size_t)(end - target) > h->limits->max_target) {
        HOOP__H1_REACHED(h, limit_target);
        return 414;
    }
    *ret_target_end = end;
    return read_target(h, target, end, question);
}

void hoop__h1_cut_line(struct hoop__h1_exchange *h, char *target_end)
{
    char *method = (char *)(uintptr_t)h->method.data;
    method[h->method.len] = 0;
    *target_end = 0;
    if (!hoop_str_is_none(h->query)) {
        char *query = (char *)(uintptr_t)h->query.data;
        query[-1] = 0;
    }
    if (!h->authority.data)
        return;
    /* The byte behind the authority is the path's first: it moves over the slash in front of it. */
    char *to = (char *)(uintptr_t)h->authority.data - 1;
    memmove(to, h->authority.data, h->authority.len);
    to[h->authority.len] = 0;
    h->authority.data = to;
}
