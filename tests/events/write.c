/* Writes a sample into files, for readers that are not ours:  write_events PROCESS COUNT STRATEGY [--halves] FILE...
 * With --halves a file is left in the middle and gone on with, and the cross section is another one in the end. */
#include "events/sample.h"

#include "support.h"

static bg_status write_part(const sample *s, const char *path, size_t from, size_t to, int resume, int complete,
                            bg_error *error)
{
    const events_options options = {.force = !resume, .resume = resume};
    events_writer *w;
    bg_status status = events_open(&w, path, &s->run, &options, error);
    if (status != BG_OK) return status;
    status = events_write(w, s->event + from, to - from, error);
    const bg_status end = complete ? events_close(w, s->process, 5. * (double)s->count, status == BG_OK ? error : NULL)
                                   : events_leave(w, status == BG_OK ? error : NULL);
    return status == BG_OK ? end : status;
}

static bg_status write_file(const sample *s, const char *path, int halves, bg_error *error)
{
    if (!halves) return write_part(s, path, 0, s->count, 0, 1, error);
    sample first = *s;
    first.run.process = first.process;
    first.process[0].sigma_pb *= 3.;
    const bg_status status = write_part(&first, path, 0, s->count / 2, 0, 0, error);
    return status == BG_OK ? write_part(s, path, s->count / 2, s->count, 1, 1, error) : status;
}

int main(int argc, char **argv)
{
    sample s;
    bg_error error = {BG_OK, ""};
    if (argc < 5) return 2;
    const int halves = !strcmp(argv[4], "--halves");
    sample_create(&s, argv[1], (size_t)atoi(argv[2]), atoi(argv[3]));
    for (int k = 4 + halves; k < argc; k++) {
        const bg_status status = write_file(&s, argv[k], halves, &error);
        if (status == BG_ERROR_UNSUPPORTED) {
            printf("left out: %s\n", error.message);
        } else if (status != BG_OK) {
            fprintf(stderr, "%s\n", error.message);
            return 1;
        }
    }
    printf("%.17g\n", s.process[0].sigma_pb);
    sample_destroy(&s);
    return 0;
}
