/* Extended parameter values, `filename*=UTF-8''...` (RFC 8187 3.2), read. */
#ifndef HOOP_CODEC_EXT_VALUE_H
#define HOOP_CODEC_EXT_VALUE_H

#include <hoop/error.h>
#include <hoop/str.h>

/*
 * Decodes charset'language'text into UTF-8, at most value.len bytes. Known are UTF-8 and ISO-8859-1. 0 and the size,
 * or HOOP_EPARSE: also for another charset, wrong UTF-8 and an encoded control character.
 */
int hoop__ext_value_decode(hoop_str value, char *out, size_t *ret_size);

#endif
