/* blockgen completion: scripts for bash, zsh and fish, from the tables that the parser and --help read.
 *
 * Every command is called once with a visitor in the place of the parser (options.h), which writes what the shell should
 * know of it. The three shells differ in little: what stands before and after, and how an option is written.
 */
#include "commands.h"
#include "console.h"
#include "options.h"

#include <stdio.h>
#include <string.h>

enum { BASH, ZSH, FISH };
static const char *const shells[] = {"bash", "zsh", "fish", NULL};

/* An option of a command as a shell sees it. */
typedef struct shown {
    char name[64]; /* without the dashes */
    char letter;
    char values[192];     /* that are known, with blanks between them */
    const char *argument; /* what else it takes; NULL: nothing, and no values: it is a flag */
    const char *help;
} shown;

static int is_flag(const shown *o) { return !o->values[0] && !o->argument; }

static int wants_file(const shown *o)
{
    return o->argument && (strstr(o->argument, "FILE") != NULL || strstr(o->argument, "DIR") != NULL);
}

static void add_value(shown *o, const char *word, size_t length)
{
    const size_t used = strlen(o->values);
    snprintf(o->values + used, sizeof o->values - used, "%s%.*s", used ? " " : "", (int)length, word);
}

/* Of "K|all" and "event|softest", the words that are to be written as they stand. */
static void add_words_of(shown *o, const char *argument)
{
    for (const char *word = argument; word && *word;) {
        const size_t length = strcspn(word, "|"), letters = strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789/-");
        if (letters == length) add_value(o, word, length);
        word += length + (word[length] == '|');
    }
}

static shown show(const char *name, const char *const *values, const char *argument, int flag, const char *help)
{
    shown s = {.argument = flag || (values && !argument) ? NULL : argument ? argument : "VALUE", .help = help};
    snprintf(s.name, sizeof s.name, "%s", name);
    for (int k = 0; !flag && values && values[k]; k++) add_value(&s, values[k], strlen(values[k]));
    if (!flag && !values) add_words_of(&s, argument);
    return s;
}

/* Calls `take` with every option of a command: its own, those of the library that it takes, those that all have. */
static void each_option(const cli_command *command, const cli_option *shared,
                        void (*take)(const cli_command *command, const shown *option, void *user), void *user)
{
    const cli_option *const tables[] = {command->own, shared};
    for (int t = 0; t < 2; t++)
        for (const cli_option *o = tables[t]; o && o->name; o++) {
            shown s = show(o->name, o->choices, o->argument, o->kind == CLI_KIND_FLAG, o->help);
            s.letter = o->letter;
            take(command, &s, user);
        }
    for (int k = 0; bg_option_at(k); k++) {
        const bg_option *o = bg_option_at(k);
        const int flag = o->kind == BG_OPTION_FLAG;
        char name[64];
        if (!cli_takes(command, o)) continue;
        snprintf(name, sizeof name, "%s%s", flag && !strcmp(o->standard, "yes") ? "no-" : "", o->name);
        const shown s = show(name, o->values, o->argument, flag, o->help);
        take(command, &s, user);
    }
}

/* Text inside single quotes of a shell. */
static void print_quoted(int shell, const char *text, const char *escaped)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs(shell == FISH ? "\\'" : "'\\''", stdout);
        else if (*text == '\\' && shell == FISH)
            fputs("\\\\", stdout);
        else if (strchr(escaped, *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void print_values(const char *const *values)
{
    for (int k = 0; values && values[k]; k++) printf("%s%s", k ? " " : "", values[k]);
}

/* ---- bash: one `case` of the values of options, one of the options of commands ------------------------------------ */

static void bash_values(const cli_command *command, const shown *o, void *unused)
{
    (void)unused;
    if (!o->values[0]) return;
    printf("        '%s --%s'%s", command->name, o->name, o->letter ? " | " : "");
    if (o->letter) printf("'%s -%c'", command->name, o->letter);
    printf(") values='%s' ;;\n", o->values);
}

/* Options whose values nobody can list: names of files are offered, and nothing else. */
static void bash_free(const cli_command *command, const shown *o, void *unused)
{
    (void)unused;
    if (o->values[0] || !o->argument) return;
    printf("        '%s --%s'", command->name, o->name);
    if (o->letter) printf(" | '%s -%c'", command->name, o->letter);
    printf(") return ;;\n");
}

static void bash_name(const cli_command *command, const shown *o, void *unused)
{
    (void)command;
    (void)unused;
    printf(" --%s", o->name);
}

static void bash_visit_values(const cli_command *command, const cli_option *shared, void *unused)
{
    each_option(command, shared, bash_values, unused);
    each_option(command, shared, bash_free, unused);
}

static void bash_visit_names(const cli_command *command, const cli_option *shared, void *unused)
{
    printf("        %s) options='", command->name);
    each_option(command, shared, bash_name, unused);
    printf("' ;;\n");
}

/* ---- zsh and fish: a line for each option ----------------------------------------------------------------------------- */

static void zsh_option(const cli_command *command, const shown *o, void *unused)
{
    (void)command;
    (void)unused;
    for (int k = 0; k < (o->letter ? 2 : 1); k++) {
        if (k)
            printf("            '-%c[", o->letter);
        else
            printf("            '--%s[", o->name);
        print_quoted(ZSH, o->help, "[]:\\");
        printf("]");
        if (!is_flag(o)) {
            printf(":");
            print_quoted(ZSH, o->argument ? o->argument : "value", "[]:\\");
            printf(":");
        }
        if (o->values[0]) {
            printf("(%s)", o->values);
        } else if (wants_file(o)) {
            printf("_files");
        }
        printf("' \\\n");
    }
}

static void zsh_visit(const cli_command *command, const cli_option *shared, void *unused)
{
    printf("        %s)\n            _arguments \\\n", command->name);
    each_option(command, shared, zsh_option, unused);
    if (command->operand_values) {
        printf("            '*:%s:(", command->operands);
        print_values(command->operand_values);
        printf(")' ;;\n");
    } else {
        printf("            '*:file:_files' ;;\n");
    }
}

static void fish_option(const cli_command *command, const shown *o, void *unused)
{
    (void)unused;
    printf("complete -c blockgen -n '__fish_seen_subcommand_from %s' -l %s", command->name, o->name);
    if (o->letter) printf(" -s %c", o->letter);
    if (o->values[0]) {
        printf(" -x -a '%s'", o->values);
    } else if (wants_file(o)) {
        printf(" -r -F");
    } else if (!is_flag(o)) {
        printf(" -x");
    }
    printf(" -d '");
    print_quoted(FISH, o->help, "");
    printf("'\n");
}

static void fish_visit(const cli_command *command, const cli_option *shared, void *unused)
{
    each_option(command, shared, fish_option, unused);
    if (command->operand_values) {
        printf("complete -c blockgen -n '__fish_seen_subcommand_from %s' -a '", command->name);
        print_values(command->operand_values);
        printf("'\n");
    } else if (command->max_operands) {
        printf("complete -c blockgen -n '__fish_seen_subcommand_from %s' -F\n", command->name);
    }
}

/* ---- all commands ------------------------------------------------------------------------------------------------------- */

static void visit_all(cli_visitor *visit)
{
    for (int k = 0; command_at(k); k++) {
        char name[32];
        char *words[] = {name, NULL};
        snprintf(name, sizeof name, "%s", command_at(k)->name);
        cli_visit(visit, NULL);
        (void)command_at(k)->run(1, words);
    }
    cli_visit(NULL, NULL);
}

static void print_commands(const char *between)
{
    for (int k = 0; command_at(k); k++) printf("%s%s", k ? between : "", command_at(k)->name);
}

static void bash_operands(const cli_command *command, const cli_option *shared, void *unused)
{
    (void)shared;
    (void)unused;
    if (!command->operand_values) return;
    printf("        %s) values='", command->name);
    print_values(command->operand_values);
    printf("' ;;\n");
}

static void print_bash(void)
{
    printf(
        "# Completion of blockgen for bash, written by `blockgen completion bash`.\n"
        "# An empty answer leaves the word to the shell, which offers names of files.\n"
        "_blockgen() {\n"
        "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}\n"
        "    local values='' options=''\n"
        "    COMPREPLY=()\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        COMPREPLY=($(compgen -W '");
    print_commands(" ");
    printf(" --help --version' -- \"$current\"))\n"
           "        return\n"
           "    fi\n"
           "    # --color=summed comes as three words\n"
           "    if [ \"$previous\" = '=' ]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
           "    if [ \"$current\" = '=' ]; then current=''; fi\n"
           "    case \"$command $previous\" in\n");
    visit_all(bash_visit_values);
    printf("    esac\n"
           "    if [ -n \"$values\" ]; then\n"
           "        COMPREPLY=($(compgen -W \"$values\" -- \"$current\"))\n"
           "        return\n"
           "    fi\n"
           "    case \"$command\" in\n");
    visit_all(bash_visit_names);
    printf("    esac\n"
           "    case \"$command\" in\n");
    visit_all(bash_operands);
    printf("    esac\n"
           "    case \"$current\" in\n"
           "        -*) COMPREPLY=($(compgen -W \"$options\" -- \"$current\")) ;;\n"
           "        *) if [ -n \"$values\" ]; then COMPREPLY=($(compgen -W \"$values\" -- \"$current\")); fi ;;\n"
           "    esac\n"
           "}\n"
           "complete -o bashdefault -o default -F _blockgen blockgen\n");
}

static void print_zsh(void)
{
    printf("#compdef blockgen\n"
           "# Completion of blockgen for zsh, written by `blockgen completion zsh`.\n"
           "_blockgen() {\n"
           "    local -a commands\n"
           "    commands=(\n");
    for (int k = 0; command_at(k); k++) {
        printf("        '%s:", command_at(k)->name);
        print_quoted(ZSH, command_at(k)->summary, ":\\");
        printf("'\n");
    }
    printf("    )\n"
           "    if (( CURRENT == 2 )); then\n"
           "        _describe command commands\n"
           "        return\n"
           "    fi\n"
           "    shift words\n"
           "    (( CURRENT-- ))\n"
           "    case $words[1] in\n");
    visit_all(zsh_visit);
    printf("    esac\n"
           "}\n"
           "_blockgen \"$@\"\n");
}

static void print_fish(void)
{
    printf("# Completion of blockgen for fish, written by `blockgen completion fish`.\n"
           "complete -c blockgen -f\n");
    for (int k = 0; command_at(k); k++) {
        printf("complete -c blockgen -n __fish_use_subcommand -a %s -d '", command_at(k)->name);
        print_quoted(FISH, command_at(k)->summary, "");
        printf("'\n");
    }
    visit_all(fish_visit);
}

int command_completion(int argc, char **argv)
{
    const cli_command command = {
        .name = "completion",
        .operands = "SHELL",
        .summary = "Prints a script that completes commands, options and their values in a shell.",
        .details =
            "SHELL is bash, zsh or fish. An installation has the scripts where these shells look for them. Otherwise:\n"
            "\n"
            "    source <(blockgen completion bash)                                   in ~/.bashrc\n"
            "    blockgen completion zsh > FOLDER/_blockgen                           a folder of $fpath\n"
            "    blockgen completion fish > ~/.config/fish/completions/blockgen.fish",
        .max_operands = 1,
        .operand_values = shells,
    };
    cli_common common;
    int status;
    if (cli_parse(&command, argc, argv, &common, &status)) return status;
    if (common.json) {
        cli_message(command.name, "--json has no effect: what it prints is a script (see blockgen completion --help)");
        return CLI_USAGE;
    }
    const char *name = common.operand_count ? common.operands[0] : "";
    int shell = BASH;
    while (shells[shell] && strcmp(shells[shell], name) != 0) shell++;
    switch (shell) {
    case BASH: print_bash(); return CLI_DONE;
    case ZSH: print_zsh(); return CLI_DONE;
    case FISH: print_fish(); return CLI_DONE;
    default: break;
    }
    cli_message(command.name, "the shell is '%s'; it must be bash, zsh or fish (see blockgen completion --help)", name);
    return CLI_USAGE;
}
