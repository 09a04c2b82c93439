/* Where an engine puts what is to be sent: a buffer to copy into, and one reference behind it. */
#ifndef HOOP_BASE_OUT_H
#define HOOP_BASE_OUT_H

#include <stddef.h>
#include <string.h>

/*
 * Owned by the host (the connection, or a test); empty, it has room for 4 KiB at least. The host sends
 * data[0, len), then ref[0, ref_len). Copied bytes are the host's from then on. Of the reference it
 * tells the engine how many bytes were sent (took); the rest stays the engine's, which sets it anew
 * at the next pull. Once a reference stands, nothing may be appended until the host has sent.
 */
struct hoop__out {
    char *data;
    size_t len;
    size_t cap;
    const char *ref;
    size_t ref_len;
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
