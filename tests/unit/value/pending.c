/* The combinators: what then, catch and timeout do with what is there, pending, NULL and pass. */
#include "fake.h"

#include "value/deferred.h"

#include <stdio.h>

#define OK           "200\nContent-Type: text/plain; charset=utf-8\n\nok"
#define STAMPED      "200\nContent-Type: text/plain; charset=utf-8\nX-Stamp: 1\n\nok"
#define SERVER_ERROR "500\nContent-Type: text/plain; charset=utf-8\n\nInternal Server Error\n"
#define UNAVAILABLE  "503\nContent-Type: text/plain; charset=utf-8\n\nService Unavailable\n"

static struct fake f;
static hoop_deferred *kept[8]; /* what the handler under test owes */
static int calls;              /* of the function under test */
static const hoop_request *seen;

static int setup(void **state)
{
    fake_init(&f);
    memset(kept, 0, sizeof kept);
    calls = 0;
    seen = NULL;
    return 0;
}

static int teardown(void **state)
{
    fake_done(&f);
    return 0;
}

static const hoop_response *owe(const hoop_request *req, int i)
{
    kept[i] = hoop_defer(req);
    assert_non_null(kept[i]);
    return hoop_deferred_response(kept[i]);
}

/* Pays with a text, and lets the loop run. */
static void pay(int i, const char *text)
{
    hoop_deferred *d = kept[i];
    assert_int_equal(hoop_resolve(d, hoop_text(hoop_deferred_request(d), 200, text)), 0);
    fake_turn(&f);
}

static const hoop_response *stamp(const hoop_request *req, const hoop_response *res,
                                  const void *value)
{
    calls++;
    seen = req;
    return hoop_add_header(req, res, "X-Stamp", value);
}

static const hoop_response *excuse(const hoop_request *req, const hoop_error *error,
                                   const void *value)
{
    calls++;
    seen = req;
    assert_null(hoop_failure(req)); /* the note was taken away */
    return hoop_textf(req, 200, "%s %s: %s", (const char *)value, hoop_err_name(error->code),
                      error->text);
}

static const hoop_response *too_late(const hoop_request *req, const void *value)
{
    calls++;
    seen = req;
    return hoop_text(req, 504, value);
}

/* --- then ------------------------------------------------------------------------------------ */

static const hoop_response *then_ready(const hoop_request *req, void *data)
{
    const hoop_response *res = hoop_text(req, 200, "ok");
    char *before = req->arena->next;
    const hoop_response *same = hoop_then(req, res, *(hoop_then_fn **)data, "1");
    /* A ready response is a plain call: what was allocated is what the function made. */
    if (same == res)
        assert_ptr_equal(req->arena->next, before);
    return same;
}

static const hoop_response *as_it_is(const hoop_request *req, const hoop_response *res,
                                     const void *value)
{
    calls++;
    return res;
}

static void test_then_on_ready_is_a_plain_call_without_allocation(void **state)
{
    hoop_then_fn *fn = as_it_is;
    struct fake_exchange *fx = fake_get(&f, then_ready, &fn);
    assert_int_equal(calls, 1);
    assert_string_equal(f.sent, OK);
    fake_end(fx, 0);
    fn = stamp;
    fx = fake_get(&f, then_ready, &fn);
    assert_string_equal(f.sent, STAMPED);
    fake_end(fx, 0);
}

static const hoop_response *then_null(const hoop_request *req, void *data)
{
    return hoop_then(req, hoop_fail(req, HOOP_EMISSING, "no row"), stamp, "1");
}

static void test_then_lets_null_through(void **state)
{
    struct fake_exchange *fx = fake_get(&f, then_null, NULL);
    assert_int_equal(calls, 0);
    assert_string_equal(f.sent, SERVER_ERROR);
    assert_string_equal(f.log, "1 GET /: 500: no row\n");
    fake_end(fx, 0);
}

static const hoop_response *then_pass(const hoop_request *req, void *data)
{
    const hoop_response *res = hoop_then(req, hoop_pass(req), stamp, "1");
    assert_true(hoop_is_pass(res));
    res = hoop_catch(req, res, excuse, "c");
    assert_true(hoop_is_pass(res));
    return hoop_timeout(req, res, 0, too_late, "t");
}

static void test_all_three_let_pass_through(void **state)
{
    struct fake_exchange *fx = fake_get(&f, then_pass, NULL);
    assert_int_equal(calls, 0);
    assert_string_equal(f.sent, "404\nContent-Type: text/plain; charset=utf-8\n\nNot Found\n");
    assert_string_equal(f.log, "");
    fake_end(fx, 0);
}

static const hoop_response *then_pending(const hoop_request *req, void *data)
{
    const hoop_response *res = hoop_then(req, owe(req, 0), stamp, "1");
    assert_true(hoop_is_pending(res));
    assert_int_equal(res->status, 0);
    return res;
}

static void test_then_on_pending_is_called_when_it_comes(void **state)
{
    struct fake_exchange *fx = fake_get(&f, then_pending, NULL);
    assert_int_equal(calls, 0);
    assert_int_equal(fx->responses, 0);
    pay(0, "ok");
    assert_int_equal(calls, 1);
    assert_string_equal(f.sent, STAMPED);
    fake_end(fx, 0);
}

static void test_then_on_a_failure_that_comes_later_is_not_called(void **state)
{
    struct fake_exchange *fx = fake_get(&f, then_pending, NULL);
    hoop_resolve(kept[0], hoop_fail(hoop_deferred_request(kept[0]), HOOP_EBUSY, "no room"));
    fake_turn(&f);
    assert_int_equal(calls, 0);
    assert_string_equal(f.sent, UNAVAILABLE);
    assert_string_equal(f.log, "1 GET /: 503: no room\n");
    fake_end(fx, 0);
}

static const hoop_response *all_on_pending(const hoop_request *req, void *data)
{
    const hoop_response *res = hoop_then(req, owe(req, 0), stamp, "1");
    return hoop_timeout(req, hoop_catch(req, res, excuse, "c"), 100, too_late, "t");
}

static void test_a_pass_that_comes_later_goes_through_all(void **state)
{
    struct fake_exchange *fx = fake_get(&f, all_on_pending, NULL);
    hoop_resolve(kept[0], hoop_pass(hoop_deferred_request(kept[0])));
    fake_turn(&f);
    assert_int_equal(calls, 0);
    assert_string_equal(f.sent, "404\nContent-Type: text/plain; charset=utf-8\n\nNot Found\n");
    fake_end(fx, 0);
}

static const char key;

static const hoop_response *then_derived(const hoop_request *req, void *data)
{
    const hoop_request **derived = data;
    *derived = hoop_assoc(req, &key, "v");
    return hoop_then(*derived, owe(req, 0), stamp, "1");
}

static void test_then_hands_on_the_request_that_it_was_given(void **state)
{
    const hoop_request *derived;
    struct fake_exchange *fx = fake_get(&f, then_derived, &derived);
    pay(0, "ok");
    assert_ptr_equal(seen, derived);
    assert_string_equal(hoop_get(seen, &key), "v");
    fake_end(fx, 0);
}

static const hoop_response *null_arguments(const hoop_request *req, void *data)
{
    const hoop_response *res = hoop_text(req, 200, "ok");
    assert_null(hoop_then(NULL, res, stamp, "1"));
    assert_null(hoop_catch(NULL, res, excuse, "1"));
    assert_null(hoop_timeout(NULL, res, 1, too_late, "1"));
    assert_null(hoop_then(req, NULL, stamp, "1"));
    assert_null(hoop_timeout(req, NULL, 1, too_late, "1"));
    assert_int_equal(calls, 0);
    return res;
}

static void test_null_in_null_out(void **state)
{
    fake_end(fake_get(&f, null_arguments, NULL), 0);
    assert_int_equal(hoop_is_pending(NULL), 0);
}

/* --- results that are pending again ---------------------------------------------------------- */

/* Waits for another debt, and stamps its payment when it has come. */
static const hoop_response *owe_again(const hoop_request *req, const hoop_response *res,
                                      const void *value)
{
    int i = (int)(intptr_t)value;
    calls++;
    assert_response(res, i == 1 ? OK : "200\nContent-Type: text/plain; charset=utf-8\n\nok2");
    return owe(req, i);
}

static const hoop_response *chain_of_three(const hoop_request *req, void *data)
{
    const hoop_response *res = hoop_then(req, owe(req, 0), owe_again, (void *)1);
    res = hoop_then(req, res, owe_again, (void *)2);
    return hoop_then(req, res, stamp, "1");
}

static void test_results_may_be_pending_three_times_over(void **state)
{
    struct fake_exchange *fx = fake_get(&f, chain_of_three, NULL);
    pay(0, "ok");
    assert_int_equal(calls, 1);
    assert_int_equal(fx->responses, 0);
    pay(1, "ok2");
    assert_int_equal(calls, 2);
    assert_int_equal(fx->responses, 0);
    pay(2, "ok");
    assert_int_equal(calls, 3);
    assert_string_equal(f.sent, STAMPED);
    fake_end(fx, 0);
}

static const hoop_response *owe_deeper(const hoop_request *req, const hoop_response *res,
                                       const void *value)
{
    calls++;
    /* A pending result with steps of its own. */
    return hoop_then(req, owe(req, 1), owe_again, (void *)2);
}

static const hoop_response *nested(const hoop_request *req, void *data)
{
    return hoop_then(req, hoop_then(req, owe(req, 0), owe_deeper, NULL), stamp, "1");
}

static void test_a_pending_result_may_have_steps_of_its_own(void **state)
{
    struct fake_exchange *fx = fake_get(&f, nested, NULL);
    pay(0, "ok");
    pay(1, "ok2");
    assert_int_equal(fx->responses, 0);
    pay(2, "ok");
    assert_string_equal(f.sent, STAMPED);
    fake_end(fx, 0);
}

static const hoop_response *resolve_with_pending(const hoop_request *req, void *data)
{
    return hoop_then(req, owe(req, 0), stamp, "1");
}

static void test_a_deferred_may_be_resolved_with_a_pending_response(void **state)
{
    struct fake_exchange *fx = fake_get(&f, resolve_with_pending, NULL);
    hoop_deferred *d = kept[0];
    assert_int_equal(hoop_resolve(d, owe(&fx->x.request.pub, 1)), 0);
    fake_turn(&f);
    assert_int_equal(calls, 0);
    pay(1, "ok");
    assert_string_equal(f.sent, STAMPED);
    fake_end(fx, 0);
}

static void test_a_response_that_waits_for_itself_fails(void **state)
{
    struct fake_exchange *fx = fake_get(&f, resolve_with_pending, NULL);
    hoop_resolve(kept[0], hoop_deferred_response(kept[0]));
    fake_turn(&f);
    assert_string_equal(f.sent, SERVER_ERROR);
    assert_int_equal(calls, 0);
    fake_end(fx, 0);
}

/* --- one consumer ---------------------------------------------------------------------------- */

static const hoop_response *two_consumers(const hoop_request *req, void *data)
{
    const hoop_response *res = owe(req, 0);
    const hoop_response *first = hoop_then(req, res, stamp, "1");
    assert_non_null(first);
    switch ((intptr_t)data) {
    case 0:
        assert_null(hoop_then(req, res, stamp, "2"));
        break;
    case 1:
        assert_null(hoop_catch(req, res, excuse, "2"));
        break;
    case 2:
        assert_null(hoop_timeout(req, res, 10, too_late, "2"));
        break;
    default:
        assert_null(hoop_with_header(req, res, "X-B", "2"));
        break;
    }
    assert_noted(req, HOOP_EINVAL, "a pending response has a consumer already");
    return first;
}

static void test_a_pending_response_has_one_consumer(void **state)
{
    for (intptr_t i = 0; i < 4; i++) {
        struct fake_exchange *fx = fake_get(&f, two_consumers, (void *)i);
        fake_advance(&f, 100); /* the refused timeout must not fire */
        pay(0, "ok");
        assert_string_equal(f.sent, STAMPED);
        fake_end(fx, 0);
    }
}

static const hoop_response *returned_twice(const hoop_request *req, void *data)
{
    const hoop_response *res = owe(req, 0);
    hoop_then(req, res, stamp, "1");
    return res;
}

static void test_a_consumed_response_is_not_to_be_returned(void **state)
{
    struct fake_exchange *fx = fake_get(&f, returned_twice, NULL);
    assert_string_equal(f.sent, SERVER_ERROR);
    assert_string_equal(f.log, "1 GET /: 500: a pending response was returned twice\n");
    pay(0, "ok");
    assert_int_equal(fx->responses, 1);
    fake_end(fx, 0);
}

/* --- changes on a pending response ----------------------------------------------------------- */

static const hoop_response *change_later(const hoop_request *req, void *data)
{
    char name[] = "X-Name", value[] = "value", body[] = "body";
    const hoop_response *res = owe(req, 0);
    res = hoop_with_header(req, res, name, value);
    res = hoop_add_header(req, res, name, "second");
    res = hoop_with_header(req, res, "Content-Type", NULL);
    res = hoop_with_status(req, res, 201);
    res = hoop_with_body(req, res, hoop_str_c(body));
    res = hoop_response_assoc(req, res, &key, "told");
    assert_true(hoop_is_pending(res));
    /* What was given is copied, since it is used later. */
    memset(name, 'x', sizeof name - 1);
    memset(value, 'x', sizeof value - 1);
    memset(body, 'x', sizeof body - 1);
    return res;
}

static void test_changes_of_a_pending_response_are_made_when_it_comes(void **state)
{
    struct fake_exchange *fx = fake_get(&f, change_later, NULL);
    pay(0, "ok");
    assert_string_equal(f.sent, "201\nX-Name: value\nX-Name: second\n\nbody");
    assert_string_equal(hoop_response_get(&fx->response->pub, &key), "told");
    fake_end(fx, 0);
}

static const hoop_response *change_badly(const hoop_request *req, void *data)
{
    const hoop_response *res = owe(req, 0);
    assert_null(hoop_with_header(req, res, "X-A", "a\r\nb"));
    assert_noted(req, HOOP_EINVAL, "the value of header 'X-A' has a control character");
    assert_null(hoop_with_status(req, res, 99));
    return res;
}

static void test_a_bad_change_is_refused_at_once(void **state)
{
    struct fake_exchange *fx = fake_get(&f, change_badly, NULL);
    pay(0, "ok"); /* and has not consumed it */
    assert_string_equal(f.sent, OK);
    fake_end(fx, 0);
}

/* --- catch ----------------------------------------------------------------------------------- */

static const hoop_response *catch_now(const hoop_request *req, void *data)
{
    const hoop_response *res = NULL;
    if (data)
        res = hoop_fail(req, HOOP_EMISSING, "%s", (const char *)data);
    res = hoop_catch(req, res, excuse, "caught");
    assert_null(hoop_failure(req));
    return res;
}

static void test_catch_sees_a_failure_with_code_and_text(void **state)
{
    struct fake_exchange *fx = fake_get(&f, catch_now, "no row");
    assert_string_equal(f.sent, "200\nContent-Type: text/plain; charset=utf-8\n\n"
                                "caught HOOP_EMISSING: no row");
    assert_string_equal(f.log, "");
    fake_end(fx, 0);
}

static void test_catch_sees_a_null_that_nobody_noted(void **state)
{
    struct fake_exchange *fx = fake_get(&f, catch_now, NULL);
    assert_string_equal(f.sent, "200\nContent-Type: text/plain; charset=utf-8\n\n"
                                "caught HOOP_ENORESPONSE: the handler gave no response");
    fake_end(fx, 0);
}

static const hoop_response *catch_ready(const hoop_request *req, void *data)
{
    const hoop_response *res = hoop_text(req, 200, "ok");
    assert_ptr_equal(hoop_catch(req, res, excuse, "caught"), res);
    return res;
}

static void test_catch_lets_a_ready_response_through(void **state)
{
    fake_end(fake_get(&f, catch_ready, NULL), 0);
    assert_int_equal(calls, 0);
}

static const hoop_response *catch_later(const hoop_request *req, void *data)
{
    return hoop_catch(req, hoop_then(req, owe(req, 0), stamp, "1"), excuse, "caught");
}

static void test_catch_sees_a_failure_that_comes_later(void **state)
{
    struct fake_exchange *fx = fake_get(&f, catch_later, NULL);
    hoop_resolve(kept[0], hoop_fail(hoop_deferred_request(kept[0]), HOOP_EMISSING, "no %s", "db"));
    fake_turn(&f);
    assert_string_equal(f.sent, "200\nContent-Type: text/plain; charset=utf-8\n\n"
                                "caught HOOP_EMISSING: no db");
    fake_end(fx, 0);
}

static void test_catch_sees_a_deferred_that_was_dropped(void **state)
{
    struct fake_exchange *fx = fake_get(&f, catch_later, NULL);
    hoop_deferred_drop(kept[0]);
    fake_turn(&f);
    assert_string_equal(f.sent, "200\nContent-Type: text/plain; charset=utf-8\n\ncaught "
                                "HOOP_EDROPPED: the deferred response was dropped without an "
                                "answer");
    fake_end(fx, 0);
}

static void test_catch_lets_a_response_that_comes_later_through(void **state)
{
    struct fake_exchange *fx = fake_get(&f, catch_later, NULL);
    pay(0, "ok");
    assert_int_equal(calls, 1); /* the stamp alone */
    assert_string_equal(f.sent, STAMPED);
    fake_end(fx, 0);
}

static const hoop_response *fail_anew(const hoop_request *req, const hoop_error *error,
                                      const void *value)
{
    return hoop_fail(req, HOOP_EBUSY, "after %s", error->text);
}

static const hoop_response *catch_twice(const hoop_request *req, void *data)
{
    const hoop_response *res = hoop_fail(req, HOOP_EMISSING, "first");
    return hoop_catch(req, hoop_catch(req, res, fail_anew, NULL), *(hoop_catch_fn **)data, "again");
}

static void test_catch_may_fail_anew(void **state)
{
    hoop_catch_fn *fn = excuse;
    struct fake_exchange *fx = fake_get(&f, catch_twice, &fn);
    assert_string_equal(f.sent, "200\nContent-Type: text/plain; charset=utf-8\n\n"
                                "again HOOP_EBUSY: after first");
    fake_end(fx, 0);
    fn = fail_anew;
    fx = fake_get(&f, catch_twice, &fn);
    assert_string_equal(f.sent, UNAVAILABLE);
    assert_string_equal(f.log, "1 GET /: 503: after after first\n");
    fake_end(fx, 0);
}

static const hoop_response *owe_after_all(const hoop_request *req, const hoop_error *error,
                                          const void *value)
{
    return owe(req, 1);
}

static const hoop_response *catch_pending(const hoop_request *req, void *data)
{
    const hoop_response *res = hoop_catch(req, owe(req, 0), owe_after_all, NULL);
    return hoop_then(req, res, stamp, "1");
}

static void test_what_catch_makes_may_be_pending(void **state)
{
    struct fake_exchange *fx = fake_get(&f, catch_pending, NULL);
    hoop_deferred_drop(kept[0]);
    fake_turn(&f);
    assert_int_equal(fx->responses, 0);
    pay(1, "ok");
    assert_string_equal(f.sent, STAMPED);
    fake_end(fx, 0);
}

static const hoop_response *catch_on_a_deferreds_request(const hoop_request *req, void *data)
{
    const hoop_response *outer = owe(req, 0);
    const hoop_request *inner = hoop_deferred_request(kept[0]);
    hoop_resolve(kept[0], hoop_catch(inner, owe(inner, 1), excuse, "caught"));
    return outer;
}

static void test_catch_on_a_deferreds_request_sees_what_it_waited_for(void **state)
{
    struct fake_exchange *fx = fake_get(&f, catch_on_a_deferreds_request, NULL);
    hoop_resolve(kept[1], hoop_fail(hoop_deferred_request(kept[1]), HOOP_EMISSING, "no db"));
    fake_turn(&f);
    assert_string_equal(f.sent, "200\nContent-Type: text/plain; charset=utf-8\n\n"
                                "caught HOOP_EMISSING: no db");
    assert_null(hoop_failure(&fx->x.request.pub));
    fake_end(fx, 0);
}

/* --- timeout --------------------------------------------------------------------------------- */

static const hoop_response *timeout_ready(const hoop_request *req, void *data)
{
    const hoop_response *res = hoop_text(req, 200, "ok");
    assert_ptr_equal(hoop_timeout(req, res, 0, too_late, "late"), res);
    assert_ptr_equal(hoop_timeout(req, res, 5, too_late, "late"), res);
    assert_null(hoop_timeout(req, NULL, 5, too_late, "late"));
    return res;
}

static void test_timeout_leaves_what_is_there(void **state)
{
    struct fake_exchange *fx = fake_get(&f, timeout_ready, NULL);
    assert_null(fx->x.timers);
    assert_int_equal(calls, 0);
    fake_end(fx, 0);
}

struct patience {
    uint64_t ms;
    hoop_timeout_fn *fn;
};

static const hoop_response *impatient(const hoop_request *req, void *data)
{
    const struct patience *p = data;
    const hoop_response *res = hoop_timeout(req, owe(req, 0), p->ms, p->fn, "late");
    return hoop_then(req, res, stamp, "1");
}

#define LATE "504\nContent-Type: text/plain; charset=utf-8\nX-Stamp: 1\n\nlate"

static void test_timeout_fires_and_what_comes_later_is_dropped(void **state)
{
    struct patience p = { 50, too_late };
    struct fake_exchange *fx = fake_get(&f, impatient, &p);
    fake_advance(&f, 49);
    assert_int_equal(fx->responses, 0);
    fake_advance(&f, 1);
    assert_string_equal(f.sent, LATE);
    assert_int_equal(calls, 2);
    pay(0, "too late");
    assert_int_equal(fx->responses, 1);
    assert_int_equal(calls, 2);
    fake_end(fx, 0);
}

static void test_what_comes_in_time_stops_the_clock(void **state)
{
    struct patience p = { 50, too_late };
    struct fake_exchange *fx = fake_get(&f, impatient, &p);
    fake_advance(&f, 49);
    pay(0, "ok");
    assert_string_equal(f.sent, STAMPED);
    fake_advance(&f, 1000);
    assert_int_equal(calls, 1);
    assert_int_equal(fx->responses, 1);
    fake_end(fx, 0);
}

static void test_timeout_zero_is_at_once_unless_it_is_there(void **state)
{
    struct patience p = { 0, too_late };
    struct fake_exchange *fx = fake_get(&f, impatient, &p);
    assert_string_equal(f.sent, LATE);
    pay(0, "too late");
    assert_int_equal(fx->responses, 1);
    fake_end(fx, 0);
}

static void test_timeout_without_a_function_fails_with_503(void **state)
{
    for (uint64_t ms = 0; ms < 20; ms += 10) {
        struct patience p = { ms, NULL };
        f.log[0] = 0;
        struct fake_exchange *fx = fake_get(&f, impatient, &p);
        fake_advance(&f, ms);
        assert_string_equal(f.sent, UNAVAILABLE);
        assert_string_equal(f.log, "1 GET /: 503: the response did not come in time\n");
        assert_int_equal(calls, 0);
        hoop_deferred_drop(kept[0]);
        fake_turn(&f);
        fake_end(fx, 0);
    }
}

static const hoop_response *ask_another(const hoop_request *req, const void *value)
{
    return owe(req, 1);
}

static void test_what_timeout_makes_may_be_pending(void **state)
{
    for (int slow_comes_first = 0; slow_comes_first < 2; slow_comes_first++) {
        struct patience p = { 50, ask_another };
        struct fake_exchange *fx = fake_get(&f, impatient, &p);
        fake_advance(&f, 50);
        assert_int_equal(fx->responses, 0);
        if (slow_comes_first)
            pay(0, "slow"); /* its place has been taken */
        assert_int_equal(fx->responses, 0);
        pay(1, "ok");
        assert_string_equal(f.sent, STAMPED);
        if (!slow_comes_first)
            pay(0, "slow");
        assert_int_equal(fx->responses, 1);
        fake_end(fx, 0);
    }
}

static const hoop_response *slow_in_two_steps(const hoop_request *req, void *data)
{
    const hoop_response *res = hoop_then(req, owe(req, 0), owe_again, (void *)1);
    return hoop_then(req, hoop_timeout(req, res, 50, too_late, "late"), stamp, "1");
}

static void test_timeout_covers_what_is_pending_again(void **state)
{
    struct fake_exchange *fx = fake_get(&f, slow_in_two_steps, NULL);
    fake_advance(&f, 30);
    pay(0, "ok");
    fake_advance(&f, 19);
    assert_int_equal(fx->responses, 0);
    fake_advance(&f, 1);
    assert_string_equal(f.sent, LATE);
    pay(1, "too late");
    assert_int_equal(fx->responses, 1);
    fake_end(fx, 0);
}

static const hoop_response *two_timeouts(const hoop_request *req, void *data)
{
    const hoop_response *res = hoop_timeout(req, owe(req, 0), 50, too_late, "inner");
    return hoop_timeout(req, res, (uint64_t)(intptr_t)data, too_late, "outer");
}

static void test_the_shorter_of_two_timeouts_counts(void **state)
{
    struct fake_exchange *fx = fake_get(&f, two_timeouts, (void *)20);
    fake_advance(&f, 1000);
    assert_string_equal(f.sent, "504\nContent-Type: text/plain; charset=utf-8\n\nouter");
    assert_int_equal(fx->responses, 1);
    hoop_deferred_drop(kept[0]);
    fake_turn(&f);
    fake_end(fx, 0);
    fx = fake_get(&f, two_timeouts, (void *)80);
    fake_advance(&f, 1000);
    assert_string_equal(f.sent, "504\nContent-Type: text/plain; charset=utf-8\n\ninner");
    assert_int_equal(fx->responses, 1);
    hoop_deferred_drop(kept[0]);
    fake_turn(&f);
    fake_end(fx, 0);
}

static void test_a_timeout_dies_with_its_exchange(void **state)
{
    struct patience p = { 50, too_late };
    struct fake_exchange *fx = fake_get(&f, impatient, &p);
    fake_end(fx, HOOP_EGONE); /* lingers for the deferred */
    fake_advance(&f, 1000);
    assert_int_equal(calls, 0);
    pay(0, "ok");
    fake_advance(&f, 1000);
    assert_int_equal(calls, 0);
}

/* --- on other threads, and without memory ---------------------------------------------------- */

static void test_a_request_of_no_exchange_waits_for_nothing(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *app = hoop_app_request(arena);
    struct fake_exchange *fx = fake_get(&f, then_pending, NULL);
    const hoop_response *res = &kept[0]->step.res.pub;
    assert_null(hoop_then(app, res, stamp, "1"));
    assert_noted(app, HOOP_ETHREAD, "a pending response is waited for on the loop's thread");
    assert_null(hoop_catch(app, res, excuse, "1"));
    assert_null(hoop_timeout(app, res, 1, too_late, "1"));
    hoop_arena_free(arena);
    pay(0, "ok");
    assert_string_equal(f.sent, STAMPED);
    fake_end(fx, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_then_on_ready_is_a_plain_call_without_allocation),
        TEST(test_then_lets_null_through),
        TEST(test_all_three_let_pass_through),
        TEST(test_then_on_pending_is_called_when_it_comes),
        TEST(test_then_on_a_failure_that_comes_later_is_not_called),
        TEST(test_a_pass_that_comes_later_goes_through_all),
        TEST(test_then_hands_on_the_request_that_it_was_given),
        TEST(test_null_in_null_out),
        TEST(test_results_may_be_pending_three_times_over),
        TEST(test_a_pending_result_may_have_steps_of_its_own),
        TEST(test_a_deferred_may_be_resolved_with_a_pending_response),
        TEST(test_a_response_that_waits_for_itself_fails),
        TEST(test_a_pending_response_has_one_consumer),
        TEST(test_a_consumed_response_is_not_to_be_returned),
        TEST(test_changes_of_a_pending_response_are_made_when_it_comes),
        TEST(test_a_bad_change_is_refused_at_once),
        TEST(test_catch_sees_a_failure_with_code_and_text),
        TEST(test_catch_sees_a_null_that_nobody_noted),
        TEST(test_catch_lets_a_ready_response_through),
        TEST(test_catch_sees_a_failure_that_comes_later),
        TEST(test_catch_sees_a_deferred_that_was_dropped),
        TEST(test_catch_lets_a_response_that_comes_later_through),
        TEST(test_catch_may_fail_anew),
        TEST(test_what_catch_makes_may_be_pending),
        TEST(test_catch_on_a_deferreds_request_sees_what_it_waited_for),
        TEST(test_timeout_leaves_what_is_there),
        TEST(test_timeout_fires_and_what_comes_later_is_dropped),
        TEST(test_what_comes_in_time_stops_the_clock),
        TEST(test_timeout_zero_is_at_once_unless_it_is_there),
        TEST(test_timeout_without_a_function_fails_with_503),
        TEST(test_what_timeout_makes_may_be_pending),
        TEST(test_timeout_covers_what_is_pending_again),
        TEST(test_the_shorter_of_two_timeouts_counts),
        TEST(test_a_timeout_dies_with_its_exchange),
        TEST(test_a_request_of_no_exchange_waits_for_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
