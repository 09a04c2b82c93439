/*
 * The memo: header blocks (what stands behind the request line, up to the empty line) that guard and
 * llhttp have both read and agreed on, with what they came to. docs/internals/http1.md tells why it is
 * safe; what may go in is decided in memo.c alone.
 */
#ifndef HOOP_HTTP1_MEMO_H
#define HOOP_HTTP1_MEMO_H

#include "http1/http1.h"

#define HOOP__H1_MEMO_SIZE  768 /* bytes of a block at most */
#define HOOP__H1_MEMO_SLOTS 16
#define HOOP__H1_MEMO_PAD   32 /* steps of copying may go beyond */

struct hoop__h1_memo_entry {
    uint64_t owner; /* the only connection that it is for (hoop__h1.memo_id); 0: for all */
    uint32_t len;   /* of the block; 0: the entry is free */
    uint32_t method_number;
    uint32_t field_count;
    uint8_t minor;
    uint8_t credit; /* so often others are turned away */
    struct hoop__h1_noted noted;
    hoop_field fields[HOOP__H1_FIELDS];               /* slices of `ready` */
    char raw[HOOP__H1_MEMO_SIZE + HOOP__H1_MEMO_PAD]; /* as it came */
    char ready[HOOP__H1_MEMO_SIZE +
               HOOP__H1_MEMO_PAD]; /* names in lower case, parts ended by NULs */
};

/* One per loop, made when a connection first sends a block again; gone with the loop. */
struct hoop__h1_memo {
    uint64_t last_id;
    struct hoop__h1_memo_entry entries[HOOP__H1_MEMO_SLOTS];
};

/*
 * The entry whose block `data` begins with, for this method and version; then a ready copy of it stands
 * at `to`, which has room for the bytes up to `end` and HOOP__H1_MEMO_PAD more. Else NULL, and
 * rubbish at `to`.
 */
const struct hoop__h1_memo_entry *hoop__h1_memo_find(const struct hoop__h1_exchange *h,
                                                     const char *data, const char *end, char *to);

/* Makes the head's fields those of the entry, whose copy stands at `to`. */
void hoop__h1_memo_use(struct hoop__h1_exchange *h, const struct hoop__h1_memo_entry *entry,
                       const char *to);

/*
 * A block was read in full and both readers agree: remembers it if its connection sent it before.
 * `ready` is our copy, which the fields point into. Not to be called while the connection's memo_wait counts.
 */
void hoop__h1_memo_note(struct hoop__h1_exchange *h, const char *raw, const char *ready,
                        size_t len);

#endif
