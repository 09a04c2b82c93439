/* The server of compress.py: two files from memory, compressed. `compress_server PORT FOLDER CODING LEVEL`. */
#include <hoop.h>

#include <stdio.h>
#include <stdlib.h>

struct file {
    const char *type;
    hoop_str bytes;
};

static const hoop_response *give(const hoop_request *req, void *data)
{
    const struct file *file = data;
    return hoop_bytes_static(req, 200, file->type, file->bytes);
}

static int read_file(hoop_arena *arena, const char *folder, const char *name, hoop_str *ret_bytes)
{
    hoop_str path = hoop_arena_printf(arena, "%s/%s", folder, name);
    FILE *in = fopen(path.data, "rb");
    char *bytes = hoop_arena_alloc(arena, 4 << 20);
    if (!in || !bytes)
        return 1;
    *ret_bytes = hoop_str_n(bytes, fread(bytes, 1, 4 << 20, in));
    return fclose(in);
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: compress_server PORT FOLDER CODING LEVEL\n");
        return 2;
    }
    uint32_t level = (uint32_t)strtoul(argv[4], NULL, 10);
    struct file json = { "application/json", { "", 0 } }, html = { "text/html", { "", 0 } };
    hoop_arena *arena = hoop_arena_new();
    if (read_file(arena, argv[2], "data.json", &json.bytes) ||
        read_file(arena, argv[2], "page.html", &html.bytes)) {
        fprintf(stderr, "compress_server: no files in %s\n", argv[2]);
        return 1;
    }
    const hoop_compress_options options = {
        .codings = argv[3], .gzip_level = level, .br_level = level, .zstd_level = level
    };
    const hoop_middleware chain[] = { HOOP_COMPRESS(&options) };
    const hoop_route routes[] = { HOOP_GET("/data.json", give, &json),
                                  HOOP_GET("/page.html", give, &html) };
    hoop_handler handler;
    hoop_error error = { 0, "" };
    int rc = hoop_router_new(arena, routes, HOOP_COUNT(routes), &handler, &error);
    if (!rc)
        rc = hoop_chain_new(arena, chain, 1, handler, &handler, &error);
    if (rc)
        fprintf(stderr, "compress_server: %s\n", error.text);
    uint32_t port = (uint32_t)strtoul(argv[1], NULL, 10);
    rc = rc ? 1 : hoop_serve(handler, &(hoop_server_options){ .port = port });
    hoop_arena_free(arena);
    return rc;
}
