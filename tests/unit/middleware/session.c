/* Middleware "session": what is read and written when, the cookie, ids, times, writers that race. */
#include "fake.h"
#include "middleware.h"

#include "middleware/session.h"

#include <hoop/json.h>
#include <stdio.h>

/* --- a store that tells what it was asked ---------------------------------------------------- */

struct shelf {
    char log[1024];
    char id[64]; /* of the one session that it has; "": none */
    char data[1024];
    size_t len;
    uint64_t version;
    unsigned ids;  /* that it has given */
    int later;     /* answers after a while */
    int conflicts; /* writes or removals in front of which somebody else writes */
    int fails;
    int gone; /* the next write or removal finds nothing */
    hoop_deferred *deferred;
};

static void note(struct shelf *shelf, const char *verb, hoop_str id, const char *more)
{
    size_t used = strlen(shelf->log);
    snprintf(shelf->log + used, sizeof shelf->log - used, "%s%s %s%s", used ? "; " : "", verb,
             hoop_str_is_none(id) ? "-" : id.data, more);
}

static void finish(void *data)
{
    hoop_deferred *d = ((struct shelf *)data)->deferred;
    hoop_resolve(d, hoop_respond(hoop_deferred_request(d), 204));
}

static const hoop_response *answer(const hoop_request *req, struct shelf *shelf)
{
    if (shelf->fails)
        return hoop_fail(req, HOOP_EGONE, "the store is down");
    if (!shelf->later)
        return hoop__session_said();
    shelf->deferred = hoop_defer(req);
    if (!shelf->deferred || hoop_run_after(req, 10, finish, shelf))
        return NULL;
    return hoop_deferred_response(shelf->deferred);
}

/* The values of encoded data, as " a=b c=d". */
static void show(hoop_str data, char *out, size_t size)
{
    struct hoop__session session;
    hoop_arena *arena = hoop_arena_new();
    size_t used = 0;
    assert_int_equal(hoop__session_decode(arena, data, &session), 0);
    *out = 0;
    for (size_t i = 0; i < session.count; i++)
        used += (size_t)snprintf(out + used, size - used, " %s=%s", session.items[i].name.data,
                                 session.items[i].value.data);
    hoop_arena_free(arena);
}

static int has(const struct shelf *shelf, hoop_str id)
{
    return shelf->id[0] && hoop_str_eq_c(id, shelf->id);
}

static const hoop_response *shelf_read(const hoop_request *req, hoop_session_entry *entry,
                                       void *data)
{
    struct shelf *shelf = data;
    note(shelf, "read", entry->id, "");
    entry->outcome = has(shelf, entry->id) ? HOOP_SESSION_DONE : HOOP_SESSION_MISSING;
    entry->version = shelf->version;
    entry->data = hoop_arena_copy(req->arena, hoop_str_n(shelf->data, shelf->len));
    return answer(req, shelf);
}

/* Somebody else writes x=1 over all that is there. */
static void interfere(struct shelf *shelf)
{
    static const hoop_field other[] = { { { "x", 1 }, { "1", 1 } } };
    struct hoop__session session = { other, 1, 1, 1 };
    hoop_arena *arena = hoop_arena_new();
    hoop_str data;
    session.created = session.touched = UINT64_C(0xffffffff);
    assert_int_equal(hoop__session_encode(arena, &session, &data), 0);
    memcpy(shelf->data, data.data, data.len);
    shelf->len = data.len;
    shelf->version++;
    hoop_arena_free(arena);
}

static uint32_t check(struct shelf *shelf, const hoop_session_entry *entry)
{
    if (shelf->conflicts && entry->version) {
        shelf->conflicts--;
        interfere(shelf);
    }
    if (shelf->gone) {
        shelf->gone = 0;
        shelf->id[0] = 0;
    }
    if (!has(shelf, entry->id))
        return HOOP_SESSION_MISSING;
    return entry->version && entry->version != shelf->version ? HOOP_SESSION_CONFLICT
                                                              : HOOP_SESSION_DONE;
}

static const hoop_response *shelf_write(const hoop_request *req, hoop_session_entry *entry,
                                        void *data)
{
    struct shelf *shelf = data;
    char values[256];
    show(entry->data, values, sizeof values);
    note(shelf, "write", entry->id, values);
    if (entry->id.len)
        entry->outcome = check(shelf, entry);
    else
        snprintf(shelf->id, sizeof shelf->id, "N%u", ++shelf->ids);
    if (entry->outcome == HOOP_SESSION_DONE) {
        entry->id = hoop_arena_copy(req->arena, hoop_str_c(shelf->id));
        entry->version = ++shelf->version;
        memcpy(shelf->data, entry->data.data, entry->data.len);
        shelf->len = entry->data.len;
    }
    return answer(req, shelf);
}

static const hoop_response *shelf_remove(const hoop_request *req, hoop_session_entry *entry,
                                         void *data)
{
    struct shelf *shelf = data;
    note(shelf, "remove", entry->id, "");
    entry->outcome = check(shelf, entry);
    if (entry->outcome == HOOP_SESSION_DONE)
        shelf->id[0] = 0;
    return answer(req, shelf);
}

/* --- a client -------------------------------------------------------------------------------- */

/* Does what "X-Do" says ("set a=b, remove a, clear, rotate, age 5"), and shows what it saw. */
static const hoop_response *act(const hoop_request *req, void *data)
{
    (void)data;
    char text[512] = "";
    size_t count, used = 0;
    const hoop_field *items = hoop_session(req, &count);
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s=%s ", items[i].name.data,
                                 items[i].value.data);
    const hoop_response *res = hoop_bytes(req, 200, NULL, hoop_str_c(items ? text : "-"));
    char *rest = hoop_strdup(req, hoop_header(req, "x-do").data), *save = NULL;
    for (char *verb = rest ? strtok_r(rest, ",", &save) : NULL; verb;
         verb = strtok_r(NULL, ",", &save)) {
        char key[16] = "", value[16] = "";
        verb += *verb == ' ';
        if (sscanf(verb, "set %15[^=]=%15s", key, value) == 2)
            res = hoop_with_session_value(req, res, key, value);
        else if (sscanf(verb, "remove %15s", key) == 1)
            res = hoop_with_session_value(req, res, key, NULL);
        else if (sscanf(verb, "age %15s", key) == 1)
            res = hoop_with_session_max_age(req, res, strtoull(key, NULL, 10));
        else if (strcmp(verb, "clear") == 0)
            res = hoop_session_clear(req, res);
        else if (strcmp(verb, "rotate") == 0)
            res = hoop_session_rotate(req, res);
    }
    return res;
}

static void act_now(void *data)
{
    hoop_deferred *d = data;
    hoop_resolve(d, act(hoop_deferred_request(d), NULL));
}

static const hoop_response *act_later(const hoop_request *req, void *data)
{
    (void)data;
    hoop_deferred *d = hoop_defer(req);
    if (!d || hoop_run_after(req, 10, act_now, d))
        return NULL;
    return hoop_deferred_response(d);
}

struct client {
    hoop_arena *app, *arena;
    hoop_handler handler;
    const hoop_request *req; /* all share its clock */
    char cookie[8192];       /* what it sends; "": none */
    char line[8192];         /* the last Set-Cookie; "": none */
    const char *name;
};

static struct client new_client(const hoop_session_options *options, hoop_handler_fn *fn)
{
    struct client c = { .app = hoop_arena_new(), .arena = hoop_arena_new(), .name = "session" };
    const hoop_middleware entry = HOOP_SESSION(options);
    hoop_error error = { 0, "" };
    c.handler = hoop_fn(fn, NULL);
    if (hoop_chain_new(c.app, &entry, 1, c.handler, &c.handler, &error))
        fail_msg("%s", error.text);
    c.req = hoop_mock(c.arena, "GET", "/", NULL);
    return c;
}

static void free_client(struct client *c)
{
    hoop_arena_free(c->arena);
    hoop_arena_free(c->app);
}

/* Takes the cookie of a response over. */
static void take_cookie(struct client *c, const hoop_response *res)
{
    hoop_str line = hoop_response_header(res, "Set-Cookie");
    snprintf(c->line, sizeof c->line, "%s", line.data);
    if (!line.len)
        return;
    size_t len = strcspn(c->line, ";");
    snprintf(c->cookie, sizeof c->cookie, "%.*s", (int)len, c->line);
    if (c->cookie[len - 1] == '=')
        c->cookie[0] = 0;
}

static const hoop_response *ask(struct client *c, const char *what)
{
    const hoop_request *req = hoop_with_request_header(c->req, "X-Do", what);
    req = hoop_with_request_header(req, "Cookie", c->cookie[0] ? c->cookie : NULL);
    const hoop_response *res = hoop_call_sync(c->handler, req);
    if (res)
        take_cookie(c, res);
    return res;
}

/* What the handler saw while it did that. */
static void check_saw(struct client *c, const char *what, const char *saw)
{
    const hoop_response *res = ask(c, what);
    if (!res)
        fail_msg("'%s': %s", what, hoop_mock_failure(c->req)->text);
    assert_str(res->body, saw);
}

static void check_log(struct shelf *shelf, const char *want)
{
    assert_string_equal(shelf->log, want);
    shelf->log[0] = 0;
}

#define ATTRIBUTES "; Path=/; HttpOnly; SameSite=Lax"

/* --- reading and writing --------------------------------------------------------------------- */

static void run_life(int later, hoop_handler_fn *fn)
{
    struct shelf shelf = { .later = later };
    const hoop_session_store store = { shelf_read, shelf_write, shelf_remove, &shelf };
    const hoop_session_options options = { .store = &store };
    struct client c = new_client(&options, fn);
    check_saw(&c, "", "-");
    check_log(&shelf, "");
    assert_string_equal(c.line, "");
    check_saw(&c, "set foo=bar", "-");
    check_log(&shelf, "write - foo=bar");
    assert_string_equal(c.line, "session=N1" ATTRIBUTES);
    check_saw(&c, "", "foo=bar ");
    check_log(&shelf, "read N1");
    assert_string_equal(c.line, "");
    check_saw(&c, "set a=1, set b=2, remove foo, set a=3", "foo=bar ");
    check_log(&shelf, "read N1; write N1 a=3 b=2");
    assert_string_equal(c.line, "");
    check_saw(&c, "set a=3, remove z", "a=3 b=2 ");
    check_log(&shelf, "read N1");
    check_saw(&c, "rotate, remove b", "a=3 b=2 ");
    check_log(&shelf, "read N1; remove N1; write - a=3");
    assert_string_equal(c.line, "session=N2" ATTRIBUTES);
    check_saw(&c, "age 5", "a=3 ");
    check_log(&shelf, "read N2");
    assert_string_equal(c.line, "session=N2; Path=/; Max-Age=5; HttpOnly; SameSite=Lax");
    check_saw(&c, "set q=1, clear, set z=1", "a=3 ");
    check_log(&shelf, "read N2; remove N2; write - z=1");
    assert_string_equal(c.line, "session=N3" ATTRIBUTES);
    check_saw(&c, "clear", "z=1 ");
    check_log(&shelf, "read N3; remove N3");
    assert_string_equal(c.line, "session=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 "
                                "GMT; HttpOnly; SameSite=Lax");
    check_saw(&c, "clear, rotate, age 5", "-");
    check_log(&shelf, "");
    assert_string_equal(c.line, "");
    free_client(&c);
}

static void test_a_session_lives(void **state)
{
    (void)state;
    run_life(0, act);
    run_life(1, act);
    run_life(0, act_later);
    run_life(1, act_later);
}

static void test_a_forged_id_is_never_used(void **state)
{
    (void)state;
    struct shelf shelf = { 0 };
    const hoop_session_store store = { shelf_read, shelf_write, shelf_remove, &shelf };
    const hoop_session_options options = { .store = &store };
    struct client c = new_client(&options, act);
    strcpy(c.cookie, "session=forged");
    check_saw(&c, "", "-");
    check_log(&shelf, "read forged");
    check_saw(&c, "rotate", "-");
    check_log(&shelf, "read forged");
    check_saw(&c, "set a=1", "-");
    check_log(&shelf, "read forged; write - a=1");
    assert_string_equal(c.cookie, "session=N1");
    free_client(&c);
}

static void test_a_store_that_fails(void **state)
{
    (void)state;
    struct shelf shelf = { .fails = 1 };
    const hoop_session_store store = { shelf_read, shelf_write, shelf_remove, &shelf };
    const hoop_session_options options = { .store = &store };
    struct client c = new_client(&options, act);
    assert_null(ask(&c, "set a=1"));
    check_log(&shelf, "write - a=1");
    strcpy(c.cookie, "session=K");
    assert_null(ask(&c, ""));
    check_log(&shelf, "read K");
    free_client(&c);
}

/* --- writers that race ----------------------------------------------------------------------- */

static void run_race(const char *what, int conflicts, int gone, const char *log, const char *line)
{
    for (int later = 0; later < 2; later++) {
        struct shelf shelf = { .later = later };
        const hoop_session_store store = { shelf_read, shelf_write, shelf_remove, &shelf };
        const hoop_session_options options = { .store = &store };
        struct client c = new_client(&options, act);
        check_saw(&c, "set a=1", "-");
        shelf.log[0] = 0;
        shelf.conflicts = conflicts;
        shelf.gone = gone;
        const hoop_response *res = ask(&c, what);
        check_log(&shelf, log);
        if (line)
            assert_string_equal(c.line, line);
        else
            assert_null(res);
        free_client(&c);
    }
}

static void test_writers_that_race(void **state)
{
    (void)state;
    run_race("set b=2", 1, 0, "read N1; write N1 a=1 b=2; read N1; write N1 x=1 b=2", "");
    run_race("set b=2", 2, 0,
             "read N1; write N1 a=1 b=2; read N1; write N1 x=1 b=2; read N1; write N1 x=1 b=2", "");
    run_race("rotate, set b=2", 1, 0, "read N1; remove N1; read N1; remove N1; write - x=1 b=2",
             "session=N2" ATTRIBUTES);
    run_race("clear, set b=2", 1, 0, "read N1; remove N1; write - b=2", "session=N2" ATTRIBUTES);
    run_race("set b=2", 9, 0,
             "read N1; write N1 a=1 b=2; read N1; write N1 x=1 b=2; read N1; write N1 x=1 b=2; "
             "read N1; write N1 x=1 b=2; read N1; write N1 x=1 b=2",
             NULL);
}

static void test_a_session_that_was_removed_meanwhile(void **state)
{
    (void)state;
    run_race("set b=2", 0, 1, "read N1; write N1 a=1 b=2", "");
    run_race("rotate", 0, 1, "read N1; remove N1", "");
    run_race("rotate, set b=2", 0, 1, "read N1; remove N1; write - b=2", "session=N2" ATTRIBUTES);
    run_race("clear", 0, 1, "read N1; remove N1",
             "session=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; "
             "SameSite=Lax");
}

/* --- times ----------------------------------------------------------------------------------- */

static void test_idle_and_lifetime(void **state)
{
    (void)state;
    const hoop_session_options options = { .idle = 100, .lifetime = 250 };
    struct client c = new_client(&options, act);
    check_saw(&c, "set a=1", "-");
    hoop_mock_advance(c.req, 99000);
    check_saw(&c, "", "a=1 "); /* which touches it */
    hoop_mock_advance(c.req, 99000);
    check_saw(&c, "", "a=1 ");
    hoop_mock_advance(c.req, 51000);
    check_saw(&c, "", "a=1 ");
    hoop_mock_advance(c.req, 1000);
    check_saw(&c, "", "-"); /* 250 seconds */
    check_saw(&c, "set b=1", "-");
    hoop_mock_advance(c.req, 100000);
    check_saw(&c, "", "-");
    free_client(&c);
}

static void test_rotation_keeps_the_time_and_clearing_does_not(void **state)
{
    (void)state;
    const hoop_session_options options = { .idle = 100, .lifetime = 100 };
    struct client c = new_client(&options, act);
    check_saw(&c, "set a=1", "-");
    hoop_mock_advance(c.req, 60000);
    check_saw(&c, "rotate", "a=1 ");
    hoop_mock_advance(c.req, 39000);
    check_saw(&c, "clear, set b=1", "a=1 ");
    hoop_mock_advance(c.req, 99000);
    check_saw(&c, "rotate", "b=1 ");
    hoop_mock_advance(c.req, 1000);
    check_saw(&c, "", "-");
    free_client(&c);
}

static void test_touching_is_rare(void **state)
{
    (void)state;
    struct shelf shelf = { 0 };
    const hoop_session_store store = { shelf_read, shelf_write, shelf_remove, &shelf };
    const hoop_session_options options = { .store = &store, .idle = 160, .max_age = 1000 };
    struct client c = new_client(&options, act);
    check_saw(&c, "set a=1", "-");
    assert_string_equal(c.line, "session=N1; Path=/; Max-Age=1000; HttpOnly; SameSite=Lax");
    hoop_mock_advance(c.req, 9000);
    check_saw(&c, "", "a=1 ");
    check_log(&shelf, "write - a=1; read N1");
    assert_string_equal(c.line, "");
    hoop_mock_advance(c.req, 1000);
    check_saw(&c, "", "a=1 ");
    check_log(&shelf, "read N1; write N1 a=1");
    assert_string_equal(c.line, "session=N1; Path=/; Max-Age=1000; HttpOnly; SameSite=Lax");
    hoop_mock_advance(c.req, 10000);
    shelf.conflicts = 1; /* another has touched it, which will do */
    check_saw(&c, "", "a=1 ");
    check_log(&shelf, "read N1; write N1 a=1");
    free_client(&c);
}

static void test_without_ends(void **state)
{
    (void)state;
    const hoop_session_options options = { .idle = HOOP_OFF, .lifetime = HOOP_OFF };
    struct client c = new_client(&options, act);
    check_saw(&c, "set a=1", "-");
    hoop_mock_advance(c.req, UINT64_C(86400000) * 365);
    check_saw(&c, "", "a=1 ");
    free_client(&c);
}

/* --- the cookie ------------------------------------------------------------------------------ */

static void test_attributes(void **state)
{
    (void)state;
    const hoop_session_options options = {
        .name = "__Secure-s",
        .path = "/foo",
        .domain = "example.org",
        .max_age = 5,
        .secure = 1,
        .to_scripts = 1,
        .same_site = HOOP_SAME_SITE_NONE,
        .partitioned = 1,
    };
    struct client c = new_client(&options, act);
    check_saw(&c, "set a=1", "-");
    assert_string_equal(strchr(c.line, ';'), "; Path=/foo; Domain=example.org; Max-Age=5; Secure; "
                                             "SameSite=None; Partitioned");
    free_client(&c);
}

static void test_https_is_secure(void **state)
{
    (void)state;
    struct client c = new_client(NULL, act);
    c.req = hoop_mock(c.arena, "GET", "https://localhost/", NULL);
    check_saw(&c, "set a=1", "-");
    assert_string_equal(strchr(c.line, ';'), "; Path=/; Secure; HttpOnly; SameSite=Lax");
    assert_int_equal(strlen(c.cookie), strlen("session=") + 32);
    check_saw(&c, "", "a=1 ");
    free_client(&c);
}

static const hoop_response *other_cookies(const hoop_request *req, void *data)
{
    (void)data;
    const hoop_response *res = hoop_add_cookie(req, hoop_respond(req, 204), "x", "y", NULL);
    return hoop_with_session_value(req, res, "a", "1");
}

static const hoop_response *constant_write(const hoop_request *req, hoop_session_entry *entry,
                                           void *data)
{
    (void)req;
    (void)data;
    entry->id = hoop_str_c("N");
    return hoop__session_said();
}

static const hoop_response *constant_read(const hoop_request *req, hoop_session_entry *entry,
                                          void *data)
{
    static const hoop_field items[] = { { { "k", 1 }, { "v", 1 } } };
    const struct hoop__session session = { items, 1, 1, UINT64_C(0xffffffff) };
    (void)data;
    if (!hoop_str_eq_c(entry->id, "K")) {
        entry->outcome = HOOP_SESSION_MISSING;
        return hoop__session_said();
    }
    return hoop__session_encode(req->arena, &session, &entry->data) ? hoop__fail_memory(req)
                                                                    : hoop__session_said();
}

static const hoop_session_store constant = { constant_read, constant_write, constant_write, NULL };
static const hoop_session_options constant_options = { .store = &constant,
                                                       .idle = HOOP_OFF,
                                                       .lifetime = HOOP_OFF };

static const hoop_response *show_k(const hoop_request *req, void *data)
{
    (void)data;
    hoop_str value = hoop_session_get(req, "k");
    return hoop_text(req, 200, hoop_str_is_none(value) ? "none" : value.data);
}

static const hoop_response *rotate(const hoop_request *req, void *data)
{
    return hoop_session_rotate(req, show_k(req, data));
}

#define TEXT "Content-Type: text/plain; charset=utf-8\n"

static void test_in_a_chain(void **state)
{
    (void)state;
    static const hoop_middleware entry = HOOP_SESSION(&constant_options);
    static const struct middleware_case cases[] = {
        { .want = "200\n\nok" },
        { .headers = "Cookie: session=K", .want = "200\n\nok" },
        { .inner = show_k, .headers = "Cookie: session=K", .want = "200\n" TEXT "\nv" },
        { .inner = show_k, .headers = "Cookie: session=L", .want = "200\n" TEXT "\nnone" },
        { .inner = show_k, .headers = "Cookie: session=", .want = "200\n" TEXT "\nnone" },
        { .inner = show_k,
          .headers = "Cookie: a=b\nCookie: c=d; session=K",
          .want = "200\n" TEXT "\nv" },
        { .inner = rotate,
          .headers = "Cookie: session=K",
          .want = "200\n" TEXT "Set-Cookie: session=N" ATTRIBUTES "\n\nv" },
        { .inner = other_cookies,
          .want = "204\nSet-Cookie: x=y\nSet-Cookie: session=N" ATTRIBUTES "\n(no body)" },
    };
    check_middleware(entry, cases);
}

static void test_two_of_them(void **state)
{
    (void)state;
    static const hoop_session_options second = {
        .store = &constant, .name = "other", .idle = HOOP_OFF, .lifetime = HOOP_OFF
    };
    const hoop_middleware twice[] = { HOOP_SESSION(&constant_options), HOOP_SESSION(&second) };
    test_middleware_refused(
        twice, 2, HOOP_ECONFLICT,
        "middleware 'session' (entry 0) is mounted twice on one path: once more "
        "further in");
    hoop_middleware named[] = { HOOP_SESSION(&constant_options), HOOP_SESSION(&second) };
    named[1].name = "other session";
    static const struct middleware_case cases[] = {
        { .inner = show_k, .headers = "Cookie: session=K", .want = "200\n" TEXT "\nnone" },
        { .inner = show_k, .headers = "Cookie: other=K", .want = "200\n" TEXT "\nv" },
    };
    test_middleware(named, 2, cases, 2);
}

/* --- JSON ------------------------------------------------------------------------------------ */

/* Puts one more thing into the cart, and shows the session. */
static const hoop_response *shop(const hoop_request *req, void *data)
{
    (void)data;
    json_t *cart = json_object_get(hoop_session_json(req, "cart"), "things");
    json_t *more = cart ? json_copy(cart) : json_array();
    json_array_append_new(more, json_integer((json_int_t)json_array_size(more)));
    const hoop_response *res = hoop_json(req, 200, hoop_session_to_json(req));
    return hoop_with_session_json(req, res, "cart", json_pack("{s:o}", "things", more));
}

static void test_json(void **state)
{
    (void)state;
    struct client c = new_client(NULL, shop);
    check_saw(&c, "", "{}");
    check_saw(&c, "", "{\"cart\":\"{\\\"things\\\":[0]}\"}");
    check_saw(&c, "", "{\"cart\":\"{\\\"things\\\":[0,1]}\"}");
    free_client(&c);
}

static const hoop_response *json_of_k(const hoop_request *req, void *data)
{
    return hoop_with_session_json(req, hoop_respond(req, 204), "k", json_incref(data));
}

/* Sets a value and says how the next request has it: as text of JSON. */
static void check_json(const char *value)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_str text;
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    json_t *json = json_loads(value, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    const hoop_response *res = json_of_k(req, json);
    json_decref(json);
    const hoop_field item = { hoop_str_c("k"), hoop__session_changes(res)->value };
    const struct hoop__session session = { &item, 1, 1, 1 };
    json_t *got = hoop_session_json(hoop__session_put(req, &session), "k");
    assert_non_null(got);
    assert_int_equal(hoop_json_dump(arena, got, JSON_COMPACT | JSON_ENCODE_ANY, &text, NULL), 0);
    assert_str(text, value);
    hoop_arena_free(arena);
}

static void test_json_of_any_type(void **state)
{
    (void)state;
    check_json("null");
    check_json("false");
    check_json("-1.5");
    check_json("\"a\\u0000b\"");
    check_json("[1,{\"a\":\"\xc3\xa4\"}]");
}

static void test_what_is_no_json(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_field items[] = { { hoop_str_c("a"), hoop_str_c("{\"secret\":") },
                                 { hoop_str_c("b"), hoop_str_c("\xff") },
                                 { hoop_str_c("c"), hoop_str_c("{\"a\":1,\"a\":2}") } };
    const struct hoop__session session = { items, 3, 1, 1 };
    hoop_str text;
    for (size_t i = 0; i < 3; i++) {
        const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
        assert_null(hoop_session_json(hoop__session_put(req, &session), items[i].name.data));
        assert_int_equal(hoop_failure(req)->code, HOOP_EPARSE);
        assert_null(strstr(hoop_failure(req)->text, "secret"));
    }
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    json_t *all = hoop_session_to_json(hoop__session_put(req, &session));
    assert_int_equal(hoop_json_dump(arena, all, JSON_COMPACT, &text, NULL), 0);
    assert_str(text, "{\"a\":\"{\\\"secret\\\":\",\"b\":{\"base64\":\"/w==\"},"
                     "\"c\":\"{\\\"a\\\":1,\\\"a\\\":2}\"}");
    json_decref(all);
    assert_null(hoop_session_json(req, "d"));
    assert_null(hoop_session_json(req, NULL));
    assert_null(hoop_session_json(NULL, "a"));
    all = hoop_session_to_json(NULL);
    assert_int_equal(json_object_size(all), 0);
    json_decref(all);
    assert_null(hoop_failure(req));
    const hoop_response *res = hoop_respond(req, 204);
    assert_null(hoop_with_session_json(NULL, res, "k", json_true()));
    assert_null(hoop_with_session_json(req, NULL, "k", json_array()));
    assert_true(hoop_is_pass(hoop_with_session_json(req, hoop_pass(req), "k", json_array())));
    assert_null(hoop_with_session_json(req, res, "k", NULL));
    assert_noted(req, HOOP_EINVAL, "the session's 'k' can't be written: $: the value is NULL");
    assert_null(hoop_with_session_json(req, res, NULL, json_array()));
    hoop_arena_free(arena);
}

/* --- as functions, refusals, memory ---------------------------------------------------------- */

static void test_as_a_function(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *answered = NULL;
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    assert_null(hoop_session_request(req, &answered, NULL));
    assert_noted(req, HOOP_EMISSING, "session: as a function it needs a store");
    req = hoop_mock_cookie(hoop_mock(arena, "GET", "/", NULL), "session", "K");
    const hoop_request *more = hoop_session_request(req, &answered, &constant_options);
    assert_str(hoop_session_get(more, "k"), "v");
    assert_true(hoop_str_is_none(hoop_session_get(req, "k")));
    assert_true(hoop_str_is_none(hoop_session_get(more, "j")));
    assert_true(hoop_str_is_none(hoop_session_get(more, NULL)));
    const hoop_response *res = hoop_respond(more, 204);
    assert_ptr_equal(hoop_session_response(more, res, &constant_options), res);
    res = hoop_with_session_value(more, res, "a", "1");
    assert_response(hoop_session_response(more, res, &constant_options),
                    "204\nSet-Cookie: session=N" ATTRIBUTES "\n(no body)");
    assert_null(hoop_session_response(more, NULL, &constant_options));
    assert_true(hoop_is_pass(hoop_session_response(more, hoop_pass(more), &constant_options)));
    assert_null(hoop_session_request(NULL, &answered, &constant_options));
    assert_null(hoop_with_session_value(NULL, res, "a", "b"));
    assert_null(hoop_with_session_value(req, NULL, "a", "b"));
    assert_null(hoop_session_clear(req, NULL));
    assert_null(hoop_session_rotate(NULL, res));
    assert_null(hoop_with_session_max_age(req, NULL, 1));
    assert_null(hoop_with_session_value(req, res, "", "b"));
    assert_noted(req, HOOP_EINVAL, "a value of the session needs a name");
    assert_null(answered);
    hoop_arena_free(arena);
}

static void test_too_large(void **state)
{
    (void)state;
    const hoop_session_options options = { .max_bytes = 8 };
    struct client c = new_client(&options, act);
    check_saw(&c, "set abcd=efgh", "-");
    assert_null(ask(&c, "set i=j"));
    free_client(&c);
}

static void check_refused(const hoop_session_options *options, const char *text)
{
    const hoop_middleware chain[] = { HOOP_SESSION(options) };
    test_middleware_refused(chain, 1, HOOP_EINVAL, text);
}

static void test_options_that_are_wrong(void **state)
{
    (void)state;
    static const hoop_session_store lame = { constant_read, constant_write, NULL, NULL };
    check_refused(&(hoop_session_options){ .name = "a b" }, "the cookie's name 'a b' is no token");
    check_refused(&(hoop_session_options){ .same_site = HOOP_SAME_SITE_NONE },
                  "cookie 'session': SameSite=None needs secure");
    check_refused(&(hoop_session_options){ .store = &lame },
                  "session: the store lacks one of read, write and remove");
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const hoop_middleware entry = HOOP_SESSION(&constant_options);
    static const hoop_middleware in_memory = HOOP_SESSION(NULL);
    static const struct middleware_case one = {
        .inner = rotate,
        .headers = "Cookie: session=K",
        .want = "200\n" TEXT "Set-Cookie: session=N" ATTRIBUTES "\n\nv",
    };
    static const struct middleware_case plain = { .want = "200\n\nok" };
    static const struct middleware_case json = {
        .inner = shop,
        .want = "200\nContent-Type: application/json\nSet-Cookie: session=N" ATTRIBUTES "\n\n{}",
    };
    test_middleware_memory(&entry, 1, &one);
    test_middleware_memory(&entry, 1, &json);
    test_middleware_memory(&in_memory, 1, &plain);
}

/* --- bytes ----------------------------------------------------------------------------------- */

static void test_bytes(void **state)
{
    (void)state;
    static const char want[] = "\1\0\0\0\0\0\0\1\2\0\0\0\0\0\0\1\3\0\0\0\1\0\0\0\2a\0bc\0"
                               "\0\0\0\1\0\0\0\0d\0\0";
    static const hoop_field items[] = { { { "a", 1 }, { "bc", 2 } }, { { "d", 1 }, { "", 0 } } };
    const struct hoop__session session = { items, 2, 258, 259 };
    struct hoop__session got;
    hoop_arena *arena = hoop_arena_new();
    hoop_str data;
    assert_int_equal(hoop__session_encode(arena, &session, &data), 0);
    assert_bytes(data.data, data.len, want, sizeof want - 1);
    assert_int_equal(hoop__session_decode(arena, data, &got), 0);
    assert_int_equal(got.count, 2);
    assert_int_equal(got.created, 258);
    assert_int_equal(got.touched, 259);
    assert_str(got.items[0].value, "bc");
    assert_str(got.items[1].name, "d");
    for (size_t len = 0; len < data.len; len++)
        if (len != 17 && len != 30) /* behind the head, behind the first pair */
            assert_int_equal(hoop__session_decode(arena, hoop_str_n(want, len), &got), HOOP_EPARSE);
    hoop_arena_free(arena);
}

static void test_bytes_that_are_wrong(void **state)
{
    (void)state;
#define HEAD "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
    static const struct {
        const char *data;
        size_t len;
    } rows[] = {
        { "\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 17 },
        { HEAD "\0\0\0\0\0\0\0\1\0b\0", 28 },          /* no name */
        { HEAD "\0\0\0\2\0\0\0\1a\0\0b\0", 30 },       /* NUL within */
        { HEAD "\377\377\377\377\0\0\0\1a\0b\0", 29 }, /* longer than all */
        { HEAD "\0\0\0\1\377\377\377\377a\0b\0", 29 },
        { HEAD "\0\0\0\1\0\0\0\1axb\0", 29 }, /* no NUL behind */
    };
    struct hoop__session got;
    hoop_arena *arena = hoop_arena_new();
    for (size_t i = 0; i < HOOP_COUNT(rows); i++)
        assert_int_equal(hoop__session_decode(arena, hoop_str_n(rows[i].data, rows[i].len), &got),
                         HOOP_EPARSE);
    hoop_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_session_lives),
        cmocka_unit_test(test_a_forged_id_is_never_used),
        cmocka_unit_test(test_a_store_that_fails),
        cmocka_unit_test(test_writers_that_race),
        cmocka_unit_test(test_a_session_that_was_removed_meanwhile),
        cmocka_unit_test(test_idle_and_lifetime),
        cmocka_unit_test(test_rotation_keeps_the_time_and_clearing_does_not),
        cmocka_unit_test(test_touching_is_rare),
        cmocka_unit_test(test_without_ends),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_https_is_secure),
        cmocka_unit_test(test_in_a_chain),
        cmocka_unit_test(test_two_of_them),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_json_of_any_type),
        cmocka_unit_test(test_what_is_no_json),
        cmocka_unit_test(test_as_a_function),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_options_that_are_wrong),
        cmocka_unit_test(test_each_allocation_may_fail),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_bytes_that_are_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
