/* What a file of events says about its run: all options that its events depend on, one "name = value" a line. With them
 * `blockgen event` makes events again.
 */
#ifndef BG_PROGRAM_GENERATE_ABOUT_H
#define BG_PROGRAM_GENERATE_ABOUT_H

#include "experimental.h"
#include "process.h"

enum { ABOUT_LENGTH = 8192, ABOUT_VALUE = 1024 };

/* The question of a run. Texts belong to whoever has made it. */
typedef struct about_run {
    cli_process process;
    bg_options options; /* as they were run */
    bg_integration integration;
    bg_generation generation;
} about_run;

/* Calls `line` with every option. */
void about_list(const about_run *run, const char *process,
                void (*line)(const char *name, const char *value, void *user), void *user);

/* All lines into room for ABOUT_LENGTH characters. */
void about_write(const about_run *run, const char *process, char *text);

/* Reads lines; comments begin with #. `text` is cut into pieces that the run points to. Says what is wrong and returns the exit
 * status. */
int about_read(const char *command, const char *path, char *text, about_run *run);

/* Whether a text that about_write() has made is of another run than this one, as far as that is known before it begins; and in what:
 * both lines have room for ABOUT_VALUE characters. */
int about_differs(const char *text, const about_run *run, const char *process, char *its, char *ours);

/* One option. */
bg_status about_set(about_run *run, const char *name, const char *value, bg_error *error);

#endif
