/* The defaults of the limits. */
#include "base/loop.h"

#include <stddef.h>
#include <string.h>

static const struct {
    size_t offset;
    uint64_t value;
} defaults[] = {
    { offsetof(hoop_limits, max_target), 8192 },
    { offsetof(hoop_limits, max_head), 32 * 1024 },
    { offsetof(hoop_limits, max_headers), 128 },
    { offsetof(hoop_limits, max_body), 1024 * 1024 },
    { offsetof(hoop_limits, max_chunk_extension), 4 * 1024 },
    { offsetof(hoop_limits, max_trailer), 8 * 1024 },
    { offsetof(hoop_limits, max_requests), 1000000 },
    { offsetof(hoop_limits, max_read_ahead), 64 * 1024 },
    { offsetof(hoop_limits, max_discard), 64 * 1024 },
    { offsetof(hoop_limits, max_output), 1024 * 1024 },
    { offsetof(hoop_limits, max_arena), 16 * 1024 * 1024 },
    { offsetof(hoop_limits, max_pending), 65536 },
    { offsetof(hoop_limits, max_blocking), 1024 },
    { offsetof(hoop_limits, first_byte_ms), 30000 },
    { offsetof(hoop_limits, head_ms), 10000 },
    { offsetof(hoop_limits, idle_ms), 60000 },
    { offsetof(hoop_limits, body_grace_ms), 5000 },
    { offsetof(hoop_limits, body_rate), 500 },
    { offsetof(hoop_limits, handler_ms), 30000 },
    { offsetof(hoop_limits, write_ms), 30000 },
    { offsetof(hoop_limits, linger_ms), 2000 },
    { offsetof(hoop_limits, drain_ms), 10000 },
    /* The two limits on connections follow the descriptors allowed: lib/net fills them. */
};

void hoop__limits_fill(hoop_limits *ret_limits, const hoop_limits *given, size_t given_size)
{
    memset(ret_limits, 0, sizeof *ret_limits);
    if (given)
        memcpy(ret_limits, given, given_size < sizeof *given ? given_size : sizeof *given);
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++) {
        uint64_t *member = (uint64_t *)(void *)((char *)ret_limits + defaults[i].offset);
        if (*member == 0)
            *member = defaults[i].value;
    }
}
