/* A server of a folder that is made for the test, for the faults of static files; no test lives here. */
#ifndef HOOP_TEST_FOLDER_H
#define HOOP_TEST_FOLDER_H

#include "../unit/file/tools.h"
#include "regress.h"

#include <stdio.h>

struct folder {
    struct place place;
    hoop_arena *arena;
    const hoop_folder *folder;
    hoop_server *server;
    struct test_client client;
};

/* An empty folder. What is put into it is there when the server starts, or later. */
static inline void folder_init(struct folder *f)
{
    memset(f, 0, sizeof *f);
    place_init(&f->place);
}

/* Opens the folder and makes the handler that serves it. */
static inline hoop_handler folder_handler(struct folder *f, const hoop_static_options *given)
{
    hoop_static_options options = *given;
    hoop_handler handler;
    hoop_error error;
    if (!f->arena) {
        f->arena = hoop_arena_new();
        assert_int_equal(
            hoop_folder_open(f->arena, in(&f->place, "public"), &f->folder, &error, NULL), 0);
    }
    options.folder = f->folder;
    assert_int_equal(hoop_static_new(f->arena, &handler, &error, &options), 0);
    return handler;
}

/* Starts a server and connects to it. */
static inline void folder_start(struct folder *f, hoop_handler handler)
{
    f->server = test_server_start(handler, &(hoop_server_options){ 0 });
    test_connect(&f->client, "127.0.0.1", hoop_listener_port(f->server, 0));
}

/* Ends the server; folder_start() may follow. */
static inline void folder_stop(struct folder *f)
{
    test_close(&f->client);
    test_server_stop(f->server);
    hoop_arena_free(f->arena);
    f->arena = NULL;
}

/* Asks for `target` with further header lines, each with its CR LF. */
static inline struct test_answer folder_ask(struct folder *f, const char *method,
                                            const char *target, const char *more)
{
    char text[1024];
    struct test_answer answer = { 0 };
    snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: a\r\n%s\r\n", method, target, more);
    test_send(&f->client, text);
    if (strcmp(method, "HEAD") == 0) {
        test_answer_head(&f->client, &answer);
        answer.body = "";
    } else {
        test_answer(&f->client, &answer);
    }
    return answer;
}

/* The value of a header line, in memory of the test's own; "" if there is none. */
static inline const char *folder_header(const struct test_answer *answer, const char *name)
{
    static char values[4][256];
    static int next;
    char *value = values[next++ % 4], line[64];
    snprintf(line, sizeof line, "\r\n%s: ", name);
    const char *at = strstr(answer->head, line);
    snprintf(value, sizeof values[0], "%.*s", at ? (int)strcspn(at + strlen(line), "\r") : 0,
             at ? at + strlen(line) : "");
    return value;
}

#endif
