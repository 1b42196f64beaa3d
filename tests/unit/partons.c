#include "partons.h"

const char *const instruction_sets[] = {"baseline", "avx2", "avx512", "quad", NULL};

/* ---- reference values -------------------------------------------------------------------------------------------- */

static void read_point(parton_reference *r, char *at)
{
    assert_true(r->points < REFERENCE_POINTS);
    double *p = r->momenta + r->points * 4 * r->n;
    r->me2[r->points++] = strtod(at, &at);
    for (int k = 0; k < 4 * r->n; k++) {
        char *end;
        p[k] = strtod(at, &end);
        if (end == at) fail_msg("a point of %s has less than %d numbers", r->process, 4 * r->n);
        at = end;
    }
}

parton_reference *parton_references(void)
{
    parton_reference *all = calloc(REFERENCE_PROCESSES, sizeof *all), *r = NULL;
    static char line[8192];
    FILE *f = fopen(TEST_DATA_DIR "/quarks/reference.txt", "r");
    int count = 0;
    assert_true(all && f);
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (!strncmp(line, "process ", 8)) {
            assert_true(count < REFERENCE_PROCESSES);
            r = &all[count++];
            snprintf(r->process, sizeof r->process, "%.60s", line + 8);
            r->n = legs_of(r->process);
            r->n_out = r->n - 2;
            assert_true(r->n <= REFERENCE_LEGS);
        } else if (!strncmp(line, "point ", 6)) {
            assert_non_null(r);
            read_point(r, line + 6);
        } else if (!strncmp(line, "helicity ", 9)) {
            assert_true(r && r->helicities < REFERENCE_HELICITIES);
            assert_int_equal(
                sscanf(line, "helicity %7s %lf", r->helicity[r->helicities].signs, &r->helicity[r->helicities].me2), 2);
            r->helicities++;
        }
    }
    fclose(f);
    assert_int_equal(count, REFERENCE_PROCESSES);
    return all;
}

double parton_reference_helicity(const parton_reference *r, const char *signs)
{
    for (int k = 0; k < r->helicities; k++)
        if (!strcmp(r->helicity[k].signs, signs)) return r->helicity[k].me2;
    return 0.;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

parton_words parton_words_of(const char *text)
{
    parton_words p = {0};
    char copy[128];
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        if (strcmp(word, ">") != 0) snprintf(p.word[p.n++], sizeof p.word[0], "%.3s", word);
    return p;
}

void parton_words_write(const parton_words *p, const int *order, char *text, size_t size)
{
    text[0] = '\0';
    for (int k = 0; k < p->n; k++)
        snprintf(text + strlen(text), size - strlen(text), "%s%s",
                 k == 2 ? " > "
                 : k    ? " "
                        : "",
                 p->word[order ? order[k] : k]);
}

double identical_factor(const char *text)
{
    const parton_words p = parton_words_of(text);
    double factor = 1.;
    for (int k = 2; k < p.n; k++) {
        int alike = 1;
        for (int j = 2; j < k; j++) alike += !strcmp(p.word[j], p.word[k]);
        factor *= alike;
    }
    return factor;
}

/* ---- the library in one call ------------------------------------------------------------------------------------- */

bg_process *process_of(const char *text)
{
    bg_error error;
    bg_process *process;
    if (bg_process_parse(&process, text, BG_MAX_FLAVORS, BG_ALL_LINES, &error) != BG_OK)
        fail_msg("%s: %s", text, error.message);
    return process;
}

int legs_of(const char *text)
{
    bg_process *process = process_of(text);
    const int n = bg_process_n_out(process) + 2;
    bg_process_destroy(process);
    return n;
}

void evaluate_process(const char *text, const bg_options *options, uint64_t first_event, size_t count,
                      const double *momenta, double *me2, double *uncertainty)
{
    bg_error error;
    bg_process *process = process_of(text);
    bg_evaluator *evaluator = NULL;
    if (bg_evaluator_create(&evaluator, process, options, &error) != BG_OK ||
        bg_evaluator_evaluate(evaluator, first_event, count, momenta, me2, uncertainty, &error) != BG_OK)
        fail_msg("%s: %s", text, error.message);
    bg_process_destroy(process);
    bg_evaluator_destroy(evaluator);
}

double evaluate_process_one(const char *text, const bg_options *options, const double *momenta)
{
    double me2;
    evaluate_process(text, options, 0, 1, momenta, &me2, NULL);
    return me2;
}

double evaluate_helicity(const char *text, const char *signs, const double *momenta)
{
    bg_options o = default_options();
    o.helicity = BG_HELICITY_FIXED;
    snprintf(o.helicities, sizeof o.helicities, "%s", signs);
    return evaluate_process_one(text, &o, momenta);
}
