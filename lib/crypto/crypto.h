/*
 * Authenticated encryption and keyed hashes, by libcrypto (feature `crypto`). In a build without it nothing
 * of this works, and says so. No state, no secrets kept.
 */
#ifndef HOOP_CRYPTO_CRYPTO_H
#define HOOP_CRYPTO_CRYPTO_H

#include <hoop/error.h>
#include <hoop/str.h>

#define HOOP__AEAD_KEY   32u
#define HOOP__AEAD_NONCE 12u
#define HOOP__AEAD_TAG   16u
#define HOOP__MAC_SIZE   32u

/* 0, or HOOP_EUNSUPPORTED if this build has no libcrypto. */
int hoop__crypto_available(void);

/* HMAC-SHA256 (RFC 2104) of `text` under `key`. 0; HOOP_EUNSUPPORTED or HOOP_ENOMEM. */
int hoop__hmac(hoop_str key, hoop_str text, unsigned char out[HOOP__MAC_SIZE]);

/*
 * AES-256-GCM (NIST SP 800-38D): writes text.len bytes, and the tag behind them. A nonce is for one text
 * under one key. `text` is no longer than 1 GiB. 0; HOOP_EUNSUPPORTED or HOOP_ENOMEM.
 */
int hoop__seal(const unsigned char key[HOOP__AEAD_KEY], const unsigned char nonce[HOOP__AEAD_NONCE],
               hoop_str text, char *out);

/* The text of what hoop__seal() wrote, sealed.len - HOOP__AEAD_TAG bytes. HOOP_EPARSE if it is not that. */
int hoop__unseal(const unsigned char key[HOOP__AEAD_KEY],
                 const unsigned char nonce[HOOP__AEAD_NONCE], hoop_str sealed, char *out);

#endif
