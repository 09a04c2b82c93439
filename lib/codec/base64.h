/* base64 and base64url (RFC 4648 4 and 5) between caller's buffers; no line breaks, no streaming. */
#ifndef HOOP_CODEC_BASE64_H
#define HOOP_CODEC_BASE64_H

#include <hoop/error.h>
#include <hoop/str.h>

/* Bytes that the encoders write for `len` bytes; SIZE_MAX if that is more than fits a size_t. */
size_t hoop__base64_size(size_t len);
size_t hoop__base64url_size(size_t len);

/* Writes the text, with padding, and no NUL. Returns its size. */
size_t hoop__base64_encode(hoop_str bytes, char *out);

/* The same in the alphabet that is safe in URLs, without padding (RFC 7515 2). */
size_t hoop__base64url_encode(hoop_str bytes, char *out);

/*
 * The exact size of what the decoders write, by length and padding alone. 0, or HOOP_EPARSE if
 * no text of this length is right.
 */
int hoop__base64_decoded_size(hoop_str text, size_t *ret_size);
int hoop__base64url_decoded_size(hoop_str text, size_t *ret_size);

/*
 * Strict: only the alphabet, full padding (base64) or none (base64url), the unused bits of the
 * last digit zero, so that each value has one spelling. `out` may be text.data. 0 and the size, or
 * HOOP_EPARSE; then *ret_size is untouched, and `out` holds nothing of use.
 */
int hoop__base64_decode(hoop_str text, char *out, size_t *ret_size);
int hoop__base64url_decode(hoop_str text, char *out, size_t *ret_size);

#endif
