/** @file
 * The whole core of hoop in one include. `<hoop/json.h>` stands apart, since it alone needs
 * jansson's header.
 *
 * Rules that hold for everything here, unless a comment says otherwise:
 * - Threads: a function is called on the thread of the loop that runs the exchange; what may be
 *   called from any thread says so.
 * - Failure: functions return 0 or a negative code (hoop/error.h); functions that make a value
 *   return NULL and note the reason in the exchange (hoop_fail). Each of them accepts NULL for a
 *   request, response or deferred and then returns NULL or HOOP_EINVAL, so that calls can be nested.
 * - Ownership: constructors copy what they are given into the arena; `_static` borrows it for as long
 *   as the value lives, `_take` takes it over, also on failure.
 */
#ifndef HOOP_H
#define HOOP_H

#include <hoop/accept.h>
#include <hoop/address.h>
#include <hoop/ajp.h>
#include <hoop/arena.h>
#include <hoop/auth.h>
#include <hoop/body.h>
#include <hoop/channel.h>
#include <hoop/cookie.h>
#include <hoop/defaults.h>
#include <hoop/deferred.h>
#include <hoop/error.h>
#include <hoop/export.h>
#include <hoop/file.h>
#include <hoop/forwarded.h>
#include <hoop/handler.h>
#include <hoop/identity.h>
#include <hoop/json_doc.h>
#include <hoop/json_reader.h>
#include <hoop/json_writer.h>
#include <hoop/limits.h>
#include <hoop/lint.h>
#include <hoop/log.h>
#include <hoop/loop.h>
#include <hoop/middleware.h>
#include <hoop/middleware/all.h>
#include <hoop/mock.h>
#include <hoop/multipart.h>
#include <hoop/param.h>
#include <hoop/range.h>
#include <hoop/request.h>
#include <hoop/resource.h>
#include <hoop/response.h>
#include <hoop/router.h>
#include <hoop/save.h>
#include <hoop/server.h>
#include <hoop/sse.h>
#include <hoop/str.h>
#include <hoop/stream.h>
#include <hoop/trace.h>
#include <hoop/upload.h>
#include <hoop/version.h>

#endif
