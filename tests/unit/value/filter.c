/* Filters of the request body: what is held, what is taken, pauses in between, ends and failures. */
#include "fake.h"

#include "value/body.h"

static struct fake f;

static int setup(void **state)
{
    fake_init(&f);
    return 0;
}

static int teardown(void **state)
{
    fake_done(&f);
    return 0;
}

/* Says every byte three times; '!' fails, '.' ends, and a '?' needs a byte behind it. */
struct triple {
    struct hoop__body_filter base; /* first */
    int left;                      /* times that `c` is to be said still */
    char c;
    size_t runs;
};

static int run_triple(struct hoop__body_filter *filter, const char *in, size_t len,
                      size_t *ret_taken, char *out, size_t cap, size_t *ret_made, int last)
{
    struct triple *t = (struct triple *)filter;
    size_t at = 0, made = 0;
    int rc = 0;
    t->runs++;
    for (;;) {
        if (t->left && made < cap) {
            out[made++] = t->c;
            t->left--;
        } else if (t->left || at == len) {
            break;
        } else if (in[at] == '!') {
            rc = HOOP_EPARSE;
            break;
        } else if (in[at] == '.') {
            rc = HOOP_EOF;
            break;
        } else if (in[at] == '?' && at + 1 == len && !last) {
            break;
        } else {
            t->c = in[at++];
            t->left = 3;
        }
    }
    if (last && at == len && !t->left && !rc)
        rc = HOOP_EOF;
    *ret_taken = at;
    *ret_made = made;
    return rc;
}

struct sink {
    struct hoop__body_sink base;
    char text[256];
    size_t len, credit;
    unsigned ended;
    int code;
};

static void on_data(const struct hoop__body_sink *sink, struct hoop__exchange *x, const char *data,
                    size_t len)
{
    struct sink *s = (struct sink *)(uintptr_t)sink;
    memcpy(s->text + s->len, data, len);
    s->len += len;
}

static void on_end(const struct hoop__body_sink *sink, struct hoop__exchange *x, int code)
{
    struct sink *s = (struct sink *)(uintptr_t)sink;
    s->ended++;
    s->code = code;
}

static struct triple filter;
static struct sink sink;
static uint64_t first_credit;

static const hoop_response *read_filtered(const hoop_request *req, void *data)
{
    struct hoop__exchange *x = hoop__exchange_of(req);
    hoop_deferred *d = hoop_defer(req);
    memset(&filter, 0, sizeof filter);
    memset(&sink, 0, sizeof sink);
    filter.base.run = run_triple;
    sink.base = (struct hoop__body_sink){ on_data, on_end };
    assert_int_equal(hoop__body_filter(req, &filter.base), 0);
    assert_int_equal(hoop__body_filter(req, &filter.base), HOOP_EALREADY);
    assert_int_equal(hoop__body_read(x, &sink.base, first_credit), 0);
    assert_int_equal(hoop__body_read(x, &sink.base, first_credit), HOOP_EALREADY);
    const hoop_response *res = hoop_deferred_response(d);
    hoop_deferred_drop(d);
    return res;
}

/* Without the leaf's way, which would read the body first. */
static void dispatch(struct fake_exchange *fx, hoop_handler_fn *fn)
{
    f.service.root = hoop_fn(fn, NULL);
    hoop__exchange_dispatch(&fx->x);
}

static struct fake_exchange *start(uint64_t credit)
{
    struct fake_exchange *fx = fake_make(&f, "POST", "/");
    fake_body(fx, 100);
    first_credit = credit;
    dispatch(fx, read_filtered);
    return fx;
}

static void finish(struct fake_exchange *fx)
{
    fake_turn(&f);
    fake_end(fx, 0);
    fake_turn(&f);
}

static void test_whole(void **state)
{
    struct fake_exchange *fx = start(HOOP__LENGTH_UNKNOWN);
    assert_int_equal(fx->wants, 1);
    assert_int_equal(fx->x.body.length, HOOP__LENGTH_UNKNOWN);
    fake_feed(fx, "ab");
    assert_string_equal(sink.text, "aaabbb");
    fake_feed(fx, "?"); /* held */
    assert_int_equal(sink.len, 6);
    assert_int_equal(fx->x.body.credit, 16383);
    fake_feed(fx, "c");
    assert_string_equal(sink.text, "aaabbb???ccc");
    assert_int_equal(fx->x.body.credit, 16384);
    assert_int_equal(sink.ended, 0);
    hoop__exchange_body_end(&fx->x, NULL, 0);
    assert_int_equal(sink.ended, 1);
    assert_int_equal(sink.code, 0);
    assert_int_equal(fx->x.body.received, 4);
    finish(fx);
    assert_int_equal(sink.ended, 1);
}

/* The sink takes two bytes at a time: what the engine delivered waits. */
static void test_pauses(void **state)
{
    struct fake_exchange *fx = start(0);
    assert_int_equal(fx->wants, 1); /* the filter has room of its own */
    fake_feed(fx, "ab");
    assert_int_equal(sink.len, 0);
    assert_int_equal(fx->x.body.credit, 16382);
    hoop__exchange_body_end(&fx->x, NULL, 0);
    for (size_t n = 2; n <= 6; n += 2) {
        assert_int_equal(sink.ended, 0);
        hoop__body_allow(&fx->x, 2);
        assert_int_equal(sink.len, n);
        assert_int_equal(fx->x.body.filter->allowed, 0);
    }
    hoop__body_allow(&fx->x, 2);
    assert_int_equal(sink.ended, 1);
    assert_string_equal(sink.text, "aaabbb");
    finish(fx);
}

static void test_full_window(void **state)
{
    struct fake_exchange *fx = start(0);
    char *many = malloc(16384);
    memset(many, 'x', 16384);
    hoop__exchange_body(&fx->x, many, 10000);
    hoop__exchange_body(&fx->x, many, 6384);
    assert_int_equal(fx->x.body.credit, 0);
    assert_int_equal(fx->wants, 1);
    f.loop.now += 50;
    assert_int_equal(hoop__body_paused_ms(&fx->x), 50);
    hoop__body_allow(&fx->x, 3);
    assert_int_equal(fx->wants, 2);
    assert_int_equal(fx->x.body.credit, 2); /* one is in its hands */
    assert_string_equal(sink.text, "xxx");
    f.loop.now += 50;
    assert_int_equal(hoop__body_paused_ms(&fx->x), 50);
    free(many);
    finish(fx);
    assert_int_equal(sink.ended, 1);
    assert_int_equal(sink.code, HOOP_ECANCELED);
}

static void test_ends(void **state)
{
    struct fake_exchange *fx = start(HOOP__LENGTH_UNKNOWN);
    fake_feed(fx, "a.dropped");
    fake_feed(fx, "dropped");
    assert_int_equal(sink.ended, 0);
    hoop__exchange_body_end(&fx->x, NULL, 0);
    assert_int_equal(sink.ended, 1);
    assert_int_equal(sink.code, 0);
    assert_string_equal(sink.text, "aaa");
    finish(fx);

    fx = start(HOOP__LENGTH_UNKNOWN);
    fake_feed(fx, "a!");
    assert_int_equal(sink.ended, 1);
    assert_int_equal(sink.code, HOOP_EPARSE);
    fake_feed(fx, "dropped");
    hoop__exchange_body_end(&fx->x, NULL, 0);
    assert_int_equal(sink.ended, 1);
    finish(fx);
    assert_int_equal(hoop__body_filter(NULL, &filter.base), HOOP_EINVAL);
}

/* Whoever reads the whole gets what came out, and its limit counts that. */
static const hoop_response *length_of(const hoop_request *req, hoop_str body, void *data)
{
    return hoop_textf(req, 200, "%s", body.data);
}

static const hoop_response *whole(const hoop_request *req, void *data)
{
    memset(&filter, 0, sizeof filter);
    filter.base.run = run_triple;
    assert_int_equal(hoop__body_filter(req, &filter.base), 0);
    return hoop_read_body(req, 6, length_of, NULL);
}

static void test_read_body(void **state)
{
    const char *texts[] = { "ab", "abc", "a!" };
    const char *want[] = { "200\nContent-Type: text/plain; charset=utf-8\n\naaabbb", "413", "500" };
    for (size_t i = 0; i < 3; i++) {
        struct fake_exchange *fx = fake_make(&f, "POST", "/");
        fake_body(fx, strlen(texts[i]));
        dispatch(fx, whole);
        fake_feed(fx, texts[i]);
        hoop__exchange_body_end(&fx->x, NULL, 0);
        assert_memory_equal(f.sent, want[i], strlen(want[i]));
        fake_end(fx, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pauses, setup, teardown),
        cmocka_unit_test_setup_teardown(test_full_window, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ends, setup, teardown),
        cmocka_unit_test_setup_teardown(test_read_body, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
