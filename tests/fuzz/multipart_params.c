/*
 * Fuzz target: bytes as a form with files, through the middleware. The first byte is the size of the pieces, the second has
 * options; then come the Content-Type up to a line end and the body. Whole and cut, in memory and in temporary files,
 * the same fields and files have to come out, or a refusal each time.
 */
#include "support.h"

#include "codec/utf8.h"

#include <hoop.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was read, run together. */
static uint64_t hash;

static void mix(hoop_str s)
{
    for (size_t i = 0; i < s.len; i++)
        hash = (hash ^ (unsigned char)s.data[i]) * UINT64_C(1099511628211);
    hash = (hash ^ 0x100) * UINT64_C(1099511628211);
}

/* All texts are UTF-8 without a NUL but for the one behind. */
static void check_text(hoop_str s)
{
    if (strlen(s.data) != s.len || !hoop__utf8_is_valid(s))
        abort();
    mix(s);
}

static void check_file(const hoop_upload *file)
{
    check_text(file->name);
    check_text(file->filename);
    check_text(file->filename_sent);
    mix(file->content_type);
    if (memchr(file->filename.data, '/', file->filename.len))
        abort();
    if (file->fd < 0) {
        if (file->bytes.len != file->size || file->bytes.data[file->size] != 0)
            abort();
        mix(file->bytes);
        return;
    }
    char *bytes = malloc(file->size + 1);
    if (pread(file->fd, bytes, file->size + 1, 0) != (ssize_t)file->size)
        abort();
    mix(hoop_str_n(bytes, file->size));
    free(bytes);
}

static const hoop_response *look(const hoop_request *req, void *data)
{
    (void)data;
    size_t count;
    const hoop_field *fields = hoop_params(req, HOOP_IN_FORM, &count);
    for (size_t i = 0; i < count; i++) {
        check_text(fields[i].name);
        check_text(fields[i].value);
    }
    const hoop_upload *files = hoop_uploads(req, &count);
    for (size_t i = 0; i < count; i++)
        check_file(&files[i]);
    return hoop_respond(req, 204);
}

/* The middleware by its options, each built once. */
static hoop_handler handler_of(unsigned options)
{
    static hoop_arena *app;
    static hoop_handler made[16];
    if (!app)
        app = hoop_arena_new();
    if (made[options].fn)
        return made[options];
    const hoop_multipart_params_options o = {
        .store = options & 1 ? HOOP_UPLOADS_IN_FILES : HOOP_UPLOADS_IN_MEMORY,
        .lenient = options & 2 ? 1 : 0,
        .fallback_charset = options & 4 ? "iso-8859-2" : NULL,
        .charset = options & 8 ? "windows-1252" : NULL,
        .max_files = 4,
        .max_parts = 20,
        .max_field = 300,
        .max_fields = 500,
        .max_headers = 4,
        .max_name = 40,
    };
    const hoop_middleware entry = HOOP_MULTIPART_PARAMS(&o);
    if (hoop_chain_new(app, &entry, 1, hoop_fn(look, NULL), &made[options], NULL))
        abort();
    return made[options];
}

struct outcome {
    int status; /* 0: there is no such request */
    uint64_t hash;
};

static struct outcome ask(hoop_handler handler, const char *type, hoop_str body, size_t step)
{
    struct outcome out = { 0, 0 };
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock_body(hoop_mock(arena, "POST", "/", NULL), type, body);
    if (req) {
        hash = UINT64_C(14695981039346656037);
        const hoop_response *res =
            hoop_call_sync(handler, step ? hoop_mock_chunks(req, step) : req);
        if (!res ||
            (res->status != 204 && res->status != 400 && res->status != 413 && res->status != 415))
            abort();
        out.status = res->status;
        out.hash = hash;
    }
    hoop_arena_free(arena);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char prefix[] = "multipart/form-data";
    char type[200];
    if (size < 3 || size > 20000)
        return 0;
    const char *text = (const char *)data + 2, *end = (const char *)data + size;
    const char *line = memchr(text, '\n', size - 2);
    size_t len = line ? (size_t)(line - text) : 0;
    if (!line || len + sizeof prefix > sizeof type || memchr(text, 0, len))
        return 0;
    memcpy(type, prefix, sizeof prefix - 1);
    memcpy(type + sizeof prefix - 1, text, len);
    type[sizeof prefix - 1 + len] = 0;
    hoop_str body = hoop_str_n(line + 1, (size_t)(end - line - 1));
    unsigned options = data[1] & 14u;
    struct outcome whole = ask(handler_of(options), type, body, 0);
    struct outcome cut = ask(handler_of(options), type, body, data[0] ? data[0] : 1);
    struct outcome files = ask(handler_of(options | 1), type, body, data[0]);
    /* In front of an error less may have been given out, so that the refusal may be another one. */
    if ((whole.status == 204) != (cut.status == 204) ||
        (whole.status == 204) != (files.status == 204))
        abort();
    if (whole.status == 204 && (whole.hash != cut.hash || whole.hash != files.hash))
        abort();
    return 0;
}
