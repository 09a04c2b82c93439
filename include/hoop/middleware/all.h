/** @file
 * All middleware that comes with the core; one header each.
 */
#ifndef HOOP_MIDDLEWARE_ALL_H
#define HOOP_MIDDLEWARE_ALL_H

#include <hoop/middleware/absolute_redirects.h>
#include <hoop/middleware/access_log.h>
#include <hoop/middleware/access_rules.h>
#include <hoop/middleware/anti_forgery.h>
#include <hoop/middleware/basic_auth.h>
#include <hoop/middleware/bearer.h>
#include <hoop/middleware/catch_errors.h>
#include <hoop/middleware/compress.h>
#include <hoop/middleware/concurrency_limit.h>
#include <hoop/middleware/content_type.h>
#include <hoop/middleware/cookies.h>
#include <hoop/middleware/cors.h>
#include <hoop/middleware/decompress.h>
#include <hoop/middleware/default_charset.h>
#include <hoop/middleware/dump.h>
#include <hoop/middleware/etag.h>
#include <hoop/middleware/flash.h>
#include <hoop/middleware/formats.h>
#include <hoop/middleware/forwarded.h>
#include <hoop/middleware/head.h>
#include <hoop/middleware/host_check.h>
#include <hoop/middleware/hsts.h>
#include <hoop/middleware/json_params.h>
#include <hoop/middleware/json_response.h>
#include <hoop/middleware/lint.h>
#include <hoop/middleware/method_override.h>
#include <hoop/middleware/multipart_params.h>
#include <hoop/middleware/nested_params.h>
#include <hoop/middleware/not_modified.h>
#include <hoop/middleware/params.h>
#include <hoop/middleware/rate_limit.h>
#include <hoop/middleware/request_id.h>
#include <hoop/middleware/secure_headers.h>
#include <hoop/middleware/session.h>
#include <hoop/middleware/ssl_redirect.h>
#include <hoop/middleware/timeout.h>
#include <hoop/middleware/traceparent.h>

#endif
