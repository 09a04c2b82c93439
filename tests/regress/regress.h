/*
 * What the regression tests share: a program of one test, and waiting for what a server has counted. Each
 * file beside this one is named for what failed elsewhere; no test lives here.
 */
#ifndef HOOP_TEST_REGRESS_H
#define HOOP_TEST_REGRESS_H

#include "client.h"

#define REGRESS(test)                                                 \
    int main(void)                                                    \
    {                                                                 \
        const struct CMUnitTest tests[] = { cmocka_unit_test(test) }; \
        return cmocka_run_group_tests(tests, NULL, NULL);             \
    }

#define REGRESS_GET "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

static inline hoop_stats regress_stats(hoop_server *server)
{
    hoop_stats stats;
    hoop_server_stats(server, &stats, sizeof stats);
    return stats;
}

struct regress_count {
    hoop_server *server;
    size_t offset; /* in hoop_stats */
    uint64_t count;
};

static inline int regress_has(void *data)
{
    struct regress_count *c = data;
    hoop_stats stats = regress_stats(c->server);
    return *(uint64_t *)(void *)((char *)&stats + c->offset) >= c->count;
}

/* Waits until the server has counted so much. */
#define regress_until(server, member, n) \
    test_until(regress_has, &(struct regress_count){ (server), offsetof(hoop_stats, member), (n) })

#endif
