/* llhttp, built for the machine it runs on where its source is at hand; see parser.c. */
#ifndef HOOP_HTTP1_PARSER_H
#define HOOP_HTTP1_PARSER_H

#include <llhttp.h>

#ifdef HOOP__LLHTTP_FAST
int hoop__llhttp_fast_execute(llhttp_t *parser, const char *data, const char *end);
int hoop__llhttp_fast_read(llhttp_t *parser, const llhttp_settings_t *settings, const char *data,
                           const char *end);

/* The second copy is there, and the machine can run it. */
static inline int hoop__llhttp_has_fast(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_cpu_supports("sse4.2") != 0;
#else
    return 1;
#endif
}
#endif

/*
 * llhttp_execute(), for a parser whose settings say no more than that it pauses behind head and message.
 * Both copies take turns on one parser if they must: their states are the same.
 */
static inline int hoop__llhttp_execute(llhttp_t *parser, const char *data, const char *end)
{
#ifdef HOOP__LLHTTP_FAST
    if (hoop__llhttp_has_fast())
        return hoop__llhttp_fast_execute(parser, data, end);
#endif
    return (int)llhttp_execute(parser, data, (size_t)(end - data));
}

/* The same from the beginning of a message. */
static inline int hoop__llhttp_read(llhttp_t *parser, const llhttp_settings_t *settings,
                                    const char *data, const char *end)
{
#ifdef HOOP__LLHTTP_FAST
    if (hoop__llhttp_has_fast())
        return hoop__llhttp_fast_read(parser, settings, data, end);
#endif
    llhttp_init(parser, HTTP_REQUEST, settings);
    return (int)llhttp_execute(parser, data, (size_t)(end - data));
}

#endif
