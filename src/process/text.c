#include "process/text.h"
#include "base/status.h"
#include "process/partons.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A run of letters or a number, with its sign, of the text. */
typedef struct word {
    const char *at;
    int length;
    int is_number;
    long number;
} word;

typedef struct reader {
    const char *text, *at;
    int numbered; /* all words are numbers: they are PDG ids */
    bg_legs *legs;
    int outgoing; /* behind the arrow */
    bg_error *error;
} reader;

static int is_arrow(const word *w) { return w->length && w->at[w->length - 1] == '>'; }

/* The next word; 0 at the end. "4g" is two words, and the arrow, > or ->, is one wherever it stands. */
static int next_word(const char **at, word *w)
{
    const char *s = *at + strspn(*at, " \t\r\n");
    if (!*s) return 0;
    *w = (word){.at = s};
    if (*s == '>' || (*s == '-' && s[1] == '>')) {
        w->length = *s == '>' ? 1 : 2;
    } else if (isdigit((unsigned char)*s) || ((*s == '-' || *s == '+') && isdigit((unsigned char)s[1]))) {
        w->is_number = 1;
        w->length = 1 + (int)strspn(s + 1, "0123456789");
        w->number = strtol(s, NULL, 10); /* too large: LONG_MAX, which is out of every range */
    } else {
        while (s[w->length] && !isspace((unsigned char)s[w->length]) && s[w->length] != '>') {
            if (s[w->length] == '-' && s[w->length + 1] == '>') break;
            w->length++;
        }
    }
    *at = s + w->length;
    return 1;
}

/* Names of particles that are known elsewhere but have no part here. */
static int is_other_particle(const word *w)
{
    static const char *const names[] = {"a",   "z",   "h",   "t",  "t~", "w+", "w-",  "e+",  "e-", "mu+",
                                        "mu-", "ta+", "ta-", "ve", "vm", "vt", "ve~", "vm~", "vt~"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strlen(names[k]) == (size_t)w->length && !strncmp(names[k], w->at, (size_t)w->length)) return 1;
    return 0;
}

static bg_status unknown(const reader *r, const word *w)
{
    if (is_other_particle(w))
        return bg_fail(
            r->error, BG_ERROR_UNSUPPORTED,
            "process '%.100s': '%.*s' is no parton of massless QCD; there are %s, and p and j for any of them", r->text,
            w->length, w->at, bg_parton_list);
    return bg_fail(r->error, BG_ERROR_ARGUMENT,
                   "process '%.100s': unknown parton '%.*s'; there are %s, p (incoming) and j (outgoing)", r->text,
                   w->length < 40 ? w->length : 40, w->at, bg_parton_list);
}

static bg_status add_legs(reader *r, long count, int leg)
{
    int *so_far = r->outgoing ? &r->legs->n_out : &r->legs->n_in;
    const int most = r->outgoing ? BG_MAX_OUT_DRESSED : 2;
    if (count > most - *so_far)
        return bg_fail(r->error, BG_ERROR_ARGUMENT, "process '%.100s' has more than %d %s partons; it must be %s%d",
                       r->text, most, r->outgoing ? "outgoing" : "incoming", r->outgoing ? "2 to " : "", most);
    for (long k = 0; k < count; k++) r->legs->leg[r->legs->n_in + r->legs->n_out + (int)k] = leg;
    *so_far += (int)count;
    return BG_OK;
}

/* p or j. */
static bg_status add_any(reader *r, long count, const word *w)
{
    const int proton = w->at[0] == 'p';
    if (proton == r->outgoing)
        return bg_fail(r->error, BG_ERROR_ARGUMENT, "process '%.100s': '%c' can only %s", r->text, w->at[0],
                       proton ? "come in; an outgoing jet is 'j'" : "go out; an incoming proton is 'p'");
    return add_legs(r, count, proton ? BG_LEG_PROTON : BG_LEG_JET);
}

static bg_status add_named(reader *r, long count, const word *w)
{
    const bg_parton *p = bg_parton_named(w->at, (size_t)w->length);
    if (p) return add_legs(r, count, p->pdg);
    if (w->length == 1 && (w->at[0] == 'p' || w->at[0] == 'j')) return add_any(r, count, w);
    return unknown(r, w);
}

static bg_status add_numbered(reader *r, const word *w)
{
    const bg_parton *p = w->number > -100 && w->number < 100 ? bg_parton_of((int)w->number) : NULL;
    if (p) return add_legs(r, 1, p->pdg);
    if (w->number == BG_LEG_PROTON && !r->outgoing) return add_legs(r, 1, BG_LEG_PROTON);
    return bg_fail(
        r->error, BG_ERROR_UNSUPPORTED,
        "process '%.100s': '%.*s' is not the PDG id of a parton; there are %d (g) and 1 to %d (d, u, s, c, b), "
        "-1 to -%d",
        r->text, w->length < 40 ? w->length : 40, w->at, BG_PDG_GLUON, BG_MAX_FLAVORS, BG_MAX_FLAVORS);
}

/* A count and the name that it belongs to. */
static bg_status add_counted(reader *r, const word *count)
{
    word w;
    if (!next_word(&r->at, &w) || w.is_number || is_arrow(&w))
        return bg_fail(r->error, BG_ERROR_ARGUMENT,
                       "process '%.100s': no parton behind the count '%.*s' (names and PDG ids do not mix)", r->text,
                       count->length < 40 ? count->length : 40, count->at);
    if (count->number < 1)
        return bg_fail(r->error, BG_ERROR_ARGUMENT, "process '%.100s': '%.*s' partons; it must be 1 or more", r->text,
                       count->length < 40 ? count->length : 40, count->at);
    return add_named(r, count->number, &w);
}

static int has_names(const char *text)
{
    word w;
    while (next_word(&text, &w))
        if (!w.is_number && !is_arrow(&w)) return 1;
    return 0;
}

bg_status bg_legs_read(bg_legs *legs, const char *text, bg_error *error)
{
    reader r = {.text = text, .at = text, .numbered = !has_names(text), .legs = legs, .error = error};
    bg_status status = BG_OK;
    word w;
    memset(legs, 0, sizeof *legs);
    while (status == BG_OK && next_word(&r.at, &w)) {
        if (is_arrow(&w)) {
            if (r.outgoing)
                return bg_fail(error, BG_ERROR_ARGUMENT, "process '%.100s' has more than one arrow '>'", text);
            r.outgoing = 1;
        } else if (!w.is_number) {
            status = add_named(&r, 1, &w);
        } else {
            status = r.numbered ? add_numbered(&r, &w) : add_counted(&r, &w);
        }
    }
    if (status != BG_OK) return status;
    if (!r.outgoing)
        return bg_fail(error, BG_ERROR_ARGUMENT, "process '%.100s' has no arrow '>': it must look like \"u g > u g g\"",
                       text);
    if (legs->n_in != 2)
        return bg_fail(error, BG_ERROR_ARGUMENT, "process '%.100s' has %d incoming partons; it must be 2", text,
                       legs->n_in);
    if (legs->n_out < BG_MIN_OUT)
        return bg_fail(error, BG_ERROR_ARGUMENT, "process '%.100s' has %d outgoing partons; it must be %d to %d", text,
                       legs->n_out, BG_MIN_OUT, BG_MAX_OUT_DRESSED);
    return bg_succeed(error);
}

int bg_legs_are_open(const bg_legs *legs)
{
    for (int k = 0; k < legs->n_in + legs->n_out; k++)
        if (!bg_parton_of(legs->leg[k])) return 1;
    return 0;
}
