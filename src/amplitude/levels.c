/* What is left to do when all steps of a program are there: the parts of a workspace one behind the other, places in it instead of places
 * within the parts, and the steps in the order of their levels (program.h).
 */
#include "amplitude/levels.h"

#include <stdlib.h>

void bg_program_lay_out(quark_program *p, uint32_t currents)
{
    const uint32_t n = (uint32_t)p->n_out;
    p->at_splits = p->sets * PROGRAM_SET_NUMBERS;
    p->at_outgoing = p->at_splits + p->splits * PROGRAM_SPLIT_NUMBERS;
    p->at_given = p->at_outgoing + n * (4 + n);
    p->at_sign = p->at_given + 2 * (p->complex ? 2u : 1u) * (uint32_t)p->gluons;
    p->at_allowed = p->at_sign + (p->given ? (uint32_t)p->n : 2u);
    p->at_currents = p->at_allowed + (p->given ? (uint32_t)p->pairings : 0u);
    p->numbers = p->at_currents + currents;
}

static int is_part(int kind) { return kind == PROGRAM_PART || kind == PROGRAM_PART_U1; }

void bg_program_move_to_places(quark_program *p)
{
    for (uint32_t k = 0; k < p->legs; k++) {
        program_leg *leg = &p->leg[k];
        leg->at += p->at_currents;
        leg->from += program_is_quark(leg->kind) ? p->at_sign : p->at_given;
    }
    for (uint32_t k = 0; k < p->steps; k++) {
        program_step *s = &p->step[k];
        const int quark = program_is_quark(s->kind), part = is_part(s->kind);
        uint32_t at = s->first;
        s->sign += p->at_sign;
        if (s->closes)
            s->set += p->at_currents;
        else
            s->at += p->at_currents;
        for (int order = 0; order < TERMS_ORDERS; order++)
            for (uint32_t end = at + s->terms[order]; at < end; at++) {
                program_term *t = &p->term[at];
                t->left += p->at_currents;
                t->right += p->at_currents;
                if (!quark && (part ? order == TERMS_RR && s->kind == PROGRAM_PART : order <= TERMS_CC))
                    t->with = p->at_splits + t->with * PROGRAM_SPLIT_NUMBERS;
                else if (!quark && !part)
                    t->with += p->at_sign;
            }
    }
}

static uint32_t terms_of(const program_step *s)
{
    uint32_t terms = 0;
    for (int order = 0; order < TERMS_ORDERS; order++) terms += s->terms[order];
    return terms;
}

/* By level, then kind, then work; steps that are alike stay in their order. */
static int compare_steps(const void *left, const void *right)
{
    const program_step *a = left, *b = right;
    if (a->level != b->level) return a->level < b->level ? -1 : 1;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    const uint32_t work_a = terms_of(a), work_b = terms_of(b);
    if (work_a != work_b) return work_a > work_b ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

int bg_program_sort(quark_program *p)
{
    uint32_t levels = 0;
    qsort(p->step, p->steps, sizeof *p->step, compare_steps);
    p->level = malloc((p->steps + 1) * sizeof *p->level);
    if (!p->level) return -1;
    for (uint32_t k = 0; k < p->steps; k++)
        if (!k || p->step[k].level != p->step[k - 1].level) p->level[levels++] = k;
    p->level[levels] = p->steps;
    p->levels = levels;
    return 0;
}
