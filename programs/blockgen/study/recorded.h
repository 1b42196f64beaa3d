/* Results that were recorded on another machine, built into the program: `blockgen bench --json` and what
 * `blockgen study all` itself leaves as study-cuda.json where there is a GPU. cmake/Recorded.cmake chooses
 * the folder.
 *
 * study-cuda.json: {"version", "label", "date", "machine": {...},
 *   "results": as in bench, and "strategy";
 *   "one_percent": [{"strategy", "n_out", "backend", "threads", "points", "spread", "seconds", "sigma_pb", "error_pb",
 *                    "runs", "extrapolated"}, ...],
 *   "hybrid": [{"n_out", "threads", "accepted", "seconds_points", "seconds_points_rambo", "seconds_copies",
 *               "seconds_matrix_elements", "seconds", "seconds_on_device"}, ...]}
 */
#ifndef BG_PROGRAM_STUDY_RECORDED_H
#define BG_PROGRAM_STUDY_RECORDED_H

#include "study/pool.h"

#define RECORDED_NAME "study-cuda.json"

/* Made by CMake (cmake/Embed.cmake): the files, each ended by a zero. */
extern const char bg_recorded_bench[], bg_recorded_study[];

/* Everything of the GPU and its host that this run measured, into the folder. Returns CLI_DONE or CLI_FAILED. */
int recorded_write(const pool *p, const char *folder, const char *label);

#endif
