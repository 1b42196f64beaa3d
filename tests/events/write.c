/* Writes a sample into files, for readers that are not ours:  write_events PROCESS COUNT STRATEGY FILE... */
#include "events/sample.h"

#include "support.h"

int main(int argc, char **argv)
{
    sample s;
    bg_error error = {BG_OK, ""};
    const events_options options = {.force = 1};
    if (argc < 5) return 2;
    sample_create(&s, argv[1], (size_t)atoi(argv[2]), atoi(argv[3]));
    for (int k = 4; k < argc; k++) {
        events_writer *w;
        bg_status status = events_open(&w, argv[k], &s.run, &options, &error);
        if (status == BG_OK) status = events_write(w, s.event, s.count, &error);
        if (status == BG_OK) status = events_close(w, NULL, 5. * (double)s.count, &error);
        if (status == BG_ERROR_UNSUPPORTED)
            printf("left out: %s\n", error.message);
        else if (status != BG_OK)
            return fprintf(stderr, "%s\n", error.message), 1;
    }
    printf("%.17g\n", s.process[0].sigma_pb);
    sample_destroy(&s);
    return 0;
}
