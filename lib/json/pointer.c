/* JSON Pointer (RFC 6901) on jansson's values. See pointer.h. */
#include "json/pointer.h"

#include "codec/percent.h"
#include "codec/utf8.h"

/* --- taking apart ------------------------------------------------------------------------------ */

/* ~1 is '/', ~0 is '~'; in place. The length, or SIZE_MAX for another escape. */
static size_t decode_token(char *data, size_t len)
{
    size_t to = 0;
    for (size_t i = 0; i < len; i++) {
        char c = data[i];
        if (c == '~') {
            c = i + 1 < len ? data[i + 1] : 0;
            if (c != '0' && c != '1')
                return SIZE_MAX;
            c = c == '1' ? '/' : '~';
            i++;
        }
        data[to++] = c;
    }
    return to;
}

/* The tokens of `bytes`, which begin with '/', decoded in place with a NUL behind each. 0 or HOOP_EPARSE. */
static int split(struct hoop__pointer *p, char *bytes, size_t len)
{
    char *end = bytes + len;
    while (bytes < end) {
        char *token = bytes + 1, *next = memchr(token, '/', (size_t)(end - token));
        if (!next)
            next = end;
        size_t size = decode_token(token, (size_t)(next - token));
        if (size == SIZE_MAX)
            return HOOP_EPARSE;
        p->tokens[p->count++] = hoop_str_n(token, size);
        token[size] = '\0'; /* perhaps where the next slash stood, which is not read again */
        bytes = next;
    }
    return 0;
}

static int fail(struct hoop__pointer *p, const char **ret_what, const char *what)
{
    hoop__pointer_done(p);
    *ret_what = what;
    return HOOP_EPARSE;
}

int hoop__pointer_read(struct hoop__pointer *p, hoop_str text, const char **ret_what)
{
    json_malloc_t alloc;
    json_free_t release;
    size_t slashes = 0;
    for (size_t i = 0; i < text.len; i++)
        /* A slash of a fragment may be written %2F. */
        slashes += text.data[i] == '/' || text.data[i] == '%';
    json_get_alloc_funcs(&alloc, &release);
    p->count = 0;
    p->tokens = alloc(slashes * sizeof *p->tokens + text.len + 1);
    if (!p->tokens) {
        *ret_what = "out of memory";
        return HOOP_ENOMEM;
    }
    char *bytes = (char *)(p->tokens + slashes);
    size_t len = text.len;
    if (len > 0 && text.data[0] == '#') {
        if (hoop__percent_decode(hoop_str_n(text.data + 1, len - 1), bytes, &len))
            return fail(p, ret_what, "a '%' has no two hexadecimal digits behind it, or is NUL");
    } else {
        memcpy(bytes, text.data, len);
    }
    if (len > 0 && bytes[0] != '/')
        return fail(p, ret_what, "a pointer is empty or begins with '/'");
    if (!hoop__utf8_is_valid(hoop_str_n(bytes, len)))
        return fail(p, ret_what, "the pointer is no UTF-8");
    if (split(p, bytes, len))
        return fail(p, ret_what, "a '~' has neither 0 nor 1 behind it");
    return 0;
}

void hoop__pointer_done(struct hoop__pointer *p)
{
    json_malloc_t alloc;
    json_free_t release;
    json_get_alloc_funcs(&alloc, &release);
    release(p->tokens);
    p->tokens = NULL;
    p->count = 0;
}

/* --- following --------------------------------------------------------------------------------- */

size_t hoop__pointer_index(hoop_str token)
{
    size_t index = 0;
    if (token.len == 0 || (token.len > 1 && token.data[0] == '0'))
        return SIZE_MAX;
    for (size_t i = 0; i < token.len; i++) {
        if (token.data[i] < '0' || token.data[i] > '9' || index > (SIZE_MAX - 10) / 10)
            return SIZE_MAX;
        index = index * 10 + (size_t)(token.data[i] - '0');
    }
    return index;
}

json_t *hoop__pointer_step(const json_t *value, hoop_str token, const char **ret_what)
{
    json_t *found = NULL;
    *ret_what = "nothing is there";
    if (json_is_object(value)) {
        found = hoop__json_get(value, token);
    } else if (json_is_array(value)) {
        size_t index = hoop__pointer_index(token);
        if (index < SIZE_MAX)
            found = json_array_get(value, index);
        else
            *ret_what = "an array has indexes only, without leading zeros";
    } else {
        *ret_what = "what it goes through is no array or object";
    }
    return found;
}

json_t *hoop__pointer_find(json_t *root, const struct hoop__pointer *p, size_t count,
                           const char **ret_what)
{
    *ret_what = "there is no value";
    for (size_t i = 0; root && i < count; i++)
        root = hoop__pointer_step(root, p->tokens[i], ret_what);
    return root;
}

json_t *hoop_json_pointer_get(const json_t *value, const char *pointer, hoop_error *error)
{
    struct hoop__pointer p;
    const char *what;
    if (!pointer) {
        hoop_error_set(error, HOOP_EINVAL, "the pointer is NULL");
        return NULL;
    }
    int rc = hoop__pointer_read(&p, hoop_str_c(pointer), &what);
    json_t *found = NULL;
    if (rc == 0) {
        /* The value is not changed; who holds it decides what may be done with a part. */
        found = hoop__pointer_find((json_t *)(uintptr_t)value, &p, p.count, &what);
        rc = found ? 0 : HOOP_EMISSING;
        hoop__pointer_done(&p);
    }
    if (rc)
        hoop_error_set(error, rc, "'%.150s': %s", pointer, what);
    return found;
}
