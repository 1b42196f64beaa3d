/* The command line, a word a line, and behind a line "%%%%" the file of --config. The command has options of every kind. */
#include "fuzz.h"

#include "options.h"
#include "process.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 300 };

static const char *path;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    path = fuzz_path(".cfg");
    return 0;
}

/* The words as main() would get them; the text is cut up. */
static int cut(char *text, char **word, int room)
{
    int count = 0;
    word[count++] = text; /* the name of the command, which nobody looks at */
    for (char *at = text; *at && count < room - 2;) {
        char *end = strchr(at, '\n');
        word[count++] = at;
        if (!end) break;
        *end = '\0';
        at = end + 1;
    }
    return count;
}

/* What was understood is in range and can be printed and read again. */
static void check(const cli_common *common, const bg_integration *integration)
{
    bg_error error;
    for (int k = 0; bg_option_at(k); k++) {
        const bg_option *o = bg_option_at(k);
        const int of_integration = o->owner == BG_OPTION_OF_INTEGRATION;
        char value[4096];
        bg_options options = common->options;
        bg_integration wish = *integration;
        const bg_status status = of_integration
                                     ? bg_integration_get(integration, o->name, value, sizeof value, &error)
                                     : bg_options_get(&common->options, o->name, value, sizeof value, &error);
        if (status != BG_OK || !*value) continue; /* an algorithm, or nothing given */
        fuzz_require((of_integration ? bg_integration_set(&wish, o->name, value, &error)
                                     : bg_options_set(&options, o->name, value, &error)) == BG_OK);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const choices[] = {"text", "html", "both", NULL};
    char *words, *config, *word[MOST_WORDS], with_file[] = "--config";
    bg_integration integration;
    cli_process asked = CLI_PROCESS_NONE;
    cli_range range = {2, 4};
    cli_common common;
    const char *output = NULL;
    int status = -1, flag = 0, choice = 0, whole = 3;
    double real = 1.;
    if (size > 1 << 16 || memchr(data, '\0', size)) return -1;
    bg_integration_init(&integration);
    const cli_option own[] = {
        CLI_GLUONS_OPTION(&asked),
        CLI_PROCESS_OPTION(&asked),
        CLI_FLAVOR_OPTIONS(&asked),
        {.name = "output", .letter = 'o', .kind = CLI_KIND_TEXT, .target = &output, .help = "text"},
        {.name = "events", .kind = CLI_KIND_REAL, .target = &real, .low = 1., .high = 1e15, .help = "number"},
        {.name = "compression",
         .kind = CLI_KIND_INTEGER,
         .target = &whole,
         .low = 0.,
         .high = 9.,
         .help = "whole number"},
        {.name = "weighted", .kind = CLI_KIND_FLAG, .target = &flag, .help = "flag"},
        {.name = "report", .kind = CLI_KIND_CHOICE, .target = &choice, .choices = choices, .help = "choice"},
        {.name = "range", .kind = CLI_KIND_CUSTOM, .target = &range, .parse = cli_parse_range, .help = "range"},
        {.name = NULL},
    };
    const cli_command command = {.name = "fuzz",
                                 .operands = "[FILE]",
                                 .summary = "Options of every kind.",
                                 .own = own,
                                 .algorithm = 1,
                                 .chooses = 1,
                                 .integration = &integration,
                                 .max_operands = 3,
                                 .silent = 1};
    fuzz_split(data, size, &words, &config);
    int count = cut(words, word, MOST_WORDS);
    if (*config) {
        char *name = fuzz_text((const uint8_t *)path, strlen(path));
        fuzz_write(path, config, strlen(config));
        word[count++] = with_file;
        word[count++] = name;
        status = cli_parse(&command, count, word, &common, &status) ? status : CLI_DONE;
        free(name);
    } else {
        status = cli_parse(&command, count, word, &common, &status) ? status : CLI_DONE;
    }
    fuzz_count(status == CLI_DONE);
    fuzz_require(status == CLI_DONE || status == CLI_USAGE || status == CLI_FAILED);
    fuzz_require(whole >= 0 && whole <= 9 && real >= 1. && real <= 1e15 && choice >= 0 && choice < 3);
    fuzz_require(range.low <= range.high && (flag == 0 || flag == 1));
    if (status == CLI_DONE) {
        check(&common, &integration);
        (void)cli_describe_algorithm(&common.options);
        (void)cli_check_given(&command, &common);
    }
    free(words);
    free(config);
    return 0;
}
