/*
 * The codecs that see many bytes, from memory: multipart bodies, queries and forms. Best of several rounds, since
 * whatever else the machine does only adds.
 *
 *     codec [SECONDS]     for each line; 0.2 by default
 */
#include "handler/params.h"

#include <hoop.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FILE_SIZE (8u << 20)
#define PIECE     (64u << 10)

static double seconds = 0.2;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The shortest time of one call. */
static double best_of(void (*run)(void *data), void *data)
{
    double best = 1e9, end = now() + seconds;
    do {
        double begin = now();
        run(data);
        double took = now() - begin;
        best = took < best ? took : best;
    } while (now() < end);
    return best;
}

/* --- multipart ------------------------------------------------------------------------------- */

struct body {
    const char *type;
    char *data;
    size_t len;
    size_t got;
};

static void read_body(void *data)
{
    struct body *body = data;
    hoop_arena *arena = hoop_arena_new();
    hoop_multipart *reader;
    hoop_str bytes;
    body->got = 0;
    if (hoop_multipart_new(arena, hoop_str_c(body->type), &reader, NULL, NULL))
        exit(1);
    for (size_t at = 0; at < body->len; at += PIECE) {
        hoop_str piece =
            hoop_str_n(body->data + at, body->len - at < PIECE ? body->len - at : PIECE);
        int rc;
        while ((rc = hoop_multipart_next(reader, &piece, &bytes)) > 0)
            if (rc == HOOP_MULTIPART_DATA)
                body->got += bytes.len;
        if (rc < 0)
            exit(1);
    }
    if (hoop_multipart_finish(reader))
        exit(1);
    hoop_arena_free(arena);
}

static const char webkit[] = "----WebKitFormBoundary7MA4YWxkTrZu0gW";

static void fill(char *to, size_t len, const char *what)
{
    static const char prose[] = "It is a truth universally acknowledged, that a single man\r\nin "
                                "possession of a good fortune, must be in want of a wife.\r\n";
    uint64_t seed = 88172645463325252u;
    for (size_t i = 0; i < len; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        if (!strcmp(what, "random"))
            to[i] = (char)seed;
        else if (!strcmp(what, "text"))
            to[i] = prose[i % (sizeof prose - 1)];
        else if (!strcmp(what, "line ends"))
            to[i] = "\r\n"[i % 2];
        else if (!strcmp(what, "hyphens"))
            to[i] = '-';
        else
            to[i] = 'W'; /* the last byte of a boundary, on which a search looks closer */
    }
}

static void multipart(const char *what, const char *boundary)
{
    char type[200];
    struct body body = { type, malloc(FILE_SIZE + 1000), 0, 0 };
    snprintf(type, sizeof type, "multipart/form-data; boundary=\"%s\"", boundary);
    body.len = (size_t)sprintf(body.data,
                               "--%s\r\nContent-Disposition: form-data; name=\"f\"; "
                               "filename=\"x.bin\"\r\nContent-Type: a/b\r\n\r\n",
                               boundary);
    fill(body.data + body.len, FILE_SIZE, what);
    body.len += FILE_SIZE;
    body.len += (size_t)sprintf(body.data + body.len, "\r\n--%s--\r\n", boundary);
    double took = best_of(read_body, &body);
    if (body.got != FILE_SIZE)
        exit(1);
    printf("multipart, %s, boundary of %zu: %.0f MB/s\n", what, strlen(boundary),
           (double)body.len / took / 1e6);
    free(body.data);
}

/* Many small fields: the headers count, not the search. */
static void fields(void)
{
    char type[200];
    struct body body = { type, malloc(200000), 0, 0 };
    snprintf(type, sizeof type, "multipart/form-data; boundary=%s", webkit);
    for (int i = 0; i < 1000; i++)
        body.len +=
            (size_t)sprintf(body.data + body.len,
                            "--%s\r\nContent-Disposition: form-data; name=\"field%d\"\r\n\r\n"
                            "value %d\r\n",
                            webkit, i, i);
    body.len += (size_t)sprintf(body.data + body.len, "--%s--\r\n", webkit);
    double took = best_of(read_body, &body);
    printf("multipart, 1000 fields of %zu bytes: %.0f ns a field, %.0f MB/s\n", body.len / 1000,
           took * 1e6, (double)body.len / took / 1e6);
    free(body.data);
}

/* --- forms ----------------------------------------------------------------------------------- */

struct form {
    hoop_str text;
    size_t pairs;
};

#define FORMS 1000

static void read_form(void *data)
{
    struct form *form = data;
    hoop_arena *arena = hoop_arena_new_with(&(hoop_arena_options){ .block_size = 4u << 20 });
    struct hoop__params_rules rules = { .max_count = 512, .max_name = 1024 };
    for (int i = 0; i < FORMS; i++) {
        struct hoop__param_list list = { NULL, 0, 0 };
        const char *problem;
        if (hoop__params_read(arena, form->text, &rules, &list, &problem))
            exit(1);
        form->pairs = list.count;
    }
    hoop_arena_free(arena);
}

static void form(const char *what, const char *text)
{
    struct form f = { hoop_str_c(text), 0 };
    double took = best_of(read_form, &f) / FORMS;
    printf("form, %s, %zu bytes, %zu pairs: %.0f ns, %.0f MB/s\n", what, f.text.len, f.pairs,
           took * 1e9, (double)f.text.len / took / 1e6);
}

int main(int argc, char **argv)
{
    static char plain[1100], escaped[1100];
    if (argc > 1)
        seconds = atof(argv[1]);
    multipart("random", webkit);
    multipart("text", webkit);
    multipart("line ends", webkit);
    multipart("hyphens", webkit);
    multipart("W", webkit);
    multipart("random", "boundary");
    multipart("text", "boundary");
    multipart("line ends", "boundary");
    multipart("random", "b");
    multipart("text", "b");
    multipart("line ends", "b");
    fields();
    form("query", "foo=bar&city=New%20York&occupation=Shop%20Keeper&age=49&name=Greg%20Joy&"
                  "duration=10000");
    for (int i = 0; strlen(plain) < 1000; i++)
        sprintf(plain + strlen(plain), "%sfield%d=some+value+of+%d+words", i ? "&" : "", i, i);
    for (int i = 0; strlen(escaped) < 1000; i++)
        sprintf(escaped + strlen(escaped), "%sf%d=%%C3%%A4%%20%%C3%%B6+x", i ? "&" : "", i);
    form("words", plain);
    form("escapes", escaped);
    return 0;
}
