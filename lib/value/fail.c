/* Failures: the note that says why a response could not be made, and the status that answers for it. */
#include "value/exchange.h"

#include <stdarg.h>
#include <stdio.h>

static const hoop_error out_of_memory = { HOOP_ENOMEM, "out of memory" };

HOOP_PRINTF(3, 0)
static const hoop_error *make_note(const hoop_request *req, int code, const char *format,
                                   va_list args)
{
    hoop_error *error = hoop__arena_alloc(req->arena, sizeof *error);
    if (!error)
        return &out_of_memory;
    error->code = code;
    if (vsnprintf(error->text, sizeof error->text, format, args) < 0)
        error->text[0] = 0;
    return error;
}

const hoop_response *hoop_fail(const hoop_request *req, int code, const char *format, ...)
{
    if (!req)
        return NULL;
    const hoop_error **note = hoop__request_of(req)->note;
    if (*note)
        return NULL; /* the first reason is the one that explains the others */
    va_list args;
    va_start(args, format);
    *note = make_note(req, code, format, args);
    va_end(args);
    return NULL;
}

void *hoop__fail_memory(const hoop_request *req)
{
    if (req && !*hoop__request_of(req)->note)
        *hoop__request_of(req)->note = &out_of_memory;
    return NULL;
}

const hoop_error *hoop_failure(const hoop_request *req)
{
    return req ? *hoop__request_of(req)->note : NULL;
}

int hoop_failure_status(int code)
{
    switch (code) {
    case HOOP_ENOMEM:
    case HOOP_EBUSY:
    case HOOP_ETIMEDOUT:
    case HOOP_ECANCELED:
        return 503;
    case HOOP_ETOOBIG:
        return 413;
    default:
        return 500;
    }
}
