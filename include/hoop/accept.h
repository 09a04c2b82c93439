/** @file
 * What a client accepts: the Accept headers read, put in order, and the best of what is offered chosen.
 */
#ifndef HOOP_ACCEPT_H
#define HOOP_ACCEPT_H

#include <hoop/export.h>
#include <hoop/str.h>

HOOP_BEGIN_DECLS

/** Which header it is: `kind` of the functions below. */
#define HOOP_ACCEPT_MEDIA    0u /**< Accept: "text/html", "text/html;level=1" */
#define HOOP_ACCEPT_CHARSET  1u /**< Accept-Charset: "utf-8" */
#define HOOP_ACCEPT_ENCODING 2u /**< Accept-Encoding: "gzip"; "x-gzip" is the same */
#define HOOP_ACCEPT_LANGUAGE 3u /**< Accept-Language: "de-AT" */

/** An element of such a header. */
typedef struct hoop_accept_item {
    hoop_str value;   /**< what is accepted, without its weight; a slice of the header */
    uint32_t quality; /**< its weight in thousandths: 0 (not at all) to 1000 */
    uint32_t place;   /**< which element of the header it is, from 0 */
} hoop_accept_item;

/**
 * Reads a header into `items`, the highest weight first, equal ones as they were sent. Elements
 * behind the first `cap` are left out, and so is what has no value. A weight that is none counts as 1,
 * one above 1, too. Returns how many there are. No element is matched with anything, so q=0 is in the
 * list. Threads: any. Source: RFC 9110 12.4.2.
 */
HOOP_API size_t hoop_accept_list(hoop_str header, hoop_accept_item *items, size_t cap);

/**
 * How much the client wants `offer`, in thousandths; 0: not at all. The element of the header that says
 * most closely what it means counts: a media type before `text/` with a star before a star alone.
 *
 * - A header that is absent or blank accepts everything.
 * - Encodings: "identity" is accepted unless it is refused by name or by a star; where it is not named,
 *   its quality is 1, so that what is named goes first. An absent or blank header wants identity, and
 *   of an absent one all others are accepted with 1.
 * - Languages: "en" accepts "en-GB" (RFC 4647 3.3.1), and "en-GB" accepts "en" with a thousandth less
 *   (RFC 4647 3.4), unless "en" has a weight of its own.
 * - Charsets: none is implied (RFC 9110 12.5.2; older rules implied ISO-8859-1).
 *
 * `header` is the value of all lines (hoop_header_joined). Threads: any. Source: RFC 9110 12.5.
 */
HOOP_API uint32_t hoop_accept_quality(uint32_t kind, hoop_str header, hoop_str offer);

/**
 * Chooses the best of `count` offers: the one with the highest quality, of equal ones the first. An offer
 * may have a weight of its own, written as in the header ("text/plain;q=0.5"), by which its quality
 * is multiplied.
 *
 *     static const char *const types[] = { "application/json", "text/html;q=0.9" };
 *     size_t best;
 *     if (hoop_accept_best(HOOP_ACCEPT_MEDIA, hoop_header_joined(req, "accept"), types, 2, &best) < 0)
 *         return hoop_problem(req, 406, NULL);
 *
 * 0 and the index; HOOP_EMISSING if none is accepted; HOOP_EINVAL for an offer or a kind that is none.
 * Threads: any.
 */
HOOP_API int hoop_accept_best(uint32_t kind, hoop_str header, const char *const *offers,
                              size_t count, size_t *ret_index);

HOOP_END_DECLS

#endif
