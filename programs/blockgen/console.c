#include "console.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int progress_shown;

void cli_message(const char *command, const char *format, ...)
{
    va_list args;
    cli_progress_clear();
    fprintf(stderr, "blockgen%s%s: ", command ? " " : "", command ? command : "");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    putc('\n', stderr);
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
    interrupted = signal_number;
    const ssize_t told = isatty(STDERR_FILENO) ? write(STDERR_FILENO, patience, sizeof patience - 1) : 0;
    (void)told; /* nobody to complain to */
    errno = kept;
}

void cli_install_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = on_interrupt;
    action.sa_flags = (int)SA_RESETHAND; /* and no SA_RESTART: a read that waits must come back */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = SIG_IGN;
    action.sa_flags = 0;
    sigaction(SIGPIPE, &action, NULL);
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

int cli_output_failed(const char *command)
{
    static int reported;
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
    if (!reported) cli_message(command, "cannot write to standard output: %s", errno ? strerror(errno) : "write error");
    reported = 1;
    return 1;
}
