/* What a C++ program of somebody else may look like: asks a handler without a server. */
#include <hoop.h>

#include <iostream>
#include <memory>
#include <string>

int main()
{
    std::unique_ptr<hoop_arena, decltype(&hoop_arena_free)> arena(hoop_arena_new(),
                                                                  hoop_arena_free);
    std::string text = "Hello, consumer!";
    hoop_handler greet = hoop_fn(
        [](const hoop_request *req, void *data) {
            return hoop_text(req, 200, static_cast<std::string *>(data)->c_str());
        },
        &text);
    const hoop_request *req = hoop_mock(arena.get(), "GET", "/", nullptr);
    const hoop_response *res = hoop_call_sync(greet, req);
    if (!res || res->status != 200)
        return 1;
    hoop_str body = hoop_response_read(req, res);
    if (std::string(body.data, body.len) != text || std::string(HOOP_VERSION) != hoop_version())
        return 1;
    std::cout << hoop_version() << std::endl;
    return 0;
}
