/* Reading and checking the options of a server; nothing is opened here. */
#include "server/options.h"

#include "base/sized.h"
#include "net/net.h"
#include "net/proxy.h"

#include <stdio.h>
#include <string.h>

#define MAX_THREADS       1024u
#define MAX_SECRET        4096u /* one that still fits into a packet */
#define SPARE_DESCRIPTORS 64u   /* for what the program and the loops have open */

/* --- structs of other versions --------------------------------------------------------------- */

static int too_new(hoop_error *error, const char *what, size_t given, size_t known)
{
    return hoop_error_set(
        error, HOOP_EINVAL,
        "%s is %zu but this library knows %zu bytes, and what lies behind them is "
        "not zero",
        what, given, known);
}

/* --- single values --------------------------------------------------------------------------- */

static int check_port(uint64_t port, const char *label, hoop_error *error)
{
    if (port <= 65535)
        return 0;
    return hoop_error_set(error, HOOP_EINVAL, "%sport %llu is over 65535", label,
                          (unsigned long long)port);
}

static int check_threads(const hoop_server_options *options, hoop_error *error)
{
    if (options->loop && options->threads)
        return hoop_error_set(error, HOOP_EINVAL, "threads can't be given with a host's loop");
    if (options->threads > MAX_THREADS)
        return hoop_error_set(error, HOOP_EINVAL, "threads %lu is over %u",
                              (unsigned long)options->threads, MAX_THREADS);
    if (options->blocking_threads > MAX_THREADS)
        return hoop_error_set(error, HOOP_EINVAL, "blocking_threads %lu is over %u",
                              (unsigned long)options->blocking_threads, MAX_THREADS);
    return 0;
}

static int check_allocator(const hoop_allocator *allocator, hoop_error *error)
{
    if (allocator && (!allocator->alloc || !allocator->realloc || !allocator->free))
        return hoop_error_set(error, HOOP_EINVAL,
                              "allocator must have all of alloc, realloc and free");
    return 0;
}

static int check_server_name(const char *name, hoop_error *error)
{
    for (const char *c = name; c && *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return hoop_error_set(error, HOOP_EINVAL,
                                  "server_name has a control character at byte %zu",
                                  (size_t)(c - name));
    return 0;
}

static int check_listeners(const hoop_server_options *options, hoop_error *error)
{
    if (options->listeners && (options->host || options->path || options->port))
        return hoop_error_set(error, HOOP_EINVAL,
                              "host, path and port can't be given with listeners");
    if (options->listeners && !options->listener_count)
        return hoop_error_set(error, HOOP_EINVAL, "listener_count is 0, but listeners are given");
    if (!options->listeners && options->listener_count)
        return hoop_error_set(error, HOOP_EINVAL, "listener_count is %zu, but listeners is NULL",
                              options->listener_count);
    if (options->listeners && !options->listener_size)
        return hoop_error_set(error, HOOP_EINVAL,
                              "listener_size is 0; it is the size of one listener");
    if (options->listeners && options->listener_size % sizeof(void *))
        return hoop_error_set(error, HOOP_EINVAL, "listener_size %zu is the size of no listener",
                              options->listener_size);
    return 0;
}

/* --- limits ---------------------------------------------------------------------------------- */

static int read_limits(hoop_limits *ret_limits, const hoop_server_options *options,
                       hoop_error *error)
{
    hoop_limits given;
    memset(&given, 0, sizeof given);
    if (options->limits && !options->limits_size)
        return hoop_error_set(error, HOOP_EINVAL, "limits_size is 0; it is the size of the limits");
    if (options->limits &&
        hoop__copy_sized(&given, sizeof given, options->limits, options->limits_size))
        return too_new(error, "limits_size", options->limits_size, sizeof given);
    hoop__limits_fill(ret_limits, &given, sizeof given);
    if (!ret_limits->max_connections) {
        uint64_t allowed = hoop__descriptor_limit();
        ret_limits->max_connections =
            allowed > 2 * SPARE_DESCRIPTORS ? allowed - SPARE_DESCRIPTORS : SPARE_DESCRIPTORS;
    }
    if (!ret_limits->max_connections_per_peer)
        ret_limits->max_connections_per_peer = ret_limits->max_connections;
    return 0;
}

/* --- all ------------------------------------------------------------------------------------- */

int hoop__options_read(hoop_server_options *ret_options, hoop_limits *ret_limits,
                       const hoop_server_options *options, size_t options_size, hoop_error *error)
{
    memset(ret_options, 0, sizeof *ret_options);
    if (options && !options_size)
        return hoop_error_set(error, HOOP_EINVAL,
                              "options_size is 0; it is the size of the options");
    if (options && hoop__copy_sized(ret_options, sizeof *ret_options, options, options_size))
        return too_new(error, "options_size", options_size, sizeof *ret_options);
    int rc = check_allocator(ret_options->allocator, error);
    if (!rc)
        rc = check_port(ret_options->port, "", error);
    if (!rc)
        rc = check_threads(ret_options, error);
    if (!rc)
        rc = check_server_name(ret_options->server_name, error);
    if (!rc)
        rc = check_listeners(ret_options, error);
    if (!rc)
        rc = read_limits(ret_limits, ret_options, error);
    if (!ret_options->allocator)
        ret_options->allocator = &hoop__malloc;
    if (!ret_options->threads)
        ret_options->threads = 1;
    if (!ret_options->blocking_threads)
        ret_options->blocking_threads = 4;
    return rc;
}

/* --- listeners ------------------------------------------------------------------------------- */

/* Whether other machines can reach it is seen when it is bound. */
static int check_ajp(const hoop_listener *listener, const char *label, hoop_error *error)
{
    unsigned long size = listener->ajp_packet_size;
    if (listener->protocol != HOOP_AJP) {
        if (listener->ajp_secret || listener->ajp_attributes || size || listener->ajp_trust_user)
            return hoop_error_set(error, HOOP_EINVAL,
                                  "%sajp_* is set, but the protocol %lu is not HOOP_AJP", label,
                                  (unsigned long)listener->protocol);
        return 0;
    }
    if (listener->ajp_secret && !*listener->ajp_secret)
        return hoop_error_set(error, HOOP_EINVAL, "%sajp_secret is empty", label);
    if (listener->ajp_secret && strlen(listener->ajp_secret) > MAX_SECRET)
        return hoop_error_set(error, HOOP_EINVAL, "%sajp_secret is over %u bytes", label,
                              MAX_SECRET);
    if (size && (size < 8192 || size > 65536))
        return hoop_error_set(error, HOOP_EINVAL, "%sajp_packet_size %lu is not 8192 to 65536",
                              label, size);
    return 0;
}

static int check_proxy(const hoop_listener *listener, const char *label, hoop_error *error)
{
    size_t len;
    if (listener->proxy_protocol > HOOP_PROXY_REQUIRED)
        return hoop_error_set(error, HOOP_EINVAL, "%sproxy_protocol %lu is unknown", label,
                              (unsigned long)listener->proxy_protocol);
    if (listener->proxy_trusted && !listener->proxy_protocol)
        return hoop_error_set(error, HOOP_EINVAL,
                              "%sproxy_trusted is set, but proxy_protocol is off", label);
    if (listener->proxy_protocol && listener->protocol == HOOP_AJP)
        return hoop_error_set(error, HOOP_EINVAL, "%sproxy_protocol can't be given with HOOP_AJP",
                              label);
    const char *bad = hoop__proxy_bad_entry(listener->proxy_trusted, &len);
    if (bad)
        return hoop_error_set(error, HOOP_EINVAL,
                              "%sproxy_trusted: '%.*s' is no address or network", label,
                              len < 100 ? (int)len : 100, bad);
    return 0;
}

static int check_listener(const hoop_listener *listener, const char *label, hoop_error *error)
{
    int tcp = listener->host || listener->port;
    if (!hoop__protocol_find(listener->protocol))
        return hoop_error_set(error, HOOP_EINVAL, "%sprotocol %lu is unknown", label,
                              (unsigned long)listener->protocol);
    if (listener->fd < 0)
        return hoop_error_set(error, HOOP_EINVAL, "%sfd %ld is negative", label,
                              (long)listener->fd);
    if (listener->fd && (tcp || listener->path))
        return hoop_error_set(error, HOOP_EINVAL, "%sfd %ld can't be given with host, port or path",
                              label, (long)listener->fd);
    if (listener->path && tcp)
        return hoop_error_set(error, HOOP_EINVAL, "%spath '%s' can't be given with host or port",
                              label, listener->path);
    if (listener->unix_mode > 0777)
        return hoop_error_set(error, HOOP_EINVAL, "%sunix_mode %lo is over 777", label,
                              (unsigned long)listener->unix_mode);
    int rc = check_ajp(listener, label, error);
    if (!rc)
        rc = check_proxy(listener, label, error);
    return rc ? rc : check_port(listener->port, label, error);
}

static int read_listener(hoop_listener *ret, const hoop_server_options *options, size_t index,
                         hoop_error *error)
{
    const char *row = (const char *)options->listeners + index * options->listener_size;
    char label[40] = "";
    if (options->listener_count > 1)
        snprintf(label, sizeof label, "listener %zu: ", index);
    if (hoop__copy_sized(ret, sizeof *ret, row, options->listener_size))
        return too_new(error, "listener_size", options->listener_size, sizeof *ret);
    return check_listener(ret, label, error);
}

/*
 * systemd's descriptors stand in place of what is configured, which then serves runs by hand; what the
 * listener of the same index speaks, and with whom, it speaks there, too.
 */
static int use_systemd(const hoop_server_options *options, hoop_listener *listeners, size_t count,
                       hoop_error *error)
{
    for (size_t i = 0; i < count; i++) {
        int rc = 0;
        if (options->listeners && i < options->listener_count)
            rc = read_listener(&listeners[i], options, i, error);
        if (rc)
            return rc;
        listeners[i].host = listeners[i].path = NULL;
        listeners[i].port = listeners[i].unix_mode = 0;
        listeners[i].fd = (int32_t)(HOOP__SYSTEMD_FIRST + i);
    }
    return 0;
}

int hoop__options_listeners(const hoop_server_options *options, hoop_listener **ret_listeners,
                            size_t *ret_count, hoop_error *error)
{
    size_t passed = options->listen_fds ? hoop__systemd_count() : 0;
    size_t count = passed ? passed : options->listeners ? options->listener_count : 1;
    hoop_listener *listeners = NULL;
    if (count <= SIZE_MAX / sizeof *listeners)
        listeners = hoop__alloc(options->allocator, count * sizeof *listeners);
    if (!listeners)
        return hoop_error_set(error, HOOP_ENOMEM, "%s", hoop_strerror(HOOP_ENOMEM));
    memset(listeners, 0, count * sizeof *listeners);
    int rc = 0;
    if (passed) {
        rc = use_systemd(options, listeners, passed, error);
    } else if (options->listeners) {
        for (size_t i = 0; i < count && !rc; i++)
            rc = read_listener(&listeners[i], options, i, error);
    } else {
        listeners[0].host = options->host;
        listeners[0].path = options->path;
        listeners[0].port = options->port;
        rc = check_listener(&listeners[0], "", error);
    }
    if (rc) {
        hoop__free(options->allocator, listeners);
        return rc;
    }
    *ret_listeners = listeners;
    *ret_count = count;
    return 0;
}
