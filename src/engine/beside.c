#include "engine/beside.h"
#include "base/status.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FOLDER = 4096 };

/* The folder of a path; 0 where its name is too long. */
static int folder_of(const char *path, char folder[MOST_FOLDER])
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) : 0;
    if (length >= MOST_FOLDER - 1) return 0;
    memcpy(folder, path, length);
    strcpy(folder + length, slash ? (length ? "" : "/") : ".");
    return 1;
}

/* A lock that ends with its process, on whatever machine that runs. Returns whether it was free. */
static int lock(int file)
{
    struct flock whole;
    memset(&whole, 0, sizeof whole);
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    return fcntl(file, F_SETLK, &whole) == 0;
}

bg_status bg_beside_create(const char *path, char *name, size_t size, int *file, bg_error *error)
{
    enum { TRIES = 100 };
    *file = -1;
    for (int k = 0; k < TRIES && *file < 0; k++) {
        snprintf(name, size, "%s.%ld-%d", path, (long)getpid(), k);
        *file = open(name, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (*file < 0 && errno != EEXIST) break;
    }
    if (*file < 0) return bg_fail(error, BG_ERROR_IO, "cannot write checkpoint '%s': %s", path, strerror(errno));
    (void)lock(*file); /* where there are no locks, nobody cleans up either */
    return BG_OK;
}

/* The process in the name of a file beside `base`; 0 where it is no such name. */
static long process_of(const char *name, const char *base)
{
    const size_t length = strlen(base);
    char *end;
    if (strncmp(name, base, length) || name[length] != '.') return 0;
    const char *digits = name + length + 1;
    if (*digits < '1' || *digits > '9') return 0;
    errno = 0;
    const long process = strtol(digits, &end, 10);
    if (errno || *end != '-' || !end[1] || end[1 + strspn(end + 1, "0123456789")]) return 0;
    return process;
}

/* Whether a file begins as `start` does and nobody writes it. */
static int is_abandoned(int file, const char *start, size_t length)
{
    char text[64];
    struct stat about;
    if (length > sizeof text || fstat(file, &about) || !S_ISREG(about.st_mode)) return 0;
    const ssize_t got = read(file, text, length);
    return got >= 0 && !memcmp(text, start, (size_t)got) && lock(file);
}

void bg_beside_clean(const char *path, const char *start, size_t length)
{
    char folder[MOST_FOLDER];
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    DIR *d = folder_of(path, folder) ? opendir(folder) : NULL;
    if (!d) return;
    for (const struct dirent *entry = readdir(d); entry; entry = readdir(d)) {
        const long process = process_of(entry->d_name, base);
        if (!process || process == (long)getpid() || (pid_t)process != process) continue;
        if (kill((pid_t)process, 0) == 0 || errno != ESRCH) continue;
        const int file = openat(dirfd(d), entry->d_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
        if (file < 0) continue;
        if (is_abandoned(file, start, length)) (void)unlinkat(dirfd(d), entry->d_name, 0);
        close(file);
    }
    closedir(d);
}

void bg_beside_sync(const char *path)
{
    char folder[MOST_FOLDER];
    const int fd = folder_of(path, folder) ? open(folder, O_RDONLY) : -1;
    if (fd < 0) return;
    (void)fsync(fd);
    close(fd);
}
