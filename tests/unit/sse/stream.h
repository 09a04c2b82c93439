/* A response's stream pulled by hand, as an engine does. */
#ifndef HOOP_TEST_SSE_STREAM_H
#define HOOP_TEST_SSE_STREAM_H

#include "fake.h"

#include <hoop/sse.h>

/* What an exchange's stream has ready; "" if nothing. The text is static. */
static inline const char *pulled(struct fake_exchange *fx)
{
    static char text[65536];
    struct hoop__source *source = fx->response->source;
    size_t len = 0, n;
    int rc;
    source->exchange = &fx->x;
    do {
        n = 0;
        rc = source->pull(source, text + len, sizeof text - 1 - len, &n);
        len += n;
    } while (rc == 0 && len < sizeof text - 1);
    text[len] = 0;
    if (rc == HOOP_EOF)
        strcpy(text + len, "(end)");
    else if (rc && rc != HOOP_EAGAIN)
        strcpy(text + len, "(broken)");
    return text;
}

/* Ends the stream and its exchange: 0, or why. */
static inline void end_stream(struct fake_exchange *fx, int code)
{
    hoop__source_finish(fx->response->source, code);
    fake_end(fx, code);
}

#endif
