#include "process/process.h"
#include "base/status.h"
#include "process/partons.h"

#include <stdlib.h>
#include <string.h>

static bg_process *allocate(int subprocesses, size_t channels)
{
    bg_process *p = calloc(1, sizeof *p + (size_t)subprocesses * sizeof *p->subprocess);
    if (!p) return NULL;
    p->count = subprocesses;
    p->first = calloc((size_t)subprocesses + 1, sizeof *p->first);
    p->channel = calloc(channels + 1, sizeof *p->channel);
    if (p->first && p->channel) return p;
    bg_process_release(p);
    return NULL;
}

/* The legs as they stand, in the order in which they were given. Flavors are what they are called. */
static bg_status make_definite(bg_process **process, const bg_legs *legs, bg_error *error)
{
    bg_subprocess s;
    const bg_status status = bg_subprocess_create(&s, legs->n_in, legs->n_out, legs->leg, error);
    if (status != BG_OK) return status;
    bg_process *p = allocate(1, 1);
    if (!p) return bg_fail(error, BG_ERROR_MEMORY, "no memory for a process");
    p->subprocess[0] = s;
    p->first[1] = 1;
    p->channel[0] = (bg_channel){.in = {(int8_t)s.pdg[0], (int8_t)s.pdg[1]}, .flavor = {2, 1, 3, 4, 5}};
    *process = p;
    return bg_succeed(error);
}

static bg_status make_open(bg_process **process, const bg_legs *legs, int flavors, int lines, bg_error *error)
{
    bg_class_list list;
    bg_status status =
        bg_classes_create(&list, legs, flavors, lines < 0 || lines > BG_MAX_LINES ? BG_MAX_LINES : lines, error);
    if (status != BG_OK) return status;
    bg_process *p = allocate(list.classes, list.channels);
    if (!p) status = bg_fail(error, BG_ERROR_MEMORY, "no memory for a process of %d classes", list.classes);
    for (int k = 0; status == BG_OK && k < list.classes; k++) {
        const bg_class *c = &list.class_of[k];
        status = bg_subprocess_create(&p->subprocess[k], 2, c->n_out, c->pdg, error);
        p->first[k + 1] = c->first + c->count;
    }
    if (status == BG_OK) {
        p->open = 1;
        p->protons = (legs->leg[0] == BG_LEG_PROTON) + (legs->leg[1] == BG_LEG_PROTON);
        memcpy(p->channel, list.channel, list.channels * sizeof *p->channel);
        *process = p;
    } else {
        bg_process_release(p);
    }
    bg_classes_destroy(&list);
    return status;
}

bg_status bg_process_make(bg_process **process, const bg_legs *legs, int flavors, int lines, bg_error *error)
{
    if (bg_legs_are_open(legs)) return make_open(process, legs, flavors, lines, error);
    return make_definite(process, legs, error);
}

void bg_process_release(bg_process *process)
{
    if (!process) return;
    free(process->first);
    free(process->channel);
    free(process);
}

bg_status bg_process_check_kernels(const bg_process *process, bg_error *error)
{
    char text[BG_MESSAGE_LENGTH / 2];
    for (int k = 0; k < process->count; k++) {
        const bg_subprocess *s = &process->subprocess[k];
        if (process->count == 1 && !process->open) continue;
        bg_partons_write(s->n_in, s->n, s->pdg, text, sizeof text);
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "%s is one of %d subprocesses: ask for a process of partons", text,
                       process->count);
    }
    return BG_OK;
}
