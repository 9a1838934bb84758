/* SPDX-License-Identifier: MIT */
/* A case's code, of which a test gives what it needs. */
#pragma once

#include "base/message.h"
#include "records/kernel_code.h"

/* Code of so many registers (-1: not known), of an occupancy (NAN) and a fingerprint (""). */
static inline kg__kernel_code fake_code(int registers, double occupancy, const char *fingerprint)
{
    kg__kernel_code code = kg__kernel_code_unknown;

    code.registers = registers;
    code.occupancy = occupancy;
    kg__format(code.fingerprint, sizeof code.fingerprint, "%s", fingerprint);
    return code;
}
