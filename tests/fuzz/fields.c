/*
 * Fuzz target: bytes as the value of a header field; the first byte chooses its codec. What is read has to lie in
 * the value, and what is written of it has to be read again as the same.
 */
#include "support.h"

#include "codec/accept.h"

#include <hoop/cookie.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int right)
{
    if (!right)
        abort();
}

static void check_within(hoop_str part, hoop_str whole)
{
    check(part.data >= whole.data && part.data + part.len <= whole.data + whole.len);
}

/* --- Accept ---------------------------------------------------------------------------------- */

static void try_accept(hoop_str text)
{
    static const char *const types[] = { "a/b", "text/html;level=1;q=0.5" };
    static const char *const tokens[] = { "gzip", "identity", "en;q=0.2" };
    hoop_accept_item items[20];
    size_t index, count = hoop_accept_list(text, items, HOOP_COUNT(items));
    for (size_t i = 0; i < count; i++) {
        check_within(items[i].value, text);
        check(items[i].quality <= 1000 && (!i || items[i - 1].quality >= items[i].quality));
    }
    for (uint32_t kind = 0; kind < 4; kind++) {
        const char *const *offers = kind ? tokens : types;
        size_t offered = kind ? HOOP_COUNT(tokens) : HOOP_COUNT(types);
        int rc = hoop_accept_best(kind, text, offers, offered, &index);
        check(rc == HOOP_EMISSING || (rc == 0 && index < offered));
        check(hoop_accept_quality(kind, text, hoop_str_c("a/b")) <= 1000);
    }
}

/* --- Cookie ---------------------------------------------------------------------------------- */

/* Each cookie is also written, plainly where that can be. */
static void try_cookie(hoop_str text)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_str rest = text, line, value;
    hoop_cookie_pair pair, again;
    size_t count = 0;
    while (hoop_cookie_next(&rest, &pair)) {
        check_within(pair.name, text);
        check_within(pair.value, text);
        check(pair.name.len > 0 && count++ < text.len);
        hoop_str name = hoop_arena_copy(arena, pair.name);
        for (uint32_t encoding = 0; encoding <= HOOP_COOKIE_FORM; encoding++) {
            hoop_cookie_options options = { .encoding = encoding };
            if (hoop_cookie_format(arena, name.data, pair.value, &line, NULL, &options))
                continue;
            check(!memchr(line.data, ';', line.len) && !memchr(line.data, '\n', line.len));
            check(hoop_cookie_next(&line, &again) && line.len == 0);
            check(hoop_str_eq(again.name, pair.name));
            check(encoding || hoop_str_eq(again.value, pair.value) || pair.value.data[0] == '"');
            check(!hoop_cookie_decode(arena, again.value, encoding, &value));
            check(!encoding || hoop_str_eq(value, pair.value));
        }
    }
    hoop_arena_free(arena);
}

/* --------------------------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct {
        char letter;
        void (*run)(hoop_str text);
    } codecs[] = {
        { 'A', try_accept },
        { 'C', try_cookie },
    };
    if (size < 1 || size > 4096)
        return 0;
    /* From memory of exactly its size, where reading beyond shows. */
    char *copy = malloc(size > 1 ? size - 1 : 1);
    memcpy(copy, data + 1, size - 1);
    for (size_t i = 0; i < HOOP_COUNT(codecs); i++)
        if (codecs[i].letter == (char)data[0])
            codecs[i].run(hoop_str_n(copy, size - 1));
    free(copy);
    return 0;
}
