/*
 * The store of sessions that keeps nothing: the cookie is the session, sealed. As text it is base64url of a version,
 * a salt, a nonce, and what hoop__seal() writes; the key for that is derived of the secret and the salt, so
 * that any number of cookies is safe under one secret.
 */
#include "base/random.h"
#include "codec/base64.h"
#include "crypto/crypto.h"
#include "middleware/session.h"

#include <hoop/cookie.h>

#include <string.h>

#define VERSION     1
#define MAX_KEYS    8u
#define MIN_KEY     32u
#define SALT        16u
#define HEAD        (1u + SALT + HOOP__AEAD_NONCE)
#define MAX_PURPOSE 64u

struct sealed {
    hoop_session_store store;
    size_t key_count;
    hoop_str keys[MAX_KEYS];
    hoop_str purpose;
};

/* The key for one cookie. 0 or a code. */
static int derive(const struct sealed *sealed, size_t index, const char *salt,
                  unsigned char out[HOOP__AEAD_KEY])
{
    static const char label[] = "hoop session 1:";
    char text[sizeof label - 1 + SALT + MAX_PURPOSE];
    size_t len = sizeof label - 1;
    memcpy(text, label, len);
    memcpy(text + len, salt, SALT);
    memcpy(text + len + SALT, sealed->purpose.data, sealed->purpose.len);
    return hoop__hmac(sealed->keys[index], hoop_str_n(text, len + SALT + sealed->purpose.len), out);
}

/* --- reading --------------------------------------------------------------------------------- */

/* Opens a cookie's bytes with each of the keys. 0 and which; HOOP_EPARSE; or another code. */
static int unseal(const struct sealed *sealed, hoop_str bytes, char *out, size_t *ret_key)
{
    const char *salt = bytes.data + 1, *nonce = salt + SALT;
    int rc = HOOP_EPARSE;
    for (size_t i = 0; i < sealed->key_count && rc == HOOP_EPARSE; i++) {
        unsigned char key[HOOP__AEAD_KEY];
        rc = derive(sealed, i, salt, key);
        if (!rc)
            rc = hoop__unseal(key, (const unsigned char *)nonce,
                              hoop_str_n(bytes.data + HEAD, bytes.len - HEAD), out);
        *ret_key = i;
    }
    return rc;
}

/* The session that a cookie's text is. 0; HOOP_EPARSE if it is none; HOOP_ENOMEM. */
static int open_text(const hoop_request *req, const struct sealed *sealed,
                     hoop_session_entry *entry)
{
    size_t size, key = 0;
    if (entry->id.len > HOOP_COOKIE_MAX || hoop__base64url_decoded_size(entry->id, &size) ||
        size < HEAD + HOOP__AEAD_TAG)
        return HOOP_EPARSE;
    char *bytes = hoop_arena_alloc(req->arena, 2 * size + 1);
    if (!bytes)
        return HOOP_ENOMEM;
    if (hoop__base64url_decode(entry->id, bytes, &size) || bytes[0] != VERSION)
        return HOOP_EPARSE;
    char *text = bytes + size;
    int rc = unseal(sealed, hoop_str_n(bytes, size), text, &key);
    if (rc)
        return rc;
    size -= HEAD + HOOP__AEAD_TAG;
    text[size] = 0;
    entry->data = hoop_str_n(text, size);
    entry->version = 0;
    entry->stale = key > 0;
    return 0;
}

static const hoop_response *read_entry(const hoop_request *req, hoop_session_entry *entry,
                                       void *data)
{
    int rc = open_text(req, data, entry);
    if (rc && rc != HOOP_EPARSE)
        return hoop_fail(req, rc, "session: the cookie can't be opened: %s", hoop_strerror(rc));
    entry->outcome = rc ? HOOP_SESSION_MISSING : HOOP_SESSION_DONE;
    return hoop__session_said();
}

/* --- writing --------------------------------------------------------------------------------- */

/* Writes all of a cookie's bytes, HEAD + data.len + HOOP__AEAD_TAG. 0 or a code. */
static int seal(const struct sealed *sealed, hoop_str data, char *bytes)
{
    unsigned char key[HOOP__AEAD_KEY];
    bytes[0] = VERSION;
    int rc = hoop__random(bytes + 1, HEAD - 1);
    if (!rc)
        rc = derive(sealed, 0, bytes + 1, key);
    return rc ? rc : hoop__seal(key, (const unsigned char *)bytes + 1 + SALT, data, bytes + HEAD);
}

static const hoop_response *write_entry(const hoop_request *req, hoop_session_entry *entry,
                                        void *data)
{
    size_t size = HEAD + entry->data.len + HOOP__AEAD_TAG;
    size_t text_size = hoop__base64url_size(size);
    char *bytes = hoop_arena_alloc(req->arena, size + text_size + 1);
    int rc = bytes ? seal(data, entry->data, bytes) : HOOP_ENOMEM;
    if (rc)
        return hoop_fail(req, rc, "session: the cookie can't be sealed: %s", hoop_strerror(rc));
    char *text = bytes + size;
    hoop__base64url_encode(hoop_str_n(bytes, size), text);
    text[text_size] = 0;
    entry->id = hoop_str_n(text, text_size);
    return hoop__session_said();
}

/* There is nothing to remove. */
static const hoop_response *remove_entry(const hoop_request *req, hoop_session_entry *entry,
                                         void *data)
{
    (void)req;
    (void)entry;
    (void)data;
    return hoop__session_said();
}

/* --- building -------------------------------------------------------------------------------- */

static int check(const hoop_session_sealed_options *options, hoop_error *error)
{
    if (hoop__crypto_available())
        return hoop_error_set(error, HOOP_EUNSUPPORTED,
                              "session: sealed cookies need libcrypto, which this build of hoop "
                              "does not have (feature crypto)");
    if (!options->key_count || options->key_count > MAX_KEYS)
        return hoop_error_set(error, HOOP_EINVAL, "session: %zu keys are given, not 1 to %u",
                              options->key_count, MAX_KEYS);
    for (size_t i = 0; i < options->key_count; i++)
        if (options->keys[i].len < MIN_KEY)
            return hoop_error_set(error, HOOP_EINVAL,
                                  "session: key %zu has %zu bytes, not %u or more", i,
                                  options->keys[i].len, MIN_KEY);
    if (options->purpose && strlen(options->purpose) > MAX_PURPOSE)
        return hoop_error_set(error, HOOP_EINVAL, "session: a purpose of over %u bytes",
                              MAX_PURPOSE);
    return 0;
}

int hoop_session_sealed_new_sized(hoop_arena *arena, const hoop_session_store **ret_store,
                                  hoop_error *error, const hoop_session_sealed_options *options,
                                  size_t options_size)
{
    const hoop_session_sealed_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    if (!own)
        return HOOP_ENOMEM;
    int rc = check(own, error);
    if (rc)
        return rc;
    struct sealed *sealed = hoop_arena_zalloc(arena, sizeof *sealed);
    for (size_t i = 0; sealed && i < own->key_count; i++) {
        sealed->keys[i] = hoop_arena_copy(arena, own->keys[i]);
        if (hoop_str_is_none(sealed->keys[i]))
            sealed = NULL;
    }
    if (sealed)
        sealed->purpose =
            hoop_arena_copy(arena, hoop_str_c(own->purpose ? own->purpose : "session"));
    if (!sealed || hoop_str_is_none(sealed->purpose))
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    sealed->key_count = own->key_count;
    sealed->store.read = read_entry;
    sealed->store.write = write_entry;
    sealed->store.remove = remove_entry;
    sealed->store.data = sealed;
    *ret_store = &sealed->store;
    return 0;
}
