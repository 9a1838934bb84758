/* SPDX-License-Identifier: MIT */
/* Inline PTX on the CPU model: additions and subtractions with a carry. Included by kg_model_ptx.h.
 */
#pragma once

namespace kg__ptx
{

/* Returns a + b or a - b, with the carry flag where it is read; sets the flag where it is written.
 * A GPU subtracts by adding the complement, so the flag is set where nothing is borrowed: addc
 * may read the flag of sub.cc, and subc that of add.cc. */
template <bool Subtracts, bool Reads, bool Writes, typename Value>
KG__PTX Value carry_(Value a, Value b)
{
    typedef std::make_unsigned_t<Value> positive;
    const bool carry = Reads ? kg__model_carry() != 0 : Subtracts;
    const wide<positive> sum = static_cast<wide<positive>>(static_cast<positive>(a)) +
                               static_cast<positive>(Subtracts ? ~b : b) + carry;

    if constexpr (Writes)
        kg__model_set_carry(static_cast<int>(sum >> 8 * sizeof(Value) & 1));
    return static_cast<Value>(sum);
}

} // namespace kg__ptx
