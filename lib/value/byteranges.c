/* The body of a multipart/byteranges: parts of bytes or of a source that can seek, and what stands between. */
#include "value/conditional.h"

#include <string.h>

struct byteranges {
    struct hoop__source base;
    struct hoop__source *inner; /* NULL: the parts are of `body` */
    hoop_str body;
    hoop_str boundary;
    hoop_str type;
    uint64_t size;
    uint64_t left; /* of the part at hand, or, in front of it, all of it */
    char *text;    /* what stands in front of the part at hand, or behind the last */
    size_t text_len, text_sent;
    int count, at; /* parts, and the one at hand; count: behind the last */
    struct hoop__range ranges[];
};

static struct byteranges *of(struct hoop__source *source)
{
    return (struct byteranges *)source;
}

/* Makes the text in front of part `at`, which is longer than no other's. */
static void set_text(struct byteranges *b)
{
    b->text_sent = 0;
    if (b->at == b->count) {
        b->text_len = hoop__byteranges_end(b->boundary, b->text);
        b->left = 0;
        return;
    }
    b->text_len = hoop__byteranges_head(b->boundary, b->type, &b->ranges[b->at], b->size,
                                        b->at == 0, b->text);
    b->left = b->ranges[b->at].len;
}

/* The part has been given: on to the next one. 0, HOOP_EOF, or a code. */
static int advance(struct byteranges *b)
{
    if (b->text_sent < b->text_len || b->left)
        return 0;
    if (b->at == b->count)
        return HOOP_EOF;
    b->at++;
    set_text(b);
    return 0;
}

/* Sends what is left of the text, and sets the source on the part when it is through. */
static int give_text(struct byteranges *b, char *buffer, size_t cap, size_t *ret_len)
{
    size_t n = b->text_len - b->text_sent;
    n = n < cap ? n : cap;
    memcpy(buffer, b->text + b->text_sent, n);
    b->text_sent += n;
    *ret_len = n;
    if (b->text_sent < b->text_len || b->at == b->count || !b->inner)
        return 0;
    const struct hoop__range *range = &b->ranges[b->at];
    return b->inner->extra->seek(b->inner, range->from, range->len);
}

static int give_part(struct byteranges *b, char *buffer, size_t cap, size_t *ret_len)
{
    cap = cap < b->left ? cap : (size_t)b->left;
    if (!b->inner) {
        const struct hoop__range *range = &b->ranges[b->at];
        memcpy(buffer, b->body.data + range->from + (range->len - b->left), cap);
        *ret_len = cap;
        b->left -= cap;
        return 0;
    }
    int code = b->inner->pull(b->inner, buffer, cap, ret_len);
    if (code && code != HOOP_EOF)
        return code;
    b->left -= *ret_len;
    return code == HOOP_EOF && b->left ? HOOP_EOF : 0; /* shorter than it was: the message breaks */
}

static int pull(struct hoop__source *source, char *buffer, size_t cap, size_t *ret_len)
{
    struct byteranges *b = of(source);
    int code = advance(b);
    if (code)
        return code;
    if (b->inner)
        b->inner->exchange = source->exchange;
    code = b->text_sent < b->text_len ? give_text(b, buffer, cap, ret_len)
                                      : give_part(b, buffer, cap, ret_len);
    return code ? code : advance(b);
}

static int piece(struct hoop__source *source, struct hoop__file_piece *ret_piece)
{
    struct byteranges *b = of(source);
    if (b->text_sent < b->text_len || !b->left)
        return HOOP_EUNSUPPORTED;
    b->inner->exchange = source->exchange;
    return b->inner->extra->piece(b->inner, ret_piece);
}

static void took(struct hoop__source *source, size_t len)
{
    struct byteranges *b = of(source);
    b->inner->extra->took(b->inner, len);
    b->left -= len;
    advance(b);
}

static void finished(struct hoop__source *source, int code)
{
    struct byteranges *b = of(source);
    if (b->inner)
        hoop__source_finish(b->inner, code);
}

static const struct hoop__source_extra with_pieces = { .piece = piece, .took = took };

/* The length of all, and of the longest text. */
static uint64_t measure(const struct byteranges *b, size_t *ret_text)
{
    uint64_t total = hoop__byteranges_end(b->boundary, NULL);
    *ret_text = (size_t)total;
    for (int i = 0; i < b->count; i++) {
        size_t text =
            hoop__byteranges_head(b->boundary, b->type, &b->ranges[i], b->size, i == 0, NULL);
        if (text > *ret_text)
            *ret_text = text;
        total += text + b->ranges[i].len;
    }
    return total;
}

struct hoop__source *hoop__byteranges_new(const hoop_request *req, hoop_str body,
                                          struct hoop__source *inner,
                                          const struct hoop__range *ranges, int count,
                                          uint64_t size, hoop_str boundary, hoop_str type)
{
    size_t ranges_size = (size_t)count * sizeof *ranges, text;
    struct byteranges *b = hoop_alloc(req, sizeof *b + ranges_size);
    if (!b)
        return NULL;
    memset(b, 0, sizeof *b);
    memcpy(b->ranges, ranges, ranges_size);
    b->body = body;
    b->inner = inner;
    b->count = count;
    b->size = size;
    b->boundary = boundary;
    b->type = type;
    b->base.pull = pull;
    b->base.finished = finished;
    b->base.length = measure(b, &text);
    b->base.extra = inner && inner->extra->piece ? &with_pieces : NULL;
    b->text = hoop_alloc(req, text);
    if (!b->text || hoop__source_keep(req, &b->base))
        return hoop__fail_memory(req);
    set_text(b);
    return &b->base;
}
