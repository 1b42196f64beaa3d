#include "beams/pdf.h"
#include "base/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Made from data/pdf when the library is built (cmake/Embedded.cmake). */
extern const char bg_pdf_toy_info[], bg_pdf_toy_grid[];

enum { MOST_BYTES = 1 << 28 };

/* ---- files ---------------------------------------------------------------------------------------------------------- */

static bg_status read_text(const char *path, char **text, bg_error *error)
{
    FILE *f = fopen(path, "rb");
    size_t length = 0, room = 0;
    bg_status status = BG_OK;
    *text = NULL;
    if (!f) return bg_fail(error, BG_ERROR_IO, "cannot read %s: %s", path, strerror(errno));
    while (status == BG_OK && !feof(f)) {
        if (length + 1 >= room) {
            char *more = realloc(*text, room = room ? 2 * room : 1 << 16);
            if (!more) {
                status = bg_fail(error, BG_ERROR_MEMORY, "no memory for the %zu bytes of %s", room, path);
                break;
            }
            *text = more;
        }
        const size_t got = fread(*text + length, 1, room - length - 1, f);
        if (ferror(f))
            status = bg_fail(error, BG_ERROR_IO, "cannot read %s: %s", path, strerror(errno));
        else if (memchr(*text + length, '\0', got))
            status = bg_fail(error, BG_ERROR_IO, "%s is no text: there is a zero byte in it", path);
        else if (length + got > MOST_BYTES)
            status = bg_fail(error, BG_ERROR_IO, "%s has more than %d MiB", path, MOST_BYTES >> 20);
        length += got;
        (*text)[length] = '\0';
    }
    fclose(f);
    if (status != BG_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

static int is_file(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

/* ---- places --------------------------------------------------------------------------------------------------------- */

/* The next folder of a list with colons; returns what is behind it, NULL at the end. */
static const char *next_place(const char *list, char *place)
{
    while (list && *list) {
        const char *colon = strchr(list, ':');
        const size_t length = colon ? (size_t)(colon - list) : strlen(list);
        const char *rest = colon ? colon + 1 : list + length;
        if (length && length < BG_PDF_PATH) {
            memcpy(place, list, length);
            place[length] = '\0';
            return rest;
        }
        list = rest;
    }
    return NULL;
}

/* Calls `look` with every folder, until it returns 1. */
static int visit_places(int (*look)(const char *place, void *with), void *with)
{
    static const char *const lists[] = {"LHAPDF_DATA_PATH", "LHAPATH"};
    static const char *const folders[] = {"/usr/local/share/LHAPDF", "/usr/share/LHAPDF"};
    char place[BG_PDF_PATH];
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (const char *list = next_place(getenv(lists[k]), place); list; list = next_place(list, place))
            if (look(place, with)) return 1;
    const char *conda = getenv("CONDA_PREFIX");
    if (conda && *conda && snprintf(place, sizeof place, "%s/share/LHAPDF", conda) < (int)sizeof place &&
        look(place, with))
        return 1;
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++)
        if (look(folders[k], with)) return 1;
    return 0;
}

typedef struct place_text {
    char *text;
    size_t size, used;
} place_text;

static int add_place(const char *place, void *with)
{
    place_text *t = with;
    const int length =
        t->used < t->size ? snprintf(t->text + t->used, t->size - t->used, "%s%s", t->used ? ", " : "", place) : 0;
    t->used += length > 0 ? (size_t)length : 0;
    return 0;
}

void bg_pdf_places(char *text, size_t size)
{
    place_text t = {text, size, 0};
    if (size) text[0] = '\0';
    visit_places(add_place, &t);
}

/* A set: its name, the folder that it is in (none: it is built in), and the member. */
typedef struct wanted {
    char name[BG_PDF_NAME], folder[BG_PDF_PATH];
    int member;
} wanted;

static int write_path(char *path, const wanted *w, const char *folder, const char *ending)
{
    return snprintf(path, BG_PDF_PATH, "%s/%s%s", folder, w->name, ending) < BG_PDF_PATH;
}

static int has_set(const char *place, void *with)
{
    wanted *w = with;
    char path[BG_PDF_PATH];
    if (snprintf(w->folder, sizeof w->folder, "%s/%s", place, w->name) >= (int)sizeof w->folder) return 0;
    return write_path(path, w, w->folder, ".info") && is_file(path);
}

/* ---- names ---------------------------------------------------------------------------------------------------------- */

/* Cuts ":12" or "/12" off a name; -1: the number is too large. */
static int cut_member(char *name)
{
    size_t length = strlen(name), at = length;
    int member = 0;
    while (at && name[at - 1] >= '0' && name[at - 1] <= '9') at--;
    if (at == length || at < 2 || (name[at - 1] != ':' && name[at - 1] != '/')) return 0;
    if (length - at > 6) return -1;
    member = (int)strtol(name + at, NULL, 10);
    name[at - 1] = '\0';
    return member;
}

static bg_status no_set(const wanted *w, bg_error *error)
{
    char places[BG_MESSAGE_LENGTH - 160];
    bg_pdf_places(places, sizeof places);
    return bg_fail(error, BG_ERROR_ARGUMENT, "no parton densities %s: there is no %s/%s.info in %s", w->name, w->name,
                   w->name, places);
}

/* Where a set is: at a path, in one of the places, or here. */
static bg_status find_set(const char *name, wanted *w, bg_error *error)
{
    char path[BG_PDF_PATH];
    const size_t length = strlen(name);
    if (length >= BG_PDF_PATH - BG_PDF_NAME)
        return bg_fail(error, BG_ERROR_ARGUMENT,
                       "the name of the parton densities has %zu letters, and %d are the most", length,
                       BG_PDF_PATH - BG_PDF_NAME - 1);
    memcpy(path, name, length + 1);
    w->member = cut_member(path);
    if (w->member < 0)
        return bg_fail(error, BG_ERROR_ARGUMENT, "%.200s: the number of the member has more than 6 digits", name);
    for (size_t end = strlen(path); end > 1 && path[end - 1] == '/';) path[--end] = '\0';
    const char *slash = strrchr(path, '/'), *set = slash ? slash + 1 : path;
    if (!*set || strlen(set) >= BG_PDF_NAME)
        return bg_fail(error, BG_ERROR_ARGUMENT,
                       "'%.200s' is no name of parton densities: it is SET, SET:MEMBER or a path to a folder SET",
                       name);
    memcpy(w->name, set, strlen(set) + 1);
    w->folder[0] = '\0';
    if (!strcmp(path, BG_PDF_BUILT_IN)) return BG_OK;
    if (!slash && visit_places(has_set, w)) return BG_OK;
    memcpy(w->folder, path, strlen(path) + 1);
    if (write_path(path, w, w->folder, ".info") && is_file(path)) return BG_OK;
    return slash ? bg_fail(error, BG_ERROR_ARGUMENT, "no parton densities there: there is no %s", path)
                 : no_set(w, error);
}

static bg_status open_set(bg_pdf **pdf, const wanted *w, bg_error *error)
{
    char info_path[BG_PDF_PATH], grid_path[BG_PDF_PATH], ending[16], *info = NULL, *grid = NULL;
    if (!*w->folder)
        return bg_pdf_parse(pdf, BG_PDF_BUILT_IN ".info", bg_pdf_toy_info, BG_PDF_BUILT_IN "_0000.dat", bg_pdf_toy_grid,
                            w->member, error);
    snprintf(ending, sizeof ending, "_%04d.dat", w->member);
    if (!write_path(info_path, w, w->folder, ".info") || !write_path(grid_path, w, w->folder, ending))
        return bg_fail(error, BG_ERROR_ARGUMENT, "the path of %s has more than %d letters", w->name, BG_PDF_PATH - 1);
    bg_status status = read_text(info_path, &info, error);
    if (status == BG_OK) {
        status = read_text(grid_path, &grid, error);
        bg_error other; /* a member that the set does not have is better news than a file that is not there */
        if (status == BG_OK)
            status = bg_pdf_parse(pdf, info_path, info, grid_path, grid, w->member, error);
        else if (bg_pdf_parse(pdf, info_path, info, grid_path, "", w->member, &other) == BG_ERROR_ARGUMENT)
            status = bg_fail(error, other.status, "%s", other.message);
    }
    if (status == BG_OK) memcpy((*pdf)->file, grid_path, strlen(grid_path) + 1);
    free(info);
    free(grid);
    return status;
}

bg_status bg_pdf_open(bg_pdf **pdf, const char *name, bg_error *error)
{
    wanted w;
    *pdf = NULL;
    const bg_status status = find_set(name && *name ? name : BG_PDF_BUILT_IN, &w, error);
    return status == BG_OK ? open_set(pdf, &w, error) : status;
}

bg_status bg_pdf_open_member(bg_pdf **pdf, const char *name, int member, bg_error *error)
{
    wanted w;
    *pdf = NULL;
    const bg_status status = find_set(name && *name ? name : BG_PDF_BUILT_IN, &w, error);
    w.member = member;
    return status == BG_OK ? open_set(pdf, &w, error) : status;
}
