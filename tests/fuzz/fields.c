/*
 * Fuzz target: bytes as the value of a header field; the first byte chooses its codec. What is read has to lie in
 * the value, and what is written of it has to be read again as the same.
 */
#include "support.h"

#include "codec/accept.h"
#include "codec/nested.h"

#include <hoop/address.h>
#include <hoop/auth.h>
#include <hoop/cookie.h>
#include <hoop/forwarded.h>
#include <hoop/trace.h>

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

/* --- Authorization --------------------------------------------------------------------------- */

static void try_auth(hoop_str text)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_str rest = text, user, password, value;
    hoop_auth auth;
    hoop_auth_param param = { "realm", NULL };
    while (hoop_challenge_next(&rest, &auth) > 0) {
        check_within(auth.scheme, text);
        hoop_str realm = hoop_auth_param_of(arena, &auth, "realm");
        if (hoop_str_is_none(realm) || memchr(realm.data, 0, realm.len))
            continue;
        /* A value that was read can be written, and is then read as the same. */
        param.value = hoop_arena_copy(arena, realm).data;
        check(!hoop_challenge_format(arena, "X", &param, 1, &value, NULL));
        check(!hoop_auth_parse(value, &auth));
        check(hoop_str_eq(hoop_auth_param_of(arena, &auth, "realm"), realm));
    }
    if (!hoop_basic_parse(arena, text, &user, &password)) {
        hoop_str user2, password2;
        check(!hoop_basic_format(arena, user, password, &value));
        check(!hoop_basic_parse(arena, value, &user2, &password2));
        check(hoop_str_eq(user, user2) && hoop_str_eq(password, password2));
    }
    if (!hoop_bearer_parse(text, &value))
        check_within(value, text);
    hoop_arena_free(arena);
}

/* --- Forwarded ------------------------------------------------------------------------------- */

static void try_forwarded(hoop_str text)
{
    static const hoop_network trusted[] = { { { 10 }, 4, 8 }, { { 0xfd }, 6, 8 } };
    hoop_str rest = text;
    hoop_forwarded f;
    hoop_address address;
    uint32_t port;
    size_t behind;
    int all = 1, count = 0;
    while ((all = hoop_forwarded_next(&rest, &f)) > 0)
        count++;
    int rc = hoop_forwarded_client(text, trusted, HOOP_COUNT(trusted), &f);
    check(all < 0 || rc == (count ? 0 : HOOP_EMISSING));
    if (!hoop_forwarded_for_client(text, trusted, HOOP_COUNT(trusted), &address, &port, &behind))
        check(port <= 65535 && hoop_str_eq(hoop_forwarded_nth(text, behind),
                                           hoop_str_trim(hoop_forwarded_nth(text, behind))));
}

/* --- addresses and networks ------------------------------------------------------------------ */

static void try_network(hoop_str text)
{
    char shown[HOOP_ADDRESS_SIZE];
    hoop_address address, again;
    hoop_network network;
    if (!hoop_address_parse(text, &address)) {
        size_t len = hoop_address_format(&address, shown);
        check(!hoop_address_parse(hoop_str_n(shown, len), &again));
        check(hoop_address_equal(&address, &again));
        check(!hoop_network_parse(text, &network) && hoop_network_contains(&network, &address));
    } else if (!hoop_network_parse(text, &network)) {
        memcpy(address.bytes, network.bytes, sizeof address.bytes);
        address.family = network.family;
        check(hoop_network_contains(&network, &address));
    }
}

/* --- trace context, nested names ------------------------------------------------------------- */

static void try_trace(hoop_str text)
{
    hoop_traceparent parent, again;
    char out[HOOP_TRACEPARENT_SIZE];
    hoop_arena *arena = hoop_arena_new();
    hoop_str key, value, state;
    if (!hoop_traceparent_parse(text, &parent)) {
        hoop_traceparent_format(&parent, out);
        check(!hoop_traceparent_parse(hoop_str_c(out), &again));
        check(!memcmp(parent.trace_id, again.trace_id, 16) && parent.flags == again.flags);
    }
    check(!hoop_tracestate_set(arena, text, hoop_str_c("hoop"), hoop_str_c("1"), &state));
    int rc, count = 0;
    while ((rc = hoop_tracestate_next(&state, &key, &value)) > 0)
        check(hoop_str_eq_c(key, "hoop") == (count++ == 0));
    check(rc == 0 && count <= HOOP_TRACESTATE_MAX);
    hoop_arena_free(arena);
}

static void try_nested(hoop_str text)
{
    hoop_str keys[8];
    size_t count;
    if (hoop__nested_split(text, keys, HOOP_COUNT(keys), &count))
        return;
    check(count >= 1 && count <= HOOP_COUNT(keys));
    for (size_t i = 0; i < count; i++) {
        check_within(keys[i], text);
        check(count == 1 || !memchr(keys[i].data, i ? ']' : '[', keys[i].len));
    }
}

/* --------------------------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct {
        char letter;
        void (*run)(hoop_str text);
    } codecs[] = {
        { 'A', try_accept },  { 'B', try_auth },   { 'C', try_cookie }, { 'F', try_forwarded },
        { 'N', try_network }, { 'P', try_nested }, { 'T', try_trace },
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
