/* Bodies out: packets up to their size, sources with flushes, and responses that break off. */
#include "tools.h"

static void ask(struct driver *d, hoop_handler_fn *fn, void *data,
                const struct driver_options *options)
{
    struct bytes in = { 0 };
    put_get(&in, "/");
    ajp_init(d, fn, data, options);
    driver_feed(d, in.data, in.len);
    bytes_done(&in);
}

/* Reads SEND_BODY_CHUNK packets from `at` up to END_RESPONSE; 1 if the bytes are a, b, c ... */
static size_t read_chunks(const struct driver *d, size_t at, size_t max, size_t *ret_packets)
{
    size_t len = 0;
    *ret_packets = 0;
    while (at < d->got_len && d->got[at + 4] == 3) {
        size_t n = hoop__ajp_get16(d->got + at + 5);
        assert_int_equal(hoop__ajp_get16(d->got + at + 2), n + 4);
        assert_true(n + 8 <= max);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(d->got[at + 7 + i], 'a' + (int)((len + i) % 26));
        assert_int_equal(d->got[at + 7 + n], 0);
        len += n;
        at += n + 8;
        *ret_packets += n > 0;
    }
    return len;
}

static size_t behind_head(const struct driver *d)
{
    return 4 + hoop__ajp_get16(d->got + 2);
}

static const hoop_response *letters(const hoop_request *req, void *data)
{
    size_t len = *(size_t *)data;
    char *text = hoop_alloc(req, len);
    for (size_t i = 0; i < len; i++)
        text[i] = (char)('a' + i % 26);
    return hoop_bytes_static(req, 200, NULL, hoop_str_n(text, len));
}

static void test_sizes(void **state)
{
    (void)state;
    static const size_t lens[] = { 1,     511,   512,   8183,  8184,  8185,   16368,  16369,
                                   65527, 65528, 65529, 65536, 65537, 200000, 1000000 };
    static const uint32_t sizes[] = { 0, 8192, 20000, 65536 };
    static const size_t caps[] = { 0, 1024, 5000 };
    for (size_t i = 0; i < HOOP_COUNT(lens); i++) {
        for (size_t k = 0; k < HOOP_COUNT(sizes) * HOOP_COUNT(caps); k++) {
            hoop_listener listener = { .protocol = HOOP_AJP,
                                       .ajp_packet_size = sizes[k % HOOP_COUNT(sizes)] };
            struct driver_options options = { .config = &listener,
                                              .out_cap = caps[k / HOOP_COUNT(sizes)] };
            size_t len = lens[i], max = listener.ajp_packet_size ? listener.ajp_packet_size : 8192;
            size_t packets;
            struct driver d;
            ask(&d, letters, &len, &options);
            assert_int_equal(read_chunks(&d, behind_head(&d), max, &packets), len);
            if (!options.out_cap && len <= 65536 / 2)
                assert_int_equal(packets, (len + max - 9) / (max - 8));
            assert_memory_equal(d.got + d.got_len - 6, "AB\0\2\5\1", 6);
            assert_int_equal(d.out.ref_len, 0);
            driver_done(&d);
        }
    }
}

/* --- sources ---------------------------------------------------------------------------------- */

/* Gives what the steps say: above zero so many letters, else this code once. */
struct script {
    struct hoop__source source; /* first */
    const int *steps;
    size_t given;
    int finished; /* how often */
    int code;
};

static int play(struct hoop__source *source, char *buffer, size_t cap, size_t *ret_len)
{
    struct script *s = (struct script *)(void *)source;
    int step = *s->steps;
    if (step <= 0) {
        s->steps++;
        return step ? step : HOOP_EOF;
    }
    size_t n = (size_t)step < cap ? (size_t)step : cap;
    for (size_t i = 0; i < n; i++)
        buffer[i] = (char)('a' + (s->given + i) % 26);
    s->given += n;
    *ret_len = n;
    s->steps++;
    return 0;
}

static void finish(struct hoop__source *source, int code)
{
    struct script *s = (struct script *)(void *)source;
    s->finished++;
    s->code = code;
}

static const hoop_response *answer_script(const hoop_request *req, void *data)
{
    struct script *s = data;
    s->source.pull = play;
    s->source.finished = finish;
    return hoop__respond_source(req, 200, NULL, &s->source);
}

static void test_sources(void **state)
{
    (void)state;
    static const struct {
        uint64_t length;
        int steps[6];
        size_t sent;
        int code, whole;
    } cases[] = {
        { HOOP__LENGTH_UNKNOWN, { 0 }, 0, 0, 1 },
        { HOOP__LENGTH_UNKNOWN, { 10, 20, 0 }, 30, 0, 1 },
        { HOOP__LENGTH_UNKNOWN, { 8184, 8184, 8184, 0 }, 24552, 0, 1 },
        { HOOP__LENGTH_UNKNOWN, { 10, HOOP_EINVAL }, 10, HOOP_EINVAL, 0 },
        { 0, { 0 }, 0, 0, 1 },
        { 30, { 10, 20, 0 }, 30, 0, 1 },
        { 30, { 10, 40, 1, 0 }, 30, HOOP_ETOOBIG, 1 },
        { 30, { 10, 0 }, 10, HOOP_EOF, 0 },
        { 30, { HOOP_ENOMEM }, 0, HOOP_ENOMEM, 0 },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        struct script s = { .source = { .length = cases[i].length }, .steps = cases[i].steps };
        struct driver d;
        size_t packets;
        ask(&d, answer_script, &s, NULL);
        assert_int_equal(read_chunks(&d, behind_head(&d), 8192, &packets), cases[i].sent);
        assert_int_equal(s.finished, 1);
        assert_int_equal(s.code, cases[i].code);
        assert_int_equal(d.closed, !cases[i].whole);
        assert_false(d.linger);
        /* A response that is cut short must not look complete. */
        int ended = memcmp(d.got + d.got_len - 6, "AB\0\2\5\1", 6) == 0;
        assert_int_equal(ended, cases[i].whole);
        driver_done(&d);
    }
}

/* While nothing comes the proxy passes on what it has. */
static void test_flush(void **state)
{
    (void)state;
    static const int steps[] = { 3, HOOP_EAGAIN, 3, HOOP_EAGAIN, 0 };
    struct script s = { .source = { .length = HOOP__LENGTH_UNKNOWN }, .steps = steps };
    struct bytes want = { 0 };
    struct driver d;
    begin_headers(&want, 200, "OK", 1);
    put_coded(&want, 0xa004, DRIVER_DATE);
    end(&want);
    put_chunk(&want, "abc", 3);
    put(&want, FLUSH);
    ask(&d, answer_script, &s, NULL);
    assert_sent(&d, &want);
    hoop__source_ready(&s.source);
    driver_run(&d);
    put_chunk(&want, "def", 3);
    put(&want, FLUSH);
    assert_sent(&d, &want);
    hoop__source_ready(&s.source);
    driver_run(&d);
    put(&want, END_KEEP);
    assert_sent(&d, &want);
    assert_int_equal(s.finished, 1);
    assert_int_equal(s.code, 0);
    driver_done(&d);
    bytes_done(&want);
}

/* HEAD has what GET has but the body, and nothing is pulled for it. */
static void test_head_of_source(void **state)
{
    (void)state;
    static const int steps[] = { HOOP_EINVAL };
    struct script s = { .source = { .length = 30 }, .steps = steps };
    struct bytes in = { 0 }, want = { 0 };
    struct driver d;
    begin_request(&in, &(struct start){ .method = HEAD });
    end_request(&in);
    begin_headers(&want, 200, "OK", 2);
    put_coded(&want, 0xa003, "30");
    put_coded(&want, 0xa004, DRIVER_DATE);
    end(&want);
    put(&want, END_KEEP);
    ajp_init(&d, answer_script, &s, NULL);
    driver_feed(&d, in.data, in.len);
    assert_sent(&d, &want);
    assert_int_equal(s.finished, 1);
    assert_int_equal(s.code, 0);
    driver_done(&d);
    bytes_done(&in);
    bytes_done(&want);
}

/* The connection goes while a source waits. */
/* --- streams ---------------------------------------------------------------------------------- */

static const hoop_response *pipe_it(const hoop_request *req, void *data)
{
    return hoop_pipe(req, 200, "text/plain", NULL);
}

/* A body goes back as it comes, cut at every position; its trailers would have no place. */
static void test_pipe(void **state)
{
    (void)state;
    struct bytes in = { 0 };
    put_post(&in, NULL);
    size_t head = in.len;
    put_data(&in, "abc", 3);
    put_data(&in, "defgh", 5);
    put_data(&in, "", 0);
    for (size_t cut = head; cut <= in.len; cut++) {
        struct driver d;
        size_t packets;
        ajp_init(&d, pipe_it, NULL, NULL);
        driver_feed(&d, in.data, cut);
        driver_feed(&d, in.data + cut, in.len - cut);
        assert_memory_equal(d.got + d.got_len - 6, "AB\0\2\5\1", 6);
        /* Asks stand between the chunks. */
        char back[16];
        size_t len = 0;
        for (size_t at = 0; at < d.got_len; at += 4 + hoop__ajp_get16(d.got + at + 2)) {
            if (d.got[at + 4] != HOOP__AJP_SEND_BODY_CHUNK)
                continue;
            packets = hoop__ajp_get16(d.got + at + 5);
            memcpy(back + len, d.got + at + 7, packets);
            len += packets;
        }
        assert_bytes(back, len, "abcdefgh", 8);
        driver_done(&d);
    }
    bytes_done(&in);
}

static hoop_reader *paused;

static int pause_each(hoop_reader *reader, hoop_str bytes, hoop_arena *scratch, void *data)
{
    paused = reader;
    *(size_t *)data += bytes.len;
    return HOOP_WAIT;
}

static const hoop_response *read_paused(const hoop_request *req, void *data)
{
    return hoop_read_stream(req, &(hoop_read_options){ .chunk = pause_each, .data = data });
}

/* While a reader pauses the proxy is not asked for more. */
static void test_pause(void **state)
{
    (void)state;
    struct bytes in = { 0 };
    struct driver d;
    size_t len = 0;
    ajp_init(&d, read_paused, &len, NULL);
    put_post(&in, NULL);
    driver_feed(&d, in.data, in.len);
    for (size_t i = 1; i <= 3; i++) {
        assert_int_equal(d.got_len, 7); /* it was asked once */
        assert_int_equal(d.got[4], HOOP__AJP_GET_BODY_CHUNK);
        d.got_len = 0;
        bytes_done(&in);
        put_data(&in, "x", 1);
        driver_feed(&d, in.data, in.len);
        assert_int_equal(len, i);
        driver_sleep(&d, 1000);
        assert_int_equal(d.got_len, 0);
        assert_int_equal(hoop_reader_resume(paused), 0);
        driver_run(&d);
    }
    bytes_done(&in);
    put_data(&in, "", 0);
    driver_feed(&d, in.data, in.len);
    assert_memory_equal(d.got + d.got_len - 6, "AB\0\2\5\1", 6);
    assert_int_equal(len, 3);
    driver_done(&d);
    bytes_done(&in);
}

static void test_stop_while_waiting(void **state)
{
    (void)state;
    static const int steps[] = { 3, HOOP_EAGAIN };
    struct script s = { .source = { .length = HOOP__LENGTH_UNKNOWN }, .steps = steps };
    struct driver d;
    ask(&d, answer_script, &s, NULL);
    d.engine->ops->stop(d.engine, HOOP_EGONE);
    assert_int_equal(s.finished, 1);
    assert_int_equal(s.code, HOOP_EGONE);
    driver_done(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_flush),
        cmocka_unit_test(test_head_of_source),
        cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_pause),
        cmocka_unit_test(test_stop_while_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
