/*
 * Replays what Apache's modules said: with the same handlers the engine must give the same bytes, turn by
 * turn, however what it is fed is cut. The file is the argument; tests/io/ajp.py tells how it was made.
 */
#include "tools.h"

#include "../../io/ajp_handlers.h"

#define MAX_TURNS 64

/* What one side said before the other one did. */
struct turn {
    char from; /* '>' the proxy, '<' the server */
    struct bytes bytes;
};

static struct turn turns[MAX_TURNS];
static size_t turn_count;
static hoop_handler handler;

static const hoop_response *call(const hoop_request *req, void *data)
{
    (void)data;
    return hoop_call(handler, req);
}

static unsigned hex(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void add_turn(const char *line)
{
    assert_true(turn_count < MAX_TURNS);
    struct turn *turn = &turns[turn_count++];
    turn->from = *line;
    for (const char *p = line + 2; *p && *p != '\n';) {
        unsigned long times = 1;
        int run = *p == '(';
        unsigned byte = hex(p[run]) << 4 | hex(p[run + 1]);
        char *end = NULL;
        if (run)
            times = strtoul(p + 4, &end, 10);
        p = run ? end + 1 : p + 2;
        while (times--)
            put8(&turn->bytes, byte);
    }
}

/* Feeds in pieces of `step` bytes (0: whole turns). */
static void replay(const char *name, size_t step)
{
    struct driver d;
    size_t want = 0;
    struct driver_options options = { .limits = { .max_body = 11 * 1024 * 1024 },
                                      .config = &(hoop_listener){ .protocol = HOOP_AJP,
                                                                  .ajp_secret = "s3cr3t",
                                                                  .ajp_attributes = "tenant",
                                                                  .ajp_trust_user = 1 } };
    ajp_init(&d, call, NULL, &options);
    for (size_t i = 0; i < turn_count; i++) {
        const struct bytes *b = &turns[i].bytes;
        if (turns[i].from == '>') {
            for (size_t at = 0; at < b->len; at += step ? step : b->len)
                driver_feed(&d, b->data + at,
                            step && step < b->len - at ? step
                            : step                     ? b->len - at
                                                       : b->len);
            continue;
        }
        if (d.got_len != want + b->len || memcmp(d.got + want, b->data, b->len) != 0)
            fail_msg("%s: turn %zu is another one", name, i);
        want += b->len;
    }
    assert_int_equal(d.got_len, want);
    assert_false(d.closed);
    driver_done(&d);
}

static void end_dialogue(const char *name)
{
    static const size_t steps[] = { 0, 1, 2, 3, 5, 7, 100, 4096 };
    for (size_t i = 0; turn_count && i < HOOP_COUNT(steps); i++)
        replay(name, steps[i]);
    while (turn_count)
        bytes_done(&turns[--turn_count].bytes);
}

static const char *path;

static void test_dialogues(void **state)
{
    (void)state;
    static char line[200000], name[100];
    FILE *file = fopen(path, "r");
    hoop_arena *app = hoop_arena_new();
    int count = 0;
    assert_non_null(file);
    assert_int_equal(ajp_handlers(app, &handler), 0);
    while (fgets(line, sizeof line, file)) {
        if (*line == '=') {
            end_dialogue(name);
            snprintf(name, sizeof name, "%.*s", (int)strcspn(line + 2, "\n"), line + 2);
            count++;
        } else if (*line == '>' || *line == '<') {
            add_turn(line);
        }
    }
    end_dialogue(name);
    assert_int_equal(count, 26);
    fclose(file);
    hoop_arena_free(app);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_dialogues) };
    if (argc != 2)
        return 2;
    path = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
