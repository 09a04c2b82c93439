/* A keyed hash for tables whose keys come from outside: who does not know the key finds no collisions. */
#ifndef HOOP_BASE_HASH_H
#define HOOP_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* SipHash-1-3 of `len` bytes under a key of 128 random bits (Aumasson and Bernstein, 2012). */
uint64_t hoop__hash(const uint64_t key[2], const void *data, size_t len);

#endif
