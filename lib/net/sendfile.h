/* A piece of a file to a socket, without a copy where the system can. */
#ifndef HOOP_NET_SENDFILE_H
#define HOOP_NET_SENDFILE_H

#include "base/out.h"

#include <sys/types.h>

/*
 * Sends of the piece that `out` refers to what the non-blocking `socket` takes, and raises no signal. The
 * copied bytes of `out` must have been sent: their room may be used. How many bytes were sent (0: the socket
 * is full), HOOP_EGONE if the peer is gone, HOOP_EOF if the file has become shorter, or a negative errno of
 * the file's.
 */
ssize_t hoop__send_piece(int socket, struct hoop__out *out);

/* The same with the system's sendfile left out. */
ssize_t hoop__send_piece_copied(int socket, struct hoop__out *out);

/*
 * How many bytes of a socket may wait unsent in the kernel, of all of them, and of files, whose pages it does not
 * copy. It would take megabytes for each client that does not read, out of memory that all of the machine's
 * connections share.
 */
#define HOOP__UNSENT         (256 * 1024)
#define HOOP__UNSENT_OF_FILE (4 * 1024 * 1024)

/* Sets that bound; what a listener's socket has, those inherit that it accepts. A Unix socket has none. */
void hoop__bound_unsent(int socket, int bytes);

#endif
