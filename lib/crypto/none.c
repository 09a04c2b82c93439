/* In place of libcrypto.c in a build without libcrypto; see crypto.h. */
#include "crypto/crypto.h"

int hoop__crypto_available(void)
{
    return HOOP_EUNSUPPORTED;
}

int hoop__hmac(hoop_str key, hoop_str text, unsigned char out[HOOP__MAC_SIZE])
{
    (void)key;
    (void)text;
    (void)out;
    return HOOP_EUNSUPPORTED;
}

int hoop__seal(const unsigned char key[HOOP__AEAD_KEY], const unsigned char nonce[HOOP__AEAD_NONCE],
               hoop_str text, char *out)
{
    (void)key;
    (void)nonce;
    (void)text;
    (void)out;
    return HOOP_EUNSUPPORTED;
}

int hoop__unseal(const unsigned char key[HOOP__AEAD_KEY],
                 const unsigned char nonce[HOOP__AEAD_NONCE], hoop_str sealed, char *out)
{
    (void)key;
    (void)nonce;
    (void)sealed;
    (void)out;
    return HOOP_EUNSUPPORTED;
}
