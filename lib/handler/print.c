/* Handlers as text: a line per middleware and route. */
#include "handler/node.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int make_room(struct hoop__printer *printer, size_t more)
{
    if (printer->len + more < printer->cap)
        return 0;
    size_t cap = (printer->len + more + 1) * 2;
    char *text = hoop_arena_alloc(printer->arena, cap);
    if (!text)
        return HOOP_ENOMEM;
    if (printer->len)
        memcpy(text, printer->text, printer->len);
    printer->text = text;
    printer->cap = cap;
    return 0;
}

void hoop__print(struct hoop__printer *printer, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    size_t size = len < 0 ? 0 : (size_t)len < sizeof line ? (size_t)len : sizeof line - 1;
    size_t indent = (size_t)printer->depth * 2;
    if (printer->failed || make_room(printer, indent + size + 1)) {
        printer->failed = 1;
        return;
    }
    memset(printer->text + printer->len, ' ', indent);
    memcpy(printer->text + printer->len + indent, line, size);
    printer->len += indent + size;
    printer->text[printer->len++] = '\n';
    printer->text[printer->len] = 0;
}

void hoop__print_handler(struct hoop__printer *printer, hoop_handler handler)
{
    const struct hoop__node *node = hoop__node_of(handler);
    if (node)
        node->ops->print(node, printer);
    else
        hoop__print(printer, handler.fn ? "handler" : "empty handler");
}

hoop_str hoop_chain_print(hoop_arena *arena, hoop_handler handler)
{
    struct hoop__printer printer = { .arena = arena };
    if (!arena)
        return hoop_str_none();
    hoop__print_handler(&printer, handler);
    return printer.failed ? hoop_str_none() : hoop_str_n(printer.text, printer.len);
}
