/** @file
 * The server: listeners, loops, start, drain and stop.
 */
#ifndef HOOP_SERVER_H
#define HOOP_SERVER_H

#include <hoop/arena.h>
#include <hoop/error.h>
#include <hoop/export.h>
#include <hoop/handler.h>
#include <hoop/limits.h>
#include <hoop/log.h>
#include <hoop/loop.h>

HOOP_BEGIN_DECLS

/** What a listener speaks. */
#define HOOP_HTTP 0u /**< HTTP/1.1 and HTTP/1.0 */
#define HOOP_AJP  1u /**< AJP/1.3, spoken by Apache's mod_proxy_ajp and mod_jk */

/** Whether a front end says who the client is, by HAProxy's PROXY protocol (version 1 or 2). */
#define HOOP_PROXY_OFF      0u /**< no: such a header is answered 400 */
#define HOOP_PROXY_REQUIRED 1u /**< in front of each connection: others are closed in silence */

/** One place to listen at. Zero means the default. */
typedef struct hoop_listener {
    const char *host; /**< address or name; NULL: "127.0.0.1". "::" takes IPv4 as well */
    const char *path; /**< a Unix socket in place of host and port: replaced if it is left over */
    const char *ajp_secret; /**< what each AJP request must bring; NULL: none, and then TCP only on
                                 the loopback address. Not empty */
    const char *ajp_attributes; /**< patterns of further request attributes that are let in, between
                                     commas ("tenant, X_*"); NULL: others than Apache's get 403 */
    const char *proxy_trusted;  /**< who may send PROXY headers: networks, addresses, and "unix" for
                                     Unix sockets, between commas ("10.0.0.0/8, ::1"); NULL: this
                                     machine. Others are closed at once */
    uint32_t port;              /**< 0: any free one, see hoop_listener_port() */
    uint32_t protocol;          /**< HOOP_HTTP or HOOP_AJP */
    int32_t fd;         /**< an inherited listening descriptor, above 0; ours once hoop_server_new()
                           succeeds; no port with it */
    uint32_t backlog;   /**< 0: 4096 */
    uint32_t unix_mode; /**< permission bits of the Unix socket; 0: as the umask leaves them */
    uint32_t ajp_packet_size; /**< bytes of a packet, as the proxy has it: 8192 to 65536; 0: 8192 */
    uint32_t ajp_trust_user;  /**< nonzero: believe the proxy who the user is (hoop_ajp_get()) */
    uint32_t proxy_protocol;  /**< HOOP_PROXY_OFF or HOOP_PROXY_REQUIRED; not with HOOP_AJP */
} hoop_listener;

/**
 * Makes what hoop_loop_state() gives for a loop, on its thread, before its first request, and sets
 * `*ret_state` (NULL before). 0, or a negative code: then the server does not start, and hoop_server_start()
 * returns it; on_loop_stop is not called for this loop.
 */
typedef int hoop_loop_start_fn(hoop_loop *loop, void *data, void **ret_state);
/** Gives that back, on its thread, after its last request. */
typedef void hoop_loop_stop_fn(hoop_loop *loop, void *state, void *data);

/** What a server takes. Zero means the default. All that is pointed to outlives the server. */
typedef struct hoop_server_options {
    const char *host;                  /**< of the one listener, unless `listeners` is given */
    const char *path;                  /**< likewise: a Unix socket */
    const hoop_listener *listeners;    /**< a table of listeners */
    size_t listener_count;             /**< how many; HOOP_LISTENERS() fills these three */
    size_t listener_size;              /**< the size of one */
    const hoop_limits *limits;         /**< NULL: the defaults; HOOP_LIMITS() fills these two */
    size_t limits_size;                /**< its size */
    const char *server_name;           /**< the Server header; NULL: none is sent */
    const hoop_allocator *allocator;   /**< NULL: malloc */
    hoop_log_fn *log;                  /**< NULL: silent (hoop_serve(): hoop_log_stderr()) */
    void *log_data;                    /**< handed to log */
    hoop_loop_start_fn *on_loop_start; /**< NULL: the state is NULL */
    hoop_loop_stop_fn *on_loop_stop;   /**< NULL: nothing */
    void *loop_data;                   /**< handed to both */
    struct uv_loop_s *loop;            /**< the host's loop to run on; NULL: loops of its own */
    uint32_t port;                     /**< of the one listener; 0: any free one */
    uint32_t threads;                  /**< loops, each on a thread; 0: 1. Not with `loop` */
    uint32_t blocking_threads; /**< of the pool of hoop_blocking(); 0: 4, started when needed */
    uint32_t listen_fds; /**< nonzero: systemd's LISTEN_FDS, if there, in place of all others */
} hoop_server_options;

/** Fills the three members of a table of listeners: `HOOP_LISTENERS(table)`. C only. */
#define HOOP_LISTENERS(table_) \
    .listeners = (table_), .listener_count = HOOP_COUNT(table_), .listener_size = sizeof(*(table_))

/** Fills the two members of the limits: `HOOP_LIMITS(&(hoop_limits){ .max_body = 10 })`. C only. */
#define HOOP_LIMITS(...) .limits = (__VA_ARGS__), .limits_size = sizeof(hoop_limits)

/** A server. */
typedef struct hoop_server hoop_server;

/** Runs a server as a program does; see hoop_serve(). */
HOOP_API int hoop_serve_sized(hoop_handler handler, const hoop_server_options *options,
                              size_t options_size);

/**
 * `hoop_serve(handler, options)`: the whole of a program. Listens, logs `listening on URL` for each
 * listener (by hoop_log_stderr() unless `log` is set), serves until SIGINT or SIGTERM, drains up to
 * hoop_limits.drain_ms (a second signal stops at once), and returns the exit status for main: 0
 * after a clean end, 1 if it could not start (logged). The signals have their old actions again afterwards.
 * The loop runs on the calling thread, further ones (`threads`) on their own.
 */
#define hoop_serve(handler, ...) \
    hoop_serve_sized((handler), (__VA_ARGS__), sizeof(hoop_server_options))

/** Makes a server; see hoop_server_new(). */
HOOP_API int hoop_server_new_sized(hoop_handler handler, hoop_server **ret_server,
                                   hoop_error *error, const hoop_server_options *options,
                                   size_t options_size);

/**
 * `hoop_server_new(handler, &server, &error, options)`: checks the handler (hoop_check()) and the
 * options, and binds all listeners; nothing is accepted yet. 0, or a code and a text that names the
 * value at fault ("127.0.0.1:80: permission denied"). Free it by hoop_server_free().
 */
#define hoop_server_new(handler, ret_server, error, ...)                   \
    hoop_server_new_sized((handler), (ret_server), (error), (__VA_ARGS__), \
                          sizeof(hoop_server_options))

/**
 * Begins to serve and returns: on the host's loop (call it on that loop's thread, then run the loop),
 * else on threads of the server's own, which block SIGPIPE, once each has begun. HOOP_EALREADY if it
 * runs, HOOP_ECANCELED after its end. 0, or a code and a text.
 */
HOOP_API int hoop_server_start(hoop_server *server, hoop_error *error);

/** The port of listener `index`, from 0; 0 for a Unix socket or behind the last. Threads: any. */
HOOP_API uint32_t hoop_listener_port(const hoop_server *server, size_t index);

/** The URL of listener `index` ("http://127.0.0.1:8080", "unix:/run/x"), "" behind the last. Lives
 * with the server. Threads: any. */
HOOP_API const char *hoop_listener_url(const hoop_server *server, size_t index);

/**
 * Ends in good order: accepts nothing more, closes idle connections at once, answers what runs with
 * `Connection: close`, and after `deadline_ms` cancels and closes the rest. When every handle is
 * closed, `fn(data)` (NULL allowed) runs: on the host's loop's thread, or on the last loop's own
 * thread; at once if the server does not run. It may free the server. Blocking handlers that run are
 * waited for, also past the deadline. A later call can only shorten the deadline; each `fn` runs. 0, or
 * HOOP_ENOMEM (nothing was begun). Threads: any.
 */
HOOP_API int hoop_server_drain(hoop_server *server, uint64_t deadline_ms, hoop_task_fn *fn,
                               void *data);

/** hoop_server_drain() with a deadline of zero. Threads: any. */
HOOP_API int hoop_server_stop(hoop_server *server, hoop_task_fn *fn, void *data);

/**
 * Waits until the server has ended, for servers with threads of their own; the calling thread is none
 * of those. 0, HOOP_EINVAL on a host's loop or before the start, HOOP_ETHREAD on a loop's thread.
 * Threads: any.
 */
HOOP_API int hoop_server_wait(hoop_server *server);

/**
 * Frees the server. One that still runs is stopped first: with threads of its own this waits for
 * them; on a host's loop, and on one of those threads, it returns at once, and the rest frees itself when
 * the last loop has closed: whoever has to free what the handlers use stops the server first and waits
 * for hoop_server_stop()'s `fn`. NULL is allowed. Threads: any, one caller.
 */
HOOP_API void hoop_server_free(hoop_server *server);

/** Counters of a server, summed over its loops. */
typedef struct hoop_stats {
    uint64_t connections; /**< open now */
    uint64_t accepted;    /**< connections taken so far */
    uint64_t refused;     /**< connections closed at once by a limit on them */
    uint64_t requests;    /**< requests dispatched */
    uint64_t responses;   /**< responses sent in full */
    uint64_t failures;    /**< responses that stood for a handler's failure */
    uint64_t errors;      /**< answers to requests that could not be read (400, 408, 413 ...) */
    uint64_t pending;     /**< deferreds open now */
    uint64_t bytes_in;    /**< received */
    uint64_t bytes_out;   /**< sent */
    uint64_t blocks;      /**< memory blocks held, in use or cached */

    /* How often each of hoop_limits was reached, by its name. Those that only make reading or
     * producing wait (max_read_ahead, max_output) have no counter. */
    uint64_t limit_target;          /**< 414 */
    uint64_t limit_head;            /**< 431 for its bytes */
    uint64_t limit_headers;         /**< 431 for their number */
    uint64_t limit_body;            /**< 413 by hoop_read_body(), once for each reader */
    uint64_t limit_chunk_extension; /**< 400 for their bytes */
    uint64_t limit_trailer;         /**< 431 for bytes or number of trailers */
    uint64_t limit_requests;        /**< connections closed behind their last request */
    uint64_t limit_discard;         /**< connections closed since too much was not read */
    uint64_t limit_arena;           /**< exchanges that wanted more memory */
    uint64_t limit_pending;         /**< deferreds refused */
    uint64_t limit_blocking;        /**< blocking jobs refused */
    uint64_t late_first_byte;       /**< connections that brought nothing */
    uint64_t late_head;             /**< 408 for a head */
    uint64_t late_idle;             /**< connections that were idle for too long */
    uint64_t late_body;             /**< 408, or a close behind an answer, for a slow body */
    uint64_t late_handler;          /**< 503 for an answer that did not come */
    uint64_t late_write;            /**< connections whose client took nothing */
    uint64_t refused_proxy;         /**< connections closed for want of a PROXY header from whom
                                         hoop_listener.proxy_trusted allows */
} hoop_stats;

/** Reads the counters into `stats`. Threads: any, while the server exists. */
HOOP_API void hoop_server_stats(const hoop_server *server, hoop_stats *ret_stats,
                                size_t stats_size);

HOOP_END_DECLS

#endif
