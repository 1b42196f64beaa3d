#include "files.h"
#include "console.h"
#include "options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int complain(const char *command, const char *path, int reason)
{
    cli_message(command, "cannot write %s: %s", path, strerror(reason));
    return CLI_FAILED;
}

int files_make_folder(const char *command, const char *folder)
{
    char path[FILES_PATH];
    struct stat s;
    const size_t length = strlen(folder);
    if (!length) return complain(command, "''", ENOENT);
    if (length >= FILES_PATH - FILES_NAME) return complain(command, folder, ENAMETOOLONG);
    for (size_t k = 1; k <= length; k++)
        if (folder[k] == '/' || k == length) {
            memcpy(path, folder, k);
            path[k] = '\0';
            if (mkdir(path, 0777) != 0 && errno != EEXIST) {
                const int reason = errno; /* a folder that exists on a file system that is read only is fine */
                if (stat(path, &s) != 0 || !S_ISDIR(s.st_mode)) return complain(command, path, reason);
            }
        }
    if (stat(folder, &s) != 0) return complain(command, folder, errno);
    if (!S_ISDIR(s.st_mode)) return complain(command, folder, ENOTDIR);
    return access(folder, W_OK | X_OK) == 0 ? CLI_DONE : complain(command, folder, errno);
}

char *files_read(const char *path, char *why, size_t size)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t length = 0, room = 0;
    int failed = !f;
    while (!failed) {
        if (length + 1 >= room) {
            char *larger = realloc(text, room = room ? 2 * room : 65536);
            if (!larger) {
                errno = ENOMEM;
                failed = 1;
                break;
            }
            text = larger;
        }
        const size_t got = fread(text + length, 1, room - length - 1, f);
        if (memchr(text + length, '\0', got) || length + got > FILES_MOST) {
            if (length + got > FILES_MOST)
                snprintf(why, size, "there are more than %d MiB of it", FILES_MOST >> 20);
            else
                snprintf(why, size, "there is a zero byte in it: it is no text");
            fclose(f);
            free(text);
            return NULL;
        }
        length += got;
        if (!got) {
            failed = ferror(f);
            break;
        }
    }
    if (failed) {
        snprintf(why, size, "cannot read: %s", strerror(errno));
        free(text);
        text = NULL;
    } else {
        text[length] = '\0';
    }
    if (f) fclose(f);
    return text;
}

static int write_all(int file, const char *text, size_t length)
{
    while (length) {
        const ssize_t done = write(file, text, length);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        text += done;
        length -= (size_t)done;
    }
    return 0;
}

static int save(const char *command, const char *folder, const char *name, const char *text, size_t length)
{
    char path[FILES_PATH], part[FILES_PATH + 8];
    snprintf(path, sizeof path, "%s/%s", folder, name); /* fits: files_make_folder() */
    snprintf(part, sizeof part, "%s.part", path);
    unlink(part); /* left by a run that was killed; never written through a link */
    const int file = open(part, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (file < 0) return complain(command, path, errno);
    int reason = write_all(file, text, length);
    if (close(file) != 0 && !reason) reason = errno;
    if (!reason && rename(part, path) != 0) reason = errno;
    if (!reason) return CLI_DONE;
    unlink(part);
    return complain(command, path, reason);
}

void files_start(files_text *t)
{
    t->memory = NULL;
    t->length = 0;
    t->file = open_memstream(&t->memory, &t->length);
}

int files_finish(const char *command, files_text *t, const char *folder, const char *name)
{
    const int broken = !t->file || ferror(t->file);
    int status = CLI_FAILED;
    if ((t->file && fclose(t->file) != 0) || broken || !t->memory)
        cli_message(command, "cannot write %s/%s: no memory", folder, name);
    else
        status = save(command, folder, name, t->memory, t->length);
    free(t->memory);
    return status;
}
