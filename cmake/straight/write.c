/* Writes the program of a process (src/amplitude/program.h) as a C function, or some of its amplitudes.
 *
 *     write STATES SKELETONS PDG PDG PDG ...        the incoming partons first
 *
 * STATES is `given` for a function of one configuration of helicities, `part` for one in which the real or the imaginary part of what each
 * line emits stands for its chirality (amplitude/program.h), or a number of gluons: both states of the first ones and all
 * parts are then in the function, the states of the other gluons are given. SKELETONS (color/strings.h) is `all` or FIRST-END. What src/amplitude/straight.h provides is called with literal places.
 *
 * Currents should stay in registers, so the order of the steps is one that keeps few of them alive. Of all terms of all amplitudes the
 * next one is that which needs the fewest numbers that are not there yet, and what it needs is computed just before. Chance
 * decides between equals and nearly equals, and of many orders the best one is written.
 *
 * The color sum of all amplitudes follows as a function with literal coefficients.
 */
#include "amplitude/program.h"
#include "backend/operations.h"
#include "base/status.h"
#include "color/factor.h"
#include "helicity/chirality.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { END_NUMBERS = 3 }; /* STRAIGHT_END_NUMBERS */
enum { ORDERS = 400 };    /* that are tried */
enum { NOBODY = -1, SEVERAL = -2 };

/* A term of an amplitude. */
typedef struct closing_term {
    const program_step *step;
    const program_term *term;
    int parts, negative, done;
} closing_term;

/* What is written next: a current (its step), or a term of an amplitude. */
typedef struct action {
    int step, closing; /* one of them is -1 */
} action;

typedef struct sequence {
    action *action;
    uint32_t actions;
    int live, peak; /* numbers */
} sequence;

typedef struct writer {
    bg_subprocess process;
    quark_program program;
    color_strings strings;
    int first_skeleton, end_skeleton; /* what is asked for */
    int closes, patterns;
    int one_part;                      /* parts are given */
    uint32_t rows;                     /* configurations in the function */
    uint32_t sets, splits, structures; /* that are needed */
    int *set, *split;                  /* [number in the program] the own one, or -1 */
    int *structure;                    /* [position] */
    int *maker;                        /* [number] the step that makes the current which starts there; -1: none */
    int *only;                         /* [step] the pairing that needs it; NOBODY yet, or SEVERAL */
    int *uses, *left;                  /* [number] how often the current which starts there is needed, and still is */
    char *done, *met;                  /* [step] */
    closing_term *closing;
    uint32_t closings;
    uint64_t chance;
    sequence best, trial;
} writer;

static uint32_t terms_of(const program_step *s)
{
    uint32_t terms = 0;
    for (int order = 0; order < TERMS_ORDERS; order++) terms += s->terms[order];
    return terms;
}

static int is_quark(int kind) { return kind == PROGRAM_QUARK || kind == PROGRAM_ANTIQUARK; }

static int is_part(int kind) { return kind == PROGRAM_PART || kind == PROGRAM_PART_U1; }

static int parts_of(int kind) { return kind == PROGRAM_REAL_GLUON || is_part(kind) ? 1 : 2; }

static int numbers_of(int kind) { return is_quark(kind) ? 4 : 4 * parts_of(kind); }

/* Places of the workspace in the code: the chirality of a place, the numbers of a set, of a split, of an end. */
static uint32_t place_of_sign(const writer *w, uint32_t at) { return at - w->program.at_sign; }

static uint32_t set_at(const writer *w, uint32_t at)
{
    return (uint32_t)w->set[at / PROGRAM_SET_NUMBERS] * PROGRAM_SET_NUMBERS;
}

static uint32_t split_at(const writer *w, uint32_t at)
{
    const uint32_t number = (at - w->program.at_splits) / PROGRAM_SPLIT_NUMBERS;
    return w->sets * PROGRAM_SET_NUMBERS + (uint32_t)w->split[number] * PROGRAM_SPLIT_NUMBERS;
}

static uint32_t end_at(const writer *w, int place)
{
    return w->sets * PROGRAM_SET_NUMBERS + w->splits * PROGRAM_SPLIT_NUMBERS + END_NUMBERS * (uint32_t)place;
}

/* ---- what is needed ------------------------------------------------------------------------------------------------ */

/* Whether an amplitude is asked for. Where parts are given, that of real ones stands for all. */
static int is_wanted(const writer *w, const program_step *s)
{
    const int skeleton = (int)(s->at / (uint32_t)w->strings.words);
    return skeleton >= w->first_skeleton && skeleton < w->end_skeleton && !(w->one_part && s->configuration);
}

static void need_set(writer *w, uint32_t at)
{
    int *own = &w->set[at / PROGRAM_SET_NUMBERS];
    if (*own < 0) *own = (int)w->sets++;
}

static void need_split(writer *w, uint32_t at)
{
    const uint32_t number = (at - w->program.at_splits) / PROGRAM_SPLIT_NUMBERS;
    const program_split *split = &w->program.split[number];
    if (w->split[number] >= 0) return;
    w->split[number] = (int)w->splits++;
    need_set(w, split->left);
    need_set(w, split->right);
    need_set(w, split->whole);
}

/* A current that a pairing needs, and all that is in it. */
static void need(writer *w, uint32_t at, int pairing)
{
    const int k = w->maker[at];
    if (k < 0 || w->only[k] == pairing || w->only[k] == SEVERAL) return;
    const program_step *s = &w->program.step[k];
    const int first = w->only[k] == NOBODY;
    uint32_t t = s->first;
    w->only[k] = first ? pairing : SEVERAL;
    need_set(w, s->set);
    for (int order = 0; order < TERMS_ORDERS; order++)
        for (uint32_t end = t + s->terms[order]; t < end; t++) {
            const program_term *term = &w->program.term[t];
            if (is_quark(s->kind))
                need_set(w, term->with);
            else if (s->kind == PROGRAM_PART ? order == TERMS_RR : s->kind != PROGRAM_PART_U1 && order <= TERMS_CC)
                need_split(w, term->with);
            need(w, term->left, pairing);
            need(w, term->right, pairing);
            if (!first) continue;
            w->uses[term->left]++;
            w->uses[term->right]++;
        }
}

static void list_closings(writer *w)
{
    const quark_program *p = &w->program;
    for (uint32_t k = 0; k < p->steps; k++) {
        const program_step *s = &p->step[k];
        uint32_t at = s->first;
        if (!s->closes || !is_wanted(w, s)) continue;
        if (w->structure[s->at] < 0) w->structure[s->at] = (int)w->structures++;
        for (int order = TERMS_EMIT_R_MINUS; order <= TERMS_EMIT_C_PLUS; order++)
            for (uint32_t i = 0; i < s->terms[order]; i++, at++) {
                const program_term *t = &p->term[at];
                w->closing[w->closings++] =
                    (closing_term){.step = s, .term = t, .parts = 1 + order % 2, .negative = order < TERMS_EMIT_R_PLUS};
                need_set(w, t->with);
                need(w, t->left, s->pairing);
                need(w, t->right, s->pairing);
                w->uses[t->left]++;
                w->uses[t->right]++;
            }
    }
}

/* What is written takes so many operations: those of the program without what is not needed, for one configuration. */
static double operations(const writer *w)
{
    quark_program p = w->program;
    double sum = 0.;
    p.steps = 1;
    for (uint32_t k = 0; k < w->program.steps; k++) {
        p.step = &w->program.step[k];
        if (p.step->closes ? is_wanted(w, p.step) : w->only[k] != NOBODY) sum += bg_quark_operations(&p);
    }
    return sum / w->rows;
}

/* ---- orders --------------------------------------------------------------------------------------------------------- */

/* A number below `end`, the same in every run. */
static uint32_t draw(writer *w, uint32_t end)
{
    w->chance = w->chance * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(w->chance >> 33) % end;
}

/* Numbers that are computed for a current and are not there yet. */
static int missing(writer *w, uint32_t at)
{
    const int k = w->maker[at];
    if (k < 0 || w->done[k] || w->met[k]) return 0;
    const program_step *s = &w->program.step[k];
    int numbers = numbers_of(s->kind);
    w->met[k] = 1;
    for (uint32_t t = s->first; t < s->first + terms_of(s); t++)
        numbers += missing(w, w->program.term[t].left) + missing(w, w->program.term[t].right);
    return numbers;
}

static void used(writer *w, const program_term *t)
{
    const uint32_t both[2] = {t->left, t->right};
    for (int i = 0; i < 2; i++) {
        const int k = w->maker[both[i]];
        if (!--w->left[both[i]] && k >= 0) w->trial.live -= numbers_of(w->program.step[k].kind);
    }
}

/* A current and, before it, what it needs. */
static void add_current(writer *w, uint32_t at)
{
    const int k = w->maker[at];
    if (k < 0 || w->done[k]) return;
    const program_step *s = &w->program.step[k];
    const program_term *term = &w->program.term[s->first];
    const uint32_t terms = terms_of(s), first = draw(w, terms), exchanged = draw(w, 2);
    for (uint32_t i = 0; i < terms; i++) {
        const program_term *t = &term[(first + i) % terms];
        add_current(w, exchanged ? t->right : t->left);
        add_current(w, exchanged ? t->left : t->right);
    }
    sequence *o = &w->trial;
    w->done[k] = 1;
    o->action[o->actions++] = (action){.step = k, .closing = -1};
    o->live += numbers_of(s->kind);
    if (o->live > o->peak) o->peak = o->live;
    for (uint32_t i = 0; i < terms; i++) used(w, &term[i]);
}

/* The term of a pairing that needs the fewest new numbers, give or take some; -1: none is left. */
static int next_closing(writer *w, int pairing, uint32_t some)
{
    int best = -1, fewest = 0;
    for (uint32_t k = 0; k < w->closings; k++) {
        const closing_term *c = &w->closing[k];
        if (c->done || c->step->pairing != pairing) continue;
        memset(w->met, 0, w->program.steps);
        int numbers = missing(w, c->term->left) + missing(w, c->term->right);
        if (numbers) numbers += (int)draw(w, some);
        if (best >= 0 && numbers >= fewest) continue;
        best = (int)k;
        fewest = numbers;
    }
    return best;
}

static void try_order(writer *w, int pairing, uint32_t some)
{
    sequence *o = &w->trial;
    int k;
    while ((k = next_closing(w, pairing, some)) >= 0) {
        closing_term *c = &w->closing[k];
        add_current(w, c->term->left);
        add_current(w, c->term->right);
        o->action[o->actions++] = (action){.step = -1, .closing = k};
        used(w, c->term);
        c->done = 1;
    }
}

/* Starts with nothing but what several pairings need. */
static void reset(writer *w, int pairing)
{
    const quark_program *p = &w->program;
    w->trial.actions = 0;
    w->trial.live = w->trial.peak = 0;
    memcpy(w->left, w->uses, p->numbers * sizeof *w->left);
    for (uint32_t k = 0; k < p->steps; k++) w->done[k] = w->only[k] == SEVERAL;
    for (uint32_t k = 0; k < w->closings; k++)
        if (w->closing[k].step->pairing == pairing) w->closing[k].done = 0;
}

static void find_order(writer *w, int pairing)
{
    for (uint32_t k = 0; k < ORDERS; k++) {
        reset(w, pairing);
        try_order(w, pairing, 1 + 4 * (k % 6));
        if (k && w->trial.peak >= w->best.peak) continue;
        const sequence found = w->trial;
        w->trial = w->best;
        w->best = found;
    }
}

/* ---- currents ------------------------------------------------------------------------------------------------------- */

/* Legs are made where they are needed, in a block of their own with that. */
static void write_leg(const writer *w, const program_leg *leg)
{
    const char *minus = leg->kind == PROGRAM_ANTIQUARK ? "-" : "";
    if (is_quark(leg->kind) && w->program.parts)
        printf("        const quark_spinor v%u = straight_end(w, stride, %u, bg_real(%s1.));\n", leg->at,
               end_at(w, leg->place), minus);
    else if (is_quark(leg->kind))
        printf("        const quark_spinor v%u = straight_end(w, stride, %u, %ssign[%u]);\n", leg->at,
               end_at(w, leg->place), minus, leg->place);
    else if (leg->state != PROGRAM_GIVEN)
        printf("        const light_current v%u[1] = {straight_gluon(w, stride, %u, %u)};\n", leg->at,
               set_at(w, leg->set), leg->state);
    else
        printf("        const light_current v%u[1] = {straight_gluon(w, stride, %u, (int)(state >> %u & 1u))};\n",
               leg->at, set_at(w, leg->set), (leg->from - w->program.at_given) / 2);
}

static void begin_block(const writer *w, const program_term *t, uint32_t terms)
{
    printf("    {\n");
    for (uint32_t k = 0; k < w->program.legs; k++) {
        const program_leg *leg = &w->program.leg[k];
        int needed = 0;
        for (uint32_t i = 0; i < terms; i++) needed |= t[i].left == leg->at || t[i].right == leg->at;
        if (needed) write_leg(w, leg);
    }
}

/* s of a quark's or antiquark's current. */
static void write_s(const writer *w, const program_step *s)
{
    const char *minus = s->kind == PROGRAM_ANTIQUARK ? "-" : "";
    if (w->program.parts)
        printf("bg_real(%s1.)", minus);
    else
        printf("%ssign[%u]", minus, place_of_sign(w, s->sign));
}

static void write_gluon(const writer *w, const program_step *s)
{
    const program_term *t = &w->program.term[s->first];
    const int parts = parts_of(s->kind);
    printf("    light_current v%u[%d];\n", s->at, parts);
    begin_block(w, t, terms_of(s));
    printf("        quark_gluon_sum u = straight_no_gluon();\n");
    for (int order = TERMS_RR; order <= TERMS_CC; order++)
        for (uint32_t k = 0; k < s->terms[order]; k++, t++)
            printf("        straight_join(%d, %d, v%u, v%u, w, stride, %u, &u);\n", 1 + order / 2, 1 + order % 2,
                   t->left, t->right, split_at(w, t->with));
    for (int order = TERMS_PAIR_MINUS; order <= TERMS_PAIR_PLUS; order++)
        for (uint32_t k = 0; k < s->terms[order]; k++, t++)
            printf("        straight_pair(&v%u, &v%u, w, stride, %u, %d., sign[%u], &u);\n", t->left, t->right,
                   set_at(w, s->set), order == TERMS_PAIR_MINUS ? -1 : 1, place_of_sign(w, t->with));
    printf("        straight_make_gluon(%d, %d, &u, w, stride, %u, v%u);\n    }\n", parts, s->kind == PROGRAM_U1,
           set_at(w, s->set), s->at);
}

/* The real or the imaginary part of a gluon that quarks make. */
static void write_part(const writer *w, const program_step *s)
{
    const program_term *t = &w->program.term[s->first];
    printf("    light_current v%u[1];\n", s->at);
    begin_block(w, t, terms_of(s));
    printf("        quark_gluon_sum u = straight_no_gluon();\n");
    for (uint32_t k = 0; k < s->terms[TERMS_RR]; k++, t++)
        printf("        straight_join(1, 1, v%u, v%u, w, stride, %u, &u);\n", t->left, t->right, split_at(w, t->with));
    for (int order = TERMS_REAL_MINUS; order <= TERMS_IMAGINARY_PLUS; order++)
        for (uint32_t k = 0; k < s->terms[order]; k++, t++) {
            const int imaginary = order == TERMS_IMAGINARY_MINUS || order == TERMS_IMAGINARY_PLUS;
            printf("        straight_pair_part(");
            if (w->one_part)
                printf("(int)(state >> %u & 1u)", (uint32_t)w->program.gluons + t->with);
            else
                printf("%d", imaginary);
            printf(", &v%u, &v%u, w, stride, %u, %d., &u);\n", t->left, t->right, set_at(w, s->set),
                   order < TERMS_REAL_PLUS ? -1 : 1);
        }
    printf("        straight_make_gluon(1, %d, &u, w, stride, %u, v%u);\n    }\n", s->kind == PROGRAM_PART_U1,
           set_at(w, s->set), s->at);
}

/* ... of a U(1) gluon, from gluons. */
static void write_part_u1(const writer *w, const program_step *s)
{
    const program_term *t = &w->program.term[s->first];
    printf("    light_current v%u[1];\n    {\n        const light_current *const gluon[] = {", s->at);
    for (uint32_t k = 0; k < s->terms[TERMS_RR]; k++) printf("%sv%u", k ? ", " : "", t[k].left);
    printf("};\n        v%u[0] = straight_u1_part(%d, gluon);\n    }\n", s->at, s->terms[TERMS_RR]);
}

static void write_quark(const writer *w, const program_step *s)
{
    const program_term *t = &w->program.term[s->first];
    printf("    quark_spinor v%u;\n", s->at);
    begin_block(w, t, terms_of(s));
    printf("        quark_sum u = straight_no_quark();\n");
    for (int order = TERMS_EMIT_R_MINUS; order <= TERMS_EMIT_C_PLUS; order++)
        for (uint32_t k = 0; k < s->terms[order]; k++, t++) {
            printf("        straight_emit(%d, 0, &v%u, v%u, w, stride, %u, %d., ", 1 + order % 2, t->left, t->right,
                   set_at(w, t->with), order < TERMS_EMIT_R_PLUS ? -1 : 1);
            write_s(w, s);
            printf(", &u);\n");
        }
    printf("        v%u = straight_make_quark(%s, u, w, stride, %u, ", s->at,
           s->kind == PROGRAM_QUARK ? "PROGRAM_QUARK" : "PROGRAM_ANTIQUARK", set_at(w, s->set));
    write_s(w, s);
    printf(");\n    }\n");
}

static void write_current(const writer *w, const program_step *s)
{
    printf("    STRAIGHT_NEXT;\n");
    if (is_quark(s->kind))
        write_quark(w, s);
    else if (s->kind == PROGRAM_PART || (s->kind == PROGRAM_PART_U1 && w->program.alone))
        write_part(w, s);
    else if (s->kind == PROGRAM_PART_U1)
        write_part_u1(w, s);
    else
        write_gluon(w, s);
}

static void write_closing(const writer *w, const closing_term *c)
{
    printf("    STRAIGHT_NEXT;\n");
    begin_block(w, c->term, 1);
    printf("        straight_emit(%d, %d, &v%u, v%u, w, stride, %u, %d., ", c->parts, w->program.on_gauge,
           c->term->left, c->term->right, set_at(w, c->term->with), c->negative ? -1 : 1);
    write_s(w, c->step);
    printf(", &a[%u]);\n    }\n",
           (w->program.parts ? c->step->configuration : 0) * w->structures + (uint32_t)w->structure[c->step->at]);
}

/* ---- the function ------------------------------------------------------------------------------------------------------ */

/* Currents that several pairings need, and then pairing by pairing. */
static void write_amplitudes(writer *w)
{
    const quark_program *p = &w->program;
    printf("/* Sums of the terms of all amplitudes, a[%sstructure], which must be 0 before. Bit g of `state` is the "
           "state of "
           "gluon g%s,\n * and pairings that are not allowed are left out. */\n"
           "BG_FN void straight_sums(const real *w, const size_t stride, uint32_t state, %suint32_t "
           "allowed,\n                         quark_sum *a)\n{\n    (void)state;\n    (void)allowed;\n",
           p->parts && !w->one_part ? "configuration * STRAIGHT_STRUCTURES + " : "",
           w->one_part ? ", the next ones are parts of lines"
           : p->parts  ? ""
                       : ", sign[place] are chiralities",
           p->parts ? "" : "const real *sign, ");
    for (uint32_t k = 0; k < p->steps; k++)
        if (w->only[k] == SEVERAL) write_current(w, &p->step[k]);
    for (int pairing = 0; pairing < p->pairings; pairing++) {
        find_order(w, pairing);
        if (p->pairings > 1) printf("    if (allowed >> %d & 1u) {\n", pairing);
        printf("    /* at most %d numbers at a time */\n", w->best.peak);
        for (uint32_t k = 0; k < w->best.actions; k++) {
            const action *next = &w->best.action[k];
            if (next->step >= 0)
                write_current(w, &p->step[next->step]);
            else
                write_closing(w, &w->closing[next->closing]);
        }
        if (p->pairings > 1) printf("    }\n");
    }
    printf("}\n\n");
}

/* ---- tables and colors ----------------------------------------------------------------------------------------------------- */

/* The number in the program of a set or split that has an own number. */
static uint32_t number_of(const int *own, uint32_t number)
{
    uint32_t k = 0;
    while (own[k] != (int)number) k++;
    return k;
}

static void write_lists(const writer *w)
{
    const quark_program *p = &w->program;
    printf("#define STRAIGHT_WHOLE %d\n#define STRAIGHT_BY_PARTS %d\n#define STRAIGHT_PDG",
           w->structures == p->structures, p->parts);
    for (int k = 0; k < p->n; k++) printf("%s%d", k ? ", " : " ", w->process.pdg[k]);
    printf("\n#define STRAIGHT_EACH_PAIRING(X)");
    for (int k = 0; k < p->pairings; k++) printf(" X(%d)", k);
    printf("\n#define STRAIGHT_SET_LIST");
    for (uint32_t k = 0; k < w->sets; k++) printf("%s%u", k ? ", " : " ", p->set[number_of(w->set, k)]);
    printf("\n#define STRAIGHT_SPLIT_LIST%s", w->splits ? "" : " {0, 0, 0}");
    for (uint32_t k = 0; k < w->splits; k++) {
        const program_split *split = &p->split[number_of(w->split, k)];
        printf("%s{%u, %u, %u}", k ? ", " : " ", set_at(w, split->left), set_at(w, split->right),
               set_at(w, split->whole));
    }
    printf("\n#define STRAIGHT_POSITION_LIST");
    for (uint32_t k = 0; k < w->structures; k++) printf("%s%u", k ? ", " : " ", number_of(w->structure, k));
    printf("\n#define STRAIGHT_OPERATIONS %.17g\n", operations(w));
    if (p->parts) {
        const uint32_t patterns = (uint32_t)p->pairings << (p->lines - 1);
        printf("#define STRAIGHT_PATTERN_LIST");
        for (uint32_t k = 0; k < patterns; k++) printf("%s%u", k ? ", " : " ", p->pattern[k]);
        printf("\n");
    }
    printf("\n");
}

static void write_tables(const writer *w)
{
    const quark_program *p = &w->program;
    uint32_t quarks = 0, antiquarks = 0; /* bits of their places */
    for (int line = 0; line < p->lines; line++) {
        quarks |= 1u << p->pairing[0].quark[line];
        antiquarks |= 1u << p->pairing[0].antiquark[line];
    }
    printf("enum {\n    STRAIGHT_LEGS = %d,\n    STRAIGHT_GLUONS = %d,\n    STRAIGHT_PAIRINGS = %d,\n    "
           "STRAIGHT_PATTERNS = %d,\n    STRAIGHT_STRUCTURES = %u,\n",
           p->n, p->gluons, p->pairings, w->patterns, w->structures);
    if (p->parts) printf("    STRAIGHT_LINES = %d,\n    STRAIGHT_INNER = %d,\n", p->lines, p->inner);
    printf("    STRAIGHT_SETS = %u,\n    STRAIGHT_SPLITS = %u,\n    STRAIGHT_CLOSES = %d,\n    STRAIGHT_ON_GAUGE = "
           "%d,\n    STRAIGHT_QUARKS = %u,\n    STRAIGHT_ANTIQUARKS = %u,\n    STRAIGHT_ENDS = %u,\n    "
           "STRAIGHT_NUMBERS = %u\n};\n\n",
           w->sets, w->splits, w->closes, p->on_gauge, quarks, antiquarks, end_at(w, 0), end_at(w, p->n));
    write_lists(w);
}

/* sum over s, t of A_s C_st A_t with C in the units of bg_color_line_unit() and in the order of the amplitudes. */
static int write_colors(const writer *w)
{
    const uint32_t F = (uint32_t)w->strings.structures;
    const double unit = bg_color_line_unit(COLOR_LINE_FUNDAMENTAL, w->strings.gluons);
    double *matrix = bg_color_string_matrix(&w->strings);
    uint32_t *structure = malloc(F * sizeof *structure); /* [own number] */
    for (uint32_t k = 0; matrix && structure && k < F; k++) {
        const color_structure s = bg_color_structure_unrank(&w->strings, k);
        structure[w->structure[bg_program_position(&w->strings, &s)]] = k;
    }
    const int failed = !matrix || !structure;
    double steps = 0.; /* operations */
    printf("BG_FN real straight_colors(const real *a)\n{\n    real sum = bg_real(0.);\n");
    for (uint32_t s = 0; s < F && !failed; s++) {
        const double *row = matrix + (size_t)structure[s] * F;
        printf("    sum = sum + a[%u] * (bg_real(%.17g) * a[%u]", s, rint(row[structure[s]] / unit), s);
        for (uint32_t t = s + 1; t < F; t++) {
            const double c = 2. * rint(row[structure[t]] / unit);
            if (c == 0.) continue;
            printf(" + bg_real(%.17g) * a[%u]", c, t);
            steps += 2.;
        }
        printf(");\n");
        steps += 3.;
    }
    printf("    return sum;\n}\n#define STRAIGHT_COLOR_OPERATIONS %.17g\n", steps);
    free(matrix);
    free(structure);
    return failed ? -1 : 0;
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------------- */

/* `count` numbers that are all -1. */
static int *none(size_t count)
{
    int *list = malloc(count * sizeof *list);
    for (size_t k = 0; list && k < count; k++) list[k] = -1;
    return list;
}

static int make_room(writer *w)
{
    const quark_program *p = &w->program;
    const size_t actions = p->steps + p->terms;
    w->set = none(p->sets);
    w->split = none(p->splits + 1);
    w->structure = none(p->structures);
    w->maker = none(p->numbers);
    w->only = none(p->steps);
    w->uses = calloc(p->numbers, sizeof *w->uses);
    w->left = calloc(p->numbers, sizeof *w->left);
    w->done = calloc(p->steps, 1);
    w->met = calloc(p->steps, 1);
    w->closing = malloc(p->terms * sizeof *w->closing);
    w->best.action = malloc(actions * sizeof(action));
    w->trial.action = malloc(actions * sizeof(action));
    return w->set && w->split && w->structure && w->maker && w->only && w->uses && w->left && w->done && w->met &&
                   w->closing && w->best.action && w->trial.action
               ? 0
               : -1;
}

static int start(writer *w, const char *states, const char *skeletons, int n, const int *pdg)
{
    const int given = strcmp(states, "given") == 0, part = strcmp(states, "part") == 0;
    const program_layout layout = {.inner = given || part ? 0 : atoi(states),
                                   .given = given,
                                   .parts = !given,
                                   .alone = strcmp(skeletons, "all") != 0};
    bg_error error;
    uint32_t pattern[BG_MOST_CHIRALITIES];
    if (bg_subprocess_create(&w->process, 2, n - 2, pdg, &error) != BG_OK) {
        fprintf(stderr, "write: %s\n", error.message);
        return -1;
    }
    if (bg_program_create(&w->program, &w->process, &layout) || make_room(w)) return -1;
    if (part && w->program.pairings > 1) {
        fprintf(stderr, "write: parts of identical flavors have to be joined\n");
        return -1;
    }
    w->strings = bg_color_strings(w->process.lines, w->process.gluons);
    w->end_skeleton = w->strings.skeletons;
    if (strcmp(skeletons, "all") != 0 && sscanf(skeletons, "%d-%d", &w->first_skeleton, &w->end_skeleton) != 2)
        return -1;
    w->patterns = bg_chiralities(&w->process, 1, pattern);
    w->one_part = part;
    w->rows = given || part ? 1 : 1u << (layout.inner + w->process.lines - 1);
    w->closes = bg_program_closes(&w->process);
    for (uint32_t k = 0; k < w->program.steps; k++)
        if (!w->program.step[k].closes) w->maker[w->program.step[k].at] = (int)k;
    for (uint32_t k = 0; k < w->program.legs; k++) need_set(w, w->program.leg[k].set); /* the first ones, by place */
    return 0;
}

static void finish(writer *w)
{
    void *rooms[] = {w->set,  w->split, w->structure, w->maker,   w->only,        w->uses,
                     w->left, w->done,  w->met,       w->closing, w->best.action, w->trial.action};
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++) free(rooms[k]);
    bg_program_destroy(&w->program);
}

static int write_all(writer *w)
{
    list_closings(w);
    printf("/* Written by cmake/straight/write.c: what src/amplitude/straight.h describes. */\n");
    write_tables(w);
    write_amplitudes(w);
    if (w->structures == w->program.structures) return write_colors(w);
    printf("#define STRAIGHT_COLOR_OPERATIONS 0.\n");
    return 0;
}

int main(int count, char **argument)
{
    enum { BEFORE = 3 };
    writer w = {.chance = 1};
    int pdg[BG_MAX_LEGS];
    const int n = count - BEFORE;
    if (n < 4 || n > BG_MAX_LEGS) {
        fprintf(stderr, "usage: write STATES SKELETONS PDG PDG PDG PDG ...\n");
        return 2;
    }
    for (int k = 0; k < n; k++) pdg[k] = atoi(argument[BEFORE + k]);
    const int failed = start(&w, argument[1], argument[2], n, pdg) || write_all(&w);
    finish(&w);
    return failed ? 1 : 0;
}
