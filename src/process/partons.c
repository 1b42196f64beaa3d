#include "process/partons.h"

#include <stdio.h>
#include <string.h>

#define QUARK(name, pdg)                                                                                               \
    {name, pdg, 3, 2}, { name "~", -(pdg), 3, 2 }

static const bg_parton table[] = {
    {"g", BG_PDG_GLUON, 8, 2}, QUARK("u", 2), QUARK("d", 1), QUARK("s", 3), QUARK("c", 4), QUARK("b", 5)};
enum { PARTONS = sizeof table / sizeof *table };

const char bg_parton_list[] = "g, u, u~, d, d~, s, s~, c, c~, b, b~";

const bg_parton *bg_parton_of(int pdg)
{
    for (int k = 0; k < PARTONS; k++)
        if (table[k].pdg == pdg) return &table[k];
    return NULL;
}

const bg_parton *bg_parton_named(const char *name, size_t length)
{
    for (int k = 0; k < PARTONS; k++)
        if (strlen(table[k].name) == length && !strncmp(table[k].name, name, length)) return &table[k];
    return NULL;
}

int bg_parton_flavor(int pdg) { return pdg == BG_PDG_GLUON ? 0 : pdg < 0 ? -pdg : pdg; }

int bg_parton_conjugate(int pdg) { return pdg == BG_PDG_GLUON ? pdg : -pdg; }

const char *bg_parton_name(int pdg)
{
    const bg_parton *p = bg_parton_of(pdg);
    return p ? p->name : "?";
}

void bg_partons_write(int n_in, int n, const int *pdg, char *text, size_t size)
{
    size_t used = 0;
    if (size) text[0] = '\0';
    for (int k = 0; k < n && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 !k          ? ""
                                 : k == n_in ? " > "
                                             : " ",
                                 bg_parton_name(pdg[k]));
}
