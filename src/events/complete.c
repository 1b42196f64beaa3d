/* Points that were kept become whole events: each gets its channel, its partons, helicities, scales and weight, and a color flow. Flows of
 * several events of one class are drawn together.
 */
#include "events/run.h"
#include "base/status.h"
#include "random/philox.h"

#include <math.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

/* ---- one event ----------------------------------------------------------------------------------------------------------- */

static double transverse(const double *p) { return hypot(p[1], p[2]); }

/* Which channel of the class it is: as probable as the densities of its partons make it, among those that come from this
 * side. */
static const bg_channel *choose_channel(const generation *g, int k, const bg_densities *f, int exchanged, double u)
{
    const bg_process *process = g->process;
    const bg_channel *first = process->channel + process->first[k], *end = process->channel + process->first[k + 1];
    double sum = 0., upto = 0.;
    const bg_channel *last = NULL;
    for (int pass = 0; pass < 2; pass++)
        for (const bg_channel *c = first; c < end; c++) {
            if (f && c->exchanged != exchanged) continue;
            const double here = f ? f->beam[0][pdf_place(c->in[0])] * f->beam[1][pdf_place(c->in[1])] : 1.;
            if (!(here > 0.)) continue;
            if (!pass) {
                sum += here;
                continue;
            }
            last = c;
            upto += here;
            if (u * sum < upto) return c;
        }
    return last ? last : first;
}

/* mu^2 of the outgoing legs; without protons that of HT/2. */
static double scale2_of(const bg_protons *b, int n, const double *p)
{
    static const bg_protons usual = {.scale = BG_SCALE_HT, .part = 0.5};
    vec4 q[BG_MAX_LEGS];
    for (int k = 2; k < n; k++) {
        const double *from = p + 4 * k;
        const vec4 v = {bg_real(from[0]), bg_real(from[1]), bg_real(from[2]), bg_real(from[3])};
        q[k - 2] = v;
    }
    return bg_lane(protons_scale2(b ? b : &usual, n - 2, q), 0);
}

/* Its weight in units of the usual one. Where none may be above it, all count alike. */
static double over_of(const generation *g, const event_class *c, const kept_point *point)
{
    const double over = point->weight / c->largest;
    return over > 1. && g->wish->overweight > 0. ? over : 1.;
}

double bg_run_weight(const generation *g, const event_class *c, const kept_point *point)
{
    return c->unit * (g->wish->weighted ? point->weight : over_of(g, c, point));
}

/* One for each leg where they are definite, because they were drawn with the point or are given; otherwise NULL. */
static const char *helicities_of(const generation *g, int k, const kept_point *point, char *word)
{
    const bg_subprocess *s = &g->process->subprocess[k];
    uint32_t configuration;
    if (!bg_many_helicities(g->many, k, point->number, point->momenta, &configuration)) return NULL;
    configuration ^= s->incoming; /* bits are those of legs that go out */
    for (int place = 0; place < s->n; place++) word[s->leg[place]] = configuration >> place & 1u ? '+' : '-';
    word[s->n] = '\0';
    return word;
}

/* All of an event but its color flow. */
static void complete(const generation *g, int k, const kept_point *point, bg_event *e)
{
    const bg_subprocess *s = &g->process->subprocess[k];
    const event_class *c = &g->class_of[k];
    const bg_protons *b = bg_many_protons(g->many, k);
    const double *p = point->momenta, mu2 = scale2_of(b, s->n, p);
    char word[BG_MAX_LEGS + 1];
    const char *helicities = helicities_of(g, k, point, word);
    const int exchanged = p[3] < 0.; /* leg 0 flies along -z */
    const uint64_t seed = bg_many_seed(g->many, k);
    memset(e, 0, sizeof *e);
    e->number = trial_number(point);
    e->process = k;
    e->legs = s->n;
    e->weight = bg_run_weight(g, c, point);
    e->trials = 1.;
    e->mur = sqrt(mu2) * (b ? b->mur : 1.);
    e->muf = sqrt(mu2) * (b ? b->muf : 1.);
    e->scale = sqrt(mu2);
    if (g->wish->softest_scale)
        for (int leg = 2; leg < s->n; leg++) e->scale = fmin(e->scale, transverse(p + 4 * leg));
    e->alpha_s = b ? pdf_alpha_s(&b->grid, e->mur * e->mur) : g->alpha_s;
    for (int side = 0; side < 2; side++) { /* the one along +z first */
        const double energy = p[4 * (side ^ exchanged)];
        e->x[side] = b ? 2. * energy / g->sqrts : 1.;
    }
    bg_densities f;
    if (b) densities_of(&b->grid, e->x[0], e->x[1], e->muf * e->muf, &f);
    const bg_channel *own =
        choose_channel(g, k, b ? &f : NULL, exchanged, bg_random_number(seed, point->number, BG_STREAM_CHANNEL));
    for (int leg = 0; leg < s->n; leg++) {
        e->pdg[leg] = bg_channel_parton(own, s->pdg[leg]);
        e->helicity[leg] = !helicities ? BG_HELICITY_UNKNOWN : helicities[leg] == '+' ? 1 : -1;
        memcpy(e->momentum[leg], p + 4 * leg, 4 * sizeof *p);
    }
    for (int side = 0; b && side < 2; side++) e->xf[side] = f.beam[side][pdf_place(e->pdg[side ^ exchanged])];
}

/* ---- color flows --------------------------------------------------------------------------------------------------------- */

/* The flows of `count` events of a class, which are those with the numbers `index`. */
static bg_status draw_flows(const generation *g, int k, int count, const uint16_t *index,
                            const kept_point *const *point, bg_flow **flow, bg_event *event, bg_error *error)
{
    const int legs = g->process->subprocess[k].n;
    bg_flow_point at[BG_FLOW_MOST_LANES];
    char word[BG_FLOW_MOST_LANES][BG_MAX_LEGS + 1];
    bg_status status = *flow ? BG_OK : bg_flow_make(flow, &g->process->subprocess[k], error);
    for (int i = 0; i < count; i++) {
        bg_event *e = &event[index[i]];
        const int known = e->helicity[0] != BG_HELICITY_UNKNOWN;
        for (int leg = 0; leg < legs; leg++) word[i][leg] = e->helicity[leg] == 1 ? '+' : '-';
        word[i][legs] = '\0';
        at[i] = (bg_flow_point){.pdg = e->pdg,
                                .momenta = point[index[i]]->momenta,
                                .helicities = known ? word[i] : NULL,
                                .seed = bg_many_seed(g->many, k),
                                .event = point[index[i]]->number,
                                .color = &e->color[0][0]};
    }
    return status == BG_OK ? bg_flow_draw_some(*flow, count, at, error) : status;
}

/* Events of one class whose flows are drawn together. */
typedef struct flow_group {
    uint16_t class_of, first, count; /* `first` in the list of events by class */
} flow_group;

/* The events from `first` up to `end` by class, and groups of them; returns how many there are. */
static int group_events(const generation *g, int first, int end, const uint16_t *class_of, uint16_t *index,
                        flow_group *group)
{
    int groups = 0, listed = 0;
    for (int k = 0; k < g->classes; k++)
        for (int i = first, open = 0; i < end; i++) {
            if (class_of[i] != k) continue;
            if (!open) group[groups++] = (flow_group){(uint16_t)k, (uint16_t)listed, 0};
            group[groups - 1].count++;
            open = (open + 1) % g->lanes;
            index[listed++] = (uint16_t)i;
        }
    return groups;
}

static int this_thread(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

bg_status bg_run_complete_some(generation *g, int first, int end, const uint16_t *class_of,
                               const kept_point *const *point, bg_event *event, bg_error *error)
{
    uint16_t index[BG_EVENT_BLOCK];
    flow_group group[BG_EVENT_BLOCK];
    const int groups = group_events(g, first, end, class_of, index, group);
    bg_status worst = BG_OK;
    bg_error why = {BG_OK, ""};
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(g->threads)
#endif
    for (int i = 0; i < groups; i++) {
        const flow_group *of = &group[i];
        const int k = of->class_of;
        bg_error own;
        for (int j = of->first; j < of->first + of->count; j++) complete(g, k, point[index[j]], &event[index[j]]);
        const bg_status one = draw_flows(g, k, of->count, index + of->first, point,
                                         &g->flow[this_thread() * g->classes + k], event, &own);
        if (one == BG_OK) continue;
#ifdef _OPENMP
#pragma omp critical(blockgen_events)
#endif
        {
            worst = one;
            why = own;
        }
    }
    return worst == BG_OK ? BG_OK : bg_fail(error, worst, "%s", why.message);
}

bg_status bg_run_complete_one(generation *g, int k, const kept_point *point, bg_event *event, bg_error *error)
{
    static const uint16_t only = 0;
    complete(g, k, point, event);
    return draw_flows(g, k, 1, &only, &point, &g->flow[k], event, error);
}
