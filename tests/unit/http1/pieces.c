/* Bodies that come as pieces of a file: what the engine asks, offers, counts and gives up. */
#include "driver.h"

#include <sys/mman.h>

#define GET     "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
#define UNKNOWN UINT64_MAX

/* A source over a file in memory. */
struct filed {
    struct hoop__source source;
    struct hoop__source_extra extra;
    int fd;
    uint64_t at, end; /* of the file */
    size_t most;      /* of a piece */
    int waits;        /* so many times EAGAIN first */
    int ready_within; /* and says that it is ready at once */
    int unsupported;  /* pieces are refused from `at` on, if it is this */
    int code;         /* instead of a piece */
    int pieces, pulls, finished, finished_code, done;
    uint64_t body_out;
};

static int pull_file(struct hoop__source *source, char *buffer, size_t cap, size_t *ret_len)
{
    struct filed *f = (struct filed *)source;
    f->pulls++;
    size_t left = (size_t)(f->end - f->at), n = left < cap ? left : cap;
    assert_int_equal(pread(f->fd, buffer, n, (off_t)f->at), n);
    f->at += n;
    *ret_len = n;
    return f->at == f->end ? HOOP_EOF : 0;
}

static int piece_of(struct hoop__source *source, struct hoop__file_piece *ret)
{
    struct filed *f = (struct filed *)source;
    f->pieces++;
    if (f->waits) {
        f->waits--;
        if (f->ready_within)
            hoop__source_ready(source);
        return HOOP_EAGAIN;
    }
    if (f->code)
        return f->code;
    if (f->unsupported)
        return HOOP_EUNSUPPORTED;
    uint64_t left = f->end - f->at;
    ret->file = f->fd;
    ret->offset = f->at;
    ret->len = left < f->most ? (size_t)left : f->most;
    return 0;
}

static void took_of(struct hoop__source *source, size_t n)
{
    ((struct filed *)source)->at += n;
}

static void finish_file(struct hoop__source *source, int code)
{
    struct filed *f = (struct filed *)source;
    f->finished++;
    f->finished_code = code;
}

static void note_done(const hoop_done *done, void *data)
{
    struct filed *f = data;
    f->done++;
    f->body_out = done->body_out;
}

static const hoop_response *respond_file(const hoop_request *req, void *data)
{
    struct filed *f = data;
    hoop_on_done(req, note_done, f);
    const hoop_response *res = hoop__respond_source(req, 200, NULL, &f->source);
    f->source.extra = &f->extra;
    return res;
}

static void filed_init(struct filed *f, size_t size)
{
    memset(f, 0, sizeof *f);
    f->fd = memfd_create("body", MFD_CLOEXEC);
    assert_true(f->fd >= 0);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(pwrite(f->fd, &(char){ (char)('a' + i % 23) }, 1, (off_t)i), 1);
    f->end = f->source.length = size;
    f->most = SIZE_MAX;
    f->source.pull = pull_file;
    f->source.finished = finish_file;
    f->extra.piece = piece_of;
    f->extra.took = took_of;
}

static void check_body(const struct driver *d, size_t from, size_t size)
{
    const char *body = strstr(d->got, "\r\n\r\n");
    assert_non_null(body);
    body += 4;
    assert_int_equal(d->got + d->got_len - body, size);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(body[i], 'a' + (from + i) % 23);
}

/* A large body goes by pieces whatever the host takes of each, a small one is copied. */
static void test_sizes(void **state)
{
    static const size_t sizes[] = { 1, 16384, 16385, 65536, 100000 };
    static const size_t takes[] = { 0, 1000, 70000 };
    for (size_t i = 0; i < HOOP_COUNT(sizes) * HOOP_COUNT(takes) * 2; i++) {
        size_t size = sizes[i / 6];
        struct filed f;
        struct driver d;
        filed_init(&f, size);
        f.most = i % 2 ? 30000 : SIZE_MAX;
        driver_init(&d, respond_file, &f, &(struct driver_options){ 0 });
        d.take = takes[i / 2 % 3];
        driver_text(&d, GET);
        check_body(&d, 0, size);
        assert_true(size > 16384 ? f.pieces > 0 : f.pieces == 0);
        assert_int_equal(f.finished, 1);
        assert_int_equal(f.finished_code, 0);
        assert_int_equal(f.done, 1);
        assert_int_equal(f.body_out, size);
        assert_int_equal(d.closed, 0);
        driver_done(&d);
        close(f.fd);
    }
}

static void test_head_has_no_body(void **state)
{
    struct filed f;
    struct driver d;
    filed_init(&f, 20000);
    driver_init(&d, respond_file, &f, &(struct driver_options){ 0 });
    driver_text(&d, "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_non_null(strstr(d.got, "Content-Length: 20000\r\n"));
    check_body(&d, 0, 0);
    assert_int_equal(f.pieces + f.pulls, 0);
    assert_int_equal(f.finished, 1);
    driver_done(&d);
    close(f.fd);
}

static void test_waits(void **state)
{
    struct filed f;
    struct driver d;
    filed_init(&f, 20000);
    f.waits = 1;
    driver_init(&d, respond_file, &f, &(struct driver_options){ 0 });
    driver_text(&d, GET);
    check_body(&d, 0, 0);
    assert_int_equal(f.pieces, 1);
    hoop__source_ready(&f.source);
    driver_run(&d);
    check_body(&d, 0, 20000);
    assert_int_equal(f.finished, 1);
    driver_done(&d);
    close(f.fd);
}

static void test_ready_within(void **state)
{
    struct filed f;
    struct driver d;
    filed_init(&f, 20000);
    f.waits = 3;
    f.ready_within = 1;
    driver_init(&d, respond_file, &f, &(struct driver_options){ 0 });
    driver_text(&d, GET);
    check_body(&d, 0, 20000);
    driver_done(&d);
    close(f.fd);

    filed_init(&f, 20000);
    f.waits = 1000000;
    f.ready_within = 1;
    driver_init(&d, respond_file, &f, &(struct driver_options){ 0 });
    driver_text(&d, GET);
    assert_int_equal(f.finished_code, HOOP_EINVAL);
    assert_int_equal(d.closed, 1);
    driver_done(&d);
    close(f.fd);
}

static void test_pulls_instead(void **state)
{
    struct filed f;
    struct driver d;
    filed_init(&f, 100000);
    f.unsupported = 1;
    driver_init(&d, respond_file, &f, &(struct driver_options){ 0 });
    driver_text(&d, GET);
    check_body(&d, 0, 100000);
    assert_true(f.pulls > 0);
    driver_done(&d);
    close(f.fd);
}

static void test_fails(void **state)
{
    struct filed f;
    struct driver d;
    filed_init(&f, 100000);
    f.code = HOOP_EOF;
    driver_init(&d, respond_file, &f, &(struct driver_options){ 0 });
    driver_text(&d, GET);
    check_body(&d, 0, 0);
    assert_int_equal(f.finished_code, HOOP_EOF);
    assert_int_equal(d.closed, 1);
    driver_done(&d);
    close(f.fd);
}

/* The connection ends while a piece stands in out: nothing of it may be left there. */
static void test_stopped(void **state)
{
    struct filed f;
    struct driver d;
    filed_init(&f, 100000);
    driver_init(&d, respond_file, &f, &(struct driver_options){ 0 });
    d.engine->ops->feed(d.engine, GET, sizeof GET - 1);
    d.engine->ops->pull(d.engine, &d.out);
    assert_int_equal(d.out.ref_len, 100000);
    assert_null(d.out.ref);
    assert_int_equal(d.out.file, f.fd);
    d.engine->ops->stop(d.engine, HOOP_EGONE);
    assert_int_equal(d.out.ref_len, 0);
    assert_int_equal(f.finished, 1);
    assert_int_equal(f.finished_code, HOOP_EGONE);
    driver_done(&d);
    close(f.fd);
}

/* Requests behind it are answered behind it. */
static void test_pipelined(void **state)
{
    struct filed f;
    struct driver d;
    filed_init(&f, 50000);
    driver_init(&d, respond_file, &f, &(struct driver_options){ 0 });
    driver_text(&d, GET);
    size_t first = d.got_len;
    f.at = 0;
    driver_text(&d, GET);
    assert_int_equal(d.got_len, 2 * first);
    assert_memory_equal(d.got, d.got + first, first);
    driver_done(&d);
    close(f.fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),         cmocka_unit_test(test_head_has_no_body),
        cmocka_unit_test(test_waits),         cmocka_unit_test(test_ready_within),
        cmocka_unit_test(test_pulls_instead), cmocka_unit_test(test_fails),
        cmocka_unit_test(test_stopped),       cmocka_unit_test(test_pipelined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
