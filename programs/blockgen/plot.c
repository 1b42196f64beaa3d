#include "plot.h"
#include "console.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATH_LENGTH = 4096 };

const char *const plot_colors[PLOT_COLORS] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                              "#E69F00", "#56B4E9", "#000000"};

static const char *const formats[] = {"png", "svg", "pdf"}; /* bit k of PLOT_PNG, PLOT_SVG, PLOT_PDF */
enum { FORMATS = sizeof formats / sizeof *formats };

/* ---- the script ---------------------------------------------------------------------------------------- */

void plot_start(FILE *f, int width, int height)
{
    /* gnuplot itself says which terminals it was built with: packages differ. */
    fprintf(f,
            "set encoding utf8\n"
            "terminals = GPVAL_TERMINALS . ' '\n"
            "png = strstrt(terminals, ' pngcairo ') ? \"set terminal pngcairo enhanced size %d,%d font 'sans,21' "
            "linewidth 2\" : \\\n"
            "      \"set terminal png enhanced size %d,%d font 'sans,21' linewidth 2\"\n"
            "svg = \"set terminal svg enhanced size %d,%d font 'sans,13' linewidth 1.25 background 'white'\"\n"
            "pdf = \"set terminal pdfcairo enhanced size %.2f,%.2f font 'sans,13' linewidth 1.25\"\n",
            width, height, width, height, width / 2, height / 2, width / 144., height / 144.);
    fputs("formats = strstrt(terminals, ' pngcairo ') || strstrt(terminals, ' png ') ? 'png svg' : 'svg'\n"
          "set datafile separator ','\n"
          "set datafile commentschars '#'\n"
          "set key autotitle columnhead\n"
          "set style line 100 linecolor rgb '#dddddd' linewidth 0.5\n"
          "set grid xtics ytics linestyle 100\n"
          "set border linecolor rgb '#444444'\n"
          "set tics nomirror\n"
          "set lmargin 10\n"
          "set bmargin 3.8\n",
          f);
    for (int k = 0; k < 2 * PLOT_COLORS; k++) /* the second time around dashed */
        fprintf(f, "set linetype %d linecolor rgb '%s' linewidth 1.5 dashtype %d\n", k + 1,
                plot_colors[k % PLOT_COLORS], k < PLOT_COLORS ? 1 : 2);
    fprintf(f, "set linetype cycle %d\n", 2 * PLOT_COLORS);
}

void plot_open(FILE *f, const char *name)
{
    fprintf(f,
            "\n# ---- %s\n"
            "do for [format in formats] {\n"
            "eval (format eq 'png' ? png : format eq 'pdf' ? pdf : svg)\n"
            "set output '%s.' . format\n"
            "unset logscale\n"
            "unset title\n"
            "unset label\n"
            "set format '%%h'\n"
            "set autoscale\n"
            "set key on inside vertical right top noenhanced\n",
            name, name);
}

void plot_close(FILE *f) { fputs("unset output\n}\n", f); }

void plot_text(FILE *f, const char *text)
{
    putc('\'', f);
    for (; *text; text++) {
        if (*text == '\n') {
            fputs("' . \"\\n\" . '", f); /* single quotes know no \n, double quotes would run `commands` */
            continue;
        }
        if (*text == '\'') putc('\'', f);
        putc(*text, f);
    }
    putc('\'', f);
}

/* ---- running it ------------------------------------------------------------------------------------------ */

/* The first gnuplot in PATH. Only absolute folders count: gnuplot is started from another one. */
static int find_gnuplot(char *path)
{
    const char *from = getenv("PATH");
    struct stat s;
    while (from && *from) {
        const size_t length = strcspn(from, ":");
        if (*from == '/' && length < PATH_LENGTH - 16) {
            snprintf(path, PATH_LENGTH, "%.*s/gnuplot", (int)length, from);
            if (stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0) return 1;
        }
        from += length + (from[length] == ':');
    }
    return 0;
}

/* Between fork and exec, where other threads may hold locks: only calls that are safe in a signal handler. */
static void become_gnuplot(const char *path, const char *folder, const char *script_name, int output)
{
    char *const words[] = {(char *)"gnuplot", (char *)"--default-settings", (char *)script_name, NULL};
    const int input = open("/dev/null", O_RDONLY);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    if (input >= 0 && chdir(folder) == 0 && dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
        dup2(output, STDERR_FILENO) >= 0)
        execv(path, words);
    _exit(127);
}

/* Seconds that gnuplot may take for a script. */
static double patience(void)
{
    const char *word = getenv("BLOCKGEN_GNUPLOT_SECONDS");
    char *end = NULL;
    const double seconds = word && *word ? strtod(word, &end) : PLOT_SECONDS;
    return end && (*end || !(seconds > 0. && seconds < 1e6)) ? PLOT_SECONDS : seconds;
}

/* All that gnuplot says, as far as it fits, until it closes its end or the time is over. */
static void listen_to(int from, char *text, size_t size, double until)
{
    char rest[512];
    size_t length = 0;
    for (;;) {
        struct pollfd one = {from, POLLIN, 0};
        const double left = until - cli_seconds();
        const int ready = left > 0. ? poll(&one, 1, (int)ceil(1e3 * fmin(left, 1e3))) : 0;
        if (left > 0. && (!ready || (ready < 0 && errno == EINTR))) continue;
        if (ready <= 0) break;
        const size_t room = size - 1 - length;
        const ssize_t got = room ? read(from, text + length, room) : read(from, rest, sizeof rest);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        if (room) length += (size_t)got;
    }
    text[length] = '\0';
}

/* Waits for its end; one that takes longer is ended. Returns 0, 1 where it was ended, or -1 where nobody knows. */
static int wait_for(pid_t child, int *ended, double until)
{
    const struct timespec nap = {0, 5000000};
    int killed = 0;
    for (;;) {
        const pid_t done = waitpid(child, ended, killed ? 0 : WNOHANG);
        if (done == child) return killed;
        if (done < 0 && errno != EINTR) return -1;
        if (!killed && cli_seconds() >= until) {
            killed = 1;
            kill(child, SIGKILL);
        } else if (!killed) {
            nanosleep(&nap, NULL);
        }
    }
}

/* The line that names the error: gnuplot shows the command and a caret on the lines before it. */
static const char *complaint(char *said)
{
    for (size_t length = strlen(said); length && strchr(" \n\r\t", said[length - 1]); length--) said[length - 1] = '\0';
    const char *last = strrchr(said, '\n');
    last = last ? last + 1 : said;
    while (*last == ' ' || *last == '\t') last++;
    return last;
}

plot_status plot_run(const char *folder, const char *script_name, char *message, size_t size)
{
    char path[PATH_LENGTH], said[8192];
    int channel[2], ended;
    if (!find_gnuplot(path)) return PLOT_NO_GNUPLOT;
    fflush(stdout); /* results are out before anything can go wrong with pictures */
    if (pipe(channel) != 0) {
        snprintf(message, size, "cannot start %s: %s", path, strerror(errno));
        return PLOT_FAILED;
    }
    const pid_t child = fork();
    if (child == 0) {
        close(channel[0]);
        become_gnuplot(path, folder, script_name, channel[1]);
    }
    const int reason = errno;
    close(channel[1]);
    if (child < 0) {
        close(channel[0]);
        snprintf(message, size, "cannot start %s: %s", path, strerror(reason));
        return PLOT_FAILED;
    }
    const double seconds = patience(), until = cli_seconds() + seconds;
    listen_to(channel[0], said, sizeof said, until);
    close(channel[0]);
    const int killed = wait_for(child, &ended, until);
    if (killed < 0) {
        snprintf(message, size, "lost track of %s: %s", path, strerror(errno));
        return PLOT_FAILED;
    }
    if (killed) {
        snprintf(message, size,
                 "%s was not done after %g s and was ended (BLOCKGEN_GNUPLOT_SECONDS gives it more); data and script "
                 "are there",
                 path, seconds);
        return PLOT_FAILED;
    }
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0) return PLOT_DONE;
    if (WIFSIGNALED(ended))
        snprintf(message, size, "%s was ended by signal %d", path, WTERMSIG(ended));
    else
        snprintf(message, size, "%s ended with status %d: %s", path, WEXITSTATUS(ended), complaint(said));
    return PLOT_FAILED;
}

/* ---- what became of it ------------------------------------------------------------------------------------- */

static int figure_path(char path[PATH_LENGTH], const char *folder, const char *name, int format)
{
    const int length = snprintf(path, PATH_LENGTH, "%s/%s.%s", folder, name, formats[format]);
    return length > 0 && length < PATH_LENGTH;
}

/* Whether a file has its end: gnuplot does not notice when the disk is full. */
static int is_complete(const char *path, int format)
{
    static const char *const mark[] = {"IEND", "</svg>", "%%EOF"};
    char tail[64] = "";
    FILE *f = fopen(path, "rb");
    if (!f) return 0;
    size_t length = 0;
    if (fseek(f, 0, SEEK_END) == 0 && ftell(f) >= (long)sizeof tail && fseek(f, -(long)sizeof tail, SEEK_END) == 0)
        length = fread(tail, 1, sizeof tail, f);
    fclose(f);
    const size_t wanted = strlen(mark[format]);
    for (size_t k = 0; k + wanted <= length; k++)
        if (!memcmp(tail + k, mark[format], wanted)) return 1;
    return 0;
}

int plot_drawn(const char *folder, const char *name)
{
    char path[PATH_LENGTH];
    int drawn = 0;
    for (int k = 0; k < FORMATS; k++)
        if (figure_path(path, folder, name, k) && access(path, F_OK) == 0)
            drawn |= is_complete(path, k) ? 1 << k : PLOT_BROKEN;
    return drawn;
}

void plot_remove(const char *folder, const char *name)
{
    char path[PATH_LENGTH];
    for (int k = 0; k < FORMATS; k++)
        if (figure_path(path, folder, name, k)) unlink(path);
}
