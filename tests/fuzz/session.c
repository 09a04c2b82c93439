/*
 * Fuzz target: bytes of a session, and the text of a sealed cookie. What is read is written again as the same
 * bytes; what was not sealed with our key is nobody's session; what was sealed is opened.
 */
#include "support.h"

#include "crypto/crypto.h"
#include "middleware/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_bytes(hoop_arena *arena, hoop_str bytes)
{
    struct hoop__session session;
    hoop_str again;
    if (hoop__session_decode(arena, bytes, &session))
        return;
    if (hoop__session_encode(arena, &session, &again) || !hoop_str_eq(bytes, again))
        abort();
}

static void check_sealed(hoop_arena *arena, hoop_str bytes)
{
    const hoop_str key = hoop_str_c("0123456789abcdef0123456789abcdef");
    const hoop_session_sealed_options options = { &key, 1, NULL };
    const hoop_session_store *store;
    const hoop_request *req = hoop_app_request(arena);
    hoop_session_entry entry = { .id = bytes };
    if (!req || hoop_session_sealed_new(arena, &store, NULL, &options))
        abort();
    if (!store->read(req, &entry, store->data) || entry.outcome != HOOP_SESSION_MISSING)
        abort();
    entry.data = bytes;
    if (!store->write(req, &entry, store->data))
        abort();
    entry.data = hoop_str_none();
    if (!store->read(req, &entry, store->data))
        abort();
    int fits = entry.id.len <= HOOP_COOKIE_MAX;
    if (entry.outcome != (fits ? HOOP_SESSION_DONE : HOOP_SESSION_MISSING) ||
        (fits && !hoop_str_eq(entry.data, bytes)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hoop_arena *arena = hoop_arena_new();
    char *input = malloc(size ? size : 1);
    if (arena && input) {
        if (size)
            memcpy(input, data, size);
        check_bytes(arena, hoop_str_n(input, size));
        if (!hoop__crypto_available())
            check_sealed(arena, hoop_str_n(input, size));
    }
    free(input);
    hoop_arena_free(arena);
    return 0;
}
