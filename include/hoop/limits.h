/** @file
 * All limits and times of a server in one flat struct; finite by default.
 */
#ifndef HOOP_LIMITS_H
#define HOOP_LIMITS_H

#include <hoop/export.h>

/**
 * Limits and times. Zero means the default given here, HOOP_OFF none. Times are in milliseconds,
 * sizes in bytes. What happens at a limit stands beside it.
 */
typedef struct hoop_limits {
    uint64_t max_target;  /**< request target: 8192; 414 */
    uint64_t max_head;    /**< request line and headers: 32 KiB; 431, 414 in the first line */
    uint64_t max_headers; /**< header lines: 128; 431 */
    uint64_t max_body;    /**< request body: 1 MiB; 413 */
    uint64_t max_chunk_extension; /**< chunk extensions of one body: 4 KiB; 400 */
    uint64_t max_trailer;         /**< trailer section: 8 KiB; 431 */
    uint64_t max_requests;    /**< requests of a connection: 1,000,000; then Connection: close */
    uint64_t max_read_ahead;  /**< unread bytes kept behind a request: 64 KiB; reading stops */
    uint64_t max_discard;     /**< unwanted body bytes read to keep a connection: 64 KiB; closes */
    uint64_t max_connections; /**< in all: the descriptors allowed less 64; closed at once */
    uint64_t max_connections_per_peer; /**< from one address: as max_connections; closed at once */
    uint64_t max_output;    /**< bytes pending to one connection: 1 MiB; producing stops */
    uint64_t max_arena;     /**< memory of one exchange's arena: 16 MiB; 503 */
    uint64_t max_pending;   /**< open deferreds of a loop: 65,536; 503 */
    uint64_t max_blocking;  /**< jobs waiting for the blocking pool: 1,024; 503 */
    uint64_t first_byte_ms; /**< from accepting to the first byte: 30 s; closes */
    uint64_t head_ms;       /**< from a head's first byte to its last: 10 s; 408 */
    uint64_t idle_ms;       /**< between requests: 60 s; closes */
    uint64_t body_grace_ms; /**< before the rate below counts: 5 s */
    uint64_t body_rate;     /**< bytes a second that a body must bring: 500; 408 */
    uint64_t handler_ms;    /**< a response may be pending, the body's coming not counted; anew with
                               each pause of its reading, and behind its end: 30 s; 503 */
    uint64_t write_ms;      /**< without the client taking a byte: 30 s; closes */
    uint64_t linger_ms;     /**< of reading on after an error's answer: 2 s; closes */
    uint64_t drain_ms;      /**< hoop_serve()'s wait for running requests: 10 s; cancels */
} hoop_limits;

#endif
