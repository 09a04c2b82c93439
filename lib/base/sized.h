/* Options structs of other versions of the headers: read as the struct that this library knows. */
#ifndef HOOP_BASE_SIZED_H
#define HOOP_BASE_SIZED_H

#include <hoop/error.h>

#include <string.h>

/*
 * Copies the options that a program passed. A shorter struct is of an older header: what it lacks is zero. A
 * longer one is of a newer header and is taken only if what is unknown here was left at zero, else
 * HOOP_EINVAL. `from` may be NULL: all zero.
 */
static inline int hoop__copy_sized(void *to, size_t size, const void *from, size_t from_size)
{
    const unsigned char *bytes = from;
    memset(to, 0, size);
    if (!from)
        return 0;
    memcpy(to, from, from_size < size ? from_size : size);
    for (size_t i = size; i < from_size; i++)
        if (bytes[i])
            return HOOP_EINVAL;
    return 0;
}

#endif
