/* Bundles of middleware as data; see hoop/defaults.h. */
#include "middleware/middleware.h"

#include "base/sized.h"

#include <hoop/defaults.h>
#include <hoop/middleware/all.h>

#include <string.h>

/* --- the bundles ----------------------------------------------------------------------------- */

static const hoop_middleware not_modified = HOOP_NOT_MODIFIED(NULL);
static const hoop_middleware default_charset = HOOP_DEFAULT_CHARSET(NULL);
static const hoop_middleware content_type = HOOP_CONTENT_TYPE(NULL);
static const hoop_middleware params = HOOP_PARAMS(NULL);

#define API                                                             \
    .not_modified = &not_modified, .default_charset = &default_charset, \
    .content_type = &content_type, .params = &params

const hoop_defaults hoop_defaults_api = { API };

static const hoop_secure_headers_options few_headers = { .frame = "SAMEORIGIN",
                                                         .referrer = "",
                                                         .permissions = "",
                                                         .opener = "",
                                                         .resource = "",
                                                         .csp_off = 1 };
static const hoop_anti_forgery_options forgery_options = { .safe_header = "X-Anti-Forgery" };
static const hoop_middleware site_headers = HOOP_SECURE_HEADERS(&few_headers);
static const hoop_middleware absolute_redirects = HOOP_ABSOLUTE_REDIRECTS(NULL);
static const hoop_middleware cookies = HOOP_COOKIES(NULL);
static const hoop_middleware multipart_params = HOOP_MULTIPART_PARAMS(NULL);
static const hoop_middleware nested_params = HOOP_NESTED_PARAMS(NULL);
static const hoop_middleware session = HOOP_SESSION(NULL);
static const hoop_middleware flash = HOOP_FLASH(NULL);
static const hoop_middleware anti_forgery = HOOP_ANTI_FORGERY(&forgery_options);

#define SITE                                                                                      \
    API, .absolute_redirects = &absolute_redirects, .cookies = &cookies,                          \
         .multipart_params = &multipart_params, .nested_params = &nested_params, .flash = &flash, \
         .anti_forgery = &anti_forgery

const hoop_defaults hoop_defaults_site = { SITE, .secure_headers = &site_headers,
                                           .session = &session };

static const hoop_session_options secure_options = { .name = "__Host-session", .secure = 1 };
static const hoop_middleware ssl_redirect = HOOP_SSL_REDIRECT(NULL);
static const hoop_middleware hsts = HOOP_HSTS(NULL);
static const hoop_middleware all_headers = HOOP_SECURE_HEADERS(NULL);
static const hoop_middleware secure_session = HOOP_SESSION(&secure_options);

const hoop_defaults hoop_defaults_secure = { SITE, .ssl_redirect = &ssl_redirect, .hsts = &hsts,
                                             .secure_headers = &all_headers,
                                             .session = &secure_session };

/* --- the table ------------------------------------------------------------------------------- */

#define AT(name) ((uint16_t)offsetof(hoop_defaults, name))

/* Outermost first. Where a member stands in the struct says nothing, since new ones stand at its end. */
static const uint16_t order[] = {
    AT(forwarded),
    AT(request_id),
    AT(traceparent),
    AT(access_log),
    AT(concurrency_limit),
    AT(host_check),
    AT(ssl_redirect),
    AT(hsts),
    AT(secure_headers),
    AT(timeout),
    AT(cors),
    AT(catch_errors),
    AT(rate_limit),
    AT(head),
    AT(compress),
    AT(not_modified),
    AT(etag),
    AT(default_charset),
    AT(content_type),
    AT(files),
    AT(resources),
    AT(absolute_redirects),
    AT(cookies),
    AT(decompress),
    AT(params),
    AT(multipart_params),
    AT(nested_params),
    AT(formats),
    AT(session),
    AT(flash),
    AT(authentication),
    AT(access_rules),
    AT(anti_forgery),
    AT(method_override),
};

/* A table that grows behind `end`; entries are read as the program's compiler knew them. */
struct table {
    hoop_middleware *end;
    size_t entry_size;
};

static void append(struct table *table, const hoop_middleware *entries, size_t count)
{
    const char *from = (const char *)entries;
    for (size_t i = 0; i < count; i++, from += table->entry_size)
        hoop__copy_sized(table->end++, sizeof *table->end, from, table->entry_size);
}

static const hoop_middleware *entry_at(const hoop_defaults *defaults, uint16_t at)
{
    const hoop_middleware *entry;
    memcpy(&entry, (const char *)defaults + at, sizeof entry);
    return entry;
}

int hoop_defaults_table_sized(hoop_arena *arena, const hoop_defaults *defaults,
                              size_t defaults_size, size_t entry_size,
                              const hoop_middleware **ret_table, size_t *ret_count,
                              hoop_error *error)
{
    hoop_defaults own;
    if (!arena || !defaults)
        return hoop_error_set(error, HOOP_EINVAL, "a bundle needs an arena and its entries");
    if (hoop__copy_sized(&own, sizeof own, defaults, defaults_size))
        return hoop_error_set(error, HOOP_EINVAL, "the bundle is of a newer version");
    size_t most = HOOP_COUNT(order) + own.outer_count + own.inner_count;
    hoop_middleware *made = hoop_arena_alloc(arena, most * sizeof *made);
    if (!made)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    struct table table = { made, entry_size };
    append(&table, own.outer, own.outer_count);
    for (size_t i = 0; i < HOOP_COUNT(order); i++)
        append(&table, entry_at(&own, order[i]), entry_at(&own, order[i]) ? 1 : 0);
    append(&table, own.inner, own.inner_count);
    *ret_table = made;
    *ret_count = (size_t)(table.end - made);
    return 0;
}

int hoop_defaults_new_sized(hoop_arena *arena, const hoop_defaults *defaults, size_t defaults_size,
                            size_t entry_size, hoop_handler handler, hoop_handler *ret_handler,
                            hoop_error *error)
{
    const hoop_middleware *table;
    size_t count;
    int rc = hoop_defaults_table_sized(arena, defaults, defaults_size, entry_size, &table, &count,
                                       error);
    return rc ? rc : hoop_chain_new(arena, table, count, handler, ret_handler, error);
}
