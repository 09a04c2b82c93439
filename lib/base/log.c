/* From a format to a line for the log hook; and the hook that writes to stderr. */
#include "base/loop.h"

#include <stdarg.h>
#include <stdio.h>

void hoop__log(const struct hoop_loop *loop, int level, const char *format, ...)
{
    if (!loop || !loop->log)
        return;
    char text[512];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (len < 0)
        return;
    /* What a client sent may be in the text: it must not be able to forge lines or move a cursor. */
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    loop->log(level, text, loop->log_data);
}

void hoop_log_stderr(int level, const char *text, void *data)
{
    (void)data;
    const char *prefix = level == HOOP_LOG_ERROR  ? "error: "
                         : level == HOOP_LOG_WARN ? "warning: "
                                                  : "";
    if (level <= HOOP_LOG_INFO)
        fprintf(stderr, "%s%s\n", prefix, text);
}
