/* Pieces of files through a connection: in full, cut short, to a client that left, and without sendfile. */
#include "toy.h"

#include "net/sendfile.h"

#include <signal.h>
#include <sys/mman.h>

static char file_byte(size_t i)
{
    return (char)(i * 31 % 251);
}

static void make_file(size_t size)
{
    char *bytes = malloc(size);
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = file_byte(i);
    toy_file = memfd_create("piece", MFD_CLOEXEC);
    assert_true(toy_file >= 0);
    assert_int_equal(write(toy_file, bytes, size), size);
    toy_offset = 0;
    free(bytes);
}

static void begin(struct world *w)
{
    assert_int_equal(world_init(w, NULL), 0);
    assert_int_equal(world_connect(w), 0);
}

/* Reads `text`, then bytes of the file from `from` on; how many came of them before the end or silence. */
static size_t hear_file(struct world *w, const char *text, size_t from)
{
    static char buffer[1 << 16];
    size_t skip = strlen(text), heard = 0;
    for (int idle = 0; idle < 100; idle++) {
        uv_run(&w->uv, UV_RUN_NOWAIT);
        ssize_t n = hear(w, buffer, sizeof buffer);
        if (n == 0)
            break;
        for (ssize_t i = 0; i < n; i++, idle = 0) {
            if (skip) {
                assert_int_equal(buffer[i], *text++);
                skip--;
            } else {
                assert_int_equal(buffer[i], file_byte(from + heard));
                heard++;
            }
        }
    }
    assert_int_equal(skip, 0);
    return heard;
}

static void sends_all(void **state)
{
    struct world w = { 0 };
    make_file(3000000);
    begin(&w);
    say(&w, "file 3000000\n");
    assert_int_equal(hear_file(&w, "", 0), 3000000);
    assert_int_equal(seen.took, 3000000);
    assert_int_equal(w.loop->base.counters.bytes_out, 3000000);
    world_done(&w);
    close(toy_file);
}

static void sends_copies_first(void **state)
{
    struct world w = { 0 };
    make_file(100000);
    toy_offset = 500;
    begin(&w);
    memset(toy_bytes, 'h', 300);
    say(&w, "copy 300\nfile 99500\n");
    char head[301] = { 0 };
    memset(head, 'h', 300);
    assert_int_equal(hear_file(&w, head, 500), 99500);
    assert_false(w.loop->conns->stuck);
    memset(toy_bytes, 0, 300);
    world_done(&w);
    close(toy_file);
}

/* What is announced and is no longer there can't be made up for. */
static void breaks_off_a_shorter_file(void **state)
{
    struct world w = { 0 };
    make_file(100000);
    begin(&w);
    say(&w, "file 200000\n");
    assert_int_equal(hear_file(&w, "", 0), 100000);
    assert_int_equal(seen.stops, 1);
    assert_int_equal(seen.stop_code, HOOP_EOF);
    world_done(&w);
    close(toy_file);
}

/* A client that left, with the signal's default action: the program lives, and nothing is left pending. */
static void raises_no_signal(void **state)
{
    int pair[2];
    sigset_t pending;
    char bytes[100];
    struct hoop__out out = { .data = bytes, .cap = sizeof bytes, .ref_len = 5000 };
    make_file(5000);
    out.file = toy_file;
    signal(SIGPIPE, SIG_DFL);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
        close(pair[0]);
        assert_int_equal(i ? hoop__send_piece_copied(pair[1], &out)
                           : hoop__send_piece(pair[1], &out),
                         HOOP_EGONE);
        close(pair[1]);
        sigpending(&pending);
        assert_false(sigismember(&pending, SIGPIPE));
        sigprocmask(SIG_SETMASK, NULL, &pending);
        assert_false(sigismember(&pending, SIGPIPE));
    }
    close(toy_file);
}

static void copies_where_it_must(void **state)
{
    int pair[2];
    char bytes[700], got[5000];
    struct hoop__out out = { .data = bytes, .cap = sizeof bytes, .ref_len = 4000 };
    make_file(5000);
    out.file = toy_file;
    out.file_offset = 1000;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    assert_int_equal(hoop__send_piece_copied(pair[1], &out), 4000);
    assert_int_equal(recv(pair[0], got, sizeof got, 0), 4000);
    for (size_t i = 0; i < 4000; i++)
        assert_int_equal(got[i], file_byte(1000 + i));
    out.ref_len = 4001; /* sends what there is; the next call tells */
    out.file_offset = 4999;
    assert_int_equal(hoop__send_piece_copied(pair[1], &out), HOOP_EOF);
    /* Until the socket is full. */
    out.file_offset = 0;
    out.ref_len = 5000;
    ssize_t n;
    while ((n = hoop__send_piece_copied(pair[1], &out)) == 5000)
        ;
    assert_true(n >= 0 && n < 5000);
    assert_int_equal(hoop__send_piece_copied(pair[1], &out), 0);
    assert_int_equal(hoop__send_piece(pair[1], &out), 0);
    close(pair[0]);
    close(pair[1]);
    close(toy_file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sends_all),
        cmocka_unit_test(sends_copies_first),
        cmocka_unit_test(breaks_off_a_shorter_file),
        cmocka_unit_test(raises_no_signal),
        cmocka_unit_test(copies_where_it_must),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
