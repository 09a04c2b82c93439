/* Work that may wait for a disk: on the blocking pool, with its result brought back to the loop. */
#ifndef HOOP_FILE_OFFLOAD_H
#define HOOP_FILE_OFFLOAD_H

#include "value/exchange.h"

#include <hoop/deferred.h>

/*
 * Runs `work(arg)` on the pool, then `then(req, ..., arg)` on the loop, whose response is the result; its own is not to
 * be used. `arg` lives in the arena of `req`. `work` runs on a thread of its own and touches nothing but `arg`.
 * Where there is no pool it runs here. If the exchange ends meanwhile, `then` does not run: what `work` made has to be
 * given back by a hook of the arena. NULL: noted; HOOP_EBUSY if the pool is full.
 */
const hoop_response *hoop__offload(const hoop_request *req, void (*work)(void *arg),
                                   hoop_then_fn *then, void *arg);

#endif
