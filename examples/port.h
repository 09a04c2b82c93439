/* What the examples share: the port that is their one argument. */
#ifndef EXAMPLE_PORT_H
#define EXAMPLE_PORT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The port of `NAME [PORT]`: 8080 if none is given, 0 for any free one. Ends the program with the
 * exit code 2 if the argument is no port. */
static inline uint32_t example_port(int argc, char **argv)
{
    if (argc < 2)
        return 8080;
    size_t digits = strspn(argv[1], "0123456789");
    unsigned long port = strtoul(argv[1], NULL, 10);
    if (digits > 0 && argv[1][digits] == '\0' && port <= 65535)
        return (uint32_t)port;
    const char *slash = strrchr(argv[0], '/');
    fprintf(stderr, "%s: '%s' is no port (0 to 65535)\n", slash ? slash + 1 : argv[0], argv[1]);
    exit(2);
}

#endif
