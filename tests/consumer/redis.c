/* A program that keeps its sessions in Redis: put together, but no server is asked. */
#include <hoop.h>
#include <hoop/redis.h>

#include <stdio.h>

static const hoop_response *greet(const hoop_request *req, void *data)
{
    return hoop_text(req, 200, (const char *)data);
}

int main(void)
{
    static char text[] = "Hello, consumer!";
    hoop_arena *arena = hoop_arena_new();
    hoop_redis *redis = NULL;
    hoop_session_options session = { .name = "id" };
    hoop_rate_limit_options rate = { .requests = 10 };
    const hoop_middleware chain[] = { HOOP_SESSION(&session), HOOP_RATE_LIMIT(&rate) };
    hoop_handler handler = hoop_fn(greet, text);
    hoop_error error = { 0, "" };
    int rc = hoop_redis_new(arena, &redis, &error, &(hoop_redis_options){ .host = "127.0.0.1" });
    if (!rc)
        rc = hoop_redis_sessions(arena, redis, NULL, &session.store, &error);
    if (!rc)
        rc = hoop_redis_rates(arena, redis, NULL, &rate.store, &error);
    if (!rc)
        rc = hoop_chain_new(arena, chain, HOOP_COUNT(chain), handler, &handler, &error);
    hoop_arena_free(arena);
    puts(rc ? error.text : hoop_version());
    return rc != 0;
}
