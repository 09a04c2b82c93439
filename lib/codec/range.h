/* Byte ranges (RFC 9110 14): which bytes a request asks for, and how they are framed in an answer. */
#ifndef HOOP_CODEC_RANGE_H
#define HOOP_CODEC_RANGE_H

#include <hoop/error.h>
#include <hoop/str.h>

#include <stdint.h>

#define HOOP__RANGES_MAX 16

/* At least one byte, and none behind the end. */
struct hoop__range {
    uint64_t from;
    uint64_t len;
};

/*
 * What a Range header asks for of `size` bytes: the number of ranges (`ret` has room for HOOP__RANGES_MAX), 0 if
 * it is to be ignored and all is to be sent, or HOOP_EINVAL if none of it can be had (416). Ignored is what
 * follows no grammar, has another unit, asks for more than HOOP__RANGES_MAX, or for a part of nothing. Ranges
 * that can't be had are left out. Where two overlap or touch, all are put in ascending order and those are
 * merged, so that no byte is sent twice; else they stay in the order asked for.
 */
int hoop__range_parse(hoop_str value, uint64_t size, struct hoop__range *ret);

#define HOOP__CONTENT_RANGE_SIZE 70 /* "bytes " and three numbers of 20 digits, at most */

/* Writes the value of Content-Range; returns its size. */
size_t hoop__content_range_write(const struct hoop__range *range, uint64_t size, char *out);

/* The same for 416. */
size_t hoop__content_range_write_none(uint64_t size, char *out);

/*
 * Writes what stands in front of a part of a multipart/byteranges: a line end (but for the first), the
 * boundary, Content-Type if `type` is not empty, Content-Range, and an empty line. Returns its size; with NULL
 * for `out` nothing but that.
 */
size_t hoop__byteranges_head(hoop_str boundary, hoop_str type, const struct hoop__range *range,
                             uint64_t size, int first, char *out);

/* The same for what stands behind the last part. */
size_t hoop__byteranges_end(hoop_str boundary, char *out);

#endif
