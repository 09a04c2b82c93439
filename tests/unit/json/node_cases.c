/*
 * For node.js: prints texts, those of the folder that is named and random ones, with what our reader makes of
 * them: a line has the text in hexadecimal, then "-" (refused), "2" (a name twice), or numbers and strings.
 */
#include "reader_tools.h"

#include <dirent.h>

static void put_hex(hoop_str s)
{
    for (size_t i = 0; i < s.len; i++)
        printf("%02x", (unsigned char)s.data[i]);
}

static void put_values(const hoop_json_node *node)
{
    hoop_str key;
    double number;
    uint64_t bits;
    const hoop_json_node *value;
    if (hoop_doc_type(node) == HOOP_DOC_STRING) {
        printf(" s");
        put_hex(hoop_doc_str(node));
    } else if (hoop_doc_type(node) == HOOP_DOC_NUMBER) {
        if (hoop_doc_to_double(node, &number))
            number = hoop_doc_number(node).data[0] == '-' ? -1.0 / 0.0 : 1.0 / 0.0;
        memcpy(&bits, &number, sizeof bits);
        printf(" n%016llx", (unsigned long long)bits);
    }
    hoop_json_iter iter = hoop_doc_iter(node);
    while (hoop_doc_next(&iter, &key, &value)) {
        if (!hoop_str_is_none(key)) {
            printf(" k");
            put_hex(key);
        }
        put_values(value);
    }
}

static void put_case(hoop_str text)
{
    const hoop_doc_options options = { .allow_nul = 1, .max_depth = HOOP_OFF };
    hoop_arena *arena = hoop_arena_new();
    const hoop_json_doc *doc;
    hoop_json_error error;
    put_hex(text);
    if (hoop_doc_parse(arena, text, &doc, &error, &options))
        printf(strstr(error.text, "two members") ? " 2" : " -");
    else
        put_values(hoop_doc_root(doc));
    printf("\n");
    hoop_arena_free(arena);
}

static void put_folder(const char *path)
{
    static char data[1 << 20];
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        FILE *f = strstr(name, ".json") ? fopen(name, "rb") : NULL;
        if (!f)
            continue;
        put_case(hoop_str_n(data, fread(data, 1, sizeof data, f)));
        fclose(f);
    }
    if (folder)
        closedir(folder);
}

int main(int argc, char **argv)
{
    uint64_t seed = 4711;
    if (argc > 1)
        put_folder(argv[1]);
    for (int i = 0; i < 20000; i++) {
        hoop_arena *arena = hoop_arena_new();
        put_case(random_of(&seed, arena, 12, "[]{}:,\"\"\\1ea.-u0 \n\t\xc3\xa4tn"));
        hoop_arena_free(arena);
    }
    for (int i = 0; i < 5000; i++) {
        char number[64];
        int len = sprintf(number, "%u%c%u%s%u", random_below(&seed, 100000), i % 2 ? '.' : '0',
                          random_below(&seed, 1u << 31), i % 3 ? "e-" : "E",
                          random_below(&seed, i % 5 ? 30 : 330));
        if (number[0] != '0')
            put_case(hoop_str_n(number, (size_t)len));
    }
    return 0;
}
