#include "oracle.h"
#include "support.h"

#include "helicity/chirality.h"
#include "process/process.h"

/* ---- vectors and spinors ---------------------------------------------------------------------------------------- */

/* A current: a gluon has J, its field strength F and its momentum, a quark a spinor. */
typedef struct state {
    double P[4];
    double complex J[4], F[4][4];
    double complex spinor[2];
} state;

static double complex product(const double complex *a, const double complex *b)
{
    return a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
}

static double complex product_real(const double *a, const double complex *b)
{
    return a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
}

/* F.b */
static void apply(double complex F[4][4], const double complex *b, double complex *result)
{
    for (int m = 0; m < 4; m++) result[m] = product(F[m], b);
}

/* v_0 + v.sigma for s = 1, its transpose for s = -1. */
static void matrix_of(const double complex *v, int s, double complex m[2][2])
{
    m[0][0] = v[0] + v[3];
    m[0][1] = v[1] - I * (double)s * v[2];
    m[1][0] = v[1] + I * (double)s * v[2];
    m[1][1] = v[0] - v[3];
}

/* Lines of chirality +1 have s = -1, and the other way round. The spinor of a massless leg: the momenta are turned before, so that no leg of a usual point flies along the axis. */
static void external_spinor(const double *p, int kind, int s, double complex *spinor)
{
    const double up = p[0] + p[3], root = sqrt(fabs(up)), turn = kind == TAPE_QUARK ? -s : s;
    spinor[0] = root;
    spinor[1] = copysign(1., up) * (p[1] + I * turn * p[2]) / root;
}

/* ---- the frame ---------------------------------------------------------------------------------------------------- */

/* A fixed rotation by some angle around the axis (1, 2, 3). */
static void turn(const double *v, double *w)
{
    const double c = cos(1.1), s = sin(1.1), norm = sqrt(14.), a[3] = {1. / norm, 2. / norm, 3. / norm};
    const double along = a[0] * v[1] + a[1] * v[2] + a[2] * v[3];
    w[0] = v[0];
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        w[1 + k] = c * v[1 + k] + (1. - c) * along * a[k] + s * (a[i] * v[1 + j] - a[j] * v[1 + i]);
    }
}

/* eps* of an outgoing gluon of helicity h with the momentum p; incoming ones have negative energy. */
static void polarization(const double *p, int h, double complex *e)
{
    const double sign = p[0] < 0. ? -1. : 1., norm = sign / sqrt(p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    const double n[3] = {p[1] * norm, p[2] * norm, p[3] * norm};
    /* e1 is orthogonal to n and to the axis that is farthest from it; e2 = n x e1 */
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(n[k]) < fabs(n[axis])) axis = k;
    double e1[3], e2[3], length = 0.;
    for (int k = 0; k < 3; k++) e1[k] = (k == axis) - n[axis] * n[k];
    for (int k = 0; k < 3; k++) length += e1[k] * e1[k];
    for (int k = 0; k < 3; k++) e1[k] /= sqrt(length);
    for (int k = 0; k < 3; k++) e2[k] = n[(k + 1) % 3] * e1[(k + 2) % 3] - n[(k + 2) % 3] * e1[(k + 1) % 3];
    e[0] = 0.;
    for (int k = 0; k < 3; k++) e[1 + k] = (e1[k] - I * (double)h * e2[k]) / sqrt(2.);
}

/* ---- the list ------------------------------------------------------------------------------------------------------ */

typedef struct execution {
    const tape *list;
    uint32_t chirality;
    double p[BG_MAX_LEGS][4]; /* by place, all outgoing */
    double complex e[BG_MAX_LEGS][4];
    state *slot;
} execution;

static int sign_of(const execution *x, int place) { return x->chirality >> place & 1u ? -1 : 1; }

/* The sign s of a current of a quark or antiquark: that of the leg it starts at, whose chirality is in its label. */
static int sign_of_label(int label) { return label & 1 ? -1 : 1; }

static void set_leg(const execution *x, int place, state *to)
{
    const int kind = x->list->legs.kind[place];
    memset(to, 0, sizeof *to);
    memcpy(to->P, x->p[place], sizeof to->P);
    if (kind == TAPE_GLUON) {
        memcpy(to->J, x->e[place], sizeof to->J);
        for (int m = 0; m < 4; m++)
            for (int n = 0; n < 4; n++) to->F[m][n] = to->P[m] * to->J[n] - to->P[n] * to->J[m];
    } else {
        external_spinor(to->P, kind, sign_of(x, place), to->spinor);
    }
}

/* Sums of terms: a source of a gluon (J) with what is missing in its field strength (F), or of a quark (spinor). */
static void add_gluons(state *sum, double sign, const state *A, const state *B)
{
    double complex left[4], right[4];
    state a = *A, b = *B;
    apply(a.F, b.J, left);
    apply(b.F, a.J, right);
    const double complex ba = product_real(b.P, a.J), ab = product_real(a.P, b.J);
    for (int m = 0; m < 4; m++) {
        sum->J[m] += sign * (left[m] - right[m] + ba * b.J[m] - ab * a.J[m]);
        for (int n = 0; n < 4; n++) sum->F[m][n] += sign * (a.J[m] * b.J[n] - a.J[n] * b.J[m]);
    }
}

static void add_pair(state *sum, double sign, int s, const state *quark, const state *antiquark)
{
    const double complex *b = quark->spinor, *k = antiquark->spinor;
    sum->J[0] += sign * (k[0] * b[0] + k[1] * b[1]);
    sum->J[1] += sign * (k[0] * b[1] + k[1] * b[0]);
    sum->J[2] += sign * s * (k[1] * b[0] - k[0] * b[1]) / I;
    sum->J[3] += sign * (k[0] * b[0] - k[1] * b[1]);
}

static void add_emission(state *sum, double sign, int s, int kind, const state *quark, const state *gluon)
{
    double complex m[2][2];
    const double complex *f = quark->spinor;
    matrix_of(gluon->J, s, m);
    const double complex adjugate[2][2] = {{m[1][1], -m[0][1]}, {-m[1][0], m[0][0]}};
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++)
            sum->spinor[j] += sign * f[i] * (kind == TAPE_QUARK ? adjugate[i][j] : adjugate[j][i]);
}

static void add_terms(const execution *x, uint32_t first, uint32_t terms, state *sum)
{
    const tape *t = x->list;
    for (uint32_t k = first; k < first + terms; k++) {
        const tape_term *term = &t->term[k];
        const state *A = &x->slot[term->left], *B = &x->slot[term->right];
        const tape_current *left = &t->current[term->left];
        const double sign = term->negative ? -1. : 1.;
        const int s = sign_of_label(left->label);
        if (term->operation == TAPE_GLUONS)
            add_gluons(sum, sign, A, B);
        else if (term->operation == TAPE_PAIR)
            add_pair(sum, sign, s, A, B);
        else
            add_emission(sum, sign, s, left->kind, A, B);
    }
}

static void set_current(const execution *x, const tape_current *c, state *to)
{
    state sum;
    memset(&sum, 0, sizeof sum);
    memset(to, 0, sizeof *to);
    add_terms(x, c->first, c->terms, &sum);
    for (int leg = 0; leg < x->list->legs.n; leg++)
        for (int m = 0; m < 4 && c->set >> leg & 1u; m++) to->P[m] += x->p[leg][m];
    const double square = minkowski(to->P, to->P);
    if (c->kind == TAPE_GLUON || c->kind == TAPE_U1) {
        const double factor = c->kind == TAPE_U1 ? -1. / 3. : 1.;
        for (int m = 0; m < 4; m++) to->J[m] = factor * sum.J[m] / square;
        for (int m = 0; m < 4; m++)
            for (int n = 0; n < 4; n++) to->F[m][n] = to->P[m] * to->J[n] - to->P[n] * to->J[m] - factor * sum.F[m][n];
    } else {
        double complex P[4], m[2][2];
        for (int k = 0; k < 4; k++) P[k] = to->P[k] / square;
        matrix_of(P, sign_of_label(c->label), m);
        for (int j = 0; j < 2; j++)
            for (int i = 0; i < 2; i++)
                to->spinor[j] += c->kind == TAPE_QUARK ? -sum.spinor[i] * m[i][j] : m[j][i] * sum.spinor[i];
    }
}

void oracle_amplitudes(const oracle *o, int pattern, uint32_t gluons_plus, int longitudinal, const double *momenta,
                       double complex *amplitude)
{
    const bg_subprocess *s = &o->process;
    const oracle_pattern *now = &o->pattern[pattern];
    const tape *t = &now->list;
    execution x = {.list = t, .chirality = now->chirality, .slot = malloc(t->currents * sizeof *x.slot)};
    state closing;
    assert_non_null(x.slot);
    for (int leg = 0; leg < s->n; leg++) {
        double p[4];
        for (int m = 0; m < 4; m++) p[m] = momenta[4 * leg + m] * (leg < s->n_in ? -1. : 1.);
        turn(p, x.p[s->place[leg]]);
    }
    for (int g = 0; g < s->gluons; g++) {
        const int place = s->place[s->gluon[g]];
        polarization(x.p[place], gluons_plus >> g & 1u ? 1 : -1, x.e[place]);
        for (int m = 0; m < 4 && g == longitudinal; m++) x.e[place][m] = x.p[place][m] / x.p[place][0];
    }
    for (uint32_t k = 0; k < t->currents; k++) {
        if (t->current[k].terms)
            set_current(&x, &t->current[k], &x.slot[k]);
        else
            set_leg(&x, t->current[k].leg, &x.slot[k]);
    }
    set_leg(&x, t->legs.closes, &closing);
    for (uint64_t a = 0; a < t->strings.structures; a++) {
        state sum;
        memset(&sum, 0, sizeof sum);
        add_terms(&x, t->closing[a].first, t->closing[a].terms, &sum);
        amplitude[a] = t->legs.kind[t->legs.closes] == TAPE_GLUON
                           ? product(sum.J, closing.J)
                           : sum.spinor[0] * closing.spinor[0] + sum.spinor[1] * closing.spinor[1];
    }
    free(x.slot);
}

/* ---- processes ---------------------------------------------------------------------------------------------------------- */

void oracle_create(oracle *o, const bg_subprocess *process, int closes)
{
    uint32_t chirality[BG_MOST_CHIRALITIES];
    *o = (oracle){.process = *process, .patterns = bg_chiralities(process, 0, chirality)};
    o->pattern = malloc((size_t)o->patterns * sizeof *o->pattern);
    assert_non_null(o->pattern);
    for (int k = 0; k < o->patterns; k++) {
        uint8_t label[BG_MAX_LEGS];
        bg_chirality_labels(process, chirality[k], label);
        tape_legs legs = bg_tape_legs(process, label);
        if (closes >= 0) legs.closes = closes;
        o->pattern[k].chirality = chirality[k];
        assert_int_equal(bg_tape_create(&o->pattern[k].list, &legs), 0);
    }
    const color_strings strings = bg_color_strings(process->lines, process->gluons);
    o->structures = (int)strings.structures;
    o->color = bg_color_string_matrix(&strings);
    assert_non_null(o->color);
}

void oracle_create_text(oracle *o, const char *text, int closes)
{
    bg_process *p;
    bg_error error;
    if (bg_process_parse(&p, text, 5, BG_ALL_LINES, &error) != BG_OK) fail_msg("%s", error.message);
    oracle_create(o, &p->subprocess[0], closes);
    bg_process_destroy(p);
}

void oracle_destroy(oracle *o)
{
    for (int k = 0; k < o->patterns; k++) bg_tape_destroy(&o->pattern[k].list);
    free(o->pattern);
    free(o->color);
}

double oracle_square(const oracle *o, const double complex *amplitude)
{
    double sum = 0.;
    for (int a = 0; a < o->structures; a++)
        for (int b = 0; b < o->structures; b++)
            sum += o->color[a * o->structures + b] * creal(amplitude[a] * conj(amplitude[b]));
    return sum;
}

double oracle_normalization(const oracle *o, double alpha_s, int summed)
{
    const bg_subprocess *s = &o->process;
    return pow(2. * PI * alpha_s, s->couplings) /
           (s->incoming_colors * (summed ? s->incoming_helicities : 1.) * bg_subprocess_symmetry(s));
}

static double configuration(const oracle *o, int pattern, uint32_t gluons_plus, const double *momenta)
{
    double complex *amplitude = malloc((size_t)o->structures * sizeof *amplitude);
    assert_non_null(amplitude);
    oracle_amplitudes(o, pattern, gluons_plus, -1, momenta, amplitude);
    const double square = oracle_square(o, amplitude);
    free(amplitude);
    return square;
}

double oracle_me2(const oracle *o, double alpha_s, const double *momenta)
{
    double sum = 0.;
    for (int k = 0; k < o->patterns; k++)
        for (uint32_t h = 0; h < 1u << o->process.gluons; h++) sum += configuration(o, k, h, momenta);
    return sum * oracle_normalization(o, alpha_s, 1);
}

double oracle_helicity(const oracle *o, double alpha_s, const char *helicities, const double *momenta)
{
    const bg_subprocess *s = &o->process;
    uint32_t plus = 0, gluons_plus = 0;
    for (int leg = 0; leg < s->n; leg++) plus |= (uint32_t)(helicities[leg] == '+') << leg;
    for (int g = 0; g < s->gluons; g++)
        gluons_plus |= (uint32_t)((plus >> s->gluon[g] & 1u) == (s->gluon[g] >= s->n_in)) << g;
    const uint32_t chirality = bg_chirality_of_helicities(s, plus);
    for (int k = 0; k < o->patterns; k++)
        if (o->pattern[k].chirality == chirality)
            return configuration(o, k, gluons_plus, momenta) * oracle_normalization(o, alpha_s, 0);
    return 0.;
}
