/*
 * The HTTP/1 engine's structs and the functions that its files share; no I/O, and nothing that
 * another room needs but the protocol itself. docs/internals/http1.md tells how they work together.
 */
#ifndef HOOP_HTTP1_HTTP1_H
#define HOOP_HTTP1_HTTP1_H

#include "http1/parser.h"
#include "value/body.h"
#include "value/engine.h"
#include "value/pull.h"

/* HTTP/1.0 and HTTP/1.1. */
extern const struct hoop__protocol hoop__http1;

/* The host's out must have this much room when it is empty. */
#define HOOP__H1_MIN_OUT 512

#define HOOP__H1_FIELDS 24 /* header lines that need no memory beside the first block */

/* What a connection is at. */
enum hoop__h1_state {
    HOOP__H1_IDLE,    /* no byte of a request is here; empty lines may be */
    HOOP__H1_HEAD,    /* a head has begun */
    HOOP__H1_RUN,     /* an exchange is dispatched */
    HOOP__H1_DISCARD, /* answered; the rest of the body is read and dropped */
    HOOP__H1_CLOSED   /* nothing is read any more; `want` says how to close */
};

/* What stands between the exchange and its last byte. */
enum hoop__h1_out {
    HOOP__H1_OUT_NONE,   /* no response yet */
    HOOP__H1_OUT_HEAD,   /* the response is there, nothing of it is written */
    HOOP__H1_OUT_REF,    /* a head too large for out goes by reference */
    HOOP__H1_OUT_BYTES,  /* the body, bytes */
    HOOP__H1_OUT_SOURCE, /* the body, a source that may have more */
    HOOP__H1_OUT_WAIT,   /* the body, a source that has nothing now */
    HOOP__H1_OUT_END,    /* the last chunk and the trailers */
    HOOP__H1_OUT_DONE    /* all is in the host's hands */
};

/* How the body of the response is framed. */
enum hoop__h1_framing {
    HOOP__H1_NO_BODY, /* HEAD, 1xx, 204, 205, 304, or none */
    HOOP__H1_LENGTH,
    HOOP__H1_CHUNKED,
    HOOP__H1_UNTIL_CLOSE
};

/* Where in a chunked body the next byte belongs; chunk.c. */
enum hoop__h1_chunk {
    HOOP__H1_SIZE_FIRST, /* the first digit */
    HOOP__H1_SIZE,
    HOOP__H1_EXT_NAME_FIRST,
    HOOP__H1_EXT_NAME,
    HOOP__H1_EXT_AFTER_NAME,
    HOOP__H1_EXT_VALUE_FIRST,
    HOOP__H1_EXT_VALUE,
    HOOP__H1_EXT_QUOTED,
    HOOP__H1_EXT_ESCAPED,
    HOOP__H1_EXT_AFTER_VALUE,
    HOOP__H1_SIZE_LF,
    HOOP__H1_DATA,
    HOOP__H1_DATA_CR,
    HOOP__H1_DATA_LF,
    HOOP__H1_TRAILER,
    HOOP__H1_TRAILER_LF
};

/* The request body, as it comes. */
struct hoop__h1_body {
    uint64_t left;      /* bytes of the body, or of the chunk, still to come */
    uint64_t received;  /* bytes of the body so far */
    uint64_t wanted_at; /* when it was first wanted */
    uint64_t ext_len;   /* bytes of chunk extensions so far */
    char *trailer;      /* arena memory */
    size_t trailer_len, trailer_cap;
    size_t trailer_line; /* where the current line begins */
    hoop_field *trailers;
    size_t trailer_count, trailers_cap;
    uint8_t state;       /* enum hoop__h1_chunk */
    uint8_t size_digits; /* of the chunk size that count */
};

struct hoop__h1_exchange;

/* A connection. All that belongs to a request lies in the exchange's block, so this is small. */
struct hoop__h1 {
    struct hoop__engine base;
    struct hoop__h1_exchange *h; /* the request at hand; NULL when idle */
    uint64_t requests;           /* dispatched so far */
    uint64_t discard;            /* bytes of a body still to be dropped */
    uint64_t memo_id;            /* of memo entries that are its own alone; 0: it has none */
    uint32_t memo_key;           /* of the last header block; 0: none; see memo.c */
    uint32_t server_len;         /* of service->server_name */
    uint16_t reject;             /* the status of an error answer that waits for room; 0: none */
    uint8_t reject_head;         /* it answers HEAD: without its body */
    uint8_t state;               /* enum hoop__h1_state */
    uint8_t empty_lines;         /* in front of the request line */
    uint8_t empty_cr;            /* such a line has its CR and waits for its LF */
    uint8_t eof;                 /* the peer sends nothing more */
    uint8_t unread;              /* the host has bytes that were not consumed */
    uint8_t draining;
    uint8_t linger;    /* closing: read on for a while */
    uint8_t busy;      /* inside a call of the host: no need to wake it */
    uint8_t memo_slot; /* the memo entry to look at, from 1; 0: none */
    uint8_t memo_dull; /* blocks that were not the one before */
    uint8_t memo_wait; /* requests that the memo is left alone for */
};

/* What fields say that a head in the memo may have. */
struct hoop__h1_noted {
    uint32_t host;      /* index of the Host field, if host_count */
    uint8_t host_count; /* 0 or 1 */
    uint8_t asks_close; /* Connection: close */
    uint8_t asks_keep;  /* Connection: keep-alive */
};

/*
 * One request and its response; at the start of a block of the loop. What stands between `engine` and
 * `zero_from` is set at the start, what follows up to `zero_to` is zero then, the rest is set when
 * it is needed.
 */
struct hoop__h1_exchange {
    struct hoop__exchange x; /* set up once the head is complete */
    struct hoop__h1 *engine; /* NULL once the engine is done with it */
    const hoop_limits *limits;

    /* The head, as it is collected. Slices point into `head`, which may move until it is complete. */
    char *head;         /* in this block, or (head_moved) from the allocator */
    hoop_field *fields; /* inline_fields, or (fields_moved) from the allocator */
    size_t head_cap;    /* bytes that fit, less some that scanning may write beyond */
    size_t field_cap;   /* no more than max_headers */
    uint64_t max_len;   /* head.c's limit on head_len now: the request line's or the head's */

    char zero_from[1];
    uint8_t minor;    /* of the version, as sent */
    uint8_t has_line; /* the request line is read */
    uint8_t cr;       /* the line has its CR and waits for its LF */
    uint8_t head_moved;
    uint8_t fields_moved;
    uint8_t has_length;
    uint8_t chunked;
    uint8_t expect;    /* 100-continue, and neither answered nor pointless yet */
    uint8_t wanted;    /* somebody reads the body */
    uint8_t body_done; /* nothing of it is to come */
    uint8_t broken;    /* its framing is; no further byte is taken */
    uint8_t send_100;  /* 100 Continue waits for room */
    uint8_t out;       /* enum hoop__h1_out */
    uint8_t piece;     /* a piece of a file was given to the host */
    struct hoop__h1_noted noted;
    uint32_t method_number;
    size_t head_len; /* bytes collected */
    size_t line;     /* where the current line begins */
    size_t field_count;
    uint64_t length;        /* Content-Length */
    struct hoop__pull pull; /* of the response's source */
    hoop_str authority;     /* of an absolute-form target; NULL if it has none */
    char zero_to[1];

    /* The response, as it goes; each is set in front of its use. */
    uint8_t framing;   /* enum hoop__h1_framing */
    uint8_t keep;      /* the connection stays open behind this response */
    uint8_t after_ref; /* what follows a reference */
    const struct hoop__response *res;
    const char *ref; /* what is sent by reference */
    size_t ref_left;

    hoop_str method, uri, query;
    struct hoop__h1_body body; /* set up behind a head that announces one */
    llhttp_t parser;
    hoop_field inline_fields[HOOP__H1_FIELDS];
    char block[]; /* the head, then the arena */
};

/* Results of reading: above zero the status of an error answer. */
#define HOOP__H1_MORE     0
#define HOOP__H1_COMPLETE (-1)

extern const struct hoop__exchange_ops hoop__h1_exchange_ops;

/* Counts a limit that a request has reached, by the counter's name. */
#define HOOP__H1_REACHED(h, counter) HOOP__COUNT((h)->engine->base.host->loop->counters.counter, 1)

/* --- whole.c ---------------------------------------------------------------------------------- */

/*
 * Reads a head that is here as a whole, regular, and within the block, into `h` as it was begun: what it
 * consumed. Else 0, and hoop__h1_head_read() has to look at the same bytes.
 */
size_t hoop__h1_head_whole(struct hoop__h1_exchange *h, const char *data, size_t len);

/* --- head.c, target.c ------------------------------------------------------------------------ */

/* Begins a head in a fresh block; hoop__h1_head_whole() is to look at it first. */
void hoop__h1_head_init(struct hoop__h1_exchange *h, struct hoop__h1 *e);

/*
 * Reads bytes of a head; consumes all of them, or up to its end. `*ret_rc`: MORE, COMPLETE, or the
 * status of an error.
 */
size_t hoop__h1_head_read(struct hoop__h1_exchange *h, const char *data, size_t len, int *ret_rc);

/* What must hold of a complete head's fields together. 0, or a status. */
int hoop__h1_head_check(struct hoop__h1_exchange *h);

/* Has head.c begin with a head of which nothing is read. */
void hoop__h1_head_again(struct hoop__h1_exchange *h);

/* Has llhttp read a whole head: nonzero unless it ends at `end`, with the same framing. */
int hoop__h1_head_confirm(struct hoop__h1_exchange *h, const char *data, const char *end);

/* Makes the exchange of a complete head. 0, or HOOP_ENOMEM: then the exchange is not set up. */
int hoop__h1_head_finish(struct hoop__h1_exchange *h);

/* Frees what an unfinished head holds, and the block. */
void hoop__h1_head_drop(struct hoop__h1_exchange *h);

/*
 * Splits a field line in place, from `line` to its CR at `eol`: name in lower case, value without the
 * blanks around it, both with a NUL behind. The blank cut off directly behind the value, or 0, is
 * `*ret_cut`. 0, or 400.
 */
int hoop__h1_field(char *line, char *eol, hoop_field *ret, char *ret_cut);

/*
 * Reads the request line, from `line` to its CR at `eol`, which changes nothing there. 0 and where the
 * target ends, or the status of an error.
 */
int hoop__h1_request_line(struct hoop__h1_exchange *h, char *line, char *eol,
                          char **ret_target_end);

/* Ends its parts by a NUL each. */
void hoop__h1_cut_line(struct hoop__h1_exchange *h, char *target_end);

/* --- body_in.c, chunk.c ---------------------------------------------------------------------- */

/* Sets out to read the body behind the head. */
void hoop__h1_body_init(struct hoop__h1_exchange *h);

/* Reads bytes of a wanted body and delivers them. `*ret_rc`: MORE, COMPLETE, or a status. */
size_t hoop__h1_body_read(struct hoop__h1_exchange *h, const char *data, size_t len, int *ret_rc);
size_t hoop__h1_chunk_read(struct hoop__h1_exchange *h, const char *data, size_t len, int *ret_rc);

/* How many of `len` bytes can be delivered: what is left of them, and what is wanted now. */
size_t hoop__h1_body_cap(const struct hoop__h1_exchange *h, size_t len);

/* When the body will have been too slow, if nothing more comes. */
uint64_t hoop__h1_body_deadline(const struct hoop__h1_exchange *h);

/* --- respond.c, body_out.c, reject.c --------------------------------------------------------- */

/*
 * Writes the head of h->res and sets h->framing, h->keep and h->out. 1 if it is written, 0 if out
 * must be sent first, or HOOP_ENOMEM.
 */
int hoop__h1_write_head(struct hoop__h1_exchange *h, struct hoop__out *out);

/*
 * Writes as much of the response as there is and fits. h->out says where it stands; a negative code
 * if it broke off, so that the connection must be closed.
 */
int hoop__h1_write(struct hoop__h1_exchange *h, struct hoop__out *out);

/* `n` bytes of the reference were sent. */
void hoop__h1_took(struct hoop__h1_exchange *h, size_t n);

/* Writes the error answer e->reject. 0 if out must be sent first. */
int hoop__h1_write_reject(struct hoop__h1 *e, struct hoop__out *out);

/* The status line with its CRLF, which has the reason phrase; absent if the status has none. */
hoop_str hoop__h1_status_line(int status);

/* "Date: " and so on, HOOP__H1_DATE_LEN bytes, to `p`. Returns what stands behind. */
#define HOOP__H1_DATE_LEN (6 + HOOP__DATE_LEN + 2)
char *hoop__h1_put_date(char *p, struct hoop_loop *loop);

#endif
