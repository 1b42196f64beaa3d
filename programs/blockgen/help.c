/* The text of --help, from the tables that the parser reads. */
#include "options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { COLUMN = 30 };

/* One option: "  -n, --n-out N_OUT" and what it does. */
static void print_option(const char *name, char letter, const char *value, const char *help, const char *standard)
{
    char left[256], shortly[8] = "";
    if (letter) snprintf(shortly, sizeof shortly, "-%c, ", letter);
    snprintf(left, sizeof left, "  %s--%s%s%s", shortly, name, *value ? " " : "", value);
    if (strlen(left) < COLUMN)
        printf("%-*s%s", COLUMN, left, help);
    else
        printf("%s\n%*s%s", left, COLUMN, "", help);
    if (*standard) printf(" (%s)", standard);
    putchar('\n');
}

/* "summed|sampled|STRING" */
static void describe_value(const char *const *words, const char *argument, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; words && words[k] && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", k ? "|" : "", words[k]);
    if (argument && used < size) snprintf(text + used, size - used, "%s%s", used ? "|" : "", argument);
}

static void print_own(const char *title, const cli_option *o)
{
    char value[128];
    if (!o || !o->name) return;
    printf("\n%s\n", title);
    for (; o->name; o++) {
        describe_value(o->argument ? NULL : o->choices, o->argument, value, sizeof value);
        print_option(o->name, o->letter, value, o->help, "");
    }
}

/* A flag that is set by default is shown as the option that takes it back. */
static void print_library_option(const cli_command *command, const bg_option *o)
{
    char value[128], name[64], help[256];
    const int flag = o->kind == BG_OPTION_FLAG, set = flag && !strcmp(o->standard, "yes");
    describe_value(o->values, o->argument, value, sizeof value);
    snprintf(name, sizeof name, "%s%s", set ? "no-" : "", o->name);
    snprintf(help, sizeof help, "%s%s", set ? "do not " : "", o->help);
    print_option(name, 0, flag ? "" : value, help, flag ? "" : cli_standard(command, o));
}

/* The library's options of one group; those that came before have been printed. */
static void print_group(const cli_command *command, int first)
{
    const char *group = bg_option_at(first)->group;
    printf("\n%c%s:\n", toupper((unsigned char)group[0]), group + 1);
    for (int k = first; bg_option_at(k); k++)
        if (cli_takes(command, bg_option_at(k)) && !strcmp(bg_option_at(k)->group, group))
            print_library_option(command, bg_option_at(k));
}

static int is_first_of_group(const cli_command *command, int k)
{
    if (!cli_takes(command, bg_option_at(k))) return 0;
    for (int w = 0; w < k; w++)
        if (cli_takes(command, bg_option_at(w)) && !strcmp(bg_option_at(w)->group, bg_option_at(k)->group)) return 0;
    return 1;
}

void cli_print_help(const cli_command *command, const cli_option *shared)
{
    printf("Usage: blockgen %s [OPTION]...%s%s\n%s\n", command->name, command->operands ? " " : "",
           command->operands ? command->operands : "", command->summary);
    if (command->details) printf("\n%s\n", command->details);
    print_own("Options:", command->own);
    for (int k = 0; bg_option_at(k); k++)
        if (is_first_of_group(command, k)) print_group(command, k);
    print_own("Output:", shared);
    printf("\nExit status: 0 done; 1 it could not be done; 2 bad usage or bad input; 130 interrupted.\n");
}
