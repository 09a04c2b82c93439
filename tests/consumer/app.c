/* What a C program of somebody else may look like: asks a handler without a server. */
#include <hoop.h>

#include <stdio.h>
#include <string.h>

static const hoop_response *greet(const hoop_request *req, void *data)
{
    return hoop_text(req, 200, (const char *)data);
}

int main(void)
{
    static char text[] = "Hello, consumer!";
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    const hoop_response *res = hoop_call_sync(hoop_fn(greet, text), req);
    int good = res && res->status == 200 && hoop_str_eq_c(hoop_response_read(req, res), text) &&
               strcmp(hoop_version(), HOOP_VERSION) == 0;
    hoop_arena_free(arena);
    if (!good)
        return 1;
    printf("%s\n", hoop_version());
    return 0;
}
