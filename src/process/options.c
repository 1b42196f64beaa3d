#include "process/options.h"
#include "process/strategy.h"
#include "base/limits.h"
#include "base/sized.h"
#include "base/status.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---------------------------------------------------------------------------------------------- */

const option_row *bg_option_row(bg_option_owner owner, const char *name)
{
    for (int k = 0; name && k < bg_option_rows; k++)
        if (bg_option_table[k].shown.owner == owner && !strcmp(bg_option_table[k].shown.name, name))
            return &bg_option_table[k];
    return NULL;
}

/* Letters to be added, dropped or changed (Levenshtein). */
static int distance(const char *a, const char *b)
{
    enum { LONGEST = 32 };
    int row[LONGEST + 1];
    const int n = (int)strlen(a), m = (int)strlen(b);
    if (n > LONGEST || m > LONGEST) return LONGEST;
    for (int j = 0; j <= m; j++) row[j] = j;
    for (int i = 1; i <= n; i++) {
        int corner = row[0];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            const int changed = corner + (a[i - 1] != b[j - 1]);
            const int moved = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            corner = row[j];
            row[j] = changed < moved ? changed : moved;
        }
    }
    return row[m];
}

const char *bg_option_nearest(bg_option_owner owner, const char *name)
{
    const char *nearest = NULL;
    int least = 1 + (int)strlen(name) / 3; /* more is another word */
    for (int k = 0; k < bg_option_rows; k++) {
        const bg_option *o = &bg_option_table[k].shown;
        const int d = o->owner == owner ? distance(name, o->name) : least + 1;
        if (d > least || (nearest && d == least)) continue;
        least = d;
        nearest = o->name;
    }
    return nearest;
}

/* ---- words --------------------------------------------------------------------------------------------- */

static int count_words(const bg_option *o)
{
    int count = 0;
    while (o->values && o->values[count]) count++;
    return count;
}

void bg_option_say_range(const option_row *row, char *text, size_t size)
{
    const bg_option *o = &row->shown;
    size_t used = 0;
    text[0] = '\0';
    switch (o->kind) {
    case BG_OPTION_CHOICE:
        for (int k = 0; o->values[k] && used < size; k++) {
            const char *join = !k ? "" : o->values[k + 1] || o->argument ? ", " : " or ";
            used += (size_t)snprintf(text + used, size - used, "%s%s", join, o->values[k]);
        }
        if (row->storage == OPTION_HELICITY && used < size)
            snprintf(text + used, size - used, " or %d to %d signs such as +-+--+, incoming gluons first",
                     2 + BG_MIN_OUT, 2 + BG_MAX_OUT_DRESSED);
        break;
    case BG_OPTION_FLAG: snprintf(text, size, "yes or no"); break;
    case BG_OPTION_INTEGER: snprintf(text, size, "a whole number from %.0f to %.0f", o->low, o->high); break;
    case BG_OPTION_COUNT:
        if (o->high > 0.)
            snprintf(text, size, "a whole number from %.0f to %.0f", o->low, o->high);
        else
            snprintf(text, size, "a whole number from %.0f to %" PRIu64, o->low, UINT64_MAX);
        break;
    case BG_OPTION_REAL: snprintf(text, size, "a number from %g to %g", o->low, o->high); break;
    case BG_OPTION_TEXT: snprintf(text, size, "a text"); break;
    }
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

/* A whole number without a sign, as digits or as 1e6. Returns whether it is one. */
static int read_count(const char *word, uint64_t *value)
{
    char *end;
    if (!isdigit((unsigned char)*word) || word[strspn(word, "0123456789.eE+")]) return 0;
    errno = 0;
    *value = strtoull(word, &end, 10);
    if (!*end) return !errno;
    const double x = strtod(word, &end);
    if (*end || x != floor(x) || !(x < 0x1p64)) return 0;
    *value = (uint64_t)x;
    return 1;
}

static int read_int(const char *word, double low, double high, int *value)
{
    const int negative = *word == '-';
    uint64_t size;
    if (!read_count(word + negative, &size) || size > INT32_MAX) return 0;
    const int x = negative ? -(int)size : (int)size;
    if (x < low || x > high) return 0;
    *value = x;
    return 1;
}

static int read_real(const char *word, double low, double high, double *value)
{
    char *end;
    if (!*word || isspace((unsigned char)*word)) return 0;
    const double x = strtod(word, &end);
    if (*end || !(x >= low && x <= high)) return 0;
    *value = x + 0.; /* -0 is 0 */
    return 1;
}

static int read_flag(const char *word, int *value)
{
    static const char *const words[] = {"no", "yes", "0", "1", "false", "true", "off", "on"};
    for (int k = 0; k < (int)(sizeof words / sizeof *words); k++)
        if (!strcmp(word, words[k])) {
            *value = k % 2;
            return 1;
        }
    return 0;
}

static int read_word(const bg_option *o, const char *word, int *value)
{
    for (int k = 0; o->values[k]; k++)
        if (!strcmp(word, o->values[k])) {
            *value = k;
            return 1;
        }
    return 0;
}

static int read_helicity(const bg_option *o, const char *word, bg_options *options)
{
    const size_t length = strlen(word);
    int value = BG_HELICITY_FIXED;
    if (!read_word(o, word, &value)) {
        if (length < 2 + BG_MIN_OUT || length > 2 + BG_MAX_OUT_DRESSED || strspn(word, "+-") != length) return 0;
        memset(options->helicities, 0, sizeof options->helicities);
        memcpy(options->helicities, word, length);
    }
    options->helicity = (bg_helicity)value;
    return 1;
}

/* ---- fields --------------------------------------------------------------------------------------------- */

static int store(const option_row *row, void *object, const char *word)
{
    const bg_option *o = &row->shown;
    char *field = (char *)object + row->offset;
    int number = 0;
    double real = 0.;
    uint64_t count = 0;
    switch (row->storage) {
    case OPTION_INT:
        if (o->kind == BG_OPTION_CHOICE ? !read_word(o, word, &number)
            : o->kind == BG_OPTION_FLAG ? !read_flag(word, &number)
                                        : !read_int(word, o->low, o->high, &number))
            return 0;
        memcpy(field, &number, sizeof number);
        return 1;
    case OPTION_UINT64:
        if (!read_count(word, &count) || (double)count < o->low || (o->high > 0. && count > (uint64_t)o->high))
            return 0;
        memcpy(field, &count, sizeof count);
        return 1;
    case OPTION_DOUBLE:
        if (!read_real(word, o->low, o->high, &real)) return 0;
        memcpy(field, &real, sizeof real);
        return 1;
    case OPTION_WORD:
        if (!read_word(o, word, &number)) return 0;
        snprintf(field, row->room, "%s", word);
        return 1;
    case OPTION_POINTER: memcpy(field, &word, sizeof word); return 1;
    case OPTION_HELICITY: return read_helicity(o, word, object);
    case OPTION_ALGORITHM:
        if (!read_word(o, word, &number)) return 0;
        bg_algorithm_apply(object, (bg_algorithm)number);
        return 1;
    }
    return 0;
}

/* The struct that a caller has initialized may end before a field that came later. */
static bg_status check_room(const option_row *row, const void *object, bg_error *error)
{
    size_t size;
    memcpy(&size, object, sizeof size);
    if (row->offset + row->room <= size) return BG_OK;
    return bg_fail(error, BG_ERROR_UNSUPPORTED, "%s is not an option of the version that this program was compiled for",
                   row->shown.name);
}

bg_status bg_option_store(const option_row *row, void *object, const char *value, bg_error *error)
{
    char range[192];
    const bg_status status = check_room(row, object, error);
    if (status != BG_OK) return status;
    if (value && store(row, object, value)) return bg_succeed(error);
    bg_option_say_range(row, range, sizeof range);
    return bg_fail(error, BG_ERROR_ARGUMENT, "%s is '%.200s'; it must be %s", row->shown.name, value ? value : "",
                   range);
}

/* The paper's algorithm that has these axes, or "". */
static const char *algorithm_of(const bg_options *options)
{
    for (int k = 0; k < BG_ALGORITHM_COUNT; k++) {
        bg_options other = *options;
        bg_algorithm_apply(&other, (bg_algorithm)k);
        if (other.color == options->color && other.recursion == options->recursion &&
            other.helicity == options->helicity && other.layout == options->layout)
            return bg_algorithm_word((bg_algorithm)k);
    }
    return "";
}

static const char *word_of(const bg_option *o, int number)
{
    return number >= 0 && number < count_words(o) ? o->values[number] : "";
}

bg_status bg_option_print(const option_row *row, const void *object, char *value, size_t room, bg_error *error)
{
    const bg_option *o = &row->shown;
    const char *field = (const char *)object + row->offset, *text = "";
    const bg_options *options = object;
    int length = 0, number = 0;
    double real = 0.;
    uint64_t count = 0;
    const bg_status status = check_room(row, object, error);
    if (status != BG_OK) return status;
    switch (row->storage) {
    case OPTION_INT:
        memcpy(&number, field, sizeof number);
        if (o->kind == BG_OPTION_INTEGER)
            length = snprintf(value, room, "%d", number);
        else
            length =
                snprintf(value, room, "%s", o->kind == BG_OPTION_FLAG ? (number ? "yes" : "no") : word_of(o, number));
        break;
    case OPTION_UINT64:
        memcpy(&count, field, sizeof count);
        length = snprintf(value, room, "%" PRIu64, count);
        break;
    case OPTION_DOUBLE:
        memcpy(&real, field, sizeof real);
        length = snprintf(value, room, "%.15g", real + 0.);
        if (strtod(value, NULL) != real) length = snprintf(value, room, "%.17g", real + 0.);
        break;
    case OPTION_WORD: length = snprintf(value, room, "%.*s", (int)strnlen(field, row->room), field); break;
    case OPTION_POINTER:
        memcpy(&text, field, sizeof text);
        length = snprintf(value, room, "%s", text ? text : "");
        break;
    case OPTION_HELICITY:
        if (options->helicity == BG_HELICITY_FIXED)
            length = snprintf(value, room, "%.*s", (int)strnlen(options->helicities, sizeof options->helicities),
                              options->helicities);
        else
            length = snprintf(value, room, "%s", word_of(o, (int)options->helicity));
        break;
    case OPTION_ALGORITHM: length = snprintf(value, room, "%s", algorithm_of(options)); break;
    }
    if ((size_t)length < room) return bg_succeed(error);
    return bg_fail(error, BG_ERROR_ARGUMENT, "the value of %s has %d letters; there is room for %zu", o->name, length,
                   room);
}

/* ---- whole structs --------------------------------------------------------------------------------------- */

void bg_option_defaults(bg_option_owner owner, void *object, size_t known, size_t size)
{
    memset(object, 0, known);
    for (int k = 0; k < bg_option_rows; k++) {
        const option_row *row = &bg_option_table[k];
        if (row->shown.owner == owner && *row->shown.standard) (void)store(row, object, row->shown.standard);
    }
    memcpy(object, &size, sizeof size);
}

bg_status bg_options_adopt(bg_options *ours, const bg_options *caller, bg_error *error)
{
    bg_option_defaults(BG_OPTION_OF_ALGORITHM, ours, sizeof *ours, sizeof *ours);
    return bg_sized_read(ours, sizeof *ours, caller, "options", error);
}

bg_status bg_integration_adopt(bg_integration *ours, const bg_integration *caller, bg_error *error)
{
    bg_option_defaults(BG_OPTION_OF_INTEGRATION, ours, sizeof *ours, sizeof *ours);
    return bg_sized_read(ours, sizeof *ours, caller, "integration", error);
}

/* The name of the field: that of the option with an underscore for every dash. */
static void name_field(const bg_option *o, char *name, size_t size)
{
    snprintf(name, size, "%s", o->name);
    for (; *name; name++)
        if (*name == '-') *name = '_';
}

bg_status bg_options_check_ranges(const bg_options *options, bg_error *error)
{
    if (options->reserved)
        return bg_fail(error, BG_ERROR_ARGUMENT, "option reserved is %d; it must be 0", options->reserved);
    const int group = options->color_group;
    if (group < 0 || group > BG_MOST_GROUP || (group & (group - 1)))
        return bg_fail(error, BG_ERROR_ARGUMENT,
                       "color_group is %d; it must be a power of two up to %d, or 0 for automatic", group,
                       BG_MOST_GROUP);
    for (int k = 0; k < bg_option_rows; k++) {
        const option_row *row = &bg_option_table[k];
        const bg_option *o = &row->shown;
        const char *field = (const char *)options + row->offset;
        char name[32];
        if (o->owner != BG_OPTION_OF_ALGORITHM) continue;
        name_field(o, name, sizeof name);
        if (row->storage == OPTION_INT || row->storage == OPTION_HELICITY) {
            const int words = count_words(o) + (o->argument && o->values), choice = o->kind == BG_OPTION_CHOICE;
            const double low = choice ? 0. : o->low, high = choice ? words - 1. : o->high;
            int number;
            memcpy(&number, field, sizeof number);
            if (!(number >= low && number <= high))
                return bg_fail(error, BG_ERROR_ARGUMENT, "option %s is %d; it must be %.0f to %.0f", name, number, low,
                               high);
        } else if (row->storage == OPTION_DOUBLE) {
            double number;
            memcpy(&number, field, sizeof number);
            if (!(number >= o->low && number <= o->high))
                return bg_fail(error, BG_ERROR_ARGUMENT, "option %s is %g; it must be %g to %g", name, number, o->low,
                               o->high);
        }
    }
    return BG_OK;
}
