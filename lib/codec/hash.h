/* A fast hash of bytes, the same on every machine; nothing against who chooses the bytes. */
#ifndef HOOP_CODEC_HASH_H
#define HOOP_CODEC_HASH_H

#include <hoop/str.h>

uint64_t hoop__hash64(hoop_str text);

#endif
