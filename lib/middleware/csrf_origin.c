/* Where an unsafe request comes from, by what its browser says; see csrf.h. */
#include "middleware/csrf.h"

#include "base/digits.h"

static int is_allowed(hoop_str origin, const char *const *allowed)
{
    for (size_t i = 0; allowed && allowed[i]; i++)
        if (hoop_str_eq_nocase(origin, hoop_str_c(allowed[i])))
            return 1;
    return 0;
}

/* Nonzero if `rest` begins with a text, which is taken off. */
static int takes(hoop_str *rest, hoop_str text)
{
    if (rest->len < text.len || !hoop_str_eq_nocase(hoop_str_n(rest->data, text.len), text))
        return 0;
    *rest = hoop_str_n(rest->data + text.len, rest->len - text.len);
    return 1;
}

/* Nonzero if `origin` is scheme, host and port of the request; a port is left out if it is the scheme's. */
static int is_own(const hoop_request *req, hoop_str origin)
{
    char digits[HOOP__DIGITS];
    hoop_str name = hoop_server_name(req);
    uint32_t port = hoop_server_port(req), usual = hoop_str_eq_c(req->scheme, "https") ? 443 : 80;
    if (!name.len || !takes(&origin, req->scheme) || !takes(&origin, hoop_str_n("://", 3)) ||
        !takes(&origin, name))
        return 0;
    if (port != usual && (!takes(&origin, hoop_str_n(":", 1)) ||
                          !takes(&origin, hoop_str_n(digits, hoop__digits(port, digits)))))
        return 0;
    return !origin.len;
}

enum hoop__origin hoop__origin_of(const hoop_request *req, const char *const *allowed,
                                  const char **ret_why)
{
    hoop_str origin = hoop_header(req, "origin"), site = hoop_header(req, "sec-fetch-site");
    if (hoop_str_eq_c(site, "same-origin") || hoop_str_eq_c(site, "none"))
        return HOOP__ORIGIN_OWN;
    if (is_allowed(origin, allowed))
        return HOOP__ORIGIN_ALLOWED;
    if (site.len) {
        *ret_why = "Sec-Fetch-Site says that another site has sent it";
        return HOOP__ORIGIN_FOREIGN;
    }
    if (hoop_str_is_none(origin))
        return HOOP__ORIGIN_UNKNOWN;
    if (is_own(req, origin))
        return HOOP__ORIGIN_OWN;
    *ret_why = "its Origin is not this server's";
    return HOOP__ORIGIN_FOREIGN;
}
