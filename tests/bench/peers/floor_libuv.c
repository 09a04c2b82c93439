/*
 * A bound, no server: libuv, and a canned answer for each empty line that ends a head. Nothing is
 * parsed, so every path gets the same text.
 */
#include "uv_peer.h"

#define MAX_BATCH 256 /* answers that one write takes */

struct connection {
    struct uv_peer peer;
    unsigned matched; /* bytes of CR LF CR LF seen at the end so far */
};

static char answers[MAX_BATCH * 256]; /* the answer over and over */
static size_t answer_len;

static void make_answers(void)
{
    char date[64], answer[256];
    peer_date(date, sizeof date);
    answer_len = (size_t)snprintf(answer, sizeof answer,
                                  "HTTP/1.1 200 OK\r\nServer: floor\r\n%s"
                                  "Content-Type: text/plain\r\nContent-Length: %zu\r\n\r\n%s",
                                  date, PEER_TEXT_LEN, PEER_TEXT);
    for (size_t i = 0; i < MAX_BATCH; i++)
        memcpy(answers + i * answer_len, answer, answer_len);
}

static void open_connection(struct uv_peer *peer)
{
    ((struct connection *)peer)->matched = 0;
}

/* How many heads end in these bytes. */
static size_t count_heads(struct connection *c, const char *data, size_t len)
{
    static const char end_of_head[] = "\r\n\r\n";
    size_t heads = 0;
    unsigned matched = c->matched;
    for (const char *p = data, *end = data + len; p < end;) {
        if (matched == 0) {
            p = memchr(p, '\r', (size_t)(end - p));
            if (!p)
                break;
            p++;
            matched = 1;
        } else if (*p == end_of_head[matched]) {
            p++;
            matched++;
        } else {
            matched = 0;
        }
        if (matched == 4) {
            heads++;
            matched = 0;
        }
    }
    c->matched = matched;
    return heads;
}

static int read_bytes(struct uv_peer *peer, const char *data, size_t len)
{
    size_t heads = count_heads((struct connection *)peer, data, len);
    while (heads) {
        size_t n = heads < MAX_BATCH ? heads : MAX_BATCH;
        uv_peer_send(peer, answers, n * answer_len);
        heads -= n;
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const struct uv_peer_ops ops = {
        .size = sizeof(struct connection),
        .open = open_connection,
        .read = read_bytes,
        .second = make_answers,
    };
    return uv_peer_run(peer_port(argc, argv), &ops);
}
