/* Answers to what can't be read: constant, so that they need no memory, and followed by a close. */
#include "http1/http1.h"

#include <string.h>

#define SERVER_MAX 128 /* a longer name does not go with an error */

/* The reason phrase within a status line. */
static hoop_str reason_of(hoop_str line)
{
    return hoop_str_n(line.data + 13, line.len - 15);
}

static char *put(char *p, const char *text, size_t len)
{
    memcpy(p, text, len);
    return p + len;
}

#define PUT(p, text) put((p), (text), sizeof(text) - 1)

int hoop__h1_write_reject(struct hoop__h1 *e, struct hoop__out *out)
{
    hoop_str line = hoop__h1_status_line(e->reject), reason = reason_of(line);
    const char *server = e->base.host->service->server_name;
    size_t body = reason.len + 1;
    size_t server_len = server && e->server_len <= SERVER_MAX ? e->server_len : 0;
    size_t size = line.len + HOOP__H1_DATE_LEN + server_len + body + 128;
    if (size > hoop__out_room(out))
        return 0;
    char *p = put(out->data + out->len, line.data, line.len);
    p = PUT(p, "Content-Type: text/plain; charset=utf-8\r\nContent-Length: ");
    if (body >= 10)
        *p++ = (char)('0' + body / 10);
    *p++ = (char)('0' + body % 10);
    p = PUT(p, "\r\n");
    p = hoop__h1_put_date(p, e->base.host->loop);
    if (server_len) {
        p = PUT(p, "Server: ");
        p = put(p, server, server_len);
        p = PUT(p, "\r\n");
    }
    p = PUT(p, "Connection: close\r\n\r\n");
    if (!e->reject_head) {
        p = put(p, reason.data, reason.len);
        *p++ = '\n';
    }
    out->len = (size_t)(p - out->data);
    return 1;
}
