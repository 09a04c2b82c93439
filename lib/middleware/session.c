/* Middleware "session": see hoop/middleware/session.h. */
#include "middleware/session.h"

#include "base/random.h"
#include "codec/base64.h"
#include "value/response.h"

#include <hoop/limits.h>
#include <hoop/middleware/cookies.h>

#include <string.h>

#define ID_BYTES 24u
#define ID_CHARS 32u

static const char found_key;

/* A request whose session is being read. */
struct asked {
    struct hoop__session_found found;
    hoop_handler next;
    const struct hoop__session_config *config;
};

/* --- for stores ------------------------------------------------------------------------------ */

const hoop_response *hoop__session_said(void)
{
    static const struct hoop__response said = { .kind = HOOP__READY };
    return &said.pub;
}

hoop_str hoop_session_new_id(const hoop_request *req)
{
    char bytes[ID_BYTES];
    char *text = hoop_alloc(req, ID_CHARS + 1);
    if (!text)
        return hoop_str_none();
    int rc = hoop__random(bytes, sizeof bytes);
    if (rc) {
        hoop_fail(req, rc, "session: no random bytes: %s", hoop_strerror(rc));
        return hoop_str_none();
    }
    hoop__base64url_encode(hoop_str_n(bytes, sizeof bytes), text);
    text[ID_CHARS] = 0;
    return hoop_str_n(text, ID_CHARS);
}

/* --- responses ------------------------------------------------------------------------------- */

static const hoop_response *respond(const hoop_request *req, const hoop_response *res,
                                    const void *value)
{
    return hoop__session_save(req, res, value, hoop_get(req, &found_key));
}

/* --- requests -------------------------------------------------------------------------------- */

/* The request with what was found; as it was if that is nothing, unless it shows another's session. */
static const hoop_request *with_session(const hoop_request *req,
                                        const struct hoop__session_config *config,
                                        struct hoop__session_found *found)
{
    if (hoop__session_load(req, config, found))
        return NULL;
    if (hoop_str_is_none(found->entry.id) && !hoop_get(req, &found_key))
        return req;
    const hoop_request *more = hoop_assoc(req, &found_key, found);
    return more ? hoop__session_put(more, &found->session) : NULL;
}

static struct asked *new_asked(const hoop_request *req, const struct hoop__session_config *config,
                               hoop_str id)
{
    struct asked *asked = hoop_alloc(req, sizeof *asked);
    if (!asked)
        return NULL;
    memset(asked, 0, sizeof *asked);
    asked->config = config;
    asked->found.entry.id = id;
    return asked;
}

static const hoop_response *ask(const hoop_request *req, struct asked *asked)
{
    const hoop_session_store *store = asked->config->options.store;
    return store->read(req, &asked->found.entry, store->data);
}

static const hoop_response *go_on(const hoop_request *req, const hoop_response *said,
                                  const void *value)
{
    (void)said;
    struct asked *asked = (struct asked *)(uintptr_t)value;
    const hoop_request *more = with_session(req, asked->config, &asked->found);
    return more ? hoop_then(more, hoop_call(asked->next, more), respond, asked->config) : NULL;
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    const struct hoop__session_config *config = value;
    hoop_str id = hoop_cookie(req, config->options.name);
    if (!id.len && !hoop_get(req, &found_key))
        return hoop_then(req, hoop_call(next, req), respond, config);
    struct asked *asked = new_asked(req, config, id);
    if (!asked)
        return NULL;
    asked->next = next;
    if (id.len)
        return hoop_then(req, ask(req, asked), go_on, asked);
    asked->found.entry.outcome = HOOP_SESSION_MISSING;
    return go_on(req, NULL, asked);
}

/* --- building -------------------------------------------------------------------------------- */

static void put_defaults(hoop_session_options *options)
{
    if (!options->name)
        options->name = "session";
    if (!options->path)
        options->path = "/";
    if (!options->idle)
        options->idle = 1800;
    if (!options->lifetime)
        options->lifetime = 43200;
    if (!options->max_bytes)
        options->max_bytes = 65536;
    if (options->same_site == HOOP_SAME_SITE_UNSET)
        options->same_site = HOOP_SAME_SITE_LAX;
}

static int check_store(hoop_arena *arena, hoop_session_options *options, hoop_error *error)
{
    const hoop_session_store *store = options->store;
    if (!store)
        return hoop_session_memory_new(arena, &options->store, error, NULL);
    if (!store->read || !store->write || !store->remove)
        return hoop_error_set(error, HOOP_EINVAL,
                              "session: the store lacks one of read, write and remove");
    return 0;
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    hoop_session_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    struct hoop__session_config *config = own ? hoop_arena_zalloc(arena, sizeof *config) : NULL;
    hoop_str line;
    if (!config)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    put_defaults(own);
    config->cookie.path = own->path;
    config->cookie.domain = own->domain;
    config->cookie.max_age = own->max_age;
    config->cookie.same_site = own->same_site;
    config->cookie.secure = own->secure;
    config->cookie.http_only = !own->to_scripts;
    config->cookie.partitioned = own->partitioned;
    int rc = hoop_cookie_format(arena, own->name, hoop_str_c("x"), &line, error, &config->cookie);
    if (!rc)
        rc = check_store(arena, own, error);
    if (rc)
        return rc;
    config->options = *own;
    *ret_value = config;
    return 0;
}

const hoop_middleware_type hoop_session_type = {
    .name = "session",
    .wrap = wrap,
    .build = build,
    .size = sizeof(hoop_middleware_type),
};

/* --- as functions ---------------------------------------------------------------------------- */

static const struct hoop__session_config *config_of(const hoop_request *req,
                                                    const hoop_session_options *options,
                                                    size_t options_size)
{
    if (req && (!options || !options->store)) {
        hoop_fail(req, HOOP_EMISSING, "session: as a function it needs a store");
        return NULL;
    }
    return hoop__options_value(req, &hoop_session_type, options, options_size);
}

const hoop_request *hoop_session_request_sized(const hoop_request *req,
                                               const hoop_response **ret_answer,
                                               const hoop_session_options *options,
                                               size_t options_size)
{
    (void)ret_answer; /* nothing is refused */
    const struct hoop__session_config *config = config_of(req, options, options_size);
    hoop_str id = config ? hoop_cookie(req, config->options.name) : hoop_str_none();
    if (!id.len)
        return config ? req : NULL;
    struct asked *asked = new_asked(req, config, id);
    const hoop_response *said = asked ? ask(req, asked) : NULL;
    if (said && hoop_is_pending(said)) {
        hoop_fail(req, HOOP_EUNSUPPORTED, "session: this store does not answer at once");
        return NULL;
    }
    return said ? with_session(req, config, &asked->found) : NULL;
}

const hoop_response *hoop_session_response_sized(const hoop_request *req, const hoop_response *res,
                                                 const hoop_session_options *options,
                                                 size_t options_size)
{
    const void *config = config_of(req, options, options_size);
    return config ? hoop_then(req, res, respond, config) : NULL;
}
