#include "console.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int progress_shown;

/* Messages that wait until it is known whether they are wanted. */
static char *held;
static size_t held_length;
static int holding;

static void hold(const char *line, size_t length)
{
    char *longer = realloc(held, held_length + length);
    if (!longer) return; /* the exit status still tells */
    memcpy(longer + held_length, line, length);
    held = longer;
    held_length += length;
}

void cli_hold_messages(void) { holding = 1; }

void cli_release_messages(int show)
{
    if (show && held_length) fwrite(held, held_length, 1, stderr);
    free(held);
    held = NULL;
    held_length = 0;
    holding = 0;
}

/* The whole line in one write: ranks and other programs write to the same place. */
void cli_message(const char *command, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int text = vsnprintf(NULL, 0, format, args);
    va_end(args);
    const size_t name = strlen("blockgen : ") + (command ? strlen(command) : 0);
    const size_t size = name + (size_t)(text > 0 ? text : 0) + 2;
    char *line = malloc(size);
    cli_progress_clear();
    if (line) {
        int length = snprintf(line, size, "blockgen%s%s: ", command ? " " : "", command ? command : "");
        length += vsnprintf(line + length, size - (size_t)length, format, again);
        line[length++] = '\n';
        if (holding)
            hold(line, (size_t)length);
        else
            fwrite(line, (size_t)length, 1, stderr);
        free(line);
    }
    va_end(again);
}

bg_status cli_fail(bg_error *error, bg_status status, const char *format, ...)
{
    va_list args;
    if (!error) return status;
    error->status = status;
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return status;
}

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number)
{
    static const char patience[] =
        "\r\033[Kinterrupted: what is being computed is finished first; once more stops at once\n";
    const int kept = errno;
    const ssize_t told =
        !interrupted && isatty(STDERR_FILENO) ? write(STDERR_FILENO, patience, sizeof patience - 1) : 0;
    (void)told; /* nobody to complain to */
    interrupted = signal_number;
    errno = kept;
}

/* A file that may not grow and a pipe that nobody reads are errors of the write, which says what it was about. Those that
 * ask to end are asked once, but for SIGINT and SIGTERM, which mean it when they come again: a terminal that is closed
 * sends SIGHUP more than once, a processor's time that is over SIGXCPU every second. What somebody has switched off, such as
 * nohup, stays so. */
void cli_install_signals(void)
{
    static const int at_most_twice[] = {SIGINT, SIGTERM}, often[] = {SIGHUP, SIGUSR1, SIGXCPU},
                     ignored[] = {SIGPIPE, SIGXFSZ};
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = on_interrupt;
    action.sa_flags = (int)SA_RESETHAND; /* and no SA_RESTART: a read that waits must come back */
    for (size_t k = 0; k < sizeof at_most_twice / sizeof *at_most_twice; k++)
        sigaction(at_most_twice[k], &action, NULL);
    action.sa_flags = 0;
    for (size_t k = 0; k < sizeof often / sizeof *often; k++)
        if (sigaction(often[k], NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(often[k], &action, NULL);
    action.sa_handler = SIG_IGN;
    for (size_t k = 0; k < sizeof ignored / sizeof *ignored; k++) sigaction(ignored[k], &action, NULL);
}

void cli_interrupt(void)
{
    if (!interrupted) interrupted = SIGTERM;
}

int cli_interrupted(void) { return interrupted != 0; }

int cli_wants_to_stop(void *unused)
{
    (void)unused;
    return cli_interrupted();
}

double cli_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void cli_progress(int quiet, double fraction, const char *what)
{
    static double last;
    const double now = cli_seconds();
    const int terminal = isatty(STDERR_FILENO);
    if (!terminal && !(last > 0.)) last = now; /* the first line is due in a minute */
    if (quiet || now - last < (terminal ? 0.2 : 60.)) return;
    last = now;
    if (!terminal) {
        fprintf(stderr, fraction < 0. ? "blockgen: %s\n" : "blockgen: %s (%.0f %%)\n", what, 100. * fraction);
        return;
    }
    progress_shown = 1;
    if (fraction < 0.) {
        fprintf(stderr, "\r\033[K%s", what);
    } else {
        enum { WIDTH = 30 };
        char bar[WIDTH + 1];
        const int done = fraction < 1. ? (int)(WIDTH * fraction) : WIDTH;
        memset(bar, '.', WIDTH);
        memset(bar, '#', (size_t)done);
        bar[WIDTH] = '\0';
        fprintf(stderr, "\r\033[K[%s] %3.0f %%  %s", bar, 100. * (fraction < 1. ? fraction : 1.), what);
    }
    fflush(stderr);
}

void cli_progress_clear(void)
{
    if (!progress_shown) return;
    progress_shown = 0;
    fputs("\r\033[K", stderr);
    fflush(stderr);
}

int cli_integrating(int quiet, const bg_result *now)
{
    char text[96];
    snprintf(text, sizeof text, "integrating: sigma ~ %.4g pb, %.3g points", now->sigma_pb,
             (double)(now->points + now->warmup_points));
    cli_progress(quiet, -1., text);
    return cli_interrupted();
}

int cli_output_failed(const char *command)
{
    static int reported;
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
    if (!reported) cli_message(command, "cannot write to standard output: %s", errno ? strerror(errno) : "write error");
    reported = 1;
    return 1;
}
