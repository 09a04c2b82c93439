/*
 * Streams over real sockets: uploads to a reader that is slower than its client, echoes, writers on
 * other threads. Sums show that no byte is lost, the resident memory that none is hoarded. With a
 * number of MiB the sizes grow to that.
 */
#include "client.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define PIECE ((size_t)65536)

static size_t mib = 8;

/* --- bytes and sums --------------------------------------------------------------------------- */

static uint64_t add_up(uint64_t sum, const char *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        sum = (sum ^ (unsigned char)data[i]) * 1099511628211u;
    return sum;
}

static void fill(char *piece, uint64_t number)
{
    for (size_t i = 0; i < PIECE; i++)
        piece[i] = (char)(number * 31 + i * 7 + (i >> 8));
}

static uint64_t expected_sum(size_t pieces)
{
    char *piece = malloc(PIECE);
    uint64_t sum = 1;
    for (size_t i = 0; i < pieces; i++) {
        fill(piece, i);
        sum = add_up(sum, piece, PIECE);
    }
    free(piece);
    return sum;
}

static size_t resident_kib(void)
{
    size_t total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    if (fscanf(file, "%zu %zu", &total, &resident) != 2)
        resident = 0;
    fclose(file);
    return resident * 4;
}

/* --- uploads ---------------------------------------------------------------------------------- */

struct upload {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t more;
    hoop_reader *reader; /* one that has paused, with a reference */
    int done;
    uint64_t sum, len;
    unsigned pauses;
};

/* Resumes, on a thread of its own, what has paused. */
static void *resume_all(void *data)
{
    struct upload *u = data;
    pthread_mutex_lock(&u->lock);
    while (!u->done || u->reader) {
        hoop_reader *reader = u->reader;
        u->reader = NULL;
        if (!reader) {
            pthread_cond_wait(&u->more, &u->lock);
            continue;
        }
        pthread_mutex_unlock(&u->lock);
        assert_int_equal(hoop_reader_resume(reader), 0);
        hoop_reader_unref(reader);
        pthread_mutex_lock(&u->lock);
    }
    pthread_mutex_unlock(&u->lock);
    return NULL;
}

static int on_chunk(hoop_reader *reader, hoop_str bytes, hoop_arena *scratch, void *data)
{
    struct upload *u = data;
    u->sum = add_up(u->sum, bytes.data, bytes.len);
    u->len += bytes.len;
    u->pauses++;
    pthread_mutex_lock(&u->lock);
    u->reader = hoop_reader_ref(reader);
    pthread_cond_signal(&u->more);
    pthread_mutex_unlock(&u->lock);
    return HOOP_WAIT;
}

static const hoop_response *on_end(const hoop_request *req, int code, void *data)
{
    const struct upload *u = data;
    return hoop_textf(req, 200, "%d %llu %llu %s", code, (unsigned long long)u->len,
                      (unsigned long long)u->sum, hoop_trailer(req, "x-sum").data);
}

static const hoop_response *take_upload(const hoop_request *req, void *data)
{
    struct upload *u = data;
    u->sum = 1;
    u->len = 0;
    return hoop_read_stream(
        req,
        &(hoop_read_options){ .chunk = on_chunk, .end = on_end, .data = data, .limit = HOOP_OFF });
}

static void send_pieces(struct test_client *c, size_t pieces)
{
    char *piece = malloc(PIECE + 9);
    memcpy(piece, "10000\r\n", 7);
    memcpy(piece + 7 + PIECE, "\r\n", 2);
    for (size_t i = 0; i < pieces; i++) {
        fill(piece + 7, i);
        test_send_bytes(c, piece, PIECE + 9);
    }
    free(piece);
    test_send(c, "0\r\nX-Sum: sent\r\n\r\n");
}

static void upload_to_a_slow_reader(void **state)
{
    struct upload u = { .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER };
    hoop_arena *arena = hoop_arena_new();
    hoop_server *server = test_server_start(hoop_streaming(arena, hoop_fn(take_upload, &u)),
                                            &(hoop_server_options){ 0 });
    struct test_client c = { 0 };
    size_t pieces = mib * 16, before = 0;
    char want[100];
    assert_int_equal(pthread_create(&u.thread, NULL, resume_all, &u), 0);
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    for (int round = 0; round < 2; round++) { /* the first one makes what stays */
        size_t n = round ? pieces : 16;
        before = resident_kib();
        test_send(&c, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
        send_pieces(&c, n);
        snprintf(want, sizeof want, "0 %llu %llu sent", (unsigned long long)n * PIECE,
                 (unsigned long long)expected_sum(n));
        test_expect(&c, 200, want);
    }
    assert_true(u.pauses >= pieces);
    size_t after = resident_kib();
    print_message("%zu MiB uploaded: resident %zu KiB before, %zu KiB behind\n", mib, before,
                  after);
    if (!test_sanitized())
        assert_true(after < before + 4096);
    test_close(&c);
    test_server_stop(server);
    pthread_mutex_lock(&u.lock);
    u.done = 1;
    pthread_cond_signal(&u.more);
    pthread_mutex_unlock(&u.lock);
    pthread_join(u.thread, NULL);
    hoop_arena_free(arena);
}

/* --- an echo ---------------------------------------------------------------------------------- */

static const hoop_response *echo(const hoop_request *req, void *data)
{
    return hoop_pipe(req, 200, "application/octet-stream",
                     &(hoop_pipe_options){ .limit = HOOP_OFF });
}

static void *send_all(void *data)
{
    send_pieces(data, mib * 16);
    return NULL;
}

/* A piece of the echo without its chunks; they come in any cut. */
struct unchunk {
    uint64_t sum, len, left;
    int state; /* 0: size, 1: data, 2: CR LF, 3: the end */
    char line[64];
    size_t line_len;
};

static void unchunk(struct unchunk *u, const char *data, size_t len)
{
    for (size_t at = 0; at < len;) {
        if (u->state == 1) {
            size_t n = len - at < u->left ? len - at : (size_t)u->left;
            u->sum = add_up(u->sum, data + at, n);
            u->len += n;
            u->left -= n;
            at += n;
            u->state = u->left ? 1 : 2;
            continue;
        }
        assert_true(u->line_len + 1 < sizeof u->line);
        u->line[u->line_len++] = data[at];
        u->line[u->line_len] = 0;
        if (data[at++] != '\n' || u->state == 3)
            continue;
        if (u->state == 0) {
            u->left = strtoull(u->line, NULL, 16);
            u->state = u->left ? 1 : 3;
        } else {
            u->state = 0;
        }
        u->line_len = 0;
    }
}

static void echo_of_what_comes(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_server *server =
        test_server_start(hoop_streaming(arena, hoop_fn(echo, NULL)), &(hoop_server_options){ 0 });
    struct test_client c = { 0 };
    struct test_client out;
    struct test_answer answer;
    struct unchunk u = { .sum = 1 };
    pthread_t sender;
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    test_send(&c, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    out = (struct test_client){ .fd = c.fd };
    assert_int_equal(pthread_create(&sender, NULL, send_all, &out), 0);
    test_answer_head(&c, &answer);
    assert_int_equal(answer.status, 200);
    do {
        if (!c.len)
            test_read(&c, 1);
        unchunk(&u, c.data, c.len);
        c.len = 0;
    } while (!strstr(u.line, "\r\n\r\n"));
    pthread_join(sender, NULL);
    assert_string_equal(u.line, "x-sum: sent\r\n\r\n");
    assert_int_equal(u.len, (uint64_t)mib * 16 * PIECE);
    assert_int_equal(u.sum, expected_sum(mib * 16));
    test_close(&c);
    test_server_stop(server);
    hoop_arena_free(arena);
}

/* --- writers on other threads ----------------------------------------------------------------- */

#define WRITERS 4
#define LINES   2000

struct writers {
    pthread_mutex_t lock;
    pthread_cond_t room;
    hoop_sink *sink;
    atomic_int running;
    atomic_int finished;
    int drains, code;
    pthread_t threads[WRITERS];
};

struct writer {
    struct writers *all;
    int number;
};

static struct writer numbered[WRITERS];

/* Writes its lines, and waits where it is told to. */
static void *write_lines(void *data)
{
    struct writer *w = data;
    struct writers *all = w->all;
    for (int i = 0; i < LINES; i++) {
        pthread_mutex_lock(&all->lock);
        int drains = all->drains;
        pthread_mutex_unlock(&all->lock);
        int rc = hoop_stream_printf(all->sink, "%d %d\n", w->number, i);
        if (rc < 0)
            break;
        pthread_mutex_lock(&all->lock);
        while (rc == HOOP_WAIT && all->drains == drains && !atomic_load(&all->finished))
            pthread_cond_wait(&all->room, &all->lock);
        pthread_mutex_unlock(&all->lock);
    }
    if (atomic_fetch_sub(&all->running, 1) == 1)
        hoop_stream_end(all->sink);
    hoop_stream_unref(all->sink);
    return NULL;
}

static void on_drained(hoop_sink *sink, void *data)
{
    struct writers *all = data;
    pthread_mutex_lock(&all->lock);
    all->drains++;
    pthread_cond_broadcast(&all->room);
    pthread_mutex_unlock(&all->lock);
}

static void on_finished(int code, void *data)
{
    struct writers *all = data;
    pthread_mutex_lock(&all->lock);
    all->code = code;
    atomic_fetch_add(&all->finished, 1);
    pthread_cond_broadcast(&all->room);
    pthread_mutex_unlock(&all->lock);
}

static const hoop_response *many_writers(const hoop_request *req, void *data)
{
    struct writers *all = data;
    const hoop_response *res = hoop_stream(req, 200, "text/plain",
                                           &(hoop_stream_options){ .drained = on_drained,
                                                                   .finished = on_finished,
                                                                   .data = all,
                                                                   .high_bytes = 512,
                                                                   .ret_sink = &all->sink });
    atomic_store(&all->running, WRITERS);
    for (int i = 0; i < WRITERS; i++) {
        numbered[i] = (struct writer){ all, i };
        hoop_stream_ref(all->sink);
        assert_int_equal(pthread_create(&all->threads[i], NULL, write_lines, &numbered[i]), 0);
    }
    hoop_stream_unref(all->sink);
    return res;
}

static void writers_on_threads(void **state)
{
    for (int leave = 0; leave < 2; leave++) {
        struct writers all = { .lock = PTHREAD_MUTEX_INITIALIZER,
                               .room = PTHREAD_COND_INITIALIZER };
        hoop_server *server =
            test_server_start(hoop_fn(many_writers, &all), &(hoop_server_options){ 0 });
        struct test_client c = { 0 };
        struct test_answer answer;
        test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
        test_send(&c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        if (leave) {
            test_read(&c, 1000);
            test_reset(&c);
        } else {
            int next[WRITERS] = { 0 };
            test_answer(&c, &answer);
            for (const char *line = answer.body; *line; line = strchr(line, '\n') + 1) {
                int who = atoi(line);
                assert_int_equal(atoi(line + 2), next[who]++);
            }
            for (int i = 0; i < WRITERS; i++)
                assert_int_equal(next[i], LINES);
            test_close(&c);
        }
        for (int i = 0; i < WRITERS; i++)
            pthread_join(all.threads[i], NULL);
        test_server_stop(server);
        assert_int_equal(atomic_load(&all.finished), 1);
        if (!leave)
            assert_int_equal(all.code, 0);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(upload_to_a_slow_reader),
        cmocka_unit_test(echo_of_what_comes),
        cmocka_unit_test(writers_on_threads),
    };
    if (argc > 1)
        mib = strtoul(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
