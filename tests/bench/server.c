/* The server that is measured beside its peers: `server PORT [--threads N]`; port 0 is any. */
#include "app.h"

#include <stdio.h>
#include <stdlib.h>

/* What matters to whoever started it: where it listens, and what went wrong. */
static void log_line(int level, const char *text, void *data)
{
    if (level <= HOOP_LOG_WARN || strncmp(text, "listening on ", 13) == 0)
        fprintf(stderr, "%s\n", text);
}

/* Reads a number from `min` to `max`, or ends the program. */
static uint32_t number(const char *what, const char *text, unsigned long min, unsigned long max)
{
    char *end = NULL;
    unsigned long value = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || value < min || value > max) {
        fprintf(stderr, "server: %s '%s' is not a number from %lu to %lu\n", what, text, min, max);
        exit(2);
    }
    return (uint32_t)value;
}

int main(int argc, char **argv)
{
    uint32_t threads = 1;
    if (argc < 2) {
        fprintf(stderr, "usage: server PORT [--threads N]\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--threads") != 0 || i + 1 == argc) {
            fprintf(stderr, "server: '%s' is no option, or lacks its value\n", argv[i]);
            return 2;
        }
        threads = number("--threads", argv[++i], 1, 256);
    }
    uint32_t port = number("port", argv[1], 0, 65535);

    hoop_arena *arena = hoop_arena_new();
    hoop_handler handler;
    hoop_error error = { 0, "" };
    if (!arena || app_new(arena, &handler, &error)) {
        fprintf(stderr, "server: %s\n", arena ? error.text : "out of memory");
        hoop_arena_free(arena);
        return 1;
    }
    int status = hoop_serve(handler, &(hoop_server_options){
                                         .port = port,
                                         .threads = threads,
                                         .server_name = "hoop",
                                         .log = log_line,
                                     });
    hoop_arena_free(arena);
    return status;
}
