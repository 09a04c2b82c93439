/*
 * A request's body into a file. While one buffer is written on the pool, the next one fills; when that is full,
 * too, the client waits. The file has a hidden name until all of it is there.
 */
#include "file/file.h"
#include "value/pending.h"

#include <hoop/save.h>
#include <hoop/stream.h>

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define TEMPORARY_MAX 32

/* What the pool is to do; a commit writes first. */
enum step { STEP_WRITE, STEP_COMMIT, STEP_ABORT };

struct buffer {
    char *data;
    size_t len;
};

/*
 * Counted: the exchange has a reference, and a job that runs. The loop's thread owns all of it; but while a job runs,
 * `writing`, `result`, `committed` and the descriptors are the job's.
 */
struct save {
    struct hoop__job job;
    struct hoop__task home;
    atomic_uint refs;
    const hoop_allocator *allocator;
    struct hoop__mailbox *mailbox;
    struct hoop_loop *loop;
    const struct hoop_folder *folder;
    hoop_save_options options;
    hoop_reader *reader;     /* until the body has ended */
    hoop_deferred *deferred; /* the answer, once the body has ended */
    struct buffer filling, writing;
    uint64_t written;
    int code;                   /* why there will be no file, or 0 */
    int running, ended, paused; /* a job; the body; the client */
    enum step step;
    int result, committed; /* of the job */
    int folder_fd, fd;
    char temporary[TEMPORARY_MAX];
    size_t name; /* where the last name of `path` begins */
    char path[];
};

/* --- on the pool ----------------------------------------------------------------------------- */

/* Opens the folder of the file, and a file with a name of its own there. */
static int create(struct save *s)
{
    unsigned char bytes[8];
    char folder[sizeof "."] = ".";
    const char *path = folder;
    if (s->name) {
        s->path[s->name - 1] = 0;
        path = s->path;
    }
    s->folder_fd = hoop__root_open(&s->folder->root, path, /* cached= */ 0);
    if (s->name)
        s->path[s->name - 1] = '/';
    if (s->folder_fd < 0)
        return s->folder_fd;
    if (getentropy(bytes, sizeof bytes))
        return -errno;
    snprintf(s->temporary, sizeof s->temporary, ".hoop-%02x%02x%02x%02x%02x%02x%02x%02x.part",
             bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]);
    s->fd = openat(s->folder_fd, s->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                   (mode_t)s->options.mode);
    return s->fd < 0 ? -errno : 0;
}

static int write_all(struct save *s)
{
    size_t at = 0;
    while (at < s->writing.len) {
        ssize_t n = write(s->fd, s->writing.data + at, s->writing.len - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n ? -errno : -ENOSPC;
        at += (size_t)n;
    }
    return 0;
}

/* Gives the file its name. Without `replace` a link does it, which takes no name that is taken. */
static int commit(struct save *s)
{
    const char *name = s->path + s->name;
    if (s->options.sync && fsync(s->fd))
        return -errno;
    if (s->options.replace) {
        if (renameat(s->folder_fd, s->temporary, s->folder_fd, name))
            return -errno;
    } else {
        if (linkat(s->folder_fd, s->temporary, s->folder_fd, name, 0))
            return -errno;
        unlinkat(s->folder_fd, s->temporary, 0);
    }
    s->committed = 1;
    /* All loops look again. The folder is constant for those who serve it. */
    atomic_fetch_add(&((struct hoop_folder *)(uintptr_t)s->folder)->saves, 1);
    if (s->options.sync && fsync(s->folder_fd))
        return -errno;
    return 0;
}

/* Closes all, and removes what has no name. */
static void clean_up(struct save *s)
{
    if (s->fd >= 0) {
        close(s->fd);
        if (!s->committed)
            unlinkat(s->folder_fd, s->temporary, 0);
    }
    if (s->folder_fd >= 0)
        close(s->folder_fd);
    s->fd = s->folder_fd = -1;
}

static void do_step(struct save *s)
{
    s->result = 0;
    if (s->step != STEP_ABORT) {
        if (s->fd < 0)
            s->result = create(s);
        if (!s->result)
            s->result = write_all(s);
        if (!s->result && s->step == STEP_COMMIT)
            s->result = commit(s);
    }
    if (s->step != STEP_WRITE || s->result)
        clean_up(s);
}

static void unref(struct save *s)
{
    if (atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
        return;
    clean_up(s);
    hoop__mailbox_unref(s->mailbox);
    hoop__free(s->allocator, s->filling.data);
    hoop__free(s->allocator, s->writing.data);
    hoop__free(s->allocator, s);
}

static void go_home(struct save *s)
{
    if (hoop__mailbox_post(s->mailbox, &s->home) == 0)
        return;
    /* The loop has closed: nobody waits for the file, and nobody else touches this. */
    hoop_deferred *d = s->deferred;
    s->deferred = NULL;
    clean_up(s);
    hoop_deferred_drop(d);
    unref(s);
}

static void work(struct hoop__job *job)
{
    do_step((struct save *)job);
    go_home((struct save *)job);
}

static void cancel(struct hoop__job *job)
{
    struct save *s = (struct save *)job;
    s->result = HOOP_ECANCELED;
    clean_up(s);
    go_home(s);
}

/* --- on the loop ----------------------------------------------------------------------------- */

static const hoop_response *plain_answer(const hoop_request *req, int code)
{
    switch (code) {
    case 0:
        return hoop_respond(req, 201);
    case -EEXIST:
    case -EISDIR:
        return hoop_problem(req, 409, "a file of that name is there");
    case -ENOENT:
    case -ENOTDIR:
    case -EXDEV:
    case -ELOOP:
    case -ENAMETOOLONG:
        return hoop_problem(req, 404, NULL);
    case -ENOSPC:
    case -EDQUOT:
        return hoop_problem(req, 507, NULL);
    default:
        return hoop_fail(req, code, "the body can't be saved: %s", hoop_strerror(code));
    }
}

static void answer(struct save *s)
{
    hoop_deferred *d = s->deferred;
    const hoop_request *req = hoop_deferred_request(d);
    s->deferred = NULL;
    const hoop_response *res = NULL;
    if (s->options.saved)
        res = s->options.saved(req, s->code, s->written, s->options.data);
    if (!s->options.saved || (!res && s->code && !hoop_failure(req)))
        res = plain_answer(req, s->code);
    hoop_resolve(d, res);
}

/* Hands the full buffer to the pool, where there is one; else it is done here. Home comes either way. */
static void start(struct save *s, enum step step)
{
    struct buffer empty = s->writing;
    s->writing = s->filling;
    s->filling = empty;
    s->filling.len = 0;
    s->step = step;
    s->running = 1;
    atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    if (s->loop->ops->block(s->loop, &s->job) == 0)
        return;
    /* A full pool must not break an upload off: it slows all others down instead. */
    do_step(s);
    hoop__loop_queue(s->loop, &s->home);
}

static int is_open(const struct save *s)
{
    return s->fd >= 0 || s->folder_fd >= 0;
}

/* Whatever is next: nothing while a job runs, since it asks again when it is home. */
static void go_on(struct save *s)
{
    if (s->running)
        return;
    if (s->code && !s->ended) {
        hoop_reader_stop(s->reader, s->code);
    } else if (s->code && is_open(s)) {
        start(s, STEP_ABORT);
    } else if (s->ended && !s->code && !s->committed) {
        start(s, STEP_COMMIT);
    } else if (s->ended) {
        if (s->deferred)
            answer(s);
    } else if (s->filling.len) {
        start(s, STEP_WRITE);
    }
}

static void come_home(struct hoop__task *task, struct hoop_loop *loop)
{
    struct save *s = (struct save *)(void *)((char *)task - offsetof(struct save, home));
    s->running = 0;
    if (!s->code)
        s->code = s->result;
    if (!s->code && s->writing.len) {
        s->written += s->writing.len;
        if (s->options.progress)
            s->options.progress(s->written, s->options.data);
    }
    s->writing.len = 0;
    if (s->paused) {
        s->paused = 0;
        hoop_reader_resume(s->reader);
    }
    go_on(s);
    unref(s);
}

static int take(struct save *s, hoop_str bytes)
{
    size_t need = s->filling.len + bytes.len;
    char *data = hoop__realloc(s->allocator, s->filling.data, need);
    if (!data)
        return HOOP_ENOMEM;
    memcpy(data + s->filling.len, bytes.data, bytes.len);
    s->filling.data = data;
    s->filling.len = need;
    return 0;
}

static int on_chunk(hoop_reader *reader, hoop_str bytes, hoop_arena *scratch, void *data)
{
    struct save *s = data;
    s->reader = reader;
    if (s->code)
        return s->code;
    int rc = bytes.len ? take(s, bytes) : 0;
    if (rc)
        return rc;
    go_on(s);
    if (s->filling.len < s->options.window || !s->running)
        return 0;
    s->paused = 1; /* a job runs, or there would be nothing here */
    return HOOP_WAIT;
}

static const hoop_response *on_end(const hoop_request *req, int code, void *data)
{
    struct save *s = data;
    s->ended = 1;
    s->paused = 0;
    s->reader = NULL;
    s->deferred = hoop_defer(req);
    if (!s->code)
        s->code = !s->deferred ? HOOP_ENOMEM : code;
    /* Looked at before anything goes on: the answer may be made at once. */
    const hoop_response *res = s->deferred ? hoop_deferred_response(s->deferred) : NULL;
    go_on(s);
    return res;
}

/* The exchange has ended. What is still open is closed on the pool, if there is still one. */
static void on_dispose(void *data)
{
    struct save *s = data;
    s->ended = 1;
    if (!s->running && is_open(s) && hoop__mailbox_here(s->mailbox)) {
        s->code = HOOP_ECANCELED;
        start(s, STEP_ABORT);
    }
    unref(s);
}

/* --- beginning ------------------------------------------------------------------------------- */

static struct save *save_new(const hoop_request *req, const hoop_folder *folder, hoop_str path)
{
    struct hoop_loop *loop = hoop_loop_of(req);
    struct save *s = hoop__alloc(loop->allocator, sizeof *s + path.len + 1);
    if (!s)
        return hoop__fail_memory(req);
    memset(s, 0, sizeof *s);
    atomic_init(&s->refs, 1);
    s->job.work = work;
    s->job.cancel = cancel;
    s->home.run = come_home;
    s->allocator = loop->allocator;
    s->mailbox = hoop__mailbox_ref(loop->mailbox);
    s->loop = loop;
    s->folder = folder;
    s->folder_fd = s->fd = -1;
    memcpy(s->path, path.data, path.len + 1);
    const char *slash = memrchr(s->path, '/', path.len);
    s->name = slash ? (size_t)(slash - s->path) + 1 : 0;
    if (hoop_arena_on_dispose(req->arena, on_dispose, s))
        return hoop__fail_memory(req);
    return s;
}

const hoop_response *hoop_save_sized(const hoop_request *req, const hoop_folder *folder,
                                     const char *path, const hoop_save_options *options,
                                     size_t options_size)
{
    if (!req)
        return NULL;
    if (!folder || !path || !hoop__exchange_of(req))
        return hoop_fail(req, HOOP_EINVAL, "hoop_save() needs a folder, a path and an exchange");
    if (!hoop__on_loop(req))
        return hoop_fail(req, HOOP_ETHREAD, "hoop_save() belongs on the loop's thread");
    hoop_str text = hoop_str_c(path);
    if (hoop_str_eq_c(text, ".") || !hoop__root_path_ok(text, folder->options.dot_files != 0))
        return hoop_problem(req, 404, NULL);
    struct save *s = save_new(req, folder, text);
    if (!s)
        return NULL;
    if (options)
        memcpy(&s->options, options,
               options_size < sizeof *options ? options_size : sizeof *options);
    if (!s->options.window)
        s->options.window = 256 * 1024;
    if (!s->options.mode)
        s->options.mode = 0644;
    return hoop_read_stream(
        req, &(hoop_read_options){
                 .chunk = on_chunk, .end = on_end, .data = s, .limit = s->options.limit });
}
