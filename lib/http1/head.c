/* The line guard of the head: collects it, splits its lines, and has llhttp read the same bytes. */
#include "http1/http1.h"

#include "codec/host.h"
#include "http1/field.h"
#include "http1/scan.h"

#include <hoop/error.h>

#include <string.h>

/* What a request line may have beside its target: the longest method, the version, and blanks. */
#define LINE_EXTRA 64

/* The block's last bytes are the arena's. */
#define BLOCK_TAIL 16

#define HEAD_CAP \
    (HOOP__BLOCK_SIZE - BLOCK_TAIL - HOOP__H1_SLACK - offsetof(struct hoop__h1_exchange, block))

const uint8_t hoop__h1_lower[256] = {
    ['!'] = '!', ['#'] = '#', ['$'] = '$', ['%'] = '%', ['&'] = '&', ['\''] = '\'', ['*'] = '*',
    ['+'] = '+', ['-'] = '-', ['.'] = '.', ['^'] = '^', ['_'] = '_', ['`'] = '`',   ['|'] = '|',
    ['~'] = '~', ['0'] = '0', ['1'] = '1', ['2'] = '2', ['3'] = '3', ['4'] = '4',   ['5'] = '5',
    ['6'] = '6', ['7'] = '7', ['8'] = '8', ['9'] = '9', ['a'] = 'a', ['b'] = 'b',   ['c'] = 'c',
    ['d'] = 'd', ['e'] = 'e', ['f'] = 'f', ['g'] = 'g', ['h'] = 'h', ['i'] = 'i',   ['j'] = 'j',
    ['k'] = 'k', ['l'] = 'l', ['m'] = 'm', ['n'] = 'n', ['o'] = 'o', ['p'] = 'p',   ['q'] = 'q',
    ['r'] = 'r', ['s'] = 's', ['t'] = 't', ['u'] = 'u', ['v'] = 'v', ['w'] = 'w',   ['x'] = 'x',
    ['y'] = 'y', ['z'] = 'z', ['A'] = 'a', ['B'] = 'b', ['C'] = 'c', ['D'] = 'd',   ['E'] = 'e',
    ['F'] = 'f', ['G'] = 'g', ['H'] = 'h', ['I'] = 'i', ['J'] = 'j', ['K'] = 'k',   ['L'] = 'l',
    ['M'] = 'm', ['N'] = 'n', ['O'] = 'o', ['P'] = 'p', ['Q'] = 'q', ['R'] = 'r',   ['S'] = 's',
    ['T'] = 't', ['U'] = 'u', ['V'] = 'v', ['W'] = 'w', ['X'] = 'x', ['Y'] = 'y',   ['Z'] = 'z',
};

/* --- llhttp, the second reader --------------------------------------------------------------- */

static int pause_parser(llhttp_t *parser)
{
    (void)parser;
    return HPE_PAUSED;
}

/* By name: the order of the members differs between versions. */
static const llhttp_settings_t settings = {
    .on_headers_complete = pause_parser,
    .on_message_complete = pause_parser,
};

/* More of the head for llhttp. Nonzero if it takes offence, or sees the end too early. */
static int confirm_part(struct hoop__h1_exchange *h, const char *data, size_t len)
{
    return len && hoop__llhttp_execute(&h->parser, data, data + len) != HPE_OK;
}

/* Where llhttp has paused with `rc` it must see the end, too, with the same framing. 0 or 400. */
static HOOP__H1_HOT int agree(const struct hoop__h1_exchange *h, int rc, const char *end)
{
    int flags = h->parser.flags;
    if (rc != HPE_PAUSED || llhttp_get_error_pos(&h->parser) != end ||
        !(flags & F_CHUNKED) != !h->chunked || !(flags & F_CONTENT_LENGTH) != !h->has_length)
        return 400;
    if (h->has_length && h->parser.content_length != h->length)
        return 400;
    return 0;
}

/* The rest of the head for llhttp: it must end at the same byte, with the same framing. */
static int confirm_end(struct hoop__h1_exchange *h, const char *data, const char *end)
{
    return agree(h, hoop__llhttp_execute(&h->parser, data, end), end);
}

int hoop__h1_head_confirm(struct hoop__h1_exchange *h, const char *data, const char *end)
{
    return agree(h, hoop__llhttp_read(&h->parser, &settings, data, end), end);
}

/* --- memory ---------------------------------------------------------------------------------- */

static inline void clear(struct hoop__h1_exchange *h)
{
    memset(h->zero_from, 0,
           offsetof(struct hoop__h1_exchange, zero_to) -
               offsetof(struct hoop__h1_exchange, zero_from));
}

void hoop__h1_head_again(struct hoop__h1_exchange *h)
{
    const hoop_limits *limits = h->limits;
    h->max_len = limits->max_head;
    if (limits->max_target < h->max_len && h->max_len - limits->max_target > LINE_EXTRA)
        h->max_len = limits->max_target + LINE_EXTRA;
    clear(h);
    llhttp_init(&h->parser, HTTP_REQUEST, &settings);
}

void hoop__h1_head_init(struct hoop__h1_exchange *h, struct hoop__h1 *e)
{
    const hoop_limits *limits = e->base.host->service->limits;
    h->engine = e;
    h->limits = limits;
    h->head = h->block;
    h->fields = h->inline_fields;
    h->head_cap = HEAD_CAP;
    h->field_cap =
        limits->max_headers < HOOP__H1_FIELDS ? (size_t)limits->max_headers : HOOP__H1_FIELDS;
    clear(h);
}

void hoop__h1_head_drop(struct hoop__h1_exchange *h)
{
    struct hoop_loop *loop = h->engine->base.host->loop;
    if (h->head_moved)
        hoop__free(loop->allocator, h->head);
    if (h->fields_moved)
        hoop__free(loop->allocator, h->fields);
    hoop__block_put(&loop->blocks, h);
}

static void rebase(hoop_str *s, const char *from, size_t len, const char *to)
{
    if (s->data >= from && s->data <= from + len)
        s->data = to + (s->data - from);
}

/* Lets every slice point into the copy at `to`. */
static void rebase_all(struct hoop__h1_exchange *h, const char *to)
{
    rebase(&h->method, h->head, h->head_len, to);
    rebase(&h->uri, h->head, h->head_len, to);
    rebase(&h->query, h->head, h->head_len, to);
    rebase(&h->authority, h->head, h->head_len, to);
    for (size_t i = 0; i < h->field_count; i++) {
        rebase(&h->fields[i].name, h->head, h->head_len, to);
        rebase(&h->fields[i].value, h->head, h->head_len, to);
    }
}

/* Twice the room for the head, so that the work stays linear. 0 or 503. */
static int grow_head(struct hoop__h1_exchange *h)
{
    const hoop_allocator *allocator = h->engine->base.host->loop->allocator;
    size_t cap = h->head_cap * 2;
    char *head = cap > h->head_cap ? hoop__alloc(allocator, cap + HOOP__H1_SLACK) : NULL;
    if (!head)
        return 503;
    memcpy(head, h->head, h->head_len);
    rebase_all(h, head);
    if (h->head_moved)
        hoop__free(allocator, h->head);
    h->head = head;
    h->head_cap = cap;
    h->head_moved = 1;
    return 0;
}

/* More room for fields, up to their limit. 0, 431 or 503. */
static int grow_fields(struct hoop__h1_exchange *h)
{
    const hoop_allocator *allocator = h->engine->base.host->loop->allocator;
    uint64_t max = h->limits->max_headers;
    size_t cap = h->field_cap * 2;
    hoop_field *old = h->fields_moved ? h->fields : NULL;
    if (h->field_count >= max) {
        HOOP__H1_REACHED(h, limit_headers);
        return 431;
    }
    if (cap < h->field_cap || cap > SIZE_MAX / sizeof *old)
        return 503;
    if (cap > max)
        cap = (size_t)max;
    hoop_field *fields = hoop__realloc(allocator, old, cap * sizeof *fields);
    if (!fields)
        return 503;
    if (!old)
        memcpy(fields, h->fields, h->field_count * sizeof *fields);
    h->fields = fields;
    h->field_cap = cap;
    h->fields_moved = 1;
    return 0;
}

/* --- fields ---------------------------------------------------------------------------------- */

static HOOP__H1_HOT int read_field(struct hoop__h1_exchange *h, char *line, char *eol)
{
    if (h->field_count == h->field_cap) {
        int rc = grow_fields(h);
        if (rc)
            return rc;
    }
    hoop_field *f = &h->fields[h->field_count];
    char cut;
    if (hoop__h1_split_field(line, eol, f, &cut))
        return 400;
    h->field_count++;
    return hoop__h1_note_field(h, f, cut);
}

/* The same where nothing is gained by having it in place. */
static HOOP__H1_COLD int read_odd_field(struct hoop__h1_exchange *h, char *line, char *eol)
{
    return read_field(h, line, eol);
}

/* --- the end of the head --------------------------------------------------------------------- */

/* Nonzero for a port of one to four digits that stands up to `end`, 8 readable bytes behind it. */
static inline int is_short_port(const char *port, const char *end)
{
    size_t len = (size_t)(end - port);
    if (len - 1 > 3 || *port == '0')
        return 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint32_t word;
    memcpy(&word, port, 4);
    word = (word ^ 0x30303030u) << 8 * (4 - len); /* digits are below ten now */
    return !((word | (word + 0x06060606u)) & 0xf0f0f0f0u);
#else
    while (port < end && (unsigned)(unsigned char)*port - '0' <= 9)
        port++;
    return port == end;
#endif
}

/* Nonzero for the usual: a short name or IPv4 address, and a port of up to four digits. */
static int is_plain_host(hoop_str host)
{
    size_t n = hoop__h1_plain_len(host.data);
    if (n >= host.len)
        return 1;
    const char *port = host.data + n + 1;
    return n && port[-1] == ':' && is_short_port(port, host.data + host.len);
}

static int is_host(hoop_str value)
{
    hoop_str host;
    uint32_t port;
    return is_plain_host(value) || hoop__host_split(value, &host, &port) == 0;
}

/* RFC 9112 3.2 and 3.2.2: one Host, valid; an absolute-form target takes its place. */
static int check_host(struct hoop__h1_exchange *h)
{
    if (!h->noted.host_count && h->minor > 0)
        return 400;
    if (h->noted.host_count && !is_host(h->fields[h->noted.host].value))
        return 400;
    if (!h->authority.data)
        return 0;
    if (h->noted.host_count) {
        h->fields[h->noted.host].value = h->authority;
        return 0;
    }
    if (h->field_count == h->field_cap) {
        int rc = grow_fields(h);
        if (rc)
            return rc;
    }
    h->fields[h->field_count].name = hoop_str_n("host", 4);
    h->fields[h->field_count++].value = h->authority;
    return 0;
}

int hoop__h1_head_check(struct hoop__h1_exchange *h)
{
    int rc = check_host(h);
    if (rc)
        return rc;
    return h->chunked && h->has_length ? 400 : 0;
}

/*
 * Moves what outgrew the block into the exchange's arena, where it lives as long as the exchange;
 * what it came from is freed. 0 or HOOP_ENOMEM.
 */
static int settle_memory(struct hoop__h1_exchange *h, hoop_arena *arena)
{
    const hoop_allocator *allocator = h->engine->base.host->loop->allocator;
    if (h->head_moved) {
        char *head = hoop__arena_alloc(arena, h->head_len);
        if (!head)
            return HOOP_ENOMEM;
        memcpy(head, h->head, h->head_len);
        rebase_all(h, head);
        hoop__free(allocator, h->head);
        h->head = head;
        h->head_moved = 0;
    }
    if (h->fields_moved) {
        size_t size = h->field_count * sizeof *h->fields;
        hoop_field *fields = hoop__arena_alloc(arena, size);
        if (!fields)
            return HOOP_ENOMEM;
        memcpy(fields, h->fields, size);
        hoop__free(allocator, h->fields);
        h->fields = fields;
        h->fields_moved = 0;
    }
    return 0;
}

/* Texts of the connection's that the exchange may outlive. 0 or HOOP_ENOMEM. */
static int copy_peer(struct hoop__exchange *x)
{
    struct hoop__peer *peer = &x->peer;
    if (peer->remote_text) {
        peer->remote_text = hoop_arena_strdup(x->arena, peer->remote_text);
        if (!peer->remote_text)
            return HOOP_ENOMEM;
    }
    if (peer->cert) {
        peer->cert = hoop_arena_strdup(x->arena, peer->cert);
        if (!peer->cert)
            return HOOP_ENOMEM;
    }
    return 0;
}

/* The request of a complete head. */
static void fill_request(struct hoop__h1_exchange *h)
{
    static const char protocols[10][9] = { "HTTP/1.0", "HTTP/1.1", "HTTP/1.2", "HTTP/1.3",
                                           "HTTP/1.4", "HTTP/1.5", "HTTP/1.6", "HTTP/1.7",
                                           "HTTP/1.8", "HTTP/1.9" };
    const struct hoop__host *host = h->engine->base.host;
    hoop_request *req = &h->x.request.pub;
    req->method = h->method;
    req->scheme = host->peer.secure ? hoop_str_n("https", 5) : hoop_str_n("http", 4);
    req->protocol = hoop_str_n(protocols[h->minor], 8);
    req->uri = h->uri;
    req->query_string = h->query;
    req->headers = h->fields;
    req->header_count = h->field_count;
    req->method_number = h->method_number;
    h->x.peer = host->peer;
}

int hoop__h1_head_finish(struct hoop__h1_exchange *h)
{
    const struct hoop__host *host = h->engine->base.host;
    struct hoop_loop *loop = host->loop;
    size_t used = offsetof(struct hoop__h1_exchange, block) + (h->head_moved ? 0 : h->head_len);
    hoop__exchange_init(&h->x, &hoop__h1_exchange_ops, loop, host->service, h, used);
    if ((h->head_moved || h->fields_moved) && settle_memory(h, h->x.arena))
        goto fail;
    fill_request(h);
    if ((h->x.peer.remote_text || h->x.peer.cert) && copy_peer(&h->x))
        goto fail;
    return 0;
fail:
    /* The exchange never came to be: only its memory has to go. */
    if (h->head_moved)
        hoop__free(loop->allocator, h->head);
    if (h->fields_moved)
        hoop__free(loop->allocator, h->fields);
    hoop__arena_done(h->x.arena);
    return HOOP_ENOMEM;
}

/* --- reading --------------------------------------------------------------------------------- */

/*
 * llhttp reads the input itself, from `*raw` on, but only whole lines, behind our guard. A line that
 * came in pieces (then `*raw` is NULL) it reads from our copy before that is cut up.
 */

/* The request line is complete. A version that llhttp does not know is shown to it as 1.1. */
static int end_request_line(struct hoop__h1_exchange *h, const char **raw, const char *at)
{
    char *eol = h->head + h->head_len - 2, *target_end;
    int rc = hoop__h1_request_line(h, h->head, eol, &target_end);
    if (rc)
        return rc;
    if (!*raw || h->minor > 1) {
        if (h->minor > 1)
            eol[-1] = '1';
        if (confirm_part(h, h->head, h->head_len))
            return 400;
        *raw = at;
    }
    hoop__h1_cut_line(h, target_end);
    h->has_line = 1;
    h->max_len = h->limits->max_head;
    return 0;
}

/* The empty line behind the fields. */
static int end_head(struct hoop__h1_exchange *h, const char *raw, const char *at)
{
    int rc = hoop__h1_head_check(h);
    if (rc)
        return rc;
    if (raw)
        rc = confirm_end(h, raw, at);
    else
        rc = confirm_end(h, h->head + h->line, h->head + h->head_len);
    return rc ? rc : HOOP__H1_COMPLETE;
}

/* Ends a line, with zeros behind it that scanning may read. Returns where the next one begins. */
static inline char *put_crlf(char *eol)
{
    eol[0] = '\r';
    eol[1] = '\n';
    memset(eol + 2, 0, HOOP__H1_PAD);
    return eol + 2;
}

/* A line is complete, with CR and LF. `at` stands behind it in the input. */
static int end_line(struct hoop__h1_exchange *h, const char **raw, const char *at)
{
    char *line = h->head + h->line, *eol = h->head + h->head_len - 2;
    int rc, offence = 0;
    put_crlf(eol);
    if (h->has_line && line == eol)
        return end_head(h, *raw, at);
    if (h->has_line) {
        if (!*raw) {
            offence = confirm_part(h, line, (size_t)(eol + 2 - line));
            *raw = at;
        }
        rc = read_odd_field(h, line, eol);
    } else {
        rc = end_request_line(h, raw, at);
    }
    h->line = h->head_len;
    return !rc && offence ? 400 : rc;
}

/* A head that has reached its limit may not go on. */
static int over_limit(const struct hoop__h1_exchange *h)
{
    if (h->has_line) {
        HOOP__H1_REACHED(h, limit_head);
        return 431;
    }
    HOOP__H1_REACHED(h, limit_target);
    return 414;
}

/* The byte behind a CR. */
static int take_lf(struct hoop__h1_exchange *h, char c)
{
    if (h->head_len >= h->max_len)
        return over_limit(h);
    if (c != '\n')
        return 400;
    h->head[h->head_len++] = c;
    h->cr = 0;
    return 0;
}

/* Copies up to the end of a line, or as far as there is input and room. 0, or a status. */
static int copy_line(struct hoop__h1_exchange *h, const char **at, const char *end)
{
    if (h->head_len >= h->max_len)
        return over_limit(h);
    if (h->head_len >= h->head_cap) /* an LF may have gone beyond it */
        return grow_head(h);
    size_t room = h->head_cap - h->head_len;
    if (h->max_len - h->head_len < room)
        room = (size_t)(h->max_len - h->head_len);
    const char *from = *at, *stop = (size_t)(end - from) > room ? from + room : end;
    const char *last = hoop__h1_copy_line(h->head + h->head_len, from, stop);
    h->head_len += (size_t)(last - from);
    *at = last;
    if (last == stop)
        return 0;
    if (*last != '\r')
        return 400;
    h->head[h->head_len++] = '\r';
    h->cr = 1;
    *at = last + 1;
    return 0;
}

/*
 * Copies and reads lines as long as they are here in whole and fit. `*at` moves behind the last one.
 * MORE, COMPLETE, or a status.
 */
static int read_lines(struct hoop__h1_exchange *h, const char **raw, const char **at,
                      const char *end)
{
    uint64_t max = h->max_len < h->head_cap ? h->max_len : h->head_cap;
    const char *from = *at, *stop = end;
    if (max <= h->head_len)
        return HOOP__H1_MORE;
    if (max - h->head_len < (size_t)(end - from))
        stop = from + (max - h->head_len);
    char *to = h->head + h->head_len, *line = h->head + h->line;
    int rc = HOOP__H1_MORE, fields = h->has_line && *raw;
    while (rc == HOOP__H1_MORE) {
        const char *last = hoop__h1_copy_line(to, from, stop);
        if (stop - last < 2 || last[0] != '\r' || last[1] != '\n')
            break;
        char *eol = to + (last - from);
        to = put_crlf(eol);
        from = last + 2;
        if (fields && eol != line) {
            rc = read_field(h, line, eol);
            line = to;
            continue;
        }
        h->line = (size_t)(line - h->head);
        h->head_len = (size_t)(to - h->head);
        rc = end_line(h, raw, from);
        fields = h->has_line;
        line = to;
    }
    h->line = (size_t)(line - h->head);
    h->head_len = (size_t)(to - h->head);
    *at = from;
    return rc;
}

size_t hoop__h1_head_read(struct hoop__h1_exchange *h, const char *data, size_t len, int *ret_rc)
{
    const char *at = data, *end = data + len;
    const char *raw = h->head_len == h->line ? data : NULL;
    int rc = h->cr ? HOOP__H1_MORE : read_lines(h, &raw, &at, end);
    /* What is not a whole line goes step by step. */
    while (at < end && rc == HOOP__H1_MORE) {
        if (!h->cr) {
            rc = copy_line(h, &at, end);
            if (rc || !h->cr || at == end)
                continue;
        }
        rc = take_lf(h, *at);
        if (rc == HOOP__H1_MORE)
            rc = end_line(h, &raw, ++at);
    }
    if (rc == HOOP__H1_MORE && raw &&
        confirm_part(h, raw, (size_t)(at - raw) - (h->head_len - h->line)))
        rc = 400;
    *ret_rc = rc;
    return (size_t)(at - data);
}
