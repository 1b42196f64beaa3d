/* blockgen cite: what a run used, and how that is cited. The run is that of a file of --json, or of options. */
#include "commands.h"
#include "console.h"
#include "json.h"
#include "jsonread.h"
#include "options.h"
#include "process.h"
#include "references.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "cite"

/* What is known of a run. */
typedef struct run {
    char process[256]; /* "": any */
    int flavors, lines;
    int summed, dressed;  /* colors, currents */
    int sampled;          /* random numbers were used */
    char phase_space[32]; /* "": points were given */
    char pdf[256];        /* "": partons come in */
    char format[16];      /* of a file of events: lhe, h5, ...; "": none */
} run;

static void copy(char *to, size_t size, const char *from) { snprintf(to, size, "%s", from ? from : ""); }

static void note_axes(run *r, const char *color, const char *recursion, const char *helicity)
{
    r->summed |= !strcmp(color, "summed");
    r->dressed |= !strcmp(recursion, "dressed");
    r->sampled |= !strcmp(color, "sampled") || !strcmp(helicity, "sampled");
}

/* ---- from a file of results --------------------------------------------------------------------------------------- */

/* The axes of an object; 0 where it has none. */
static int read_axes(const json_value *object, run *r)
{
    const char *color = json_string(json_member(object, "color"), NULL);
    const char *recursion = json_string(json_member(object, "recursion"), NULL);
    const char *helicity = json_string(json_member(object, "helicity"), NULL);
    if (!color || !recursion || !helicity) return 0;
    note_axes(r, color, recursion, helicity);
    return 1;
}

/* A document of integrate or generate has one algorithm, one of me has several, and no process where all are gluons. */
static int read_document(const json_value *document, run *r)
{
    const json_value *several = json_member(document, "algorithms");
    const char *process = json_string(json_member(document, "process"), NULL);
    if (!json_member(document, "version") || (!several && !process)) return 0;
    copy(r->process, sizeof r->process, process ? process : "g g > 2g");
    copy(r->phase_space, sizeof r->phase_space, json_string(json_member(document, "phase_space"), NULL));
    copy(r->pdf, sizeof r->pdf, json_string(json_member(document, "pdf"), NULL));
    copy(r->format, sizeof r->format, json_string(json_member(document, "format"), NULL));
    r->sampled = r->phase_space[0] != '\0';
    if (!several) return read_axes(document, r);
    for (const json_value *one = several->first; one; one = one->next)
        if (!read_axes(one, r)) return 0;
    return 1;
}

static int read_result(const char *path, run *r)
{
    char why[256];
    json_value *document = json_read_file(path, why, sizeof why);
    if (!document) {
        cli_message(NAME, "%s", why);
        return CLI_USAGE;
    }
    const int known = read_document(document, r);
    if (!known) cli_message(NAME, "%s is not what me, integrate or generate write with --json", path);
    json_free(document);
    return known ? CLI_DONE : CLI_USAGE;
}

/* ---- from options ----------------------------------------------------------------------------------------------------- */

/* "run.lhe.gz" is of format lhe. */
static const char *format_of(const char *file)
{
    static const char *const endings[] = {".lhe", ".lhe.gz", ".h5", ".hdf5", ".npy", ".csv"};
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        const size_t length = strlen(file), end = strlen(endings[k]);
        if (length > end && !strcmp(file + length - end, endings[k])) return endings[k] + 1;
    }
    return NULL;
}

/* What was left open is chosen as `integrate` would. */
static int read_options(const cli_common *common, const cli_process *asked, const bg_process *process, run *r)
{
    bg_options resolved;
    bg_choice choice;
    bg_error error;
    bg_integration integration;
    bg_options_init(&resolved);
    bg_choice_init(&choice);
    bg_integration_init(&integration);
    const bg_purpose purpose = bg_integration_purpose(&common->options, &integration);
    if (bg_choose(process, &common->options, purpose, &choice, &resolved, &error) != BG_OK) {
        cli_message(NAME, "%s", error.message);
        return cli_exit_status(error.status);
    }
    cli_process_name(asked, r->process, sizeof r->process);
    note_axes(r, cli_value(&resolved, "color").text, cli_value(&resolved, "recursion").text,
              cli_value(&resolved, "helicity").text);
    r->sampled = 1;
    return CLI_DONE;
}

/* ---- what it used ------------------------------------------------------------------------------------------------------ */

static int has_gluons_alone(const run *r)
{
    bg_process *process;
    int found = 0;
    if (bg_process_parse(&process, r->process, r->flavors, r->lines, NULL) != BG_OK) return 0;
    for (int k = 0; k < bg_process_classes(process) && !found; k++) {
        bg_process_class c;
        bg_process_class_init(&c);
        found = bg_process_class_at(process, k, &c, NULL) == BG_OK && c.quark_lines == 0;
    }
    bg_process_destroy(process);
    return found;
}

static int starts(const char *text, const char *beginning) { return !strncmp(text, beginning, strlen(beginning)); }

static int is_used(const run *r, int k)
{
    const int toy = starts(r->pdf, BG_BUILT_IN_PDF);
    switch (k) {
    case REFERENCE_PROGRAM:
    case REFERENCE_ALGORITHMS:
    case REFERENCE_ORDERED: return 1;
    case REFERENCE_DRESSED: return r->dressed;
    case REFERENCE_COLOR_SUM: return r->summed && has_gluons_alone(r);
    case REFERENCE_RANDOM: return r->sampled;
    case REFERENCE_FLAT: return !strcmp(r->phase_space, "rambo");
    case REFERENCE_ADAPTIVE: return !strcmp(r->phase_space, "adaptive");
    case REFERENCE_DENSITIES: return r->pdf[0] && !toy;
    case REFERENCE_TOY_DENSITIES: return toy;
    case REFERENCE_LHEF:
    case REFERENCE_LHEF_3: return starts(r->format, "lhe");
    case REFERENCE_LHEH5:
    case REFERENCE_LHEH5_2: return starts(r->format, "h5") || starts(r->format, "hdf5");
    default: return 0;
    }
}

/* ---- the reference of a set of parton densities, as its own file has it ------------------------------------------------ */

/* The value of "Reference: ..." in FOLDER/SET/SET.info. */
static int find_in(const char *folder, const char *set, char *text, size_t size)
{
    char path[1024], line[1024];
    const char *name = strrchr(set, '/');
    name = name ? name + 1 : set;
    if (snprintf(path, sizeof path, "%s%s%s/%s.info", folder, *folder ? "/" : "", set, name) >= (int)sizeof path)
        return 0;
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    int found = 0;
    while (!found && fgets(line, sizeof line, file))
        if (starts(line, "Reference:")) {
            char *value = line + strlen("Reference:");
            value += strspn(value, " \t\"");
            value[strcspn(value, "\"\r\n")] = '\0';
            copy(text, size, value);
            found = *value != '\0';
        }
    (void)fclose(file);
    return found;
}

/* Where the library looks for sets (docs/physics.md). */
static int find_reference(const char *pdf, char *text, size_t size)
{
    static const char *const lists[] = {"LHAPDF_DATA_PATH", "LHAPATH"};
    static const char *const folders[] = {"/usr/local/share/LHAPDF", "/usr/share/LHAPDF"};
    char set[256], place[1024];
    copy(set, sizeof set, pdf);
    set[strcspn(set, ": ")] = '\0'; /* a member behind a colon */
    if (strchr(set, '/')) return find_in("", set, text, size);
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        copy(place, sizeof place, getenv(lists[k]));
        for (char *folder = strtok(place, ":"); folder; folder = strtok(NULL, ":"))
            if (find_in(folder, set, text, size)) return 1;
    }
    const char *conda = getenv("CONDA_PREFIX");
    if (conda && *conda) {
        snprintf(place, sizeof place, "%.1000s/share/LHAPDF", conda);
        if (find_in(place, set, text, size)) return 1;
    }
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++)
        if (find_in(folders[k], set, text, size)) return 1;
    return 0;
}

/* ---- as text, BibTeX, JSON ----------------------------------------------------------------------------------------------- */

/* "Family, Given and ..." as "Given Family, ...". */
static void authors_as_text(const char *authors, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (const char *one = authors; one && used < size;) {
        const char *next = strstr(one, " and ");
        const int length = next ? (int)(next - one) : (int)strlen(one);
        const char *comma = memchr(one, ',', (size_t)length);
        const char *before = used ? ", " : "";
        if (comma)
            used += (size_t)snprintf(text + used, size - used, "%s%.*s %.*s", before, length - (int)(comma - one) - 2,
                                     comma + 2, (int)(comma - one), one);
        else if (!strncmp(one, "others", 6))
            used += (size_t)snprintf(text + used, size - used, " et al.");
        else
            used += (size_t)snprintf(text + used, size - used, "%s%.*s", before, length - 2 * (*one == '{'),
                                     one + (*one == '{'));
        one = next ? next + 5 : NULL;
    }
}

static void as_sentence(const reference *r, char *text, size_t size)
{
    char authors[512], pages[32] = "";
    size_t used = 0;
    authors_as_text(r->authors, authors, sizeof authors);
    if (r->pages) snprintf(pages, sizeof pages, "%.*s", (int)strcspn(r->pages, "-"), r->pages);
    used += (size_t)snprintf(text, size, "%s", authors);
    if (r->title && used < size) used += (size_t)snprintf(text + used, size - used, ", \"%s\"", r->title);
    if (!strcmp(r->kind, "software") && used < size)
        used += (size_t)snprintf(text + used, size - used, ", version %s", bg_version());
    if (r->journal && used < size)
        used += (size_t)snprintf(text + used, size - used, ", %s%s%s", r->journal, r->volume ? " " : "",
                                 r->volume ? r->volume : "");
    if (used < size) used += (size_t)snprintf(text + used, size - used, " (%d)%s%s", r->year, *pages ? " " : "", pages);
    if (r->arxiv && used < size) used += (size_t)snprintf(text + used, size - used, ", arXiv:%s", r->arxiv);
    if (r->note && used < size) (void)snprintf(text + used, size - used, ", %s", r->note);
}

static void print_field(const char *name, const char *value)
{
    if (value) printf(",\n    %s = {%s}", name, value);
}

static void print_bibtex(const reference *r)
{
    const int talk = !strcmp(r->kind, "inproceedings");
    printf("@%s{%s,\n    author = {%s}", r->kind, r->key, r->authors);
    if (r->title) printf(",\n    title = {{%s}}", r->title);
    print_field(talk ? "booktitle" : "journal", r->journal);
    print_field("volume", r->volume);
    print_field("pages", r->pages);
    printf(",\n    year = {%d}", r->year);
    if (!strcmp(r->kind, "software")) print_field("version", bg_version());
    print_field("eprint", r->arxiv);
    if (r->arxiv) print_field("archivePrefix", "arXiv");
    print_field("doi", r->doi);
    print_field("note", r->note);
    printf("\n}\n\n");
}

static void as_text(const run *r, const char *set)
{
    char text[1024];
    for (int k = 0; k < REFERENCES; k++) {
        if (!is_used(r, k)) continue;
        as_sentence(&references[k], text, sizeof text);
        printf("%s\n    %s\n", reference_uses[k], text);
    }
    if (set) printf("the set of parton densities %s\n    %s\n", r->pdf, set);
}

/* LHAPDF's own files have no BibTeX: what they say becomes a note. */
static void as_bibtex(const run *r, const char *set)
{
    for (int k = 0; k < REFERENCES; k++) {
        if (!is_used(r, k)) continue;
        printf("%% %s\n", reference_uses[k]);
        print_bibtex(&references[k]);
    }
    if (set) printf("%% the set of parton densities %s: %s\n", r->pdf, set);
}

static void as_json(const run *r, const char *set)
{
    char text[1024];
    json j = json_start(stdout);
    json_open(&j, NULL, '{');
    json_text(&j, "process", r->process[0] ? r->process : NULL);
    json_open(&j, "references", '[');
    for (int k = 0; k < REFERENCES; k++) {
        if (!is_used(r, k)) continue;
        as_sentence(&references[k], text, sizeof text);
        json_open(&j, NULL, '{');
        json_text(&j, "key", references[k].key);
        json_text(&j, "for", reference_uses[k]);
        json_text(&j, "text", text);
        json_text(&j, "arxiv", references[k].arxiv);
        json_text(&j, "doi", references[k].doi);
        json_close(&j);
    }
    json_close(&j);
    json_text(&j, "pdf", r->pdf[0] ? r->pdf : NULL);
    json_text(&j, "pdf_reference", set);
    json_close(&j);
}

/* ---- the command -------------------------------------------------------------------------------------------------------- */

static const char *const phase_spaces[] = {"adaptive", "rambo", NULL};

typedef struct asked {
    cli_process process;
    const char *pdf, *output;
    int phase_space, bibtex;
} asked;

static int is_about_options(const asked *a, const cli_common *common)
{
    return a->process.text || a->process.n_out || a->process.flavors != CLI_PROCESS_NOT_GIVEN ||
           a->process.lines != CLI_PROCESS_NOT_GIVEN || a->pdf || a->output || a->phase_space >= 0 ||
           common->given_count > 0;
}

/* The run that the options describe. */
static int describe(const cli_common *common, const asked *a, run *r)
{
    bg_process *process;
    if (!a->process.text && !a->process.n_out) {
        cli_message(NAME, "options say what the run is, but not its process: --process or -n is missing");
        return CLI_USAGE;
    }
    int status = cli_process_make(NAME, &a->process, &process);
    if (status != CLI_DONE) return status;
    if (a->process.flavors != CLI_PROCESS_NOT_GIVEN) r->flavors = a->process.flavors;
    if (a->process.lines != CLI_PROCESS_NOT_GIVEN) r->lines = a->process.lines;
    status = read_options(common, &a->process, process, r);
    if (status == CLI_DONE && a->pdf && !bg_process_has_protons(process)) {
        cli_message(NAME, "--pdf has no effect: no protons come in (see blockgen cite --help)");
        status = CLI_USAGE;
    }
    if (bg_process_has_protons(process)) copy(r->pdf, sizeof r->pdf, a->pdf ? a->pdf : BG_BUILT_IN_PDF);
    copy(r->phase_space, sizeof r->phase_space, phase_spaces[a->phase_space < 0 ? 0 : a->phase_space]);
    if (status == CLI_DONE && a->output && !format_of(a->output)) {
        cli_message(NAME, "--output is '%s'; it must end in .lhe, .lhe.gz, .h5, .hdf5, .npy or .csv", a->output);
        status = CLI_USAGE;
    }
    if (a->output) copy(r->format, sizeof r->format, format_of(a->output));
    bg_process_destroy(process);
    return status;
}

int command_cite(int argc, char **argv)
{
    static const char *const axes[] = {"algorithm", "color", "recursion", NULL};
    asked a = {.process = CLI_PROCESS_NONE, .phase_space = -1};
    const cli_option own[] = {
        {.name = "bibtex", .kind = CLI_KIND_FLAG, .target = &a.bibtex, .help = "as a file for BibTeX"},
        CLI_GLUONS_OPTION(&a.process),
        CLI_PROCESS_OPTION(&a.process),
        CLI_FLAVOR_OPTIONS(&a.process),
        {.name = "pdf",
         .kind = CLI_KIND_TEXT,
         .argument = "SET",
         .target = &a.pdf,
         .help = "parton densities of protons, as for integrate (" BG_BUILT_IN_PDF ")"},
        {.name = "phase-space",
         .kind = CLI_KIND_CHOICE,
         .target = &a.phase_space,
         .choices = phase_spaces,
         .help = "as for integrate (adaptive)"},
        {.name = "output",
         .letter = 'o',
         .kind = CLI_KIND_TEXT,
         .argument = "FILE",
         .target = &a.output,
         .help = "file of events, whose ending tells its format"},
        {.name = NULL},
    };
    const cli_command command = {
        .name = NAME,
        .operands = "[RESULT]",
        .summary = "What to cite for a run: the program, its algorithms, parton densities and formats that it used.",
        .details =
            "RESULT is what me, integrate or generate have written with --json. Without it the options below say\n"
            "what the run is; color and recursion are those that integrate would choose, unless they are given.",
        .own = own,
        .algorithm = 1,
        .only = axes,
        .chooses = 1,
        .max_operands = 1,
    };
    cli_common common;
    run r = {.flavors = BG_MAX_FLAVORS, .lines = BG_ALL_LINES};
    char set[512];
    int status;
    if (cli_parse(&command, argc, argv, &common, &status)) return status;
    if (common.json && a.bibtex) {
        cli_message(NAME, "--json and --bibtex exclude each other (see blockgen cite --help)");
        return CLI_USAGE;
    }
    if (common.operand_count && is_about_options(&a, &common)) {
        cli_message(NAME, "either a result or options say what the run is, not both (see blockgen cite --help)");
        return CLI_USAGE;
    }
    status = CLI_DONE; /* and nothing to read: what every run uses */
    if (common.operand_count)
        status = read_result(common.operands[0], &r);
    else if (is_about_options(&a, &common))
        status = describe(&common, &a, &r);
    if (status != CLI_DONE) return status;
    const char *paper = is_used(&r, REFERENCE_DENSITIES) && find_reference(r.pdf, set, sizeof set) ? set : NULL;
    if (common.json)
        as_json(&r, paper);
    else if (a.bibtex)
        as_bibtex(&r, paper);
    else
        as_text(&r, paper);
    return CLI_DONE;
}
