#include "suggest.h"

#include <limits.h>
#include <string.h>

enum { LONGEST = 32 };

/* Letters to add, drop or change to make b of a (Levenshtein), the two neighboring letters of a slip counted as one. */
static int distance(const char *a, const char *b)
{
    const int n = (int)strlen(a), m = (int)strlen(b);
    int before[LONGEST + 1], last[LONGEST + 1] = {0}, row[LONGEST + 1] = {0};
    if (n > LONGEST || m > LONGEST) return INT_MAX;
    for (int j = 0; j <= m; j++) row[j] = j;
    for (int i = 1; i <= n; i++) {
        memcpy(before, last, sizeof before);
        memcpy(last, row, sizeof last);
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int least = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < least) least = last[j] + 1;
            if (row[j - 1] + 1 < least) least = row[j - 1] + 1;
            const int swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && before[j - 2] + 1 < least) least = before[j - 2] + 1;
            row[j] = least;
        }
    }
    return row[m];
}

/* More than a third of the letters changed is another word. */
suggestion suggestion_for(const char *word)
{
    return (suggestion){.word = word, .distance = 2 + (int)(strlen(word) < LONGEST ? strlen(word) / 3 : LONGEST / 3)};
}

void suggestion_offer(suggestion *s, const char *right)
{
    const int d = distance(s->word, right);
    if (d >= s->distance) return;
    s->distance = d;
    s->nearest = right;
}
