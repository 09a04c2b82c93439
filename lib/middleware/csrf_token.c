/* Secrets against forged requests, the tokens made of them, and the cookies that carry them; see csrf.h. */
#include "middleware/csrf.h"

#include "base/random.h"
#include "codec/base64.h"
#include "crypto/crypto.h"

#include <string.h>

#define MAX_SUBJECT 256u

/* base64url of some bytes, in the arena of `req`. Absent: noted. */
static hoop_str text_of(const hoop_request *req, const unsigned char *bytes, size_t size)
{
    size_t len = hoop__base64url_size(size);
    char *text = hoop_alloc(req, len + 1);
    if (!text)
        return hoop_str_none();
    hoop__base64url_encode(hoop_str_n((const char *)bytes, size), text);
    text[len] = 0;
    return hoop_str_n(text, len);
}

/* Exactly `size` bytes that `text` stands for. Nonzero if it does. */
static int bytes_of(hoop_str text, unsigned char *bytes, size_t size)
{
    size_t got;
    return text.len == hoop__base64url_size(size) &&
           hoop__base64url_decode(text, (char *)bytes, &got) == 0;
}

hoop_str hoop__csrf_write(const hoop_request *req, const unsigned char *secret)
{
    return text_of(req, secret, HOOP__CSRF_SECRET);
}

int hoop__csrf_read(hoop_str text, unsigned char secret[HOOP__CSRF_SECRET])
{
    return bytes_of(text, secret, HOOP__CSRF_SECRET);
}

static void mix(unsigned char *to, const unsigned char *a, const unsigned char *b)
{
    for (size_t i = 0; i < HOOP__CSRF_SECRET; i++)
        to[i] = a[i] ^ b[i];
}

hoop_str hoop__csrf_mask(const hoop_request *req, const unsigned char *secret)
{
    unsigned char bytes[2 * HOOP__CSRF_SECRET]; /* the mask, and the secret under it */
    int rc = hoop__random(bytes, HOOP__CSRF_SECRET);
    if (rc) {
        hoop_fail(req, rc, "no random bytes for a token: %s", hoop_strerror(rc));
        return hoop_str_none();
    }
    mix(bytes + HOOP__CSRF_SECRET, bytes, secret);
    return text_of(req, bytes, sizeof bytes);
}

int hoop__csrf_fits(hoop_str token, const unsigned char *secret)
{
    unsigned char bytes[2 * HOOP__CSRF_SECRET], found[HOOP__CSRF_SECRET];
    if (!bytes_of(token, bytes, sizeof bytes))
        return 0;
    mix(found, bytes, bytes + HOOP__CSRF_SECRET);
    return hoop_str_eq_secret(hoop_str_n((const char *)found, sizeof found),
                              hoop_str_n((const char *)secret, sizeof found));
}

/* The MAC of a secret for a subject. 0 or a code. */
static int mac_of(hoop_str key, hoop_str subject, const unsigned char *secret,
                  unsigned char out[HOOP__MAC_SIZE])
{
    static const char label[] = "hoop csrf 1:";
    char text[sizeof label - 1 + HOOP__CSRF_SECRET + MAX_SUBJECT];
    size_t len = sizeof label - 1;
    if (subject.len > MAX_SUBJECT)
        return HOOP_ETOOBIG;
    memcpy(text, label, len);
    memcpy(text + len, secret, HOOP__CSRF_SECRET);
    memcpy(text + len + HOOP__CSRF_SECRET, subject.data, subject.len);
    return hoop__hmac(key, hoop_str_n(text, len + HOOP__CSRF_SECRET + subject.len), out);
}

hoop_str hoop__csrf_sign(const hoop_request *req, hoop_str key, hoop_str subject,
                         const unsigned char *secret)
{
    unsigned char bytes[HOOP__CSRF_SECRET + HOOP__MAC_SIZE];
    memcpy(bytes, secret, HOOP__CSRF_SECRET);
    int rc = mac_of(key, subject, secret, bytes + HOOP__CSRF_SECRET);
    if (rc) {
        hoop_fail(req, rc == HOOP_ETOOBIG ? HOOP_EINVAL : rc,
                  "anti_forgery: the cookie can't be signed: %s", hoop_strerror(rc));
        return hoop_str_none();
    }
    return text_of(req, bytes, sizeof bytes);
}

int hoop__csrf_verify(hoop_str text, const hoop_str *keys, size_t key_count, hoop_str subject,
                      unsigned char secret[HOOP__CSRF_SECRET])
{
    unsigned char bytes[HOOP__CSRF_SECRET + HOOP__MAC_SIZE], mac[HOOP__MAC_SIZE];
    if (!bytes_of(text, bytes, sizeof bytes))
        return 0;
    hoop_str given = hoop_str_n((const char *)bytes + HOOP__CSRF_SECRET, sizeof mac);
    for (size_t i = 0; i < key_count; i++)
        if (!mac_of(keys[i], subject, bytes, mac) &&
            hoop_str_eq_secret(given, hoop_str_n((const char *)mac, sizeof mac))) {
            memcpy(secret, bytes, HOOP__CSRF_SECRET);
            return 1;
        }
    return 0;
}
