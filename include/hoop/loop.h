/** @file
 * The loop that runs an exchange, and what a program may do with it.
 */
#ifndef HOOP_LOOP_H
#define HOOP_LOOP_H

#include <hoop/export.h>
#include <hoop/request.h>

HOOP_BEGIN_DECLS

/** One event loop of a server: a thread, its connections and its clock. */
typedef struct hoop_loop hoop_loop;

/** libuv's loop, so that no header here needs <uv.h>. */
struct uv_loop_s;

/** The loop that runs this exchange; NULL for a request of hoop_app_request(). On its thread. */
HOOP_API hoop_loop *hoop_loop_of(const hoop_request *req);

/** libuv's loop behind it, for the program's own handles; NULL in tests without sockets. */
HOOP_API struct uv_loop_s *hoop_loop_uv(hoop_loop *loop);

/** What on_loop_start set for this loop (hoop_server_options). */
HOOP_API void *hoop_loop_state(const hoop_loop *loop);

/** Milliseconds of a clock that never goes back, as of the loop's last turn. On its thread. */
HOOP_API uint64_t hoop_loop_now(const hoop_loop *loop);

/**
 * Has `fn(data)` run on the loop's thread, soon and in order. 0, HOOP_ENOMEM, or HOOP_ECANCELED if
 * the loop has closed (then `fn` will not run). The loop must still exist: callers outside its
 * handlers keep their server alive meanwhile. Threads: any.
 */
HOOP_API int hoop_loop_post(hoop_loop *loop, hoop_task_fn *fn, void *data);

HOOP_END_DECLS

#endif
