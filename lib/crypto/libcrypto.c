/* Encryption and keyed hashes by libcrypto; see crypto.h. */
#include "crypto/crypto.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#define MAX_TEXT ((size_t)1 << 30)

int hoop__crypto_available(void)
{
    return 0;
}

int hoop__hmac(hoop_str key, hoop_str text, unsigned char out[HOOP__MAC_SIZE])
{
    unsigned size = HOOP__MAC_SIZE;
    if (key.len > MAX_TEXT)
        return HOOP_ETOOBIG;
    return HMAC(EVP_sha256(), key.data, (int)key.len, (const unsigned char *)text.data, text.len,
                out, &size)
               ? 0
               : HOOP_ENOMEM;
}

static int run_seal(EVP_CIPHER_CTX *context, const unsigned char *key, const unsigned char *nonce,
                    hoop_str text, unsigned char *out)
{
    int len = 0;
    return EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) == 1 &&
           EVP_EncryptUpdate(context, out, &len, (const unsigned char *)text.data, (int)text.len) ==
               1 &&
           EVP_EncryptFinal_ex(context, out + len, &len) == 1 &&
           EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, (int)HOOP__AEAD_TAG,
                               out + text.len) == 1;
}

int hoop__seal(const unsigned char key[HOOP__AEAD_KEY], const unsigned char nonce[HOOP__AEAD_NONCE],
               hoop_str text, char *out)
{
    EVP_CIPHER_CTX *context = text.len <= MAX_TEXT ? EVP_CIPHER_CTX_new() : NULL;
    if (!context)
        return HOOP_ENOMEM;
    int done = run_seal(context, key, nonce, text, (unsigned char *)out);
    EVP_CIPHER_CTX_free(context);
    return done ? 0 : HOOP_ENOMEM;
}

/* 0; HOOP_EPARSE: the tag does not fit; or HOOP_ENOMEM. */
static int run_unseal(EVP_CIPHER_CTX *context, const unsigned char *key, const unsigned char *nonce,
                      hoop_str sealed, unsigned char *out)
{
    int len = 0;
    size_t size = sealed.len - HOOP__AEAD_TAG;
    const unsigned char *in = (const unsigned char *)sealed.data;
    if (EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) != 1 ||
        EVP_DecryptUpdate(context, out, &len, in, (int)size) != 1 ||
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, (int)HOOP__AEAD_TAG,
                            (void *)(uintptr_t)(in + size)) != 1)
        return HOOP_ENOMEM;
    return EVP_DecryptFinal_ex(context, out + len, &len) == 1 ? 0 : HOOP_EPARSE;
}

int hoop__unseal(const unsigned char key[HOOP__AEAD_KEY],
                 const unsigned char nonce[HOOP__AEAD_NONCE], hoop_str sealed, char *out)
{
    if (sealed.len < HOOP__AEAD_TAG || sealed.len > MAX_TEXT)
        return HOOP_EPARSE;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (!context)
        return HOOP_ENOMEM;
    int rc = run_unseal(context, key, nonce, sealed, (unsigned char *)out);
    EVP_CIPHER_CTX_free(context);
    return rc;
}
