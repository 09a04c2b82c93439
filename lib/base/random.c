/* Random bytes; see random.h. */
#include "base/random.h"

#include <errno.h>
#ifdef __linux__
#include <sys/random.h>
#else
#include <unistd.h>
#endif

/* Up to 256 bytes, which both calls give whole or not at all. */
static int fill(char *to, size_t size)
{
#ifdef __linux__
    ssize_t n;
    do
        n = getrandom(to, size, 0);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : 0;
#else
    return getentropy(to, size) ? -errno : 0;
#endif
}

int hoop__random(void *buffer, size_t size)
{
    char *to = buffer;
    while (size) {
        size_t n = size < 256 ? size : 256;
        int rc = fill(to, n);
        if (rc)
            return rc;
        to += n;
        size -= n;
    }
    return 0;
}
