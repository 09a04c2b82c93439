/* Places to listen at: addresses, sockets, files of Unix sockets, inherited descriptors. No loop. */
#include "net/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define DEFAULT_BACKLOG 4096
#define URL_LEN         320 /* of a host name of 255 bytes, scheme and port; longer ones can't be bound */

struct address {
    struct sockaddr_storage data;
    socklen_t len;
};

/* --- small things ---------------------------------------------------------------------------- */

uint64_t hoop__descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    return limit.rlim_cur;
}

uint32_t hoop__systemd_count(void)
{
    const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
    if (!pid || !count || strtoull(pid, NULL, 10) != (unsigned long long)getpid())
        return 0;
    char *end;
    errno = 0;
    unsigned long n = strtoul(count, &end, 10);
    return errno || *end || *count < '0' || *count > '9' || n > 4096 ? 0 : (uint32_t)n;
}

static char *copy(const hoop_allocator *allocator, const char *text)
{
    size_t size = strlen(text) + 1;
    char *made = hoop__alloc(allocator, size);
    return made ? memcpy(made, text, size) : NULL;
}

static int failed(const char *label, const char *where, int code, hoop_error *error)
{
    return hoop_error_set(error, code, "%s%s: %s", label, where, hoop_strerror(code));
}

static uint32_t port_of(const struct sockaddr_storage *address)
{
    if (address->ss_family == AF_INET)
        return ntohs(((const struct sockaddr_in *)(const void *)address)->sin_port);
    if (address->ss_family == AF_INET6)
        return ntohs(((const struct sockaddr_in6 *)(const void *)address)->sin6_port);
    return 0;
}

static void set_port(struct sockaddr_storage *address, uint32_t port)
{
    if (address->ss_family == AF_INET)
        ((struct sockaddr_in *)(void *)address)->sin_port = htons((uint16_t)port);
    else
        ((struct sockaddr_in6 *)(void *)address)->sin6_port = htons((uint16_t)port);
}

/* "127.0.0.1:80", "[::1]:80", "unix:/run/x"; what precedes it in a URL is the caller's. */
static void address_text(const struct sockaddr_storage *address, char *text, size_t size)
{
    char host[INET6_ADDRSTRLEN] = "";
    if (address->ss_family == AF_INET) {
        inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)address)->sin_addr, host,
                  sizeof host);
        snprintf(text, size, "%s:%u", host, (unsigned)port_of(address));
    } else if (address->ss_family == AF_INET6) {
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, host,
                  sizeof host);
        snprintf(text, size, "[%s]:%u", host, (unsigned)port_of(address));
    } else {
        snprintf(text, size, "unix:%s",
                 ((const struct sockaddr_un *)(const void *)address)->sun_path);
    }
}

static int set_url(struct hoop__place *place, const struct sockaddr_storage *address)
{
    char text[URL_LEN], url[URL_LEN + 8];
    address_text(address, text, sizeof text);
    const char *scheme = place->listener.protocol == HOOP_AJP ? "ajp://" : "http://";
    snprintf(url, sizeof url, "%s%s", address->ss_family == AF_UNIX ? "" : scheme, text);
    place->url = copy(place->allocator, url);
    place->port = port_of(address);
    return place->url ? 0 : HOOP_ENOMEM;
}

/* Nonzero for an address that only this machine can reach. */
static int is_local(const struct sockaddr_storage *address)
{
    if (address->ss_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)address;
        return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
    }
    if (address->ss_family == AF_INET6) {
        const struct in6_addr *v6 =
            &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
        return IN6_IS_ADDR_LOOPBACK(v6) || (IN6_IS_ADDR_V4MAPPED(v6) && v6->s6_addr[12] == 127);
    }
    return address->ss_family == AF_UNIX;
}

/*
 * Whoever reaches an AJP listener may say that he is anybody: he must know a secret if he can come from
 * elsewhere. Judged by the address that was bound, whatever name or descriptor it came from, and
 * before anybody can connect.
 */
static int check_reach(const struct hoop__place *place, const struct sockaddr_storage *address,
                       const char *label, const char *where, hoop_error *error)
{
    const hoop_listener *listener = &place->listener;
    if (listener->protocol != HOOP_AJP || listener->ajp_secret || is_local(address))
        return 0;
    return hoop_error_set(error, HOOP_EINVAL,
                          "%s%s: AJP there needs ajp_secret, since other machines can reach it",
                          label, where);
}

/* --- one socket ------------------------------------------------------------------------------ */

static int set_option(int fd, int level, int name)
{
    int on = 1;
    return setsockopt(fd, level, name, &on, sizeof on);
}

/* A bound socket, or a negative code. */
static int bind_socket(const struct address *address, int shared)
{
    int family = address->data.ss_family, off = 0;
    int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    if (family != AF_UNIX)
        set_option(fd, SOL_SOCKET, SO_REUSEADDR);
    if (family == AF_INET6) /* whatever the system's default is, "::" takes both */
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if ((shared && set_option(fd, SOL_SOCKET, SO_REUSEPORT)) ||
        bind(fd, (const struct sockaddr *)&address->data, address->len)) {
        int code = -errno;
        close(fd);
        return code;
    }
    return fd;
}

static int listen_all(struct hoop__place *place, uint32_t backlog)
{
    for (uint32_t i = 0; i < place->fd_count; i++)
        if (listen(place->fds[i], backlog > INT32_MAX ? INT32_MAX : (int)backlog))
            return -errno;
    return 0;
}

/* --- TCP ------------------------------------------------------------------------------------- */

/*
 * Further sockets at the same port, one for each loop, so that the kernel spreads connections. The
 * first was bound without SO_REUSEPORT, which would have shared the port of any other process of
 * this user in silence. Where it does not work loop 0 accepts for all.
 */
static void bind_further(struct hoop__place *place, struct address *address, uint32_t loops)
{
    if (loops < 2 || set_option(place->fds[0], SOL_SOCKET, SO_REUSEPORT))
        return;
    set_port(&address->data, place->port);
    while (place->fd_count < loops) {
        int fd = bind_socket(address, /* shared= */ 1);
        if (fd < 0)
            break;
        place->fds[place->fd_count++] = fd;
    }
    if (place->fd_count == loops)
        return;
    while (place->fd_count > 1)
        close(place->fds[--place->fd_count]);
}

static int resolve(const char *host, struct addrinfo **ret_found)
{
    struct addrinfo hints = { .ai_family = AF_UNSPEC,
                              .ai_socktype = SOCK_STREAM,
                              .ai_flags = AI_PASSIVE };
    int rc = getaddrinfo(host, NULL, &hints, ret_found);
    if (rc == EAI_MEMORY)
        return HOOP_ENOMEM;
    if (rc == EAI_SYSTEM)
        return -errno;
    return rc ? HOOP_EMISSING : 0;
}

/* Binds the first of a name's addresses that can be bound; the error is the first one's. */
static int bind_first(const struct addrinfo *found, uint32_t port, struct address *address,
                      int *ret_fd)
{
    int first = 0;
    for (; found; found = found->ai_next) {
        memset(address, 0, sizeof *address);
        memcpy(&address->data, found->ai_addr, found->ai_addrlen);
        address->len = found->ai_addrlen;
        set_port(&address->data, port);
        int fd = bind_socket(address, /* shared= */ 0);
        if (fd >= 0) {
            *ret_fd = fd;
            return 0;
        }
        if (!first)
            first = fd;
    }
    return first ? first : -EADDRNOTAVAIL;
}

static int open_tcp(struct hoop__place *place, const hoop_listener *listener, uint32_t loops,
                    const char *label, hoop_error *error)
{
    const char *host = listener->host ? listener->host : "127.0.0.1";
    uint32_t backlog = listener->backlog ? listener->backlog : DEFAULT_BACKLOG;
    struct addrinfo *found = NULL;
    struct address address;
    char where[URL_LEN];
    snprintf(where, sizeof where, strchr(host, ':') ? "[%s]:%u" : "%s:%u", host,
             (unsigned)listener->port);
    int rc = resolve(host, &found);
    if (rc == HOOP_EMISSING)
        return hoop_error_set(error, rc, "%s%s: the host is unknown", label, where);
    if (rc)
        return failed(label, where, rc, error);
    rc = bind_first(found, listener->port, &address, &place->fds[0]);
    freeaddrinfo(found);
    if (rc)
        return failed(label, where, rc, error);
    place->fd_count = 1;
    address.len = sizeof address.data;
    if (getsockname(place->fds[0], (struct sockaddr *)&address.data, &address.len))
        return failed(label, where, -errno, error);
    rc = check_reach(place, &address.data, label, where, error);
    if (rc)
        return rc;
    rc = set_url(place, &address.data);
    if (!rc) {
        bind_further(place, &address, loops);
        rc = listen_all(place, backlog);
    }
    return rc ? failed(label, where, rc, error) : 0;
}

/* --- Unix sockets ---------------------------------------------------------------------------- */

/* Nonzero if somebody listens at the address; in doubt, too. */
static int is_alive(const struct address *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return 1;
    int refused =
        connect(fd, (const struct sockaddr *)&address->data, address->len) && errno == ECONNREFUSED;
    close(fd);
    return !refused;
}

/* Removes a file that a server left behind, and nothing else. */
static int remove_left_over(const char *path, const struct address *address)
{
    struct stat info;
    if (lstat(path, &info))
        return -errno;
    if (!S_ISSOCK(info.st_mode) || is_alive(address))
        return -EADDRINUSE;
    return unlink(path) ? -errno : 0;
}

/* Notes which file binding has made, so that it can be removed at the end. */
static int note_file(struct hoop__place *place)
{
    struct stat info;
    if (lstat(place->path, &info))
        return -errno;
    place->device = info.st_dev;
    place->inode = info.st_ino;
    return 0;
}

static int open_unix(struct hoop__place *place, const hoop_listener *listener, const char *label,
                     hoop_error *error)
{
    struct address address;
    struct sockaddr_un *name = (struct sockaddr_un *)(void *)&address.data;
    char where[URL_LEN];
    const char *path = listener->path;
    snprintf(where, sizeof where, "unix:%s", path);
    memset(&address, 0, sizeof address);
    if (!*path || strlen(path) >= sizeof name->sun_path)
        return hoop_error_set(error, HOOP_EINVAL, "%s%s: the path must have 1 to %zu bytes", label,
                              where, sizeof name->sun_path - 1);
    name->sun_family = AF_UNIX;
    strcpy(name->sun_path, path);
    address.len = sizeof *name;
    place->path = copy(place->allocator, path);
    if (!place->path)
        return failed(label, where, HOOP_ENOMEM, error);
    int fd = bind_socket(&address, /* shared= */ 0);
    if (fd == -EADDRINUSE) {
        int rc = remove_left_over(path, &address);
        fd = rc ? rc : bind_socket(&address, /* shared= */ 0);
    }
    if (fd < 0)
        return failed(label, where, fd, error);
    place->fds[0] = fd;
    place->fd_count = 1;
    int rc = note_file(place);
    /* Nobody can connect before listen(), so the mode is right from the first moment on. */
    if (!rc && listener->unix_mode && chmod(path, (mode_t)listener->unix_mode))
        rc = -errno;
    if (!rc)
        rc = listen_all(place, listener->backlog ? listener->backlog : DEFAULT_BACKLOG);
    if (!rc)
        rc = set_url(place, &address.data);
    return rc ? failed(label, where, rc, error) : 0;
}

void hoop__place_unlink(struct hoop__place *place)
{
    struct stat info;
    if (!place->path)
        return;
    if (lstat(place->path, &info) == 0 && info.st_dev == place->device &&
        info.st_ino == place->inode)
        unlink(place->path);
    hoop__free(place->allocator, place->path);
    place->path = NULL;
}

/* --- inherited descriptors ------------------------------------------------------------------- */

static int open_inherited(struct hoop__place *place, const hoop_listener *listener,
                          const char *label, hoop_error *error)
{
    int fd = listener->fd, listens = 0, type = 0;
    socklen_t len = sizeof listens;
    struct address address = { .len = sizeof address.data };
    char where[64];
    snprintf(where, sizeof where, "descriptor %d", fd);
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len))
        return failed(label, where, -errno, error);
    len = sizeof type;
    if (!listens || getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) || type != SOCK_STREAM)
        return hoop_error_set(error, HOOP_EINVAL, "%s%s: no listening stream socket", label, where);
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) || fcntl(fd, F_SETFD, FD_CLOEXEC) ||
        getsockname(fd, (struct sockaddr *)&address.data, &address.len))
        return failed(label, where, -errno, error);
    place->fds[0] = fd;
    place->fd_count = 1;
    place->inherited = 1;
    int rc = check_reach(place, &address.data, label, where, error);
    if (rc)
        return rc;
    rc = set_url(place, &address.data);
    return rc ? failed(label, where, rc, error) : 0;
}

/* --- all kinds ------------------------------------------------------------------------------- */

int hoop__place_open(struct hoop__place *place, const hoop_listener *listener, uint32_t loops,
                     const char *label, hoop_error *error)
{
    place->fds = hoop__alloc(place->allocator, loops * sizeof *place->fds);
    if (!place->fds)
        return hoop_error_set(error, HOOP_ENOMEM, "%s", hoop_strerror(HOOP_ENOMEM));
    place->fds[0] = -1;
    place->listener = *listener;
    int rc;
    if (listener->fd)
        rc = open_inherited(place, listener, label, error);
    else if (listener->path)
        rc = open_unix(place, listener, label, error);
    else
        rc = open_tcp(place, listener, loops, label, error);
    if (rc)
        hoop__place_done(place, /* keep_inherited= */ 1);
    return rc;
}

void hoop__place_done(struct hoop__place *place, int keep_inherited)
{
    for (uint32_t i = 0; i < place->fd_count; i++)
        if (place->fds[i] >= 0 && !(place->inherited && keep_inherited))
            close(place->fds[i]);
    hoop__place_unlink(place);
    hoop__free(place->allocator, place->fds);
    hoop__free(place->allocator, place->url);
    place->fds = NULL;
    place->url = NULL;
    place->fd_count = 0;
}
