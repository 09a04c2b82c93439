/* What the peers share: the answers, the port on the command line, and the date. */
#ifndef HOOP_BENCH_PEER_H
#define HOOP_BENCH_PEER_H

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PEER_TEXT     "Hello, World!"
#define PEER_TEXT_LEN (sizeof PEER_TEXT - 1)
#define PEER_BACKLOG  4096
#define PEER_IDLE_S   600

/* The port that argv[1] names, or the end of the program. */
static inline int peer_port(int argc, char **argv)
{
    char *end = NULL;
    long port = argc == 2 ? strtol(argv[1], &end, 10) : 0;
    if (argc != 2 || *end || port < 1 || port > 65535) {
        fprintf(stderr, "usage: %s PORT\n", argv[0]);
        exit(2);
    }
    return (int)port;
}

/* Writes the message by jansson, as a program that answers with JSON does. Returns its length. */
static inline size_t peer_json(char *buffer, size_t size)
{
    json_t *value = json_pack("{s:s}", "message", PEER_TEXT);
    size_t len = json_dumpb(value, buffer, size, JSON_COMPACT);
    json_decref(value);
    return len;
}

/* The current Date header line. Returns its length. */
static inline size_t peer_date(char *buffer, size_t size)
{
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    return strftime(buffer, size, "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &parts);
}

#endif
