/* A server's life: made, started, drained, ended, freed. What it listens at and how bytes move is
 * lib/net's. */
#include "server/server.h"

#include "base/clock.h"
#include "handler/node.h"
#include "server/options.h"

#include <stdio.h>

/* --- making and unmaking --------------------------------------------------------------------- */

static void destroy(hoop_server *server)
{
    const hoop_allocator *allocator = server->allocator;
    /* The last thread may still run what was to be told of the end, which may look at all loops. It may
     * be that thread itself which frees the server. */
    for (uint32_t i = 0; server->loops && i < server->net.loop_count; i++) {
        if (!server->loops[i].has_thread)
            continue;
        if (pthread_equal(server->loops[i].thread, pthread_self()))
            pthread_detach(server->loops[i].thread);
        else
            pthread_join(server->loops[i].thread, NULL);
    }
    for (uint32_t i = 0; server->loops && i < server->net.loop_count; i++)
        if (server->loops[i].net)
            hoop__net_loop_free(server->loops[i].net);
    hoop__pool_free(server->pool);
    for (size_t i = 0; i < server->net.place_count; i++)
        hoop__place_done(&server->net.places[i], /* keep_inherited= */ 0);
    hoop__free(allocator, server->net.places);
    hoop__free(allocator, server->net.loops);
    hoop__free(allocator, server->loops);
    if (server->net.quota)
        hoop__quota_done(&server->quota);
    pthread_cond_destroy(&server->changed);
    pthread_mutex_destroy(&server->lock);
    hoop__free(allocator, server);
}

static void *zalloc(const hoop_allocator *allocator, size_t size)
{
    void *memory = hoop__alloc(allocator, size);
    return memory ? memset(memory, 0, size) : NULL;
}

/* All that a server needs but its places. 0 or HOOP_ENOMEM. */
static int fill(hoop_server *server, hoop_handler handler)
{
    const hoop_server_options *options = &server->options;
    struct hoop__net *net = &server->net;
    server->root = handler;
    server->service.root = hoop_fn(hoop__root_fn, &server->root);
    server->service.limits = &server->limits;
    server->service.server_name = options->server_name;
    server->due = HOOP__NEVER;
    net->allocator = server->allocator;
    net->service = &server->service;
    net->limits = &server->limits;
    net->log = options->log;
    net->log_data = options->log_data;
    net->loop_count = options->threads;
    net->loops = zalloc(server->allocator, options->threads * sizeof *net->loops);
    server->loops = zalloc(server->allocator, options->threads * sizeof *server->loops);
    if (!net->loops || !server->loops)
        return HOOP_ENOMEM;
    if (hoop__quota_init(&server->quota, server->allocator, server->limits.max_connections,
                         server->limits.max_connections_per_peer))
        return HOOP_ENOMEM;
    net->quota = &server->quota;
    return hoop__pool_new(&server->pool, server->allocator, options->blocking_threads,
                          server->limits.max_blocking);
}

static int open_place(hoop_server *server, const hoop_listener *listener, size_t index,
                      size_t count, hoop_error *error)
{
    struct hoop__place *place = &server->net.places[index];
    char label[40] = "";
    if (count > 1)
        snprintf(label, sizeof label, "listener %zu: ", index);
    place->allocator = server->allocator;
    place->protocol = hoop__protocol_find(listener->protocol);
    int rc = hoop__place_open(place, listener, server->net.loop_count, label, error);
    if (!rc)
        server->net.place_count++;
    return rc;
}

static int open_places(hoop_server *server, hoop_error *error)
{
    hoop_listener *listeners = NULL;
    size_t count = 0;
    int rc = hoop__options_listeners(&server->options, &listeners, &count, error);
    if (rc)
        return rc;
    server->net.places = zalloc(server->allocator, count * sizeof *server->net.places);
    if (!server->net.places)
        rc = hoop_error_set(error, HOOP_ENOMEM, "%s", hoop_strerror(HOOP_ENOMEM));
    for (size_t i = 0; i < count && !rc; i++)
        rc = open_place(server, &listeners[i], i, count, error);
    hoop__free(server->allocator, listeners);
    /* The descriptors that the caller gave stay his if there is no server to close them. */
    for (size_t i = 0; rc && i < server->net.place_count; i++)
        hoop__place_done(&server->net.places[i], /* keep_inherited= */ 1);
    return rc;
}

int hoop_server_new_sized(hoop_handler handler, hoop_server **ret_server, hoop_error *error,
                          const hoop_server_options *options, size_t options_size)
{
    hoop_server_options complete;
    hoop_limits limits;
    if (!ret_server)
        return hoop_error_set(error, HOOP_EINVAL, "ret_server is NULL");
    int rc = hoop_check(handler, error);
    if (!rc)
        rc = hoop__options_read(&complete, &limits, options, options_size, error);
    if (rc)
        return rc;
    hoop_server *server = zalloc(complete.allocator, sizeof *server);
    if (!server)
        return hoop_error_set(error, HOOP_ENOMEM, "%s", hoop_strerror(HOOP_ENOMEM));
    pthread_mutex_init(&server->lock, NULL);
    pthread_cond_init(&server->changed, NULL);
    server->options = complete;
    server->allocator = complete.allocator;
    server->limits = limits;
    rc = fill(server, handler);
    rc = rc ? hoop_error_set(error, rc, "%s", hoop_strerror(rc)) : open_places(server, error);
    if (rc) {
        destroy(server);
        return rc;
    }
    *ret_server = server;
    return 0;
}

/* --- the end --------------------------------------------------------------------------------- */

/* The last loop is closed. On a host's loop a freed server is gone afterwards. */
static void finish(hoop_server *server)
{
    const hoop_allocator *allocator = server->allocator;
    int own = !server->options.loop;
    pthread_mutex_lock(&server->lock);
    struct hoop__server_end *end = server->ends;
    server->ends = NULL;
    server->state = HOOP__SERVER_ENDED;
    int freed = server->freed;
    pthread_mutex_unlock(&server->lock);
    /* One of these may free the server: on a host's loop it is gone then, and nothing touches it from
     * here on; on a thread of its own that is put off until they have all run. */
    while (end) {
        struct hoop__server_end *next = end->next;
        end->fn(end->data);
        hoop__free(allocator, end);
        end = next;
    }
    if (!own) {
        if (freed)
            destroy(server);
        return;
    }
    pthread_mutex_lock(&server->lock);
    freed = server->freed;
    server->has_finished = 1;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
    if (freed)
        destroy(server);
}

static void count_out(hoop_server *server)
{
    pthread_mutex_lock(&server->lock);
    int last = --server->running == 0;
    pthread_mutex_unlock(&server->lock);
    if (last)
        finish(server);
}

/* --- what a loop tells ----------------------------------------------------------------------- */

static void on_quiet(void *data)
{
    struct hoop__server_loop *loop = data;
    /* A job that runs may still use what belongs to the program: it is waited for. */
    if (hoop__pool_quiet(loop->server->pool, &loop->client, &loop->quiet))
        hoop__net_loop_close(loop->net);
}

static void on_pool_quiet(struct hoop__task *task, struct hoop_loop *base)
{
    struct hoop__server_loop *loop =
        (struct hoop__server_loop *)(void *)((char *)task -
                                             offsetof(struct hoop__server_loop, quiet));
    (void)base;
    on_quiet(loop); /* what ended a job may have begun another */
}

static void on_stopped(void *data)
{
    struct hoop__server_loop *loop = data;
    const hoop_server_options *options = &loop->server->options;
    struct hoop_loop *base = hoop__net_loop_base(loop->net);
    if (loop->begun && options->on_loop_stop)
        options->on_loop_stop(base, base->state, options->loop_data);
}

static void on_closed(void *data)
{
    struct hoop__server_loop *loop = data;
    /* With a thread of its own the loop has still to return from libuv. */
    if (loop->server->options.loop)
        count_out(loop->server);
}

static int block(void *data, struct hoop__job *job)
{
    struct hoop__server_loop *loop = data;
    return hoop__pool_add(loop->server->pool, &loop->client, job);
}

static void on_drain(struct hoop__task *task, struct hoop_loop *base)
{
    struct hoop__server_loop *loop =
        (struct hoop__server_loop *)(void *)((char *)task -
                                             offsetof(struct hoop__server_loop, drain));
    (void)base;
    pthread_mutex_lock(&loop->server->lock);
    loop->drain_posted = 0;
    uint64_t due = loop->server->due;
    pthread_mutex_unlock(&loop->server->lock);
    hoop__net_loop_drain(loop->net, due);
}

/* --- starting -------------------------------------------------------------------------------- */

/* Calls the program's on_loop_start, without the lock: it may ask the server things. */
static void begin_loop(struct hoop__server_loop *loop)
{
    hoop_server *server = loop->server;
    const hoop_server_options *options = &server->options;
    struct hoop_loop *base = hoop__net_loop_base(loop->net);
    int rc = 0;
    hoop__loop_enter(base);
    if (options->on_loop_start)
        rc = options->on_loop_start(base, options->loop_data, &base->state);
    loop->begun = rc == 0;
    pthread_mutex_lock(&server->lock);
    server->begun++;
    if (rc && !server->begin_code)
        server->begin_code = rc;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
}

void hoop__server_run_loop(struct hoop__server_loop *loop)
{
    hoop__net_loop_run(loop->net);
    count_out(loop->server);
}

static void *thread_main(void *data)
{
    begin_loop(data);
    hoop__server_run_loop(data);
    return NULL;
}

static int make_loop(hoop_server *server, uint32_t index)
{
    struct hoop__server_loop *loop = &server->loops[index];
    struct hoop__net_owner owner = {
        .quiet = on_quiet, .stopped = on_stopped, .closed = on_closed, .block = block, .data = loop
    };
    loop->server = server;
    loop->drain.run = on_drain;
    loop->quiet.run = on_pool_quiet;
    int rc = hoop__net_loop_new(&loop->net, &server->net, index, server->options.loop, &owner);
    if (rc)
        return rc;
    server->net.loops[index] = loop->net;
    loop->client.loop = hoop__net_loop_base(loop->net);
    server->running++;
    return 0;
}

static int make_loops(hoop_server *server)
{
    int rc = 0;
    for (uint32_t i = 0; i < server->net.loop_count && !rc; i++)
        rc = make_loop(server, i);
    for (uint32_t i = 0; i < server->net.loop_count && !rc; i++)
        rc = hoop__net_loop_listen(server->loops[i].net);
    return rc;
}

/* Under the lock. The tasks run once it is free. */
static void post_drain(hoop_server *server)
{
    for (uint32_t i = 0; i < server->net.loop_count; i++) {
        struct hoop__server_loop *loop = &server->loops[i];
        if (!loop->net || loop->drain_posted)
            continue;
        loop->drain_posted = 1;
        hoop__mailbox_post(hoop__net_loop_base(loop->net)->mailbox, &loop->drain);
    }
}

/* Ends loops of the server's own that have no thread, on the calling one. */
static void run_out(hoop_server *server)
{
    for (uint32_t i = 0; i < server->net.loop_count; i++) {
        struct hoop__server_loop *loop = &server->loops[i];
        if (!loop->net || loop->has_thread)
            continue;
        hoop__net_loop_run(loop->net);
        count_out(server);
    }
}

/*
 * Has every loop begin: `here` (NULL: none) on the calling thread, the others on threads of their own, which
 * are waited for. Under the lock, which is free meanwhile. 0, or what kept one from beginning.
 */
static int begin_loops(hoop_server *server, struct hoop__server_loop *here)
{
    uint32_t begun = 0;
    int rc = 0;
    for (uint32_t i = 0; i < server->net.loop_count && !rc; i++) {
        struct hoop__server_loop *loop = &server->loops[i];
        if (loop == here)
            continue;
        rc = -hoop__thread_start(&loop->thread, thread_main, loop);
        loop->has_thread = rc == 0;
        begun += rc == 0;
    }
    if (here && !rc) {
        pthread_mutex_unlock(&server->lock);
        begin_loop(here);
        pthread_mutex_lock(&server->lock);
        begun++;
    }
    while (server->begun < begun)
        pthread_cond_wait(&server->changed, &server->lock);
    return rc ? rc : server->begin_code;
}

int hoop__server_begin(hoop_server *server, int leave_first, hoop_error *error)
{
    int own = !server->options.loop;
    pthread_mutex_lock(&server->lock);
    if (server->state != HOOP__SERVER_NEW) {
        int code = server->state == HOOP__SERVER_RUNNING ? HOOP_EALREADY : HOOP_ECANCELED;
        pthread_mutex_unlock(&server->lock);
        return hoop_error_set(error, code, "a server can be started once, and not after its end");
    }
    server->state = HOOP__SERVER_RUNNING;
    int rc = make_loops(server);
    if (!server->running) { /* without a single loop nothing would ever tell of the end */
        server->state = HOOP__SERVER_ENDED;
        server->has_finished = 1;
    }
    if (!rc)
        rc = begin_loops(server, own && !leave_first ? NULL : &server->loops[0]);
    if (rc) {
        server->due = 0;
        post_drain(server);
    }
    pthread_mutex_unlock(&server->lock);
    if (!rc)
        return 0;
    if (own)
        run_out(server);
    return hoop_error_set(error, rc, "the server can't start: %s", hoop_strerror(rc));
}

int hoop_server_start(hoop_server *server, hoop_error *error)
{
    if (!server)
        return hoop_error_set(error, HOOP_EINVAL, "server is NULL");
    return hoop__server_begin(server, /* leave_first= */ 0, error);
}

/* --- draining and stopping ------------------------------------------------------------------- */

int hoop_server_drain(hoop_server *server, uint64_t deadline_ms, hoop_task_fn *fn, void *data)
{
    if (!server)
        return HOOP_EINVAL;
    struct hoop__server_end *end = hoop__alloc(server->allocator, sizeof *end);
    if (!end)
        return HOOP_ENOMEM;
    uint64_t now = hoop__clock_mono();
    uint64_t due = deadline_ms ? now + deadline_ms : 0;
    if (deadline_ms && due < now)
        due = HOOP__NEVER - 1;
    pthread_mutex_lock(&server->lock);
    if (server->state == HOOP__SERVER_NEW) {
        server->state = HOOP__SERVER_ENDED;
        server->has_finished = 1;
    }
    int runs = server->state == HOOP__SERVER_RUNNING;
    if (runs) {
        if (due < server->due)
            server->due = due;
        post_drain(server);
    }
    if (runs && fn) {
        *end = (struct hoop__server_end){ server->ends, fn, data };
        server->ends = end;
        end = NULL;
    }
    const hoop_allocator *allocator = server->allocator;
    pthread_mutex_unlock(&server->lock);
    hoop__free(allocator, end);
    if (!runs && fn)
        fn(data);
    return 0;
}

int hoop_server_stop(hoop_server *server, hoop_task_fn *fn, void *data)
{
    return hoop_server_drain(server, 0, fn, data);
}

/* Nonzero on a thread of the server's own. Under the lock. */
static int is_own_thread(const hoop_server *server)
{
    for (uint32_t i = 0; i < server->net.loop_count; i++)
        if (server->loops[i].has_thread && pthread_equal(server->loops[i].thread, pthread_self()))
            return 1;
    return 0;
}

int hoop_server_wait(hoop_server *server)
{
    if (!server || server->options.loop)
        return HOOP_EINVAL;
    int rc = 0;
    pthread_mutex_lock(&server->lock);
    if (is_own_thread(server))
        rc = HOOP_ETHREAD;
    else if (server->state == HOOP__SERVER_NEW)
        rc = HOOP_EINVAL;
    while (!rc && !server->has_finished)
        pthread_cond_wait(&server->changed, &server->lock);
    pthread_mutex_unlock(&server->lock);
    return rc;
}

void hoop_server_free(hoop_server *server)
{
    if (!server)
        return;
    pthread_mutex_lock(&server->lock);
    int runs = server->state == HOOP__SERVER_RUNNING;
    /* A thread of its own can't wait for itself: its last one frees the server. */
    int waits = !server->options.loop && !is_own_thread(server);
    int later = runs ? !waits : !server->has_finished && is_own_thread(server);
    server->freed = (uint8_t)later;
    if (runs) {
        server->due = 0;
        post_drain(server);
    }
    while (runs && waits && !server->has_finished)
        pthread_cond_wait(&server->changed, &server->lock);
    pthread_mutex_unlock(&server->lock);
    if (!later)
        destroy(server);
}

/* --- looking --------------------------------------------------------------------------------- */

uint32_t hoop_listener_port(const hoop_server *server, size_t index)
{
    return server && index < server->net.place_count ? server->net.places[index].port : 0;
}

const char *hoop_listener_url(const hoop_server *server, size_t index)
{
    return server && index < server->net.place_count ? server->net.places[index].url : "";
}

static uint64_t read_counter(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static void add_counters(hoop_stats *stats, const struct hoop_loop *loop)
{
    const struct hoop__counters *c = &loop->counters;
    stats->connections += read_counter(&c->connections);
    stats->accepted += read_counter(&c->accepted);
    stats->refused += read_counter(&c->refused);
    stats->requests += read_counter(&c->requests);
    stats->responses += read_counter(&c->responses);
    stats->failures += read_counter(&c->failures);
    stats->errors += read_counter(&c->errors);
    stats->pending += read_counter(&c->pending);
    stats->bytes_in += read_counter(&c->bytes_in);
    stats->bytes_out += read_counter(&c->bytes_out);
    stats->blocks += read_counter(&loop->blocks.held);
    stats->limit_target += read_counter(&c->limit_target);
    stats->limit_head += read_counter(&c->limit_head);
    stats->limit_headers += read_counter(&c->limit_headers);
    stats->limit_body += read_counter(&c->limit_body);
    stats->limit_chunk_extension += read_counter(&c->limit_chunk_extension);
    stats->limit_trailer += read_counter(&c->limit_trailer);
    stats->limit_requests += read_counter(&c->limit_requests);
    stats->limit_discard += read_counter(&c->limit_discard);
    stats->limit_arena += read_counter(&c->limit_arena);
    stats->limit_pending += read_counter(&c->limit_pending);
    stats->limit_blocking += read_counter(&c->limit_blocking);
    stats->late_first_byte += read_counter(&c->late_first_byte);
    stats->late_head += read_counter(&c->late_head);
    stats->late_idle += read_counter(&c->late_idle);
    stats->late_body += read_counter(&c->late_body);
    stats->late_handler += read_counter(&c->late_handler);
    stats->late_write += read_counter(&c->late_write);
    stats->refused_proxy += read_counter(&c->refused_proxy);
}

void hoop_server_stats(const hoop_server *server, hoop_stats *ret_stats, size_t stats_size)
{
    hoop_stats stats;
    memset(&stats, 0, sizeof stats);
    if (!ret_stats)
        return;
    memset(ret_stats, 0, stats_size);
    if (server) {
        /* The lock is no part of the value, and orders this with a start on another thread. */
        pthread_mutex_t *lock = &((hoop_server *)(uintptr_t)server)->lock;
        pthread_mutex_lock(lock);
        for (uint32_t i = 0; i < server->net.loop_count; i++)
            if (server->loops[i].net)
                add_counters(&stats, hoop__net_loop_base(server->loops[i].net));
        pthread_mutex_unlock(lock);
    }
    memcpy(ret_stats, &stats, stats_size < sizeof stats ? stats_size : sizeof stats);
}
