/* A multipart form put together of its parts; see form_parts.h. */
#include "middleware/form_parts.h"

#include "codec/charset.h"
#include "codec/media.h"
#include "codec/utf8.h"
#include "handler/params.h"
#include "middleware/upload.h"

#include <string.h>

#define SMALL ((size_t)16384) /* below it what stays in memory lies in the arena */

struct hoop__form_field {
    struct hoop__form_field *next;
    hoop_str name, value;
    hoop_str charset; /* of its own Content-Type; absent if that says none */
    uint64_t number;  /* of the part, from 1 */
};

struct hoop__form_file {
    struct hoop__form_file *next;
    hoop_upload pub;
    struct hoop__temp_file temp;
    size_t staged; /* bytes of it that are to be written */
};

struct hoop__form_held {
    struct hoop__form_held *next;
    char *data;
};

/* --- refusing -------------------------------------------------------------------------------- */

static int refuse(struct hoop__form *form, int code, const hoop_response *answer)
{
    form->answer = answer;
    return code;
}

static int no_memory(const struct hoop__form *form)
{
    hoop__fail_memory(form->req);
    return HOOP_ENOMEM;
}

#define REFUSE(form, code, status, ...) \
    refuse((form), (code), hoop_problemf((form)->req, (status), __VA_ARGS__))

static int too_big(struct hoop__form *form, const char *what, uint64_t limit, const char *unit)
{
    return REFUSE(form, HOOP_ETOOBIG, 413, "%s over the limit of %llu %s", what,
                  (unsigned long long)limit, unit);
}

/* --- memory ---------------------------------------------------------------------------------- */

static const hoop_allocator *allocator_of(const struct hoop__form *form)
{
    return form->req->arena->allocator;
}

/* Appends, leaving room for a NUL. 0 or HOOP_ENOMEM (noted). */
static int append(struct hoop__form *form, struct hoop__form_bytes *bytes, hoop_str more)
{
    if (bytes->cap - bytes->len <= more.len) {
        size_t cap = bytes->cap ? bytes->cap * 2 : 1024;
        while (cap - bytes->len <= more.len)
            cap *= 2;
        char *data = hoop__realloc(allocator_of(form), bytes->data, cap);
        if (!data)
            return no_memory(form);
        bytes->data = data;
        bytes->cap = cap;
    }
    memcpy(bytes->data + bytes->len, more.data, more.len);
    bytes->len += more.len;
    return 0;
}

/* Takes what was gathered as a text that lasts. 0 or HOOP_ENOMEM (noted). */
static int take_gathered(struct hoop__form *form, hoop_str *ret_text)
{
    struct hoop__form_bytes *bytes = &form->gathered;
    if (bytes->len < SMALL) {
        *ret_text = hoop_arena_copy(form->req->arena, hoop_str_n(bytes->data, bytes->len));
        bytes->len = 0;
        return hoop_str_is_none(*ret_text) ? no_memory(form) : 0;
    }
    struct hoop__form_held *held = hoop_alloc(form->req, sizeof *held);
    if (!held)
        return HOOP_ENOMEM;
    bytes->data[bytes->len] = 0;
    *ret_text = hoop_str_n(bytes->data, bytes->len);
    *held = (struct hoop__form_held){ form->held, bytes->data };
    form->held = held;
    *bytes = (struct hoop__form_bytes){ NULL, 0, 0 };
    return 0;
}

static void give_back(void *data)
{
    struct hoop__form *form = data;
    for (struct hoop__form_file *file = form->files; file; file = file->next)
        hoop__temp_close(&file->temp);
    for (struct hoop__form_held *held = form->held; held; held = held->next)
        hoop__free(allocator_of(form), held->data);
    hoop__free(allocator_of(form), form->staged.data);
    hoop__free(allocator_of(form), form->gathered.data);
}

/* --- beginning ------------------------------------------------------------------------------- */

struct hoop__form *hoop__form_new(const hoop_request *req, const struct hoop__form_rules *rules,
                                  const hoop_response **ret_answer)
{
    const hoop_multipart_options options = { .max_parts = HOOP_OFF,
                                             .max_headers = rules->o.max_headers };
    hoop_error error = { 0, "" };
    struct hoop__form *form = hoop_alloc(req, sizeof *form);
    if (!form)
        return NULL;
    memset(form, 0, sizeof *form);
    form->req = req;
    form->rules = rules;
    form->last_field = &form->fields;
    form->last_file = &form->files;
    int rc = hoop_multipart_new(req->arena, hoop_header(req, "content-type"), &form->reader, &error,
                                &options);
    if (!rc)
        rc = hoop_arena_on_dispose(req->arena, give_back, form);
    if (!rc)
        return form;
    if (rc == HOOP_ENOMEM)
        hoop__fail_memory(req);
    else
        *ret_answer = hoop_problem(req, 400, error.text);
    return NULL;
}

/* --- parts ----------------------------------------------------------------------------------- */

static hoop_str copy(const struct hoop__form *form, hoop_str text, int *failed)
{
    if (hoop_str_is_none(text))
        return text;
    hoop_str copied = hoop_arena_copy(form->req->arena, text);
    *failed |= hoop_str_is_none(copied);
    return copied;
}

/* A new file of the part at hand, at the end of the list. 0 or a code. */
static int begin_file(struct hoop__form *form)
{
    const hoop_part *part = hoop_multipart_part(form->reader);
    const struct hoop__form_rules *rules = form->rules;
    if (form->file_count == rules->o.max_files)
        return too_big(form, "the form is", rules->o.max_files, "files");
    struct hoop__form_file *file = hoop_alloc(form->req, sizeof *file);
    int failed = 0;
    if (!file)
        return HOOP_ENOMEM;
    memset(file, 0, sizeof *file);
    file->temp.fd = file->pub.fd = -1;
    file->pub.index = (uint32_t)part->index;
    file->pub.name = copy(form, part->name, &failed);
    file->pub.filename = copy(form, part->filename, &failed);
    file->pub.filename_sent = copy(form, part->filename_sent, &failed);
    file->pub.content_type = copy(form, part->content_type, &failed);
    file->pub.bytes = file->pub.path = hoop_str_none();
    if (rules->o.store == HOOP_UPLOADS_IN_FILES) {
        file->temp.path = hoop_alloc(form->req, hoop__temp_path_size(&rules->folder));
        failed |= !file->temp.path;
    }
    if (failed)
        return no_memory(form);
    *form->last_file = file;
    form->last_file = &file->next;
    form->file_count++;
    form->file = file;
    if (!form->unwritten && file->temp.path)
        form->unwritten = file; /* an empty one has to be made, too */
    return 0;
}

static int begin_part(struct hoop__form *form)
{
    const hoop_part *part = hoop_multipart_part(form->reader);
    const hoop_multipart_params_options *o = &form->rules->o;
    if (form->parts == o->max_parts)
        return too_big(form, "the form is", o->max_parts, "parts");
    unsigned long long number = ++form->parts;
    if (hoop_str_is_none(part->name))
        return REFUSE(form, HOOP_EPARSE, 400, "part %llu has no name", number);
    if (part->name.len > o->max_name)
        return REFUSE(form, HOOP_ETOOBIG, 400, "part %llu has a name over the limit of %u bytes",
                      number, (unsigned)o->max_name);
    form->is_file = !hoop_str_is_none(part->filename);
    form->file = NULL;
    form->part_size = 0;
    return part->filename.len ? begin_file(form) : 0;
}

/* The charset of the Content-Type of the part at hand. */
static hoop_str own_charset(const struct hoop__form *form)
{
    hoop_str type = hoop_multipart_part(form->reader)->content_type;
    struct hoop__media media;
    struct hoop__param param;
    int failed = 0;
    if (hoop_str_is_none(type) || hoop__media_parse(hoop_str_trim(type), &media) ||
        !hoop__media_param(&media, "charset", &param))
        return hoop_str_none();
    return copy(form, param.value, &failed);
}

static int end_field(struct hoop__form *form)
{
    struct hoop__form_field *field = hoop_alloc(form->req, sizeof *field);
    int failed = !field;
    if (failed || take_gathered(form, &field->value))
        return HOOP_ENOMEM;
    if (memchr(field->value.data, 0, field->value.len))
        return REFUSE(form, HOOP_EPARSE, 400, "part %llu has a NUL",
                      (unsigned long long)form->parts);
    field->next = NULL;
    field->name = copy(form, hoop_multipart_part(form->reader)->name, &failed);
    field->charset = own_charset(form);
    field->number = form->parts;
    if (failed)
        return no_memory(form);
    *form->last_field = field;
    form->last_field = &field->next;
    form->field_count++;
    return 0;
}

static int end_part(struct hoop__form *form)
{
    struct hoop__form_file *file = form->file;
    if (!file)
        return end_field(form);
    file->pub.size = form->part_size;
    return file->temp.path ? 0 : take_gathered(form, &file->pub.bytes);
}

static int check_size(struct hoop__form *form, size_t more)
{
    const hoop_multipart_params_options *o = &form->rules->o;
    form->part_size += more;
    if (form->file)
        return form->part_size > o->max_file ? too_big(form, "a file is", o->max_file, "bytes") : 0;
    form->fields_size += more;
    if (form->part_size > o->max_field)
        return too_big(form, "a field is", o->max_field, "bytes");
    if (form->fields_size > o->max_fields)
        return too_big(form, "the fields are", o->max_fields, "bytes");
    return 0;
}

static int add(struct hoop__form *form, hoop_str bytes)
{
    int rc = form->is_file && !form->file ? begin_file(form) : 0;
    if (!rc)
        rc = check_size(form, bytes.len);
    if (rc)
        return rc;
    if (!form->file || !form->file->temp.path)
        return append(form, &form->gathered, bytes);
    form->file->staged += bytes.len;
    if (!form->unwritten)
        form->unwritten = form->file;
    return append(form, &form->staged, bytes);
}

static int take_event(struct hoop__form *form, int event, hoop_str data)
{
    switch (event) {
    case HOOP_MULTIPART_PART:
        return begin_part(form);
    case HOOP_MULTIPART_DATA:
        return add(form, data);
    case HOOP_MULTIPART_PART_END:
        return end_part(form);
    default:
        return 0;
    }
}

static int refuse_broken(struct hoop__form *form)
{
    const hoop_error *error = hoop_multipart_error(form->reader);
    return REFUSE(form, error->code, 400, "%s", error->text);
}

int hoop__form_feed(struct hoop__form *form, hoop_str piece)
{
    hoop_str data = hoop_str_none();
    int event;
    form->received += piece.len;
    while ((event = hoop_multipart_next(form->reader, &piece, &data)) > 0) {
        int rc = take_event(form, event, data);
        if (rc)
            return rc;
    }
    return event ? refuse_broken(form) : 0;
}

/* --- writing --------------------------------------------------------------------------------- */

int hoop__form_has_unwritten(const struct hoop__form *form, size_t above)
{
    return above ? form->staged.len > above : form->unwritten != NULL;
}

static int write_file(struct hoop__form *form, struct hoop__form_file *file, const char **at)
{
    int rc = file->temp.fd < 0 ? hoop__temp_open(&form->rules->folder, &file->temp) : 0;
    if (!rc)
        rc = hoop__temp_write(&file->temp, *at, file->staged);
    *at += file->staged;
    file->staged = 0;
    return rc;
}

void hoop__form_write(struct hoop__form *form)
{
    const char *at = form->staged.data;
    for (struct hoop__form_file *f = form->unwritten; f && !form->write_code; f = f->next)
        form->write_code = write_file(form, f, &at);
    form->staged.len = 0;
    form->unwritten = NULL;
}

int hoop__form_write_failed(const struct hoop__form *form)
{
    if (form->write_code)
        hoop_fail(form->req, form->write_code, "a file of a form can't be written to '%s': %s",
                  form->rules->folder.path, hoop_strerror(form->write_code));
    return form->write_code;
}

/* --- the end --------------------------------------------------------------------------------- */

static const char *utf8(void)
{
    return hoop__charset(hoop_str_c("UTF-8"));
}

/* The charsets of a form: what is said of all its texts, and of those that say nothing by themselves. */
struct charsets {
    const char *forced;
    const char *other;
};

/* A charset's constant name, or `other` if none is said. NULL: refused. */
static const char *charset_named(struct hoop__form *form, hoop_str name, const char *other)
{
    if (hoop_str_is_none(name))
        return other;
    const char *charset = hoop__charset(name);
    if (!charset)
        REFUSE(form, HOOP_EUNSUPPORTED, 415, "the form is in a charset that is not known");
    return charset;
}

/* 0, or a code: refused. */
static int find_charsets(struct hoop__form *form, struct charsets *ret)
{
    const struct hoop__form_rules *rules = form->rules;
    hoop_str said = hoop_str_none();
    for (struct hoop__form_field *f = form->fields; f && !rules->charset; f = f->next)
        if (hoop_str_eq(f->name, hoop_str_c("_charset_")) && f->value.len)
            said = f->value;
    const char *none = "";
    ret->forced = rules->charset ? rules->charset : charset_named(form, said, none);
    if (!ret->forced)
        return HOOP_EUNSUPPORTED;
    if (ret->forced == none)
        ret->forced = NULL;
    ret->other = rules->fallback;
    if (!ret->forced && !ret->other)
        ret->other = charset_named(form, hoop_request_charset(form->req), utf8());
    return ret->forced || ret->other ? 0 : HOOP_EUNSUPPORTED;
}

static int refuse_text(struct hoop__form *form, int code, const char *charset, uint64_t number)
{
    if (code == HOOP_EUNSUPPORTED)
        return REFUSE(form, code, 415, "the form is in a charset that is not known");
    return REFUSE(form, code, 400, "part %llu has bytes that are no %s", (unsigned long long)number,
                  charset);
}

/* Makes UTF-8 of a text. 0 or a code. */
static int decode(struct hoop__form *form, const char *charset, uint64_t number, hoop_str *text)
{
    size_t size = 0;
    if (charset == utf8() && hoop__utf8_is_valid(*text))
        return 0; /* an absent one is, too */
    char *out = text->len < SIZE_MAX / HOOP__CHARSET_WIDEST
                    ? hoop_alloc(form->req, text->len * HOOP__CHARSET_WIDEST + 1)
                    : hoop__fail_memory(form->req);
    if (!out)
        return HOOP_ENOMEM;
    int rc = hoop__charset_decode(charset, *text, form->rules->o.lenient != 0, out, &size);
    if (rc)
        return refuse_text(form, rc, charset, number);
    out[size] = 0;
    *text = hoop_str_n(out, size);
    return 0;
}

static int decode_field(struct hoop__form *form, const struct charsets *charsets,
                        struct hoop__form_field *field)
{
    const char *of_name = charsets->forced ? charsets->forced : charsets->other;
    const char *of_value =
        charsets->forced ? charsets->forced : charset_named(form, field->charset, charsets->other);
    int rc = of_value ? decode(form, of_name, field->number, &field->name) : HOOP_EUNSUPPORTED;
    return rc ? rc : decode(form, of_value, field->number, &field->value);
}

/* A file name that is right UTF-8 may come from `filename*`, which is always that. */
static int decode_file(struct hoop__form *form, const struct charsets *charsets, hoop_upload *file)
{
    const char *charset = charsets->forced ? charsets->forced : charsets->other;
    hoop_str *texts[] = { &file->filename, &file->filename_sent };
    int rc = decode(form, charset, file->index + 1u, &file->name);
    for (size_t i = 0; i < HOOP_COUNT(texts) && !rc; i++)
        if (!hoop__utf8_is_valid(*texts[i]))
            rc = decode(form, charset, file->index + 1u, texts[i]);
    return rc;
}

static int decode_all(struct hoop__form *form)
{
    struct charsets charsets;
    int rc = find_charsets(form, &charsets);
    for (struct hoop__form_field *f = form->fields; f && !rc; f = f->next)
        rc = decode_field(form, &charsets, f);
    for (struct hoop__form_file *f = form->files; f && !rc; f = f->next)
        rc = decode_file(form, &charsets, &f->pub);
    return rc;
}

/* The request with the fields behind the query's parameters. NULL: noted. */
static const hoop_request *with_fields(const struct hoop__form *form)
{
    static const struct hoop__params nothing = { NULL, 0, 0, NULL, 0, 0 };
    const struct hoop__params *known = hoop__params_of(form->req);
    struct hoop__params params = known ? *known : nothing;
    size_t count = params.query_count + form->field_count;
    hoop_field *items = hoop_alloc(form->req, count * sizeof *items);
    if (!items)
        return NULL;
    if (params.query_count)
        memcpy(items, params.items, params.query_count * sizeof *items);
    hoop_field *next = items + params.query_count;
    for (const struct hoop__form_field *f = form->fields; f; f = f->next)
        *next++ = (hoop_field){ f->name, f->value };
    params.items = items;
    params.form_count = form->field_count;
    params.has_form = 1;
    return hoop__params_put(form->req, &params);
}

/* The request with the files, too. NULL: noted. */
static const hoop_request *with_files(const struct hoop__form *form, const hoop_request *req)
{
    struct hoop__uploads *uploads = hoop_alloc(form->req, sizeof *uploads);
    hoop_upload *items = hoop_alloc(form->req, form->file_count * sizeof *items);
    if (!uploads || !items)
        return NULL;
    *uploads = (struct hoop__uploads){ items, form->file_count };
    for (const struct hoop__form_file *f = form->files; f; f = f->next) {
        *items = f->pub;
        items->fd = f->temp.fd;
        if (f->temp.path)
            items->path = hoop_str_c(f->temp.path);
        items++;
    }
    return hoop__uploads_put(req, uploads);
}

const hoop_request *hoop__form_finish(struct hoop__form *form, const hoop_response **ret_answer)
{
    int rc = hoop_multipart_finish(form->reader) ? refuse_broken(form) : decode_all(form);
    if (rc && form->answer)
        *ret_answer = form->answer;
    const hoop_request *req = rc ? NULL : with_fields(form);
    return req ? with_files(form, req) : NULL;
}
