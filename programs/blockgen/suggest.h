/* The right word for one that is nearly right. */
#ifndef BG_PROGRAM_SUGGEST_H
#define BG_PROGRAM_SUGGEST_H

/* Collects the nearest of the words that are offered one by one. */
typedef struct suggestion {
    const char *word;    /* what was written */
    const char *nearest; /* NULL: nothing is near enough to be meant */
    int distance;
} suggestion;

suggestion suggestion_for(const char *word);
void suggestion_offer(suggestion *s, const char *right);

#endif
