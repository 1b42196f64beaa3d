/* The subcommands, one file each. Each gets its own name as argv[0] and returns the exit status. */
#ifndef BG_PROGRAM_COMMANDS_H
#define BG_PROGRAM_COMMANDS_H

int command_me(int argc, char **argv);
int command_integrate(int argc, char **argv);
int command_generate(int argc, char **argv);
int command_event(int argc, char **argv);
int command_processes(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_study(int argc, char **argv);
int command_selftest(int argc, char **argv);
int command_info(int argc, char **argv);
int command_cite(int argc, char **argv);
int command_completion(int argc, char **argv);

/* The list of them (main.c): k = 0, 1, ...; NULL past the last. */
typedef struct cli_entry {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} cli_entry;
const cli_entry *command_at(int k);

#endif
