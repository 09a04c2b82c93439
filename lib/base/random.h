/* Random bytes that nobody can guess, from the system. */
#ifndef HOOP_BASE_RANDOM_H
#define HOOP_BASE_RANDOM_H

#include <stddef.h>

/* Fills `buffer`. 0, or the system's code; then the bytes must not be used. Threads: any. */
int hoop__random(void *buffer, size_t size);

#endif
