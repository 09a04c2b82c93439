/* Temporary files with a name and without one: made, written, kept, and gone. */
#include "middleware/temp_file.h"

#include "support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64];

static int count_names(void)
{
    int count = -2; /* "." and ".." */
    DIR *dir = opendir(path);
    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static void check_contents(const char *name, const char *text)
{
    char got[64];
    int fd = open(name, O_RDONLY);
    assert_true(fd >= 0);
    ssize_t len = read(fd, got, sizeof got - 1);
    struct stat info;
    assert_int_equal(fstat(fd, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    close(fd);
    assert_bytes(got, (size_t)len, text, strlen(text));
}

static void check_file(const struct hoop__temp_folder *folder, int names)
{
    char kept[100], room[200];
    struct hoop__temp_file file = { .fd = -1, .path = room };
    assert_true(hoop__temp_path_size(folder) <= sizeof room);
    snprintf(kept, sizeof kept, "%s/kept", path);
    assert_int_equal(hoop__temp_open(folder, &file), 0);
    assert_int_equal(count_names(), names);
    assert_int_equal(hoop__temp_write(&file, "hello", 5), 0);
    assert_int_equal(hoop__temp_write(&file, "!", 1), 0);
    check_contents(file.path, "hello!");
    assert_int_equal(hoop__temp_keep(file.fd, file.path, 6, kept), 0);
    assert_int_equal(hoop__temp_keep(file.fd, file.path, 6, kept), -EEXIST);
    assert_int_equal(hoop__temp_keep(file.fd, file.path, 6, "/no/where"), -ENOENT);
    hoop__temp_close(&file);
    hoop__temp_close(&file);
    assert_int_equal(file.fd, -1);
    assert_int_equal(count_names(), 1);
    check_contents(kept, "hello!");
    assert_int_equal(unlink(kept), 0);
}

static void test_files(void **state)
{
    (void)state;
    int fds = test_count_fds();
    struct hoop__temp_folder folder = { path, 0 };
    check_file(&folder, 1);
    assert_int_equal(hoop__temp_folder_init(&folder, path), 0);
    assert_int_equal(count_names(), 0);
    check_file(&folder, !folder.unnamed);
    assert_int_equal(test_count_fds(), fds);
}

static void test_copied_and_saved(void **state)
{
    (void)state;
    char kept[100], room[200];
    struct hoop__temp_folder folder = { path, 0 };
    struct hoop__temp_file file = { .fd = -1, .path = room };
    snprintf(kept, sizeof kept, "%s/kept", path);
    assert_int_equal(hoop__temp_open(&folder, &file), 0);
    assert_int_equal(hoop__temp_write(&file, "hello", 5), 0);
    /* Its name is gone: the bytes are what is left. */
    assert_int_equal(hoop__temp_keep(file.fd, "/proc/self/mem", 5, kept), 0);
    check_contents(kept, "hello");
    assert_int_equal(unlink(kept), 0);
    /* Shorter than it was: nothing half remains. */
    assert_int_equal(hoop__temp_keep(file.fd, "/proc/self/mem", 6, kept), -EIO);
    assert_int_equal(access(kept, F_OK), -1);
    hoop__temp_close(&file);
    assert_int_equal(hoop__temp_save(hoop_str_c("hi"), kept), 0);
    assert_int_equal(hoop__temp_save(hoop_str_c("ho"), kept), -EEXIST);
    check_contents(kept, "hi");
    assert_int_equal(unlink(kept), 0);
    if (access("/dev/full", W_OK) == 0) {
        file.fd = open("/dev/full", O_WRONLY);
        assert_int_equal(hoop__temp_write(&file, "a", 1), -ENOSPC);
        hoop__temp_close(&file);
    }
    assert_int_equal(count_names(), 0);
}

static void test_folders(void **state)
{
    (void)state;
    struct hoop__temp_folder folder;
    static char long_path[5000];
    memset(long_path, 'a', sizeof long_path - 1);
    assert_int_equal(hoop__temp_folder_init(&folder, "/no/where"), -ENOENT);
    assert_int_equal(hoop__temp_folder_init(&folder, "/dev/null"), -ENOTDIR);
    assert_int_equal(hoop__temp_folder_init(&folder, long_path), -ENAMETOOLONG);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(path, "/tmp/hoop-temp-XXXXXX");
    return mkdtemp(path) ? 0 : 1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_copied_and_saved),
        cmocka_unit_test(test_folders),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
