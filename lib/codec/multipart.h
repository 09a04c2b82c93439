/* The reader of multipart bodies: what its two files share. See hoop/multipart.h. */
#ifndef HOOP_CODEC_MULTIPART_H
#define HOOP_CODEC_MULTIPART_H

#include <hoop/multipart.h>

#define HOOP__MAX_BOUNDARY 70u /* RFC 2046 5.1.1 */

enum hoop__multipart_state {
    HOOP__MULTIPART_BEFORE, /* in front of the first boundary */
    HOOP__MULTIPART_BEHIND, /* behind the text of a boundary, which may still turn out to be none */
    HOOP__MULTIPART_HEAD,
    HOOP__MULTIPART_DATA,
    HOOP__MULTIPART_CLOSING, /* the final boundary is to be told */
    HOOP__MULTIPART_AFTER,
    HOOP__MULTIPART_FAILED
};

struct hoop_multipart {
    enum hoop__multipart_state state;
    uint8_t in_part;      /* its end has not been told */
    uint8_t has_preamble; /* something other than line ends stood in front of the first boundary */
    char tail;            /* what came behind the boundary's text: 0, '-', CR, or ' ' for blanks */
    uint8_t padded;       /* there were blanks */
    uint8_t in_head;      /* a byte of the headers has come */

    /* The delimiter, CR LF "--" boundary, with room for the byte behind it. */
    size_t delimiter_len;
    size_t matched; /* bytes of it that have come; they are held back, but not kept */
    size_t skip;    /* of these, line ends that stood in front and are no data */
    size_t again;   /* how far a search may move on where the last byte fits */
    uint8_t shift[256];
    char delimiter[4 + HOOP__MAX_BOUNDARY + 1];

    hoop_multipart_options limits;
    uint64_t parts;     /* that have begun */
    uint64_t part_size; /* bytes of data in this one */
    uint64_t total;

    /* The headers of the part at hand. Their memory is the arena's, and is used by each part again. */
    char *head; /* limits.max_head bytes, lines as they came, NULs put in */
    size_t head_len;
    size_t line;         /* where the last line begins */
    char *text;          /* decoded name and filename: limits.max_head bytes, and three for NULs */
    hoop_field *headers; /* limits.max_headers */
    hoop_part part;
    hoop_error error;
};

/* Begins a part. */
void hoop__part_begin(struct hoop_multipart *reader);

/*
 * Reads on in a part's headers. 1: they are complete and the part is made; 0: more is needed; else the code of
 * the error that was noted.
 */
int hoop__part_read(struct hoop_multipart *reader, hoop_str *piece);

/* Notes an error for good, with the part's number in front, and returns its code. */
int hoop__multipart_fail(struct hoop_multipart *reader, int code, const char *format, ...)
    HOOP_PRINTF(3, 4);

#endif
