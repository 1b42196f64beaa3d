/* What a subcommand says besides its results: errors, progress; and how it ends. */
#ifndef BG_PROGRAM_CONSOLE_H
#define BG_PROGRAM_CONSOLE_H

#include "blockgen/blockgen.h"

/* "blockgen COMMAND: message" on standard error, in one write; also clears a progress line that stands there. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void cli_message(const char *command, const char *format, ...);

/* From now on messages are kept, until they are shown after all or forgotten: of ranks that all have the same to say, one
 * says it. */
void cli_hold_messages(void);
void cli_release_messages(int show);

/* Broken pipes and files that must not grow become write errors. The first SIGINT or SIGTERM only sets a flag (a second one
 * ends the program), and so do SIGHUP, SIGUSR1 and SIGXCPU, however often they come. */
void cli_install_signals(void);
int cli_interrupted(void);
int cli_wants_to_stop(void *unused); /* the same, as the library asks it */

/* As if a signal had come: it came to another rank. */
void cli_interrupt(void);

/* Progress on standard error, unless it is --quiet: on a terminal a line that is redrawn a few times a second, elsewhere a
 * line a minute. `fraction` below 0: unknown. */
void cli_progress(int quiet, double fraction, const char *what);
void cli_progress_clear(void);

/* The same while sigma is integrated, before something else. Returns whether a signal has come. */
int cli_integrating(int quiet, const bg_result *now);

/* Fills an error of the program's own, as the library does it, and returns the status. `error` may be NULL. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bg_status
cli_fail(bg_error *error, bg_status status, const char *format, ...);

/* Seconds of a monotonic clock. */
double cli_seconds(void);

/* Whether everything that was printed so far reached standard output; says so if not. Returns 0 or 1 (failed). */
int cli_output_failed(const char *command);

#endif
