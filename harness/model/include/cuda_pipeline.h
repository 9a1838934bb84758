/* SPDX-License-Identifier: MIT */
/* The CPU model's stand-in for cuda_pipeline.h. */
#pragma once

#include "cuda_pipeline_primitives.h"
#include "kg_model_copies.h"

namespace nvcuda
{
namespace experimental
{

class pipeline
{
  public:
    __attribute__((always_inline)) size_t commit()
    {
        kg__model_commit_copies();
        return committed_++;
    }
    __attribute__((always_inline)) void commit_and_wait()
    {
        commit();
        kg__model_wait_for_copies(0);
    }
    /* Waits until the group with the number returned by commit() is complete. */
    __attribute__((always_inline)) void wait(size_t group)
    {
        kg__model_wait_for_copies(static_cast<unsigned int>(committed_ - group - 1));
    }
    template <unsigned int Newest>
    __attribute__((always_inline)) void wait_prior()
    {
        kg__model_wait_for_copies(Newest);
    }

  private:
    size_t committed_ = 0;
};

template <typename Value>
__attribute__((always_inline)) static inline void memcpy_async(Value &to, const Value &from,
                                                               pipeline &)
{
    kg__model_copy_part(&to, &from, sizeof to, alignof(Value), 0, 1, nullptr);
}

} // namespace experimental
} // namespace nvcuda
