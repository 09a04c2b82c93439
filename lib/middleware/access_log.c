/* Middleware "access_log": see hoop/middleware/access_log.h. */
#include "middleware/middleware.h"

#include "base/clock.h"
#include "handler/log_entry.h"
#include "middleware/log_line.h"

#include <hoop/log.h>
#include <hoop/middleware/access_log.h>
#include <hoop/middleware/request_id.h>
#include <hoop/middleware/traceparent.h>

#include <string.h>

static const char *const secret_names[] = {
    "password",      "passwd",  "secret", "token", "access_token",
    "refresh_token", "api_key", "apikey", "code",  "signature",
};

/* A request that will be logged. */
struct entry {
    struct hoop__log_entry known; /* filled further in */
    const hoop_access_log_options *options;
    const hoop_request *req;
    hoop_str remote; /* in text; memory can't be had at the end */
};

/* --- lines ----------------------------------------------------------------------------------- */

/* A header's value in quotes, or "-". */
static void put_quoted(struct hoop__line *line, hoop_str value)
{
    hoop__line_put(line, " \"");
    if (value.len)
        hoop__line_url(line, value);
    else
        hoop__line_put(line, "-");
    hoop__line_put(line, "\"");
}

static void put_target(struct hoop__line *line, const hoop_request *req)
{
    hoop__line_text(line, req->uri);
    if (hoop_str_is_none(req->query_string))
        return;
    hoop__line_put(line, "?");
    hoop__line_query(line, req->query_string);
}

/* "[06/Nov/1994:08:49:37 +0000]", of "Sun, 06 Nov 1994 08:49:37 GMT". */
static void put_time(struct hoop__line *line, const char *date)
{
    char text[] = " [06/Nov/1994:08:49:37 +0000] \"";
    memcpy(text + 2, date + 5, 2);
    memcpy(text + 5, date + 8, 3);
    memcpy(text + 9, date + 12, 4);
    memcpy(text + 14, date + 17, 8);
    hoop__line_bytes(line, text, sizeof text - 1);
}

static void write_combined(struct hoop__line *line, const struct entry *entry,
                           const hoop_done *done, const char *date)
{
    const hoop_request *req = entry->req;
    hoop__line_put(line, entry->remote.len ? entry->remote.data : "-");
    hoop__line_put(line, " - ");
    if (entry->known.user.len)
        hoop__line_text(line, entry->known.user);
    else
        hoop__line_put(line, "-");
    put_time(line, date);
    hoop__line_text(line, req->method);
    hoop__line_put(line, " ");
    put_target(line, req);
    hoop__line_put(line, " ");
    hoop__line_text(line, req->protocol);
    hoop__line_put(line, "\" ");
    if (done->status)
        hoop__line_number(line, (uint64_t)done->status);
    else
        hoop__line_put(line, "-");
    hoop__line_put(line, " ");
    hoop__line_number(line, done->body_out);
    put_quoted(line, hoop_header(req, "referer"));
    put_quoted(line, hoop_header(req, "user-agent"));
    uint64_t ms = done->ended_ms - done->started_ms;
    if (entry->options->slow_ms && ms >= entry->options->slow_ms) {
        hoop__line_put(line, " slow ");
        hoop__line_number(line, ms);
        hoop__line_put(line, "ms");
    }
}

/* --- JSON ------------------------------------------------------------------------------------ */

static void put_key(struct hoop__line *line, const char *name)
{
    hoop__line_put(line, line->len ? ",\"" : "{\"");
    hoop__line_put(line, name);
    hoop__line_put(line, "\":");
}

/* A member, unless the value is absent or empty. */
static void put_member(struct hoop__line *line, const char *name, hoop_str value)
{
    if (!value.len)
        return;
    put_key(line, name);
    hoop__line_put(line, "\"");
    hoop__line_url(line, value);
    hoop__line_put(line, "\"");
}

static void put_count(struct hoop__line *line, const char *name, uint64_t value)
{
    put_key(line, name);
    hoop__line_number(line, value);
}

/* "1994-11-06T08:49:37Z", of "Sun, 06 Nov 1994 08:49:37 GMT". */
static void put_iso_time(struct hoop__line *line, const char *date)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char text[] = "1994-11-06T08:49:37Z", month[4] = { date[8], date[9], date[10], 0 };
    unsigned number = (unsigned)(strstr(months, month) - months) / 3 + 1;
    memcpy(text, date + 12, 4);
    text[5] = (char)('0' + number / 10);
    text[6] = (char)('0' + number % 10);
    memcpy(text + 8, date + 5, 2);
    memcpy(text + 11, date + 17, 8);
    put_key(line, "time");
    hoop__line_put(line, "\"");
    hoop__line_bytes(line, text, sizeof text - 1);
    hoop__line_put(line, "\"");
}

static void write_json(struct hoop__line *line, const struct entry *entry, const hoop_done *done,
                       const char *date)
{
    const hoop_request *req = entry->req;
    const hoop_trace *trace = hoop_trace_of(req);
    uint64_t ms = done->ended_ms - done->started_ms;
    put_iso_time(line, date);
    put_member(line, "remote", entry->remote);
    put_member(line, "user", entry->known.user);
    put_member(line, "method", req->method);
    put_key(line, "uri");
    hoop__line_put(line, "\"");
    put_target(line, req);
    hoop__line_put(line, "\"");
    put_member(line, "protocol", req->protocol);
    if (done->status)
        put_count(line, "status", (uint64_t)done->status);
    put_count(line, "bytes", done->body_out);
    put_count(line, "ms", ms);
    put_member(line, "referer", hoop_header(req, "referer"));
    put_member(line, "agent", hoop_header(req, "user-agent"));
    put_member(line, "id", hoop_request_id(req));
    put_member(line, "trace", trace ? trace->trace_id : hoop_str_none());
    if (entry->options->slow_ms && ms >= entry->options->slow_ms)
        hoop__line_put(line, ",\"slow\":true");
    if (done->code)
        put_member(line, "aborted", hoop_str_c(hoop_err_name(done->code)));
    hoop__line_put(line, "}");
}

/* --- the middleware -------------------------------------------------------------------------- */

static void on_done(const hoop_done *done, void *data)
{
    const struct entry *entry = data;
    const hoop_access_log_options *options = entry->options;
    struct hoop_loop *loop = hoop__exchange_of(entry->req)->loop;
    struct hoop__line line;
    char date[30] = "";
    hoop__clock_imf(loop->wall(loop), date);
    line.len = 0;
    line.data[0] = 0;
    line.json = options->format == HOOP_LOG_JSON;
    line.redact = options->redact;
    line.redact_count = options->redact_count;
    if (line.json)
        write_json(&line, entry, done, date);
    else
        write_combined(&line, entry, done, date);
    if (options->write)
        options->write(hoop_str_n(line.data, line.len), options->data);
    else if (loop->log)
        loop->log(HOOP_LOG_INFO, line.data, loop->log_data);
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    const hoop_access_log_options *options = value;
    if (options->skip && options->skip(req, options->skip_data))
        return hoop_call(next, req);
    struct entry *entry = hoop_alloc(req, sizeof *entry);
    if (!entry)
        return NULL;
    entry->known.user = hoop_str_none();
    entry->options = options;
    entry->req = req;
    entry->remote = hoop_remote_addr(req);
    if (hoop_failure(req))
        return NULL;
    int rc = hoop_on_done(req, on_done, entry);
    if (rc)
        return hoop_fail(req, rc, "access_log: %s", hoop_strerror(rc));
    const hoop_request *more = hoop_assoc(req, &hoop__log_entry_key, &entry->known);
    return more ? hoop_call(next, more) : NULL;
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    hoop_access_log_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    if (!own)
        return HOOP_ENOMEM;
    if (own->format > HOOP_LOG_JSON)
        return hoop_error_set(error, HOOP_EINVAL, "access_log: there is no format %u",
                              (unsigned)own->format);
    if (!own->redact_count) {
        own->redact = secret_names;
        own->redact_count = HOOP_COUNT(secret_names);
    }
    *ret_value = own;
    return 0;
}

const hoop_middleware_type hoop_access_log_type = {
    .name = "access_log",
    .wrap = wrap,
    .build = build,
    .size = sizeof(hoop_middleware_type),
};
