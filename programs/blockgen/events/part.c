/* The file of a writer by its names: FILE.part while it is written, FILE when it is complete. Which of the two may be there before, what is
 * gone on with, the lock that keeps another process out, and the name at the end.
 */
#include "events/part.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder of a path that is not too long. */
static void name_folder(const char *path, char folder[EVENTS_PATH])
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) : 0;
    memcpy(folder, path, length);
    strcpy(folder + length, slash ? (length ? "" : "/") : ".");
}

/* ... to disk, so that a name is durable. */
static void sync_folder(const char *path)
{
    char folder[EVENTS_PATH];
    name_folder(path, folder);
    const int file = open(folder, O_RDONLY);
    if (file < 0) return;
    (void)fsync(file);
    close(file);
}

/* A lock that ends with its process, or with any descriptor of the file that it closes. Returns whether it was free. It is one of
 * the whole file; where ranks write together, and their library may lock what it writes, one of a byte that no file has. */
static int lock(const events_sink *s)
{
    struct flock range;
    memset(&range, 0, sizeof range);
    range.l_type = F_WRLCK;
    range.l_whence = SEEK_SET;
    if (s->options.ranks) {
        range.l_start = (off_t)1 << 62;
        range.l_len = 1;
    }
    return fcntl(s->file, F_SETLK, &range) == 0 ||
           (errno != EACCES && errno != EAGAIN); /* or there are no locks at all */
}

static bg_status check_resume(const events_format *format, const events_options *options, bg_error *error)
{
    if (!options->resume || format->resumes) return BG_OK;
    return events_fail(error, BG_ERROR_UNSUPPORTED,
                       "a file of format %s cannot be gone on with; .lhe, .lhe.gz and .h5 can", format->name);
}

bg_status events_name_file(events_sink *s, const char *path, bg_error *error)
{
    if (strlen(path) + sizeof EVENTS_PART > sizeof s->part)
        return events_fail(error, BG_ERROR_ARGUMENT,
                           "the name of the file of events has %zu characters; it may have %zu", strlen(path),
                           sizeof s->part - sizeof EVENTS_PART);
    strcpy(s->final, path);
    strcpy(s->part, path);
    strcat(s->part, EVENTS_PART);
    return BG_OK;
}

/* FILE that is there already. */
static bg_status check_final(const events_sink *s, bg_error *error)
{
    struct stat about;
    if (stat(s->final, &about)) return BG_OK;
    if (!S_ISREG(about.st_mode))
        return events_fail(error, BG_ERROR_ARGUMENT, "'%.300s' is no ordinary file; events cannot go there", s->final);
    if (!s->options.force && !(s->options.resume && stat(s->part, &about)))
        return events_fail(error, BG_ERROR_ARGUMENT, "'%.300s' is there already; --force replaces it", s->final);
    return BG_OK;
}

/* The folder, and FILE.part where that is gone on with or replaced. */
static bg_status check_permission(const events_sink *s, int exists, bg_error *error)
{
    char folder[EVENTS_PATH];
    name_folder(s->part, folder);
    if (!access(folder, W_OK | X_OK) && (!exists || !access(s->part, W_OK))) return BG_OK;
    return events_fail(error, BG_ERROR_IO, "cannot write '%.300s': %s", s->part, strerror(errno));
}

/* FILE.part belongs to another run unless this one goes on with it or replaces it. */
static bg_status check_part(const events_sink *s, int exists, bg_error *error)
{
    const int resume = s->options.resume;
    if (exists && !resume && !s->options.force)
        return events_fail(error, BG_ERROR_ARGUMENT, "'%.300s' is left from another run; --force replaces it%s",
                           s->part, s->format->resumes ? ", --resume goes on with it" : "");
    return BG_OK;
}

bg_status events_check_file(events_sink *s, const char *path, bg_error *error)
{
    struct stat about;
    bg_status status = check_resume(s->format, &s->options, error);
    if (status == BG_OK) status = events_name_file(s, path, error);
    if (status == BG_OK) status = check_final(s, error);
    const int exists = status == BG_OK && stat(s->part, &about) == 0;
    if (status == BG_OK) status = check_part(s, exists, error);
    return status == BG_OK ? check_permission(s, exists, error) : status;
}

bg_status events_lock_file(const events_sink *s, bg_error *error)
{
    if (lock(s)) return BG_OK;
    return events_fail(error, BG_ERROR_IO, "cannot write '%.300s': another process is writing it", s->part);
}

static bg_status open_file(events_sink *s, bg_error *error)
{
    const int resume = s->options.resume;
    s->file = open(s->part, O_RDWR | (resume ? 0 : O_CREAT) | (resume || s->options.force ? 0 : O_EXCL), 0666);
    if (s->file < 0 && errno == EEXIST) return check_part(s, 1, error);
    if (s->file < 0) return events_fail(error, BG_ERROR_IO, "cannot write '%.300s': %s", s->part, strerror(errno));
    const bg_status locked = events_lock_file(s, error);
    if (locked != BG_OK) return locked;
    if (!resume && ftruncate(s->file, 0))
        return events_fail(error, BG_ERROR_IO, "cannot write '%.300s': %s", s->part, strerror(errno));
    return BG_OK;
}

/* What there is to go on with. Where a run was stopped after it had given the file its name, that is taken back, and 1
 * returned; where there is nothing, the file begins. */
static int find_part(events_sink *s)
{
    struct stat about;
    if (!s->options.resume || !stat(s->part, &about)) return 0;
    if (!rename(s->final, s->part)) return 1;
    s->options.resume = 0;
    return 0;
}

bg_status events_begin_file(events_sink *s, bg_error *error)
{
    bg_status status = check_resume(s->format, &s->options, error);
    if (status == BG_OK) status = check_final(s, error);
    if (status != BG_OK) return status;
    const int complete = find_part(s);
    status = open_file(s, error);
    if (status != BG_OK) return status;
    status = s->options.resume ? s->format->resume(s, error) : s->format->start(s, error);
    if (status != BG_OK && !s->options.resume) (void)unlink(s->part); /* it has no events yet */
    if (status != BG_OK && complete) (void)rename(s->part, s->final);
    return status;
}

bg_status events_finish_file(events_sink *s, int complete, bg_error *error)
{
    const bg_status status = s->format->finish(s, complete, error);
    if (status != BG_OK) return status;
    if (fsync(s->file) && errno != EINVAL)
        return events_fail(error, BG_ERROR_IO, "cannot write '%.300s': %s", s->part, strerror(errno));
    return BG_OK;
}

bg_status events_give_name(const events_sink *s, bg_error *error)
{
    if (rename(s->part, s->final))
        return events_fail(error, BG_ERROR_IO, "cannot give '%.200s' the name '%.200s': %s", s->part, s->final,
                           strerror(errno));
    sync_folder(s->final);
    return BG_OK;
}
