/* Blocks of memory on each device that integrations use by turns.
 *
 * A process such as p p > 6j has an integration for each of its thirty classes. Half a gigabyte of points in each of them would be
 * too much for many devices, and so would be the amplitudes of a batch. Nothing in a block outlives a call, so one of a kind will do.
 */
#ifndef BG_BACKEND_CUDA_LOAN_H
#define BG_BACKEND_CUDA_LOAN_H

#include "base/status.h"

typedef enum bg_loan_kind { BG_LOAN_POINTS, BG_LOAN_BATCH, BG_LOAN_KINDS } bg_loan_kind;

/* Who may borrow says so first, and says when it will no more: then the block goes. Numbers are those of the run time. */
void bg_loan_join(bg_loan_kind kind, int device);
void bg_loan_leave(bg_loan_kind kind, int device);

/* Bytes that the block has; they come on top of what is free. */
size_t bg_loan_bytes(bg_loan_kind kind, int device);

/* So many bytes on the current device. They are others than those of the block where another thread has it. */
bg_status bg_loan_take(bg_loan_kind kind, int device, size_t bytes, void **memory, bg_error *error);
void bg_loan_return(bg_loan_kind kind, int device, void *memory);

#endif
