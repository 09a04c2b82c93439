/* Temporary files: without a name where the system can, else with one until they are closed. */
#ifndef HOOP_MIDDLEWARE_TEMP_FILE_H
#define HOOP_MIDDLEWARE_TEMP_FILE_H

#include <hoop/str.h>

#include <stdint.h>

/* Where they are made. Set up once, then read by any thread. */
struct hoop__temp_folder {
    const char *path;
    int unnamed; /* O_TMPFILE works there, and /proc can give such a file a name later */
};

/* An open file. `fd` is -1 while there is none. */
struct hoop__temp_file {
    int32_t fd;
    uint32_t named; /* `path` is a name in the folder, to be removed */
    char *path;     /* of hoop__temp_path_size() bytes; where it can be opened again */
};

/* Finds out what a folder can do. 0, or a negative errno if no file can be made there. Touches the disk. */
int hoop__temp_folder_init(struct hoop__temp_folder *folder, const char *path);

/* Bytes that the path of a file needs, NUL included. */
size_t hoop__temp_path_size(const struct hoop__temp_folder *folder);

/* Makes a file that its owner alone may read and write; `path` is set. 0 or a negative errno. Any thread. */
int hoop__temp_open(const struct hoop__temp_folder *folder, struct hoop__temp_file *file);

/* Writes all of it. 0 or a negative errno. Any thread. */
int hoop__temp_write(const struct hoop__temp_file *file, const char *data, size_t len);

/* Closes it and removes its name, if it has one. */
void hoop__temp_close(struct hoop__temp_file *file);

/* Gives it a name besides, or copies it where that can't be; never over what is there. 0 or a negative errno. */
int hoop__temp_keep(int fd, const char *path, uint64_t size, const char *to);

/* Makes a new file of bytes, as hoop__temp_keep() does. */
int hoop__temp_save(hoop_str bytes, const char *to);

#endif
