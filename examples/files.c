/* Serves a folder with listings: files [PORT] [FOLDER], the folder you are in if none is given. */
#include "port.h"
#include <hoop.h>

int main(int argc, char **argv)
{
    uint32_t port = example_port(argc, argv);
    const char *path = argc > 2 ? argv[2] : ".";
    hoop_arena *app = hoop_arena_new();
    const hoop_folder *folder;
    hoop_handler files;
    hoop_error error = { 0 };
    int rc = hoop_folder_open(app, path, &folder, &error, NULL);
    if (rc == 0)
        rc = hoop_static_new(
            app, &files, &error,
            &(hoop_static_options){
                .folder = folder, .listing = 1, .precompressed = 1, .cache_control = "no-cache" });
    if (rc)
        fprintf(stderr, "files: %s\n", error.text);
    else
        rc = hoop_serve(files, &(hoop_server_options){ .port = port });
    hoop_arena_free(app);
    return rc ? 1 : 0;
}
