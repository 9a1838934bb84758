/* SPDX-License-Identifier: MIT */
/* mbarrier objects and bulk copies, as kernels call them. Their accesses are checked, and counted
 * neither as requests of a warp nor as instructions, since no warp executes them. */
#include "model/exec/faults.h"
#include "model/exec/mbarriers.h"
#include "model/exec/tensor_maps.h"
#include "model/include/cuda.h"
#include "model/include/kg_model_bulk.h"
#include "model/watch/trace.h"

#include <limits.h>
#include <string.h>

#define VECTOR 16            /* bytes that linear copies are multiples of */
#define TENSOR_ALIGNMENT 128 /* of a box in shared memory */
#define CODE ((uintptr_t)__builtin_return_address(0))

static void require(const char *fault, uintptr_t code)
{
    if (fault != NULL)
        kg__fail_wrong(KG__INVALID_BARRIER, code, fault);
}

/* An object's initialization is a write of its memory, and each use a read. */
static kg__model_barrier_object *use(const void *word, uintptr_t code)
{
    kg__model_barrier_object *object = NULL;

    require(kg__exec_use_mbarrier(word, &object), code);
    kg__trace_note(word, KG__ACCESS_ASYNC | 4, code);
    return object;
}

static void note_write(const void *word, uintptr_t code)
{
    kg__trace_note(word, KG__ACCESS_WRITE | KG__ACCESS_ASYNC | 4, code);
    kg__trace_note(word, KG__ACCESS_NOTE | KG__ACCESS_ASYNC | 4, code);
}

void kg__model_init_mbarrier(void *word, unsigned int expected)
{
    require(kg__exec_init_mbarrier(word, expected), CODE);
    note_write(word, CODE);
}

void kg__model_invalidate_mbarrier(void *word)
{
    (void)use(word, CODE);
    memset(word, 0, sizeof(uint64_t));
    note_write(word, CODE);
}

uint64_t kg__model_arrive_at_mbarrier(void *word, unsigned int count, unsigned int leaving,
                                      int64_t bytes)
{
    kg__model_barrier_object *object = use(word, CODE);
    const uint64_t phase = object->phase;

    if (count > 0)
        kg__trace_note_barrier(object, true, CODE);
    require(kg__exec_count_mbarrier(object, count, leaving, bytes), CODE);
    return phase;
}

kg__model_turn kg__model_try_mbarrier(void *word, uint64_t phase, int by_parity)
{
    kg__model_barrier_object *object = use(word, CODE);
    const uint64_t awaited = kg__exec_phase_of(object, phase, by_parity != 0);

    if (object->phase != awaited)
        return kg__exec_wait_at(object, awaited, CODE);
    kg__exec_polled(word, kg__exec_mbarrier_state(object));
    return kg__exec_wait_for_others(CODE);
}

const void *kg__model_mbarrier_at(void *word)
{
    return use(word, CODE);
}

int kg__model_mbarrier_is_over(const void *word, uint64_t phase, int by_parity)
{
    kg__model_barrier_object *object = NULL;

    require(kg__exec_use_mbarrier(word, &object), CODE);
    if (object->phase == kg__exec_phase_of(object, phase, by_parity != 0) || object->unseen != 0)
        return 0;
    kg__trace_note_barrier(object, false, CODE);
    return 1;
}

void kg__model_fence_proxy(unsigned int spaces)
{
    for (uintptr_t global = 0; global < 2; global++) {
        if ((spaces >> global & 1) != 0)
            kg__trace_note((const void *)(KG__FENCE_OF_PROXY + global),
                           KG__ACCESS_NOTE | KG__ACCESS_ATOMIC, CODE);
    }
}

/* Records a piece's accesses: vectors, or as words where it is not aligned. */
static void note_piece(const void *address, size_t size, unsigned int kind, uintptr_t code)
{
    if (kg__trace.cursor == NULL)
        return;
    if (size == VECTOR && (uintptr_t)address % VECTOR == 0)
        kg__trace_note(address, kind | VECTOR, code);
    else
        kg__trace_note_range(address, size, kind, code);
}

/* A copy in progress. */
typedef struct bulk_copy {
    kg__model_barrier_object *object; /* of a load */
    uintptr_t code;
    kg__model_change *change; /* NULL: a store overwrites */
    unsigned int element;     /* bytes */
} bulk_copy;

static void load_piece(unsigned char *shared, unsigned char *global, size_t size, void *data)
{
    const bulk_copy *copy = data;

    if (global != NULL)
        note_piece(global, size, KG__ACCESS_BULK, copy->code - 1);
    note_piece(shared, size, KG__ACCESS_WRITE | KG__ACCESS_BULK, copy->code);
    kg__exec_copy_async(shared, global != NULL ? global : shared, size, global != NULL ? 0 : size,
                        copy->object);
}

/* Kernels' code does the change, by atomics that are recorded as the copy's. */
static void change_piece(unsigned char *global, const unsigned char *shared, size_t size,
                         const bulk_copy *copy)
{
    const kg__trace_lane lane = kg__trace;

    kg__trace.cursor = kg__trace.limit = NULL;
    for (size_t i = 0; i < size; i += copy->element)
        copy->change(global + i, shared + i);
    kg__trace = lane;
}

/* Global memory is written at once: no other thread may rely on it before the launch's end. */
static void store_piece(unsigned char *shared, unsigned char *global, size_t size, void *data)
{
    const bulk_copy *copy = data;

    if (global == NULL)
        return;
    note_piece(shared, size, KG__ACCESS_BULK, copy->code - 1);
    kg__exec_store_bulk(shared, size);
    if (copy->change != NULL) {
        kg__trace_note_range(global, size, KG__ACCESS_ATOMIC | KG__ACCESS_ASYNC, copy->code);
        change_piece(global, shared, size, copy);
        return;
    }
    note_piece(global, size, KG__ACCESS_WRITE | KG__ACCESS_BULK, copy->code);
    memcpy(global, shared, size);
}

static void check_linear(const void *shared, const void *global, unsigned int size)
{
    if (((uintptr_t)shared | (uintptr_t)global | size) % VECTOR != 0)
        kg__model_trap(cudaErrorMisalignedAddress,
                       "cp.async.bulk: the size or an address is not a multiple of 16");
}

void kg__model_bulk_load(void *to, const void *from, unsigned int size, void *word)
{
    bulk_copy copy = { .object = use(word, CODE), .code = CODE };

    check_linear(to, from, size);
    for (unsigned int i = 0; i < size; i += VECTOR)
        load_piece((unsigned char *)to + i, (unsigned char *)(uintptr_t)from + i, VECTOR, &copy);
    require(kg__exec_count_mbarrier(copy.object, 0, 0, -(int64_t)size), CODE);
}

static void store(void *to, const void *from, unsigned int size, bulk_copy *copy)
{
    check_linear(from, to, size);
    for (unsigned int i = 0; i < size; i += VECTOR)
        store_piece((unsigned char *)(uintptr_t)from + i, (unsigned char *)to + i, VECTOR, copy);
}

void kg__model_bulk_store(void *to, const void *from, unsigned int size)
{
    store(to, from, size, &(bulk_copy){ .code = CODE });
}

void kg__model_bulk_reduce(void *to, const void *from, unsigned int size, kg__model_change *change,
                           unsigned int element)
{
    store(to, from, size, &(bulk_copy){ .code = CODE, .change = change, .element = element });
}

/* Returns the map at an address. `first` is the least coordinate: an H200 refuses stores, and not
 * loads, of boxes that begin before their tensor. */
static const kg__tensor_map *map_at(const void *address, const void *shared, const int *at,
                                    int rank, int first)
{
    const kg__tensor_map *map = address;

    if ((uintptr_t)address % _Alignof(CUtensorMap) != 0 || map->magic != KG__TENSOR_MAP ||
        map->rank != rank)
        kg__model_trap(cudaErrorIllegalInstruction,
                       "cp.async.bulk.tensor: there is no tensor map of that many dimensions, "
                       "aligned to 64 bytes: pass it as a __grid_constant__ parameter");
    if ((uintptr_t)shared % TENSOR_ALIGNMENT != 0)
        kg__model_trap(cudaErrorMisalignedAddress,
                       "cp.async.bulk.tensor: the address in shared memory is not a multiple of "
                       "128");
    if (at[0] * (int64_t)map->element % VECTOR != 0)
        kg__model_trap(cudaErrorIllegalInstruction,
                       "cp.async.bulk.tensor: the box does not begin at a multiple of 16 bytes of "
                       "the tensor's rows");
    for (int i = 0; i < rank; i++) {
        if (at[i] < first)
            kg__model_trap(cudaErrorIllegalInstruction,
                           "cp.async.bulk.tensor: a store with a negative coordinate");
    }
    return map;
}

void kg__model_tensor_load(void *to, const void *map, const int *at, int rank, void *word)
{
    const kg__tensor_map *tensor = map_at(map, to, at, rank, INT_MIN);
    bulk_copy copy = { .object = use(word, CODE), .code = CODE };

    kg__tensor_each_piece(tensor, at, to, load_piece, &copy);
    require(kg__exec_count_mbarrier(copy.object, 0, 0, -(int64_t)kg__tensor_box_size(tensor)),
            CODE);
}

void kg__model_tensor_store(const void *map, const int *at, int rank, const void *from)
{
    kg__tensor_each_piece(map_at(map, from, at, rank, 0), at, (unsigned char *)(uintptr_t)from,
                          store_piece, &(bulk_copy){ .code = CODE });
}

void kg__model_tensor_reduce(const void *map, const int *at, int rank, const void *from,
                             kg__model_change *const *changes)
{
    const kg__tensor_map *tensor = map_at(map, from, at, rank, 0);
    bulk_copy copy = { .code = CODE, .change = changes[tensor->type], .element = tensor->element };

    if (copy.change == NULL)
        kg__model_trap(cudaErrorIllegalInstruction,
                       "cp.reduce.async.bulk.tensor: the model has no such operation on elements "
                       "of the tensor map's type");
    kg__tensor_each_piece(tensor, at, (unsigned char *)(uintptr_t)from, store_piece, &copy);
}

void kg__model_wait_for_bulk(unsigned int newest)
{
    const void *from;
    size_t size;

    while (kg__exec_end_store(newest, &from, &size))
        note_piece(from, size, KG__ACCESS_NOTE | KG__ACCESS_ASYNC, CODE);
}
