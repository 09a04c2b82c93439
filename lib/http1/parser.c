/*
 * llhttp once more, as the head of a request needs it: its callbacks are known here, so that the
 * compiler takes them away, and on x86-64 it is built for SSE4.2. Names in llhttp_names.h keep the two
 * apart.
 */
#include <llhttp_names.h>

#include <llhttp.h>

/* Ahead of the declarations in llhttp.c; what has none here is llhttp's own, from api.c. */
#define CALLBACK(name, result)                                                                 \
    static inline int llhttp__on_##name(llhttp__internal_t *parser, const unsigned char *from, \
                                        const unsigned char *end)                              \
    {                                                                                          \
        (void)parser, (void)from, (void)end;                                                   \
        return result;                                                                         \
    }

CALLBACK(reset, 0)
CALLBACK(message_begin, 0)
CALLBACK(method, 0)
CALLBACK(method_complete, 0)
CALLBACK(url, 0)
CALLBACK(url_complete, 0)
CALLBACK(version, 0)
CALLBACK(version_complete, 0)
CALLBACK(header_field, 0)
CALLBACK(header_field_complete, 0)
CALLBACK(header_value, 0)
CALLBACK(header_value_complete, 0)
CALLBACK(headers_complete, HPE_PAUSED)
CALLBACK(message_complete, HPE_PAUSED)

#include <llhttp.c>

int hoop__llhttp_fast_read(llhttp_t *parser, const llhttp_settings_t *settings, const char *data,
                           const char *end)
{
    llhttp__internal_init(parser);
    parser->type = HTTP_REQUEST;
    parser->settings = (void *)settings;
    return llhttp__internal_execute(parser, data, end);
}
