/*
 * Server-sent events over sockets: a hub on several loops that is published to by several threads, while listeners come
 * and go and the server drains; and listeners that don't read.
 */
#include "client.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>

static hoop_hub *hub;
static hoop_server *server;

static const hoop_response *join(const hoop_request *req, void *data)
{
    return hoop_hub_join(hub, req);
}

static void start(uint32_t threads, const hoop_hub_options *options)
{
    assert_int_equal(hoop_hub_new(&hub, NULL, options), 0);
    server = test_server_start(hoop_fn(join, NULL), &(hoop_server_options){ .threads = threads });
}

static void stop(void)
{
    test_server_stop(server);
    assert_int_equal(hoop_hub_listeners(hub), 0);
    hoop_hub_free(hub);
}

/* --- listeners -------------------------------------------------------------------------------- */

struct listener {
    struct test_client client;
    unsigned long last; /* the number of the last event; 0: none yet */
};

/* As a client of HTTP/1.0, so that events come without chunks. Joined when it returns. */
static void listen_to(struct listener *l, unsigned long last, int receive)
{
    struct test_answer answer;
    char text[100];
    if (receive)
        test_connect_small(&l->client, hoop_listener_port(server, 0), receive);
    else
        test_connect(&l->client, "127.0.0.1", hoop_listener_port(server, 0));
    l->last = last;
    snprintf(text, sizeof text, "Last-Event-ID: %lu\r\n", last);
    test_send(&l->client, "GET / HTTP/1.0\r\n");
    test_send(&l->client, last ? text : "");
    test_send(&l->client, "\r\n");
    test_answer_head(&l->client, &answer);
    assert_int_equal(answer.status, 200);
}

/* Takes an event out of what was read. Its number, or 0 if there is none. */
static unsigned long take(struct listener *l)
{
    struct test_client *c = &l->client;
    const char *end = c->len ? memmem(c->data, c->len, "\n\n", 2) : NULL;
    unsigned long number;
    if (!end)
        return 0;
    assert_memory_equal(c->data, "id: ", 4);
    number = strtoul(c->data + 4, NULL, 10);
    size_t taken = (size_t)(end + 2 - c->data);
    memmove(c->data, c->data + taken, c->len - taken);
    c->len -= taken;
    return number;
}

/* The next event; it follows the last one unless some may be missing. */
static void expect_next(struct listener *l, int may_miss)
{
    unsigned long number;
    while (!(number = take(l)))
        test_read(&l->client, l->client.len + 1);
    if (l->last && !may_miss)
        assert_int_equal(number, l->last + 1);
    assert_true(number > l->last);
    l->last = number;
}

static void expect_end(struct listener *l)
{
    test_read_end(&l->client);
    for (unsigned long number; (number = take(l)); l->last = number)
        if (l->last)
            assert_int_equal(number, l->last + 1);
    assert_int_equal(l->client.len, 0);
    test_close(&l->client);
}

/* --- publishers ------------------------------------------------------------------------------- */

#define PUBLISHERS 3
#define AHEAD      100 /* events on their way at most, so that nobody is too slow */

static sem_t room;
static atomic_int ended, failures;

static void *publish_all(void *data)
{
    while (sem_wait(&room) == 0 && !atomic_load(&ended))
        if (hoop_hub_publish(hub, &(hoop_event){ .data = hoop_str_c("something happened") }))
            atomic_fetch_add(&failures, 1);
    return NULL;
}

static void come_and_go_while_many_publish(void **state)
{
    enum { GUESTS = 4 };
    pthread_t threads[PUBLISHERS];
    struct listener steady = { 0 }, guests[GUESTS] = { 0 };
    start(3, &(hoop_hub_options){ .history = 1000 });
    atomic_store(&ended, 0);
    sem_init(&room, 0, AHEAD);
    listen_to(&steady, 0, 0);
    for (int i = 0; i < PUBLISHERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, publish_all, NULL), 0);
    for (unsigned i = 0; i < 150; i++) {
        struct listener *guest = &guests[i % GUESTS];
        if (guest->client.fd > 0) {
            for (unsigned n = i % 7; n > 0; n--)
                expect_next(guest, 0);
            if (i % 3)
                test_reset(&guest->client);
            else
                test_close(&guest->client);
        }
        listen_to(guest, i % 2 && steady.last > 5 ? steady.last - 5 : 0, 0);
        for (int n = 0; n < 10; n++) {
            expect_next(&steady, 0);
            sem_post(&room);
        }
    }
    assert_int_equal(hoop_server_drain(server, 60000, NULL, NULL), 0);
    for (int i = 0; i < 1000; i++) /* it goes on, though nobody may be there any more */
        sem_post(&room);
    expect_end(&steady);
    for (int i = 0; i < GUESTS; i++)
        expect_end(&guests[i]);
    atomic_store(&ended, 1);
    for (int i = 0; i < PUBLISHERS; i++)
        sem_post(&room);
    for (int i = 0; i < PUBLISHERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&failures), 0);
    assert_int_equal(hoop_hub_dropped(hub), 0);
    stop();
    sem_destroy(&room);
}

/* The hub goes while its listeners are there and others come, on all loops. */
static void the_hub_goes_first(void **state)
{
    struct listener listeners[8] = { 0 };
    start(3, NULL);
    for (size_t i = 0; i < HOOP_COUNT(listeners); i++)
        listen_to(&listeners[i], 0, 0);
    hoop_hub_publish(hub, &(hoop_event){ .data = hoop_str_c("the last one") });
    hoop_hub_free(hub);
    for (size_t i = 0; i < HOOP_COUNT(listeners); i++) {
        expect_next(&listeners[i], 0);
        expect_end(&listeners[i]);
    }
    test_server_stop(server);
}

/* --- listeners that don't read ---------------------------------------------------------------- */

static void publish(const char *text)
{
    assert_int_equal(hoop_hub_publish(hub, &(hoop_event){ .data = hoop_str_c(text) }), 0);
}

/*
 * Publishes until somebody is too slow; the quick one gets each event before the next, and so has the slow one, on the
 * same loop. How many that were.
 */
static unsigned long until_dropped(struct listener *quick)
{
    static char text[8192];
    memset(text, 'x', sizeof text - 1);
    while (!hoop_hub_dropped(hub)) {
        assert_true(quick->last < 100000);
        publish(text);
        expect_next(quick, 0);
    }
    return quick->last;
}

static void the_slow_miss_events(void **state)
{
    struct listener quick = { 0 }, slow = { 0 };
    start(1, &(hoop_hub_options){ .max_bytes = 32768 });
    listen_to(&quick, 0, 0);
    listen_to(&slow, 0, 4096);
    unsigned long count = until_dropped(&quick);
    while (slow.last < count - 1) /* all that there was room for */
        expect_next(&slow, 0);
    publish("again");
    expect_next(&quick, 0);
    expect_next(&slow, 1);
    assert_int_equal(slow.last, count + 1);
    assert_int_equal(hoop_hub_dropped(hub), 1);
    assert_int_equal(hoop_hub_listeners(hub), 2);
    test_close(&quick.client);
    test_close(&slow.client);
    stop();
}

static int is_alone(void *data)
{
    return hoop_hub_listeners(hub) == 1;
}

static void the_slow_are_disconnected(void **state)
{
    struct listener quick = { 0 }, slow = { 0 };
    start(1,
          &(hoop_hub_options){ .max_bytes = 32768, .history = 1000, .slow = HOOP_HUB_DISCONNECT });
    listen_to(&quick, 0, 0);
    listen_to(&slow, 0, 4096);
    unsigned long count = until_dropped(&quick);
    test_until(is_alone, NULL); /* though it takes nothing, and its socket is full */
    test_read_end(&slow.client);
    for (unsigned long number; (number = take(&slow)); slow.last = number)
        assert_int_equal(number, slow.last + 1);
    assert_true(slow.last < count);
    test_close(&slow.client);
    /* It comes again, and misses nothing as long as the history has it. */
    listen_to(&slow, count - 3, 0);
    publish("again");
    while (slow.last < count + 1)
        expect_next(&slow, 0);
    test_close(&quick.client);
    test_close(&slow.client);
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(come_and_go_while_many_publish),
        cmocka_unit_test(the_hub_goes_first),
        cmocka_unit_test(the_slow_miss_events),
        cmocka_unit_test(the_slow_are_disconnected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
