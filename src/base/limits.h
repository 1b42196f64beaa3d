/* Every maximum of the library, derived from the two that the public header names. */
#ifndef BG_BASE_LIMITS_H
#define BG_BASE_LIMITS_H

#include "blockgen/blockgen.h"

enum {
    BG_MAX_LEGS = 2 + BG_MAX_OUT_DRESSED,    /* of a process */
    BG_MAX_LETTERS = BG_MAX_OUT_DRESSED,     /* gluons that orderings permute, at most */
    BG_MAX_WORD_LETTERS = BG_MAX_OUT_SUMMED, /* ... of an exact color sum, whose words are all stored */
    BG_MOST_GROUP = 32,                      /* events that share colors at most: a warp of a GPU */
    BG_MOST_STRUCTURES = 362880,             /* of color with quark lines: nine gluons on one */
    BG_MOST_THREADS = 4096                   /* of the CPU */
};

/* Orderings are packed four bits a leg, configurations of helicities one bit a leg. */
#if 2 + BG_MAX_OUT_DRESSED > 16
#error "a process has more legs than packed orderings have room for"
#endif

#endif
