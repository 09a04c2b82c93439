/* Where an engine puts what is to be sent: a buffer to copy into, and one reference behind it, to memory or
 * to a piece of a file. */
#ifndef HOOP_BASE_OUT_H
#define HOOP_BASE_OUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Owned by the host (the connection, or a test); empty, it has room for 4 KiB at least. The host sends
 * data[0, len), then ref[0, ref_len), or, if ref is NULL, as many bytes of `file` from file_offset on: then
 * the file has them (or had; one that has become shorter breaks the connection off), and they are in the
 * page cache. Copied bytes are the host's from then on. Of the reference it
 * tells the engine how many bytes were sent (took); the rest stays the engine's, which sets it anew
 * at the next pull. Once a reference stands, nothing may be appended until the host has sent.
 */
struct hoop__out {
    char *data;
    size_t len;
    size_t cap;
    const char *ref;
    size_t ref_len;
    uint64_t file_offset;
    int file;
};

static inline size_t hoop__out_room(const struct hoop__out *out)
{
    return out->ref_len || out->cap < out->len ? 0 : out->cap - out->len;
}

/* Appends bytes that are known to fit. */
static inline void hoop__out_put(struct hoop__out *out, const void *bytes, size_t len)
{
    memcpy(out->data + out->len, bytes, len);
    out->len += len;
}

#endif
