/* A block of memory on each device that integrations use by turns.
 *
 * A process such as p p > 6j has an integration for each of its thirty classes, and half a gigabyte of points in each of them would be
 * too much for many devices. Nothing in a block outlives a call, so one block will do.
 */
#ifndef BG_BACKEND_CUDA_LOAN_H
#define BG_BACKEND_CUDA_LOAN_H

#include "base/status.h"

/* Who may borrow says so first, and says when it will no more: then the block goes. Numbers are those of the run time. */
void bg_loan_join(int device);
void bg_loan_leave(int device);

/* Bytes that the block has; they come on top of what is free. */
size_t bg_loan_bytes(int device);

/* So many bytes on the current device. They are others than those of the block where another thread has it. */
bg_status bg_loan_take(int device, size_t bytes, void **memory, bg_error *error);
void bg_loan_return(int device, void *memory);

#endif
