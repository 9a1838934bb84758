/* SPDX-License-Identifier: MIT */
/* What bulk copies may do to elements of global memory in place of writing them. */
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kg_model_bulk.h"

namespace kg__reduction
{

#define KG__REDUCTION(name, function)                                                              \
    struct name {                                                                                  \
        template <typename Type>                                                                   \
        auto operator()(Type *to, Type value) const -> decltype(function(to, value))               \
        {                                                                                          \
            return function(to, value);                                                            \
        }                                                                                          \
    };
KG__REDUCTION(add, atomicAdd)
KG__REDUCTION(min, atomicMin)
KG__REDUCTION(max, atomicMax)
KG__REDUCTION(inc, atomicInc)
KG__REDUCTION(dec, atomicDec)
KG__REDUCTION(and_op, atomicAnd)
KG__REDUCTION(or_op, atomicOr)
KG__REDUCTION(xor_op, atomicXor)
#undef KG__REDUCTION

/* Returns the operation on elements of a type; NULL if the type has no such operation. */
template <typename Operation, typename Type>
constexpr kg__model_change *change_of()
{
    if constexpr (std::is_invocable_v<Operation, Type *, Type>)
        return [](void *to, const void *value) {
            Operation()(static_cast<Type *>(to), *static_cast<const Type *>(value));
        };
    else
        return nullptr;
}

/* In the order of CUtensorMapDataType. */
template <typename Operation, typename... Types>
constexpr kg__model_change *changes_of[] = { change_of<Operation, Types>()... };
template <typename Operation>
constexpr kg__model_change *const *changes =
    changes_of<Operation, unsigned char, unsigned short, unsigned int, int, unsigned long long,
               long long, __half, float, double, __nv_bfloat16>;

} // namespace kg__reduction
