/*
 * hoop-redis with a real redis-server, which the test starts on a Unix socket in a folder of its own: sessions and
 * rate limits over HTTP, writers that race, and what happens when Redis is gone, silent, or back.
 */
#include "client.h"

#include <hoop/redis.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- redis-server ---------------------------------------------------------------------------- */

static char folder[] = "/tmp/hoop-redis-XXXXXX";
static char socket_path[64];
static pid_t redis_pid;
static int redis_output;

static void wait_until_ready(void)
{
    char text[8192];
    size_t len = 0;
    while (len < sizeof text - 1) {
        struct pollfd p = { redis_output, POLLIN, 0 };
        assert_int_equal(poll(&p, 1, 10000), 1);
        ssize_t n = read(redis_output, text + len, sizeof text - 1 - len);
        if (n <= 0)
            break;
        text[len += (size_t)n] = 0;
        if (strstr(text, "ready to accept"))
            return;
    }
    fail_msg("redis-server did not start: %.*s", (int)len, text);
}

static void start_redis(const char *password)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    redis_pid = fork();
    if (!redis_pid) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", socket_path, "--dir",
               folder, "--save", "", "--appendonly", "no", "--daemonize", "no", "--requirepass",
               password, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    redis_output = ends[0];
    wait_until_ready();
}

static void stop_redis(void)
{
    if (!redis_pid)
        return;
    kill(redis_pid, SIGTERM);
    waitpid(redis_pid, NULL, 0);
    close(redis_output);
    redis_pid = 0;
}

/* --- a service ------------------------------------------------------------------------------- */

/* "/set?a": the value v. "/rotate", "/clear". All tell what v was. */
static const hoop_response *act(const hoop_request *req, void *data)
{
    hoop_str v = hoop_session_get(req, "v");
    const hoop_response *res = hoop_text(req, 200, hoop_str_is_none(v) ? "-" : v.data);
    if (hoop_str_eq_c(req->uri, "/set"))
        return hoop_with_session_value(req, res, "v", req->query_string.data);
    if (hoop_str_eq_c(req->uri, "/rotate"))
        return hoop_session_rotate(req, res);
    return hoop_str_eq_c(req->uri, "/clear") ? hoop_session_clear(req, res) : res;
}

struct service {
    hoop_arena *app;
    hoop_redis *redis;
    const hoop_session_store *sessions;
    hoop_server *server;
    struct test_client client;
    char cookie[128]; /* a line of a request; "": none */
};

static void open_redis(struct service *s, const hoop_redis_options *options)
{
    hoop_error error = { 0, "" };
    memset(s, 0, sizeof *s);
    s->app = hoop_arena_new();
    if (hoop_redis_new(s->app, &s->redis, &error, options))
        fail_msg("%s", error.text);
    assert_int_equal(hoop_redis_sessions(s->app, s->redis, NULL, &s->sessions, &error), 0);
}

static void serve(struct service *s, const hoop_middleware *chain, size_t count)
{
    hoop_handler handler = hoop_fn(act, NULL);
    hoop_error error = { 0, "" };
    if (hoop_chain_new(s->app, chain, count, handler, &handler, &error))
        fail_msg("%s", error.text);
    s->server =
        test_server_start(handler, &(hoop_server_options){ .on_loop_start = hoop_redis_loop_start,
                                                           .on_loop_stop = hoop_redis_loop_stop,
                                                           .loop_data = s->redis });
    test_connect(&s->client, "127.0.0.1", hoop_listener_port(s->server, 0));
}

static void open_service(struct service *s, const hoop_redis_options *redis,
                         const hoop_session_options *options)
{
    hoop_session_options own = *options;
    open_redis(s, redis);
    own.store = s->sessions;
    const hoop_middleware chain[] = { HOOP_SESSION(&own) };
    serve(s, chain, 1);
}

static void close_service(struct service *s)
{
    test_close(&s->client);
    test_server_stop(s->server);
    hoop_arena_free(s->app);
}

static int get(struct service *s, const char *path, char body[64])
{
    char text[512];
    struct test_answer answer;
    snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: a\r\n%s\r\n", path, s->cookie);
    test_send(&s->client, text);
    test_answer(&s->client, &answer);
    const char *set = strstr(answer.head, "Set-Cookie: ");
    if (set)
        snprintf(s->cookie, sizeof s->cookie, "Cookie: %.*s\r\n",
                 (int)strcspn(set + strlen("Set-Cookie: "), ";"), set + strlen("Set-Cookie: "));
    snprintf(body, 64, "%s", answer.body);
    return answer.status;
}

static void check_get(struct service *s, const char *path, const char *want)
{
    char body[64];
    int status = get(s, path, body);
    if (status != 200)
        fail_msg("%s: %d", path, status);
    assert_string_equal(body, want);
}

static void check_status(struct service *s, const char *path, int want)
{
    char body[64];
    assert_int_equal(get(s, path, body), want);
}

static hoop_redis_options by_socket(void)
{
    return (hoop_redis_options){ .path = socket_path, .max_backoff_ms = 1 };
}

/* --- sessions -------------------------------------------------------------------------------- */

static void sessions_live(void **state)
{
    struct service s;
    hoop_redis_options redis = by_socket();
    char before[128];
    redis.database = 3;
    open_service(&s, &redis, &(hoop_session_options){ 0 });
    check_get(&s, "/", "-");
    assert_string_equal(s.cookie, "");
    check_get(&s, "/set?one", "-");
    assert_int_equal(strlen(s.cookie), strlen("Cookie: session=\r\n") + 32);
    check_get(&s, "/set?two", "one");
    check_get(&s, "/", "two");
    memcpy(before, s.cookie, sizeof before);
    check_get(&s, "/rotate", "two");
    assert_string_not_equal(s.cookie, before);
    check_get(&s, "/", "two");
    char after[128];
    memcpy(after, s.cookie, sizeof after);
    memcpy(s.cookie, before, sizeof before);
    check_get(&s, "/", "-");
    memcpy(s.cookie, after, sizeof after);
    check_get(&s, "/clear", "two");
    memcpy(s.cookie, after, sizeof after);
    check_get(&s, "/", "-");
    strcpy(s.cookie, "Cookie: session=forged\r\n");
    check_get(&s, "/set?x", "-");
    strcpy(s.cookie, "Cookie: session=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n");
    check_get(&s, "/set?x", "-");
    assert_null(strstr(s.cookie, "AAAAAAAA"));
    check_get(&s, "/", "x");
    close_service(&s);
}

static void two_servers_share_them(void **state)
{
    struct service a, b;
    hoop_redis_options redis = by_socket();
    open_service(&a, &redis, &(hoop_session_options){ 0 });
    open_service(&b, &redis, &(hoop_session_options){ 0 });
    check_get(&a, "/set?one", "-");
    memcpy(b.cookie, a.cookie, sizeof b.cookie);
    check_get(&b, "/set?two", "one");
    check_get(&a, "/", "two");
    close_service(&a);
    close_service(&b);
}

/* --- versions, without the middleware -------------------------------------------------------- */

struct steps {
    const hoop_session_store *store;
    hoop_session_entry entry;
    uint32_t outcomes[8];
    int count;
};

static const hoop_response *next_step(const hoop_request *req, const hoop_response *said,
                                      const void *value)
{
    struct steps *steps = (struct steps *)(uintptr_t)value;
    const hoop_session_store *store = steps->store;
    hoop_session_entry *entry = &steps->entry;
    if (said)
        steps->outcomes[steps->count++] = entry->outcome;
    entry->outcome = HOOP_SESSION_DONE;
    hoop_session_store_fn *fn = store->write;
    switch (steps->count) {
    case 0: /* a new one */
        entry->data = hoop_str_n("a\0b", 3);
        entry->ttl_ms = HOOP_OFF;
        break;
    case 1: /* the right version */
        break;
    case 2: /* an old one */
        entry->version = 1;
        break;
    case 3:
        entry->version = 1;
        fn = store->remove;
        break;
    case 4:
        entry->data = hoop_str_none();
        fn = store->read;
        break;
    case 5:
        if (entry->version != 2 || entry->data.len != 3 || memcmp(entry->data.data, "a\0b", 3))
            return hoop_text(req, 200, "what was read is wrong");
        fn = store->remove;
        break;
    case 6: /* gone */
        break;
    default:
        return hoop_textf(req, 200, "%u%u%u%u%u%u%u", steps->outcomes[0], steps->outcomes[1],
                          steps->outcomes[2], steps->outcomes[3], steps->outcomes[4],
                          steps->outcomes[5], steps->outcomes[6]);
    }
    return hoop_then(req, fn(req, entry, store->data), next_step, steps);
}

static const hoop_response *run_steps(const hoop_request *req, hoop_handler next, const void *value)
{
    struct steps *steps = hoop_alloc(req, sizeof *steps);
    memset(steps, 0, sizeof *steps);
    steps->store = value;
    steps->entry.id = hoop_str_none();
    return next_step(req, NULL, steps);
}

static void versions_are_compared(void **state)
{
    struct service s;
    hoop_redis_options redis = by_socket();
    open_redis(&s, &redis);
    const hoop_middleware chain[] = { HOOP_WRAP("steps", run_steps, s.sessions) };
    serve(&s, chain, 1);
    check_get(&s, "/", "0022001");
    close_service(&s);
}

/* --- rate limits ----------------------------------------------------------------------------- */

static void rates_are_shared(void **state)
{
    struct service s[2];
    const hoop_rate_store *rates;
    hoop_redis_options redis = by_socket();
    for (int i = 0; i < 2; i++) {
        open_redis(&s[i], &redis);
        assert_int_equal(hoop_redis_rates(s[i].app, s[i].redis, "r1:", &rates, NULL), 0);
        const hoop_rate_limit_options two = {
            .store = rates, .requests = 2, .window_ms = 3600000, .fail_closed = 1
        };
        const hoop_middleware chain[] = { HOOP_RATE_LIMIT(&two) };
        serve(&s[i], chain, 1);
    }
    check_status(&s[0], "/", 200);
    check_status(&s[1], "/", 200);
    check_status(&s[0], "/", 429);
    check_status(&s[1], "/", 429);
    close_service(&s[0]);
    close_service(&s[1]);
}

/* --- when Redis is not there ----------------------------------------------------------------- */

static void redis_goes_and_comes_back(void **state)
{
    struct service s;
    hoop_redis_options redis = by_socket();
    open_service(&s, &redis, &(hoop_session_options){ 0 });
    check_get(&s, "/set?one", "-");
    stop_redis();
    check_status(&s, "/", 503);
    check_status(&s, "/", 503);
    start_redis("");
    char body[64];
    int status = 503;
    for (int i = 0; i < 1000 && status == 503; i++)
        status = get(&s, "/", body);
    assert_int_equal(status, 200);
    assert_string_equal(body, "-"); /* it has kept nothing */
    check_get(&s, "/set?two", "-");
    check_get(&s, "/", "two");
    close_service(&s);
}

static void a_silent_redis_takes_no_longer_than_it_may(void **state)
{
    struct service s;
    struct sockaddr_un name = { .sun_family = AF_UNIX };
    hoop_redis_options redis = { .path = name.sun_path, .timeout_ms = 20, .max_backoff_ms = 1 };
    snprintf(name.sun_path, sizeof name.sun_path, "%s/silent", folder);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof name), 0);
    assert_int_equal(listen(fd, 8), 0);
    open_service(&s, &redis, &(hoop_session_options){ 0 });
    strcpy(s.cookie, "Cookie: session=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n");
    check_status(&s, "/", 503);
    check_status(&s, "/", 503);
    close_service(&s);
    close(fd);
    unlink(name.sun_path);
}

static void a_server_stops_while_redis_is_silent(void **state)
{
    struct service s;
    struct sockaddr_un name = { .sun_family = AF_UNIX };
    hoop_redis_options redis = { .path = name.sun_path, .timeout_ms = 3600000 };
    snprintf(name.sun_path, sizeof name.sun_path, "%s/silent", folder);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof name), 0);
    assert_int_equal(listen(fd, 8), 0);
    open_service(&s, &redis, &(hoop_session_options){ 0 });
    test_send(&s.client, "GET / HTTP/1.1\r\nHost: a\r\nCookie: "
                         "session=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n\r\n");
    struct pollfd p = { fd, POLLIN, 0 };
    assert_int_equal(poll(&p, 1, 10000), 1); /* it has connected */
    close_service(&s);
    close(fd);
    unlink(name.sun_path);
}

static void passwords(void **state)
{
    struct service s;
    hoop_redis_options redis = by_socket();
    stop_redis();
    start_redis("secret");
    open_service(&s, &redis, &(hoop_session_options){ 0 });
    check_status(&s, "/set?a", 503);
    close_service(&s);
    redis.password = "secret";
    open_service(&s, &redis, &(hoop_session_options){ 0 });
    check_get(&s, "/set?a", "-");
    check_get(&s, "/", "a");
    close_service(&s);
    redis.username = "default";
    open_service(&s, &redis, &(hoop_session_options){ 0 });
    check_get(&s, "/set?a", "-");
    close_service(&s);
    stop_redis();
    start_redis("");
}

static void a_loop_that_was_not_told(void **state)
{
    struct service s;
    hoop_redis_options redis = by_socket();
    open_redis(&s, &redis);
    const hoop_request *req = hoop_mock(s.app, "GET", "/", NULL);
    hoop_session_entry entry = { .id = hoop_str_c("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA") };
    assert_null(s.sessions->read(req, &entry, s.sessions->data));
    assert_int_equal(hoop_failure(req)->code, HOOP_EMISSING);
    assert_string_equal(hoop_failure(req)->text,
                        "redis: hoop_redis_loop_start() was not called for this loop");
    void *link = NULL;
    assert_int_equal(hoop_redis_loop_start(hoop_loop_of(req), s.redis, &link), HOOP_EUNSUPPORTED);
    hoop_arena_free(s.app);
}

static void options_that_are_wrong(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_redis *redis = NULL;
    hoop_error error;
    assert_int_equal(
        hoop_redis_new(arena, &redis, &error, &(hoop_redis_options){ .host = "redis.example" }),
        HOOP_EINVAL);
    assert_string_equal(error.text, "redis: 'redis.example' is no address");
    assert_int_equal(hoop_redis_new(arena, &redis, &error, &(hoop_redis_options){ .port = 65536 }),
                     HOOP_EINVAL);
    assert_string_equal(error.text, "redis: 65536 is no port");
    const hoop_session_store *sessions;
    assert_int_equal(hoop_redis_sessions(arena, NULL, NULL, &sessions, &error), HOOP_EINVAL);
    assert_null(redis);
    hoop_arena_free(arena);
}

static int begin(void **state)
{
    assert_non_null(mkdtemp(folder));
    snprintf(socket_path, sizeof socket_path, "%s/socket", folder);
    start_redis("");
    return 0;
}

static int end(void **state)
{
    stop_redis();
    unlink(socket_path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions_live),
        cmocka_unit_test(two_servers_share_them),
        cmocka_unit_test(versions_are_compared),
        cmocka_unit_test(rates_are_shared),
        cmocka_unit_test(redis_goes_and_comes_back),
        cmocka_unit_test(a_silent_redis_takes_no_longer_than_it_may),
        cmocka_unit_test(a_server_stops_while_redis_is_silent),
        cmocka_unit_test(passwords),
        cmocka_unit_test(a_loop_that_was_not_told),
        cmocka_unit_test(options_that_are_wrong),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
