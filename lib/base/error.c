/* The codes' names and texts, and the error value. */
#include <hoop/error.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ROW(code, text)   \
    {                     \
        code, #code, text \
    }
#define SYS(code, text)    \
    {                      \
        -code, #code, text \
    }

/* hoop's codes, and of the system's those that a server meets; the numbers differ by platform. */
static const struct {
    int code;
    const char *name;
    const char *text;
} codes[] = {
    ROW(HOOP_EINVAL, "invalid argument"),
    ROW(HOOP_ENOMEM, "out of memory"),
    ROW(HOOP_EALREADY, "already done"),
    ROW(HOOP_ECANCELED, "cancelled"),
    ROW(HOOP_ETIMEDOUT, "timed out"),
    ROW(HOOP_EBUSY, "too many things under way"),
    ROW(HOOP_ETOOBIG, "too big"),
    ROW(HOOP_EOF, "end of input"),
    ROW(HOOP_EAGAIN, "nothing now"),
    ROW(HOOP_EPROTO, "protocol error"),
    ROW(HOOP_EPARSE, "malformed text"),
    ROW(HOOP_ETHREAD, "wrong thread"),
    ROW(HOOP_EDROPPED, "the deferred response was dropped"),
    ROW(HOOP_ECONFLICT, "conflicting entries"),
    ROW(HOOP_EMISSING, "something needed is missing"),
    ROW(HOOP_ENORESPONSE, "the handler gave no response"),
    ROW(HOOP_EGONE, "the client is gone"),
    ROW(HOOP_EUNSUPPORTED, "not supported"),
    SYS(EACCES, "permission denied"),
    SYS(EADDRINUSE, "address already in use"),
    SYS(EADDRNOTAVAIL, "address not available"),
    SYS(EAFNOSUPPORT, "address family not supported"),
    SYS(EAGAIN, "resource temporarily unavailable"),
    SYS(EBADF, "bad file descriptor"),
    SYS(ECONNABORTED, "connection aborted"),
    SYS(ECONNREFUSED, "connection refused"),
    SYS(ECONNRESET, "connection reset by peer"),
    SYS(EEXIST, "file already exists"),
    SYS(EINTR, "interrupted"),
    SYS(EINVAL, "invalid argument"),
    SYS(EIO, "input/output error"),
    SYS(EISDIR, "is a directory"),
    SYS(EMFILE, "too many open files"),
    SYS(ENAMETOOLONG, "name too long"),
    SYS(ENFILE, "too many open files in the system"),
    SYS(ENOENT, "no such file or directory"),
    SYS(ENOMEM, "not enough memory"),
    SYS(ENOTDIR, "not a directory"),
    SYS(ENOTSOCK, "not a socket"),
    SYS(EPERM, "operation not permitted"),
    SYS(EPIPE, "broken pipe"),
    SYS(ETIMEDOUT, "connection timed out"),
};

const char *hoop_strerror(int code)
{
    if (code == 0)
        return "success";
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (codes[i].code == code)
            return codes[i].text;
    return "unknown error";
}

const char *hoop_err_name(int code)
{
    if (code == 0)
        return "OK";
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (codes[i].code == code)
            return codes[i].name;
    return "UNKNOWN";
}

int hoop_error_set(hoop_error *error, int code, const char *format, ...)
{
    if (!error)
        return code;
    error->code = code;
    va_list args;
    va_start(args, format);
    if (vsnprintf(error->text, sizeof error->text, format, args) < 0)
        error->text[0] = 0;
    va_end(args);
    return code;
}
