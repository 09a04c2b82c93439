/*
 * Lookups of the router: nanoseconds, and, under valgrind, instructions. Tables: ten routes, an API of
 * GitHub's size, a thousand and a hundred thousand routes. With r3 (Debian's libr3-dev) beside it, if
 * it was there when this was built.
 *
 *     router [TABLE [ROUNDS [ENGINE]]]   TABLE: 10, github, 1000, 100000; ENGINE: hoop, call, r3
 */
#include "handler/router.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef HAVE_R3
#include <r3/r3.h>
#endif

/* --- tables ---------------------------------------------------------------------------------------- */

struct bench_table {
    char **paths; /* templates, with {name} as both engines read it */
    char **asked; /* a path for each */
    size_t count;
};

/* The shape of GitHub's API: its resources, and what stands below a repository. */
static const char *const top[] = {
    "/events",
    "/feeds",
    "/notifications",
    "/emojis",
    "/markdown",
    "/markdown/raw",
    "/meta",
    "/rate_limit",
    "/search/repositories",
    "/search/code",
    "/search/issues",
    "/search/users",
    "/authorizations",
    "/authorizations/{id}",
    "/gists",
    "/gists/{id}",
    "/gists/{id}/star",
    "/gists/{id}/forks",
    "/gists/{id}/comments",
    "/gists/{id}/comments/{comment}",
    "/issues",
    "/networks/{owner}/{repo}/events",
    "/notifications/threads/{id}",
    "/notifications/threads/{id}/subscription",
    "/orgs/{org}",
    "/orgs/{org}/events",
    "/orgs/{org}/issues",
    "/orgs/{org}/members",
    "/orgs/{org}/members/{user}",
    "/orgs/{org}/public_members",
    "/orgs/{org}/public_members/{user}",
    "/orgs/{org}/repos",
    "/orgs/{org}/teams",
    "/repositories",
    "/teams/{id}",
    "/teams/{id}/members",
    "/teams/{id}/members/{user}",
    "/teams/{id}/repos",
    "/teams/{id}/repos/{owner}/{repo}",
    "/user",
    "/user/emails",
    "/user/followers",
    "/user/following",
    "/user/following/{user}",
    "/user/issues",
    "/user/keys",
    "/user/keys/{id}",
    "/user/orgs",
    "/user/repos",
    "/user/starred",
    "/user/starred/{owner}/{repo}",
    "/user/subscriptions",
    "/user/subscriptions/{owner}/{repo}",
    "/user/teams",
    "/users",
    "/users/{user}",
    "/users/{user}/events",
    "/users/{user}/events/orgs/{org}",
    "/users/{user}/events/public",
    "/users/{user}/followers",
    "/users/{user}/following",
    "/users/{user}/following/{target}",
    "/users/{user}/gists",
    "/users/{user}/keys",
    "/users/{user}/orgs",
    "/users/{user}/received_events",
    "/users/{user}/received_events/public",
    "/users/{user}/repos",
    "/users/{user}/starred",
    "/users/{user}/subscriptions",
};

/* What has a list, an item, and for some something below the item. */
static const char *const below_repo[] = {
    "assignees",     "branches",    "comments",      "commits",     "contributors", "deployments",
    "downloads",     "forks",       "hooks",         "issues",      "keys",         "labels",
    "languages",     "milestones",  "notifications", "pulls",       "releases",     "stargazers",
    "statuses",      "subscribers", "subscription",  "tags",        "teams",        "events",
    "collaborators", "stats",       "git/blobs",     "git/commits", "git/refs",     "git/tags",
    "git/trees",     "contents",
};

static void add(struct bench_table *table, const char *path)
{
    char asked[256], *out = asked;
    for (const char *in = path; *in; in++) {
        if (*in == '{') {
            out += sprintf(out, "value%zu", table->count % 10000);
            in = strchr(in, '}');
        } else {
            *out++ = *in;
        }
    }
    *out = 0;
    table->paths[table->count] = strdup(path);
    table->asked[table->count++] = strdup(asked);
}

static void fill_github(struct bench_table *table)
{
    char path[256];
    for (size_t i = 0; i < HOOP_COUNT(top); i++)
        add(table, top[i]);
    add(table, "/repos/{owner}/{repo}");
    for (size_t i = 0; i < HOOP_COUNT(below_repo); i++) {
        static const char *const ends[] = { "", "/{id}", "/{id}/comments", "/{id}/events" };
        for (size_t k = 0; k < 4; k++) {
            sprintf(path, "/repos/{owner}/{repo}/%s%s", below_repo[i], ends[k]);
            add(table, path);
        }
    }
}

static struct bench_table make_table(const char *name)
{
    struct bench_table table = { NULL, NULL, 0 };
    size_t count = strcmp(name, "github") == 0 ? 400 : strtoul(name, NULL, 10);
    char path[256];
    table.paths = calloc(count, sizeof(char *));
    table.asked = calloc(count, sizeof(char *));
    if (strcmp(name, "github") == 0)
        fill_github(&table);
    else
        for (size_t i = 0; i < count; i++) {
            static const char *const forms[] = { "/v1/resource%zu", "/v1/resource%zu/{id}",
                                                 "/v1/resource%zu/{id}/items",
                                                 "/v1/resource%zu/{id}/items/{item}" };
            snprintf(path, sizeof path, forms[i % 4], i / 4);
            add(&table, path);
        }
    return table;
}

/* --- the clock: of this process, since others may run beside it ------------------------------------------------------------------------------------- */

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The paths in an order that no cache can guess, the same every time. */
static size_t *shuffled(size_t count)
{
    size_t *order = calloc(count, sizeof *order);
    uint32_t seed = 1;
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i-- > 1;) {
        seed = seed * 1664525u + 1013904223u;
        size_t k = (seed >> 4) % (i + 1), kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
    return order;
}

static void report(const char *engine, const char *name, double build_ms, double ns, size_t lookups,
                   size_t found)
{
    printf("%-5s %-7s built in %8.1f ms, %7.1f ns a lookup, %zu of %zu found\n", engine, name,
           build_ms, ns / (double)lookups, found, lookups);
}

/* --- hoop ------------------------------------------------------------------------------------------ */

static const hoop_response *nothing(const hoop_request *req, void *data)
{
    (void)req;
    return data;
}

/* `call`: through the handler, with the match put into a request; else the walk alone. */
static void run_hoop(const char *name, const struct bench_table *table, size_t rounds, int call)
{
    hoop_arena *app = hoop_arena_new();
    hoop_route *rows = calloc(table->count, sizeof *rows);
    const hoop_response *ok = hoop_respond(hoop_app_request(app), 204);
    for (size_t i = 0; i < table->count; i++) {
        rows[i].method = "GET";
        rows[i].path = table->paths[i];
        rows[i].handler = nothing;
        rows[i].data = (void *)(uintptr_t)ok;
    }
    hoop_handler handler;
    hoop_error error;
    double begin = now_ns();
    if (hoop_router_new(app, rows, table->count, &handler, &error)) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    double build_ms = (now_ns() - begin) / 1e6;
    size_t *order = shuffled(table->count), found = 0;
    hoop_str *paths = calloc(table->count, sizeof *paths);
    for (size_t i = 0; i < table->count; i++)
        paths[i] = hoop_str_c(table->asked[order[i]]);
    struct hoop__search s;
    memset(&s, 0, sizeof s);
    s.router = hoop__router_of(handler);
    s.method = HOOP_METHOD_GET;
    s.method_name = hoop_str_c("GET");
    struct hoop__request req = *hoop__request_of(hoop_app_request(app));
    hoop_arena *own = hoop_arena_new_with(&(hoop_arena_options){ .block_size = 1 << 20 });
    hoop_arena_alloc(own, 1);
    char *start_of_arena = own->next;
    req.pub.arena = own;
    begin = now_ns();
    for (size_t r = 0; r < rounds; r++)
        for (size_t i = 0; i < table->count; i++) {
            const char *start;
            if (call) {
                req.pub.uri = paths[i];
                found += hoop_call(handler, &req.pub) == ok;
                own->next = start_of_arena;
                continue;
            }
            hoop__path_open(app, paths[i], &s, &start);
            found += hoop__route_find(&s, start) != NULL;
        }
    report(call ? "call" : "hoop", name, build_ms, now_ns() - begin, rounds * table->count, found);
    hoop_arena_free(own);
    hoop_arena_free(app);
    free(rows);
    free(order);
    free(paths);
}

/* --- r3 -------------------------------------------------------------------------------------------- */

#ifdef HAVE_R3
static void run_r3(const char *name, const struct bench_table *table, size_t rounds)
{
    static int data = 1;
    char *errors = NULL;
    double begin = now_ns();
    node *tree = r3_tree_create((int)(table->count < 10000 ? table->count : 10000));
    for (size_t i = 0; i < table->count; i++)
        r3_tree_insert_routel(tree, METHOD_GET, table->paths[i], (int)strlen(table->paths[i]),
                              &data);
    if (r3_tree_compile(tree, &errors)) {
        fprintf(stderr, "r3: %s\n", errors ? errors : "not compiled");
        exit(1);
    }
    double build_ms = (now_ns() - begin) / 1e6;
    size_t *order = shuffled(table->count), found = 0;
    const char **paths = calloc(table->count, sizeof *paths);
    for (size_t i = 0; i < table->count; i++)
        paths[i] = table->asked[order[i]];
    begin = now_ns();
    for (size_t r = 0; r < rounds; r++)
        for (size_t i = 0; i < table->count; i++) {
            match_entry *entry = match_entry_create(paths[i]);
            entry->request_method = METHOD_GET;
            found += r3_tree_match_route(tree, entry) != NULL;
            match_entry_free(entry);
        }
    report("r3", name, build_ms, now_ns() - begin, rounds * table->count, found);
}
#endif

int main(int argc, char **argv)
{
    static const char *const names[] = { "10", "github", "1000", "100000" };
    for (size_t i = 0; i < HOOP_COUNT(names); i++) {
        const char *name = argc > 1 ? argv[1] : names[i];
        const char *engine = argc > 3 ? argv[3] : "";
        struct bench_table table = make_table(name);
        size_t rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 4000000 / table.count;
        if (!*engine || strcmp(engine, "hoop") == 0)
            run_hoop(name, &table, rounds, 0);
        if (!*engine || strcmp(engine, "call") == 0)
            run_hoop(name, &table, rounds, 1);
#ifdef HAVE_R3
        if (!*engine || strcmp(engine, "r3") == 0)
            run_r3(name, &table, table.count > 10000 ? rounds / 20 : rounds);
#endif
        if (argc > 1)
            break;
    }
    return 0;
}
