#include "baseline/instructions.h"

#include <string.h>

#include "base/message.h"

enum {
    INSTRUCTION = 16,        /* bytes */
    OPCODE_MASK = 0x1ff,     /* three more bits say where the operands are */
    FIRST_WITH_OPCODES = 70, /* architectures */
    FIRST_BLACKWELL = 100,
    HFMA2_OR_IADD = 0x35 /* a half multiply-add that the next architecture's integer add replaced */
};

/* As nvdisasm 13 names what nvcc 13.0 generated for sm_75 to sm_120. */
static const struct {
    uint16_t opcode;
    uint8_t kind; /* of several widths: the first */
} opcodes[] = {
    { 0x180, KG__GLOBAL_LOADS },         /* LD */
    { 0x181, KG__GLOBAL_LOADS },         /* LDG */
    { 0x185, KG__GLOBAL_STORES },        /* ST */
    { 0x186, KG__GLOBAL_STORES },        /* STG */
    { 0x184, KG__SHARED_LOADS },         /* LDS */
    { 0x188, KG__SHARED_STORES },        /* STS */
    { 0x183, KG__LOCAL_LOADS },          /* LDL */
    { 0x187, KG__LOCAL_STORES },         /* STL */
    { 0x1ae, KG__ASYNC_COPIES },         /* LDGSTS */
    { 0x03b, KG__MATRIX_LOADS },         /* LDSM */
    { 0x18a, KG__ATOMICS },              /* ATOM */
    { 0x1a2, KG__ATOMICS },              /* ATOM */
    { 0x1a8, KG__ATOMICS },              /* ATOMG */
    { 0x1a9, KG__ATOMICS },              /* ATOMG.CAS */
    { 0x18e, KG__ATOMICS },              /* RED */
    { 0x1a6, KG__ATOMICS },              /* REDG */
    { 0x18c, KG__SHARED_ATOMICS },       /* ATOMS */
    { 0x18d, KG__SHARED_ATOMICS },       /* ATOMS.CAS */
    { 0x023, KG__FFMA },                 /* FFMA */
    { 0x02b, KG__DFMA },                 /* DFMA */
    { 0x031, KG__HFMA2 },                /* HFMA2 */
    { HFMA2_OR_IADD, KG__HFMA2 },        /* HFMA2.MMA */
    { 0x03c, KG__HMMA },                 /* HMMA */
    { 0x037, KG__IMMA },                 /* IMMA */
    { 0x03f, KG__DMMA },                 /* DMMA */
    { 0x03d, KG__BMMA },                 /* BMMA */
    { 0x1f0, KG__WGMMA },                /* HGMMA */
    { 0x1f1, KG__WGMMA },                /* IGMMA */
    { 0x1f3, KG__WGMMA },                /* QGMMA */
    { 0x11d, KG__BARRIER_INSTRUCTIONS }, /* BAR */
};

static const char *const wide_names[] = { "global_load",  "global_store", "shared_load",
                                          "shared_store", "local_load",   "local_store",
                                          "async_copy" };
static const char *const narrow_names[] = { "matrix_load", "atomic", "shared_atomic", "ffma",
                                            "dfma",        "hfma2",  "hmma",          "imma",
                                            "dmma",        "bmma",   "wgmma",         "barrier" };

const char *kg__instruction_class_name(int kind)
{
    static char name[32];

    if (kind >= KG__MATRIX_LOADS)
        return narrow_names[kind - KG__MATRIX_LOADS];
    kg__format(name, sizeof name, "%s_%d", wide_names[kind / KG__WIDTHS], 8 << kind % KG__WIDTHS);
    return name;
}

/* The width of an access, as the index of its class: 0 for 8 bits, 4 for 128. */
static int find_width(uint64_t high, int first, int architecture)
{
    int code = (int)(high >> 9 & 7);

    if (first == KG__ASYNC_COPIES && architecture >= FIRST_BLACKWELL)
        code = (int)(high >> 10 & 3) + 4;
    /* 8 and 16 bits have a signed and an unsigned code; 7 is unknown. */
    return code < 4 ? code / 2 : code < 7 ? code - 2 : KG__WIDTHS - 1;
}

static int find_class(uint64_t low, uint64_t high, int architecture)
{
    uint16_t opcode = low & OPCODE_MASK;

    if (opcode == HFMA2_OR_IADD && architecture >= FIRST_BLACKWELL)
        return -1;
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++) {
        int kind = opcodes[i].kind;

        if (opcodes[i].opcode == opcode)
            return kind < KG__MATRIX_LOADS ? kind + find_width(high, kind, architecture) : kind;
    }
    return -1;
}

kg__instructions kg__count_instructions(const void *code, size_t bytes, int architecture)
{
    kg__instructions found = { { 0 } };
    uint64_t words[2];

    if (architecture < FIRST_WITH_OPCODES)
        return found;
    for (size_t at = 0; at + INSTRUCTION <= bytes; at += INSTRUCTION) {
        int kind;

        memcpy(words, (const char *)code + at, sizeof words);
        kind = find_class(words[0], words[1], architecture);
        if (kind >= 0)
            found.count[kind]++;
    }
    return found;
}
