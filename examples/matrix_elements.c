/* |M|^2 of g g -> 4 gluons at two phase-space points, with the library.
 *
 * Prints one number a line, what `blockgen me` prints for the same points.
 */
#include <blockgen/blockgen.h>

#include <stdio.h>

enum { N_OUT = 4, POINTS = 2 };

/* [point][gluon][E, px, py, pz] in GeV, the two incoming gluons first. */
static const double momenta[POINTS][2 + N_OUT][4] = {
    {{500., 0., 0., 500.},
     {500., 0., 0., -500.},
     {290.31075577423763, -213.36929162671257, 88.965338665326172, 175.61050317417747},
     {362.25784622409594, 153.75280273294220, -190.28771533698082, -267.17299301111615},
     {186.58961514320910, -82.776424293003245, 62.116350397414720, 155.25883895566528},
     {160.84178285845732, 142.39291318677365, 39.206026274239925, -63.696349118726602}},
    /* the same turned around the beam by 90 degrees: |M|^2 does not change */
    {{500., 0., 0., 500.},
     {500., 0., 0., -500.},
     {290.31075577423763, -88.965338665326172, -213.36929162671257, 175.61050317417747},
     {362.25784622409594, 190.28771533698082, 153.75280273294220, -267.17299301111615},
     {186.58961514320910, -62.116350397414720, -82.776424293003245, 155.25883895566528},
     {160.84178285845732, -39.206026274239925, 142.39291318677365, -63.696349118726602}},
};

int main(void)
{
    bg_process *process = NULL;
    bg_evaluator *evaluator = NULL;
    bg_options options;
    bg_error error;
    double me2[POINTS];

    bg_options_init(&options); /* everything summed and exact, the fastest kernel and backend */
    bg_status status = bg_process_create_gluons(&process, N_OUT, &error);
    if (status == BG_OK) status = bg_evaluator_create(&evaluator, process, &options, &error);
    for (int k = 0; k < POINTS && status == BG_OK; k++) status = bg_check_point(N_OUT, &momenta[k][0][0], 1e-6, &error);
    if (status == BG_OK) status = bg_evaluator_evaluate(evaluator, 0, POINTS, &momenta[0][0][0], me2, NULL, &error);

    if (status == BG_OK)
        for (int k = 0; k < POINTS; k++) printf("%.17g\n", me2[k]);
    else
        fprintf(stderr, "%s: %s\n", bg_status_string(status), error.message);
    bg_evaluator_destroy(evaluator);
    bg_process_destroy(process);
    return status == BG_OK ? 0 : 1;
}
