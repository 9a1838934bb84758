/* SPDX-License-Identifier: MIT */
/* Video instructions of inline PTX. Included by kg_model_ptx.h. */
#pragma once

namespace kg__ptx
{

/* The secondary operation of a video instruction. */
enum secondary { no_second, add_second, min_second, max_second };

/* Returns a lane of a word, extended. */
template <int Bits, bool IsSigned>
KG__PTX int64_t lane_of(uint32_t word, int lane)
{
    const uint64_t high = static_cast<uint64_t>(word) << (64 - Bits * (lane + 1));

    return IsSigned ? static_cast<int64_t>(high) >> (64 - Bits)
                    : static_cast<int64_t>(high >> (64 - Bits));
}

/* Combines the lanes of a and b, and the results with c. Each result is limited to a lane's values,
 * signed or not, where the instruction saturates. */
template <int Lanes, bool IsSignedA, bool IsSignedB, bool IsSigned, bool Saturates,
          typename Operation>
KG__PTX uint32_t video(Operation operation, secondary second, uint32_t a, uint32_t b,
                       uint32_t c = 0)
{
    constexpr int bits = 32 / Lanes;
    constexpr int64_t most = (int64_t{ 1 } << (bits - IsSigned)) - 1;
    constexpr int64_t least = IsSigned ? -most - 1 : 0;
    const int64_t given = lane_of<32, IsSigned>(c, 0);
    uint32_t sum = c;
    uint32_t lanes = 0;
    int64_t x = 0;

    for (int i = 0; i < Lanes; i++) {
        x = operation(lane_of<bits, IsSignedA>(a, i), lane_of<bits, IsSignedB>(b, i));
        if (Saturates)
            x = x < least ? least : x > most ? most : x;
        sum += static_cast<uint32_t>(x);
        lanes |= (static_cast<uint32_t>(x) & (~0u >> (32 - bits))) << (bits * i);
    }
    if (second == min_second)
        return static_cast<uint32_t>(x < given ? x : given);
    if (second == max_second)
        return static_cast<uint32_t>(x > given ? x : given);
    return second == add_second ? sum : lanes;
}

} // namespace kg__ptx
