/* Prints the part of the manual that describes the options, from the library's table of them, in the language of man(7).
 * tests/manual.py compares it with docs/blockgen.1.in, or puts it there.
 */
#include "blockgen/blockgen.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Text with dashes that stay dashes. */
static void print_escaped(const char *text)
{
    for (; *text; text++) {
        if (*text == '-' || *text == '\\') putchar('\\');
        putchar(*text);
    }
}

/* The line of an option: its name and what it may be set to. A flag that is on by default is there to be switched off. */
static void print_name(const bg_option *o)
{
    const int off = o->kind == BG_OPTION_FLAG && !strcmp(o->standard, "yes");
    printf(".TP\n%s \\-\\-%s", o->kind == BG_OPTION_FLAG ? ".B" : ".BR", off ? "no\\-" : "");
    print_escaped(o->name);
    if (o->kind != BG_OPTION_FLAG) {
        printf(" \" ");
        for (int k = 0; o->values && o->values[k]; k++) {
            printf("%s", k ? " | " : "");
            print_escaped(o->values[k]);
        }
        if (o->argument) printf("%s\\fI%s\\fR", o->values ? " | " : "", o->argument);
        printf("\"");
    }
    putchar('\n');
}

static void print_option(const bg_option *o)
{
    const int off = o->kind == BG_OPTION_FLAG && !strcmp(o->standard, "yes");
    print_name(o);
    if (off) printf("Do not ");
    if (!off) putchar(toupper((unsigned char)o->help[0]));
    print_escaped(o->help + !off);
    if (o->kind != BG_OPTION_FLAG && *o->standard) {
        printf(" (default ");
        print_escaped(o->standard);
        printf(")");
    }
    printf(".\n");
}

/* Whether an option before this one has the same owner and group. */
static int is_told(int k)
{
    for (int i = 0; i < k; i++)
        if (bg_option_at(i)->owner == bg_option_at(k)->owner && !strcmp(bg_option_at(i)->group, bg_option_at(k)->group))
            return 1;
    return 0;
}

int main(void)
{
    static const char *const owners[] = {
        [BG_OPTION_OF_ALGORITHM] = "OPTIONS OF AN ALGORITHM",
        [BG_OPTION_OF_INTEGRATION] = "OPTIONS OF AN INTEGRATION",
    };
    for (int owner = BG_OPTION_OF_ALGORITHM; owner <= BG_OPTION_OF_INTEGRATION; owner++) {
        printf(".SH %s\n", owners[owner]);
        for (int k = 0; bg_option_at(k); k++) {
            const bg_option *first = bg_option_at(k);
            if ((int)first->owner != owner || is_told(k)) continue;
            printf(".SS %c%s\n", toupper((unsigned char)first->group[0]), first->group + 1);
            for (int i = k; bg_option_at(i); i++)
                if ((int)bg_option_at(i)->owner == owner && !strcmp(bg_option_at(i)->group, first->group))
                    print_option(bg_option_at(i));
        }
    }
    return 0;
}
