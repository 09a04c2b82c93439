/* Middleware "multipart_params": see hoop/middleware/multipart_params.h. */
#include "middleware/form_parts.h"

#include "codec/charset.h"
#include "codec/media.h"
#include "handler/params.h"
#include "middleware/upload.h"
#include "value/body.h"

#include <hoop/router.h>
#include <hoop/stream.h>

#define DEFAULT_FOLDER "/tmp"
#define FULL           ((size_t)98304) /* so many staged bytes are written */

/* --- the form -------------------------------------------------------------------------------- */

static int is_form(const hoop_request *req)
{
    struct hoop__media media;
    return !hoop__media_parse(hoop_str_trim(hoop_header(req, "content-type")), &media) &&
           hoop__media_is(&media, "multipart", "form-data");
}

/* Nonzero if there is a form that nobody has read. */
static int form_is_open(const hoop_request *req)
{
    return hoop_has_body(req) && !hoop__uploads_of(req) && is_form(req);
}

/* The leaf of a route that was chosen may want to read the body by itself. */
static int is_streamed(const hoop_request *req)
{
    const hoop_route *route = hoop_request_route(req);
    return route && route->body == HOOP_REQUEST_STREAM;
}

/* --- writing on the pool --------------------------------------------------------------------- */

enum {
    IDLE,
    BUSY,   /* a job writes */
    AWAITED /* likewise, and the end of the form waits for it */
};

/* A form that is read; lies in the request's arena. */
struct upload {
    struct hoop__job job; /* first; used again for each write */
    struct hoop__form *form;
    hoop_handler next;
    hoop_reader *reader;
    hoop_deferred *waiter;        /* while AWAITED */
    const hoop_response *written; /* what it is resolved with */
    atomic_int state;
};

static struct upload *upload_of(struct hoop__job *job)
{
    return (struct upload *)(void *)job; /* its first member */
}

/* The end of a write. When the state has changed the loop may start another one: nothing of it is touched then. */
static void tell(struct upload *up)
{
    hoop_reader *reader = up->reader;
    if (atomic_exchange(&up->state, IDLE) == AWAITED)
        hoop_resolve(up->waiter, up->written);
    else
        hoop_reader_resume(reader);
    hoop_reader_unref(reader);
}

static void work(struct hoop__job *job)
{
    struct upload *up = upload_of(job);
    hoop__form_write(up->form);
    tell(up);
}

static void cancel(struct hoop__job *job)
{
    struct upload *up = upload_of(job);
    up->form->write_code = HOOP_ECANCELED;
    tell(up);
}

/* Has the pool write what is staged. 0 or a code (noted). */
static int start_write(struct upload *up, int state)
{
    struct hoop_loop *loop = hoop_loop_of(up->form->req);
    hoop_reader_ref(up->reader); /* so the exchange stays until the job is done */
    atomic_store(&up->state, state);
    up->job.work = work;
    up->job.cancel = cancel;
    int rc = loop->ops->block(loop, &up->job);
    if (rc == HOOP_EUNSUPPORTED)
        work(&up->job);
    if (rc == 0 || rc == HOOP_EUNSUPPORTED)
        return 0;
    if (rc == HOOP_EBUSY)
        HOOP__COUNT(loop->counters.limit_blocking, 1);
    atomic_store(&up->state, IDLE);
    hoop_reader_unref(up->reader);
    hoop_fail(up->form->req, rc, "the blocking pool can't take a form's file: %s",
              hoop_strerror(rc));
    return rc;
}

/* --- reading --------------------------------------------------------------------------------- */

static void tell_progress(const struct hoop__form *form)
{
    const hoop_multipart_params_options *o = &form->rules->o;
    if (o->progress)
        o->progress(form->req, form->received, hoop_request_content_length(form->req), form->parts,
                    o->data);
}

static int on_chunk(hoop_reader *reader, hoop_str bytes, hoop_arena *scratch, void *data)
{
    (void)reader;
    (void)scratch;
    struct upload *up = data;
    int rc = hoop__form_write_failed(up->form);
    if (!rc)
        rc = hoop__form_feed(up->form, bytes);
    if (rc)
        return rc;
    tell_progress(up->form);
    if (!hoop__form_has_unwritten(up->form, FULL))
        return 0;
    rc = start_write(up, BUSY);
    return rc ? rc : HOOP_WAIT;
}

static const hoop_response *complete(struct upload *up)
{
    const hoop_response *answer = NULL;
    if (hoop__form_write_failed(up->form))
        return NULL;
    const hoop_request *more = hoop__form_finish(up->form, &answer);
    return more ? hoop_call(up->next, more) : answer;
}

static const hoop_response *when_written(const hoop_request *req, const hoop_response *res,
                                         const void *value)
{
    (void)req;
    (void)res;
    return complete((struct upload *)(uintptr_t)value);
}

/* Goes on when the write under way is done, or one for what is staged. */
static const hoop_response *wait_written(const hoop_request *req, struct upload *up)
{
    hoop_deferred *d = hoop_defer(req);
    /* Looked at before: when the job has resolved it, only the response is left to be asked. */
    const hoop_response *res = hoop_deferred_response(d);
    up->waiter = d;
    up->written = d ? hoop_respond(hoop_deferred_request(d), 204) : NULL;
    if (!up->written) {
        hoop_deferred_drop(d);
        return hoop__fail_memory(req);
    }
    int busy = BUSY;
    if (atomic_compare_exchange_strong(&up->state, &busy, AWAITED))
        return hoop_then(req, res, when_written, up);
    if (!hoop__form_has_unwritten(up->form, 0)) {
        hoop_resolve(d, up->written);
    } else if (start_write(up, AWAITED)) {
        hoop_deferred_drop(d);
        return NULL;
    }
    return hoop_then(req, res, when_written, up);
}

static const hoop_response *on_end(const hoop_request *req, int code, void *data)
{
    struct upload *up = data;
    if (up->form->answer)
        return up->form->answer;
    if (code == HOOP_ETOOBIG && !hoop_failure(req))
        return hoop__body_too_large(
            req, hoop__body_limit(hoop__exchange_of(req), up->form->rules->o.max_body));
    if (code)
        return NULL; /* the reader notes it */
    if (atomic_load(&up->state) == IDLE && !hoop__form_has_unwritten(up->form, 0))
        return complete(up);
    return wait_written(req, up);
}

/* --- the middleware -------------------------------------------------------------------------- */

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    const struct hoop__form_rules *rules = value;
    if (!form_is_open(req) || is_streamed(req))
        return hoop_call(next, req);
    const hoop_response *answer = NULL;
    struct upload *up = hoop_alloc(req, sizeof *up);
    if (!up)
        return NULL;
    up->form = hoop__form_new(req, rules, &answer);
    if (!up->form)
        return answer;
    up->next = next;
    up->reader = NULL;
    atomic_init(&up->state, IDLE);
    return hoop_read_stream(req, &(hoop_read_options){ .chunk = on_chunk,
                                                       .end = on_end,
                                                       .data = up,
                                                       .limit = rules->o.max_body,
                                                       .ret_reader = &up->reader });
}

static void set_defaults(hoop_multipart_params_options *o)
{
    o->folder = o->folder ? o->folder : DEFAULT_FOLDER;
    o->max_file = o->max_file ? o->max_file : HOOP_OFF;
    o->max_field = o->max_field ? o->max_field : 65536;
    o->max_fields = o->max_fields ? o->max_fields : 1048576;
    o->max_parts = o->max_parts ? o->max_parts : 512;
    o->max_files = o->max_files ? o->max_files : 32;
    o->max_name = o->max_name ? o->max_name : 1024;
    o->max_headers = o->max_headers ? o->max_headers : 32;
}

static int set_charset(const char *name, const char **ret_charset, hoop_error *error)
{
    *ret_charset = name ? hoop__charset(hoop_str_c(name)) : NULL;
    return name && !*ret_charset
               ? hoop_error_set(error, HOOP_EINVAL,
                                "multipart_params: the charset '%s' is not known", name)
               : 0;
}

static int check(struct hoop__form_rules *rules, hoop_error *error)
{
    const hoop_multipart_params_options *o = &rules->o;
    if (o->store > HOOP_UPLOADS_IN_MEMORY)
        return hoop_error_set(error, HOOP_EINVAL, "multipart_params: there is no store %u",
                              (unsigned)o->store);
    if (o->max_headers > 1000)
        return hoop_error_set(error, HOOP_EINVAL, "multipart_params: max_headers is %u, over 1000",
                              (unsigned)o->max_headers);
    int rc = set_charset(o->charset, &rules->charset, error);
    if (!rc)
        rc = set_charset(o->fallback_charset, &rules->fallback, error);
    if (rc || o->store == HOOP_UPLOADS_IN_MEMORY)
        return rc;
    rc = hoop__temp_folder_init(&rules->folder, o->folder);
    return rc ? hoop_error_set(error, rc, "multipart_params: no file can be made in '%s': %s",
                               o->folder, hoop_strerror(rc))
              : 0;
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    hoop_multipart_params_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    struct hoop__form_rules *rules = own ? hoop_arena_zalloc(arena, sizeof *rules) : NULL;
    if (!rules)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    set_defaults(own);
    rules->o = *own;
    *ret_value = rules;
    return check(rules, error);
}

const hoop_middleware_type hoop_multipart_params_type = {
    .name = "multipart_params",
    .wrap = wrap,
    .build = build,
    .flags = HOOP_IDEMPOTENT,
    .size = sizeof(hoop_middleware_type),
};

/* The whole body at once, its files written here. */
static const hoop_request *with_form(const hoop_request *req, const struct hoop__form_rules *rules,
                                     const hoop_response **ret_answer)
{
    hoop_str body = hoop_body(req);
    if (hoop_str_is_none(body) || !form_is_open(req))
        return req;
    struct hoop__form *form = hoop__form_new(req, rules, ret_answer);
    if (!form)
        return NULL;
    if (hoop__form_feed(form, body)) {
        *ret_answer = form->answer ? form->answer : *ret_answer;
        return NULL;
    }
    tell_progress(form);
    hoop__form_write(form);
    return hoop__form_write_failed(form) ? NULL : hoop__form_finish(form, ret_answer);
}

const hoop_request *hoop_multipart_params_request_sized(
    const hoop_request *req, const hoop_response **ret_answer,
    const hoop_multipart_params_options *options, size_t options_size)
{
    const hoop_response *answer = NULL;
    const void *value =
        hoop__options_value(req, &hoop_multipart_params_type, options, options_size);
    const hoop_request *more = value ? with_form(req, value, &answer) : NULL;
    return more ? more : hoop__refused(ret_answer, answer);
}
