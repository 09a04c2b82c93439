/*
 * Runs a fuzz target without a fuzzer: on every file of the folders and files that are named, as it is
 * and with a few bytes changed in a way that is the same every time.
 */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CHANGED 16 /* runs of each file with changes */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long files;

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static void change(uint8_t *data, size_t *size, uint32_t *seed)
{
    static const uint8_t odd[] = { 0, '\r', '\n', ' ', '\t', ':', ';', ',', '"', '0', 0x7f, 0xff };
    size_t at = next_random(seed) % *size;
    switch (next_random(seed) % 4) {
    case 0:
        data[at] = odd[next_random(seed) % sizeof odd];
        break;
    case 1:
        data[at] ^= (uint8_t)(1u << next_random(seed) % 8);
        break;
    case 2:
        memmove(data + at, data + at + 1, *size - at - 1);
        *size -= *size > 1;
        break;
    default:
        data[at] = data[next_random(seed) % *size];
        break;
    }
}

static int run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return 1;
    static uint8_t data[1 << 20], copy[1 << 20];
    size_t size = fread(data, 1, sizeof data, f);
    fclose(f);
    files++;
    LLVMFuzzerTestOneInput(data, size);
    for (uint32_t i = 0; i < CHANGED && size && size < 20000; i++) {
        uint32_t seed = i * 7919 + (uint32_t)size;
        size_t n = size;
        memcpy(copy, data, size);
        for (uint32_t k = 0; k <= i % 3; k++)
            change(copy, &n, &seed);
        LLVMFuzzerTestOneInput(copy, n);
    }
    return 0;
}

static int run_path(const char *path)
{
    struct stat st;
    if (stat(path, &st))
        return 1;
    if (!S_ISDIR(st.st_mode))
        return run_file(path);
    DIR *folder = opendir(path);
    int rc = !folder;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char name[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        rc |= run_path(name);
    }
    if (folder)
        closedir(folder);
    return rc;
}

int main(int argc, char **argv)
{
    int rc = 0;
    for (int i = 1; i < argc; i++)
        rc |= run_path(argv[i]);
    printf("%lu files\n", files);
    return rc || !files;
}
