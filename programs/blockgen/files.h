/* Files that a command leaves in a folder of its own.
 *
 * A text is made in memory and then written in one go beside its final name and renamed: a full disk is noticed with
 * its reason, and what was there before stays whole.
 *
 *     files_text t;
 *     files_start(&t);
 *     if (t.file) fprintf(t.file, "...");
 *     status = files_finish("study", &t, folder, "name.csv");
 *
 * Those that have a `command` return CLI_DONE, or CLI_FAILED after a message of it.
 */
#ifndef BG_PROGRAM_FILES_H
#define BG_PROGRAM_FILES_H

#include <stddef.h>
#include <stdio.h>

enum { FILES_PATH = 4096, FILES_NAME = 64 }; /* longest path, and name in a folder, with their ends */

/* All of a file as a text, to be freed. NULL with `why`: "cannot read: ...", or that it is no text, or too long. */
enum { FILES_MOST = 64 << 20 };
char *files_read(const char *path, char *why, size_t size);

/* The folder and those above it, where they are not there; it must be one that can be written to. */
int files_make_folder(const char *command, const char *folder);

typedef struct files_text {
    FILE *file; /* NULL without memory */
    char *memory;
    size_t length;
} files_text;

void files_start(files_text *t);
int files_finish(const char *command, files_text *t, const char *folder, const char *name);

#endif
