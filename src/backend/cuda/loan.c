#include "backend/cuda/loan.h"
#include "backend/cuda/devices.h"

typedef struct block {
    void *memory;
    size_t bytes;
    int taken; /* by whoever has set it */
    int members;
} block;

static block blocks[BG_LOAN_KINDS][MOST_DEVICES];

static block *block_of(bg_loan_kind kind, int device)
{
    return &blocks[kind][device < MOST_DEVICES ? device : MOST_DEVICES - 1];
}

static int seize(block *b) { return !__atomic_exchange_n(&b->taken, 1, __ATOMIC_ACQUIRE); }
static void release(block *b) { __atomic_store_n(&b->taken, 0, __ATOMIC_RELEASE); }

static void empty(block *b)
{
    if (b->memory) (void)cudaFree(b->memory);
    b->memory = NULL;
    __atomic_store_n(&b->bytes, (size_t)0, __ATOMIC_RELAXED);
}

void bg_loan_join(bg_loan_kind kind, int device)
{
    (void)__atomic_add_fetch(&block_of(kind, device)->members, 1, __ATOMIC_RELAXED);
}

void bg_loan_leave(bg_loan_kind kind, int device)
{
    block *b = block_of(kind, device);
    if (__atomic_sub_fetch(&b->members, 1, __ATOMIC_RELAXED) || !seize(b)) return;
    empty(b);
    release(b);
}

size_t bg_loan_bytes(bg_loan_kind kind, int device)
{
    return __atomic_load_n(&block_of(kind, device)->bytes, __ATOMIC_RELAXED);
}

bg_status bg_loan_take(bg_loan_kind kind, int device, size_t bytes, void **memory, bg_error *error)
{
    block *b = block_of(kind, device);
    if (!seize(b)) {
        CUDA_TRY(error, cudaMalloc(memory, bytes));
        return BG_OK;
    }
    if (b->bytes < bytes) {
        empty(b);
        const cudaError_t code = cudaMalloc(&b->memory, bytes);
        if (code != cudaSuccess) {
            b->memory = NULL;
            release(b);
            return bg_cuda_fail(error, code, "cudaMalloc");
        }
        __atomic_store_n(&b->bytes, bytes, __ATOMIC_RELAXED);
    }
    *memory = b->memory;
    return BG_OK;
}

void bg_loan_return(bg_loan_kind kind, int device, void *memory)
{
    block *b = block_of(kind, device);
    if (memory == b->memory)
        release(b);
    else
        (void)cudaFree(memory);
}
