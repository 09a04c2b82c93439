/* What the files of this room share: folders, what is known of a path, and the cache of that. */
#ifndef HOOP_FILE_FILE_H
#define HOOP_FILE_FILE_H

#include "base/arena.h"
#include "base/clock.h"
#include "base/loop.h"
#include "file/root.h"
#include "value/exchange.h"
#include "value/response.h"

#include <hoop/file.h>

#include <stdatomic.h>
#include <sys/stat.h>

/* --- folders --------------------------------------------------------------------------------- */

/* Made at start, read by all loops. */
struct hoop_folder {
    struct hoop__root root;
    hoop_folder_options options; /* defaults filled in */
    uint64_t id;                 /* tells it from another one at the same address */
    atomic_uint saves;           /* files that hoop_save() has given a name in it */
};

/* --- what is known of a path ----------------------------------------------------------------- */

enum hoop__file_kind { HOOP__FILE_MISSING, HOOP__FILE_PLAIN, HOOP__FILE_FOLDER };

#define HOOP__ETAG_MAX 56

/*
 * Counted: the cache has a reference, and every response that sends of it; so it may end on any thread. All but the
 * cache's own members stay as they are once it is made.
 */
struct hoop__file {
    atomic_uint refs;
    enum hoop__file_kind kind;
    const hoop_allocator *allocator;
    uint64_t size, device, inode;
    struct timespec modified, changed;
    char *contents; /* a small file's; or NULL */
    int fd;         /* of a larger one; or -1 */
    uint8_t etag_len;
    char etag[HOOP__ETAG_MAX];
    char last_modified[HOOP__DATE_LEN + 1];
    hoop_str type; /* Content-Type; absent if unknown */

    /* The cache's. */
    struct hoop__file *next; /* of its bucket */
    struct hoop__file *newer, *older;
    uint64_t checked_ms;
    unsigned saves; /* of the folder, when it was looked at */
    uint32_t hash;
    uint8_t
        young; /* its contents were taken so soon behind a change that another one would not show */

    size_t path_len;
    char path[]; /* with NUL, and the text of `type` behind it */
};

/*
 * Finds out about `path` and opens it if it is a plain file. 0 and a file with one reference, of kind MISSING if there
 * is none that may be read; or HOOP_ENOMEM, HOOP_EBUSY (out of descriptors). If not `may_wait`: HOOP_EAGAIN, if a
 * disk would be needed. Threads: any.
 */
int hoop__file_load(const struct hoop_folder *folder, hoop_str path,
                    const hoop_allocator *allocator, int may_wait, struct hoop__file **ret_file);

/* Nonzero if the path still leads to the same thing with the same contents. */
int hoop__file_is_current(const struct hoop_folder *folder, const struct hoop__file *file);

struct hoop__file *hoop__file_ref(struct hoop__file *file);
void hoop__file_unref(struct hoop__file *file);

/* Keeps it until the exchange ends. 0, or HOOP_ENOMEM (noted). */
int hoop__file_hold(const hoop_request *req, struct hoop__file *file);

/* --- the cache ------------------------------------------------------------------------------- */

struct hoop__file_cache;

/* The loop's cache for a folder; made at the first call. NULL: out of memory. */
struct hoop__file_cache *hoop__file_cache_of(struct hoop_loop *loop,
                                             const struct hoop_folder *folder);

/* What is known and still true; borrowed. NULL: nothing. */
struct hoop__file *hoop__file_cache_get(struct hoop__file_cache *cache,
                                        const struct hoop_folder *folder, hoop_str path,
                                        uint64_t now);

/* Adds it with a reference of the cache's own, in the place of what was known of its path. */
void hoop__file_cache_put(struct hoop__file_cache *cache, struct hoop__file *file, uint64_t now);

/* What it holds, for tests. */
struct hoop__file_counts {
    uint32_t known, open;
    uint64_t bytes;
};
struct hoop__file_counts hoop__file_cache_counts(const struct hoop__file_cache *cache);

/* --- finding and sending --------------------------------------------------------------------- */

/* Continues with what was found; the file is borrowed for the call. */
typedef const hoop_response *hoop__found_fn(const hoop_request *req, struct hoop__file *file,
                                            void *data);

/*
 * Looks a checked relative path up: in the cache, else in the folder, at once if no disk is needed, else on the pool,
 * the response being pending. That something is missing is remembered only if `derived`: for names that are made
 * of files that are there, so nobody fills the cache with them.
 */
const hoop_response *hoop__file_find(const hoop_request *req, const struct hoop_folder *folder,
                                     hoop_str path, int derived, hoop__found_fn *fn, void *data);

/* A response with the file as its body and `type` as its Content-Type (absent: none), without conditions and ranges.
 * The type lives as long as the exchange. NULL: noted. */
const hoop_response *hoop__file_respond(const hoop_request *req, int status,
                                        struct hoop__file *file, hoop_str type);

/* A source of the file's bytes. Takes a reference. NULL: noted. */
struct hoop__source *hoop__file_source_new(const hoop_request *req, struct hoop__file *file);

/* What the source can besides pull; set behind hoop__respond_source(). */
extern const struct hoop__source_extra hoop__file_source_extra;

/* The page that lists a folder. NULL: noted. Reads the folder: on the pool. */
const hoop_response *hoop__file_listing(const hoop_request *req, const struct hoop_folder *folder,
                                        hoop_str path);

#endif
