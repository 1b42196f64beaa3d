/* Results that were recorded on another machine, built into the program: `blockgen bench --json` and what
 * `blockgen study all` itself leaves as study-cuda.json where there is a GPU, and as study-cpu.json. cmake/Recorded.cmake
 * chooses the folders.
 *
 * study-cuda.json: {"version", "label", "date", "machine": {...},
 *   "results": as in bench, and "strategy";
 *   "one_percent": [{"strategy", "n_out", "backend", "threads", "points", "spread", "seconds", "sigma_pb", "error_pb",
 *                    "runs", "extrapolated"}, ...],
 *   "hybrid": [{"n_out", "threads", "accepted", "seconds_points", "seconds_points_rambo", "seconds_copies",
 *               "seconds_matrix_elements", "seconds", "seconds_on_device"}, ...]}
 * study-cpu.json: the same without "hybrid", and
 *   "memory": [{"strategy", "n_out", "bytes_per_event", ...}, ...],
 *   "points": [{"n_out", "phase_space", "ns_per_event", "spread"}, ...],
 *   "digits": [{"strategy", "n_out", "points", "median", "worst"}, ...],
 *   "missing": [{"of", "strategy", "n_out", "why"}, ...]}
 */
#ifndef BG_PROGRAM_STUDY_RECORDED_H
#define BG_PROGRAM_STUDY_RECORDED_H

#include "study/pool.h"

#define RECORDED_NAME "study-cuda.json"
#define RECORDED_CPU_NAME "study-cpu.json"

/* Made by CMake (cmake/Embed.cmake): the files, each ended by a zero. */
extern const char bg_recorded_bench_cuda[], bg_recorded_study_cuda[];
extern const char bg_recorded_bench_cpu[], bg_recorded_study_cpu[];
/* bench/peers/peers.json: what other programs take. */
extern const char bg_recorded_peers[];

/* Everything that this run measured, into the folder: of the GPU and its host, and of the CPU. Returns CLI_DONE or
 * CLI_FAILED. */
int recorded_write(const pool *p, const char *folder, const char *label);

#endif
