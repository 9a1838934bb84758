/* The classes of instructions in machine code. */
#include "baseline/instructions.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

/* The index of a class by its name; -1 for NULL. */
static int find_class(const char *name)
{
    for (int kind = 0; name != NULL && kind < KG__INSTRUCTION_CLASSES; kind++) {
        if (strcmp(kg__instruction_class_name(kind), name) == 0)
            return kind;
    }
    return -1;
}

/* As nvdisasm 13.2 shows and names what nvcc 13.0 generated. */
Test(instructions, as_the_disassembler_names_them)
{
    static const struct {
        uint64_t words[2];
        int architecture;
        const char *kind;
    } table[] = {
        { { 0x0000000402007986, 0x001fe2000c101d04 }, 100, "global_store_128" }, /* STG.E.128 */
        { { 0x0000000402027981, 0x002ea2000c1e1b00 }, 100, "global_load_64" },   /* LDG.E.64 */
        { { 0x00000404020b7981, 0x004ea8000c1e1900 }, 100, "global_load_32" },   /* LDG.E */
        { { 0x0000000b02007986, 0x004fe8000c101904 }, 100, "global_store_32" },  /* STG.E */
        { { 0x00000004060c7981, 0x004ee8000c1e1d00 }, 100, "global_load_128" },  /* LDG.E.128 */
        { { 0x00000000ff0d7431, 0x000fe400000001ff }, 100, "hfma2" },            /* HFMA2 */
        { { 0x40400000080f7823, 0x008fc8000000000f }, 100, "ffma" },             /* FFMA */
        { { 0x0000000a0c1b7981, 0x000f28000c1e1500 }, 100, "global_load_16" },   /* LDG.E.U16 */
        { { 0x0000000a10197981, 0x000f22000c1e1100 }, 100, "global_load_8" },    /* LDG.E.U8 */
        { { 0x000000081c007388, 0x0003e80000000c00 }, 100, "shared_store_128" }, /* STS.128 */
        { { 0x000000161d007388, 0x004fe20000000a00 }, 100, "shared_store_64" },  /* STS.64 */
        { { 0x0000001a09007388, 0x0083e40000000800 }, 100, "shared_store_32" },  /* STS */
        { { 0x0000001b08007388, 0x010fe80000000400 }, 100, "shared_store_16" },  /* STS.U16 */
        { { 0x000000190a007388, 0x0005e20000000000 }, 100, "shared_store_8" },   /* STS.U8 */
        { { 0x0000000000007b1d, 0x000fec0000010000 },
          100,
          "barrier" },                                               /* BAR.SYNC.DEFER_BLOCKING */
        { { 0x3ff800001a08782b, 0x008fc40000000008 }, 100, "dfma" }, /* DFMA */
        { { 0x000000081c007986, 0x0003e2000c101b0a }, 100, "global_store_64" }, /* STG.E.64 */
        { { 0x0000fc0005057984, 0x000fe80000000800 }, 100, "shared_load_32" },  /* LDS */
        { { 0x0003f00008087984, 0x000e680000000c00 }, 100, "shared_load_128" }, /* LDS.128 */
        { { 0x00007e001d1d7984, 0x000fe20000000400 }, 100, "shared_load_16" },  /* LDS.U16 */
        { { 0x0001f8001c147984, 0x000ea80000000a00 }, 100, "shared_load_64" },  /* LDS.64 */
        { { 0x00003f00181b7984, 0x0000e40000000000 }, 100, "shared_load_8" },   /* LDS.U8 */
        { { 0x0000001d0c007986, 0x000fe8000c10150a }, 100, "global_store_16" }, /* STG.E.U16 */
        { { 0x0000001b10007986, 0x0087e8000c10110a }, 100, "global_store_8" },  /* STG.E.U8 */
        { { 0x00000013060079a6, 0x0001e8000c12f30a },
          100,
          "atomic" }, /* REDG.E.ADD.F32.FTZ.RN.STRONG.GPU */
        { { 0x80000011081179a8, 0x000ea200081ef10a }, 100, "atomic" }, /* ATOMG.E.ADD.STRONG.GPU */
        { { 0x0000000302ff038c, 0x000fe80000000000 }, 100, "shared_atomic" },   /* ATOMS.ADD */
        { { 0x8000000702ff79a2, 0x0043e2000c10e10a }, 100, "atomic" },          /* ATOM.E.ADD.F16 */
        { { 0x0000000a02007980, 0x000ea4000c101900 }, 100, "global_load_32" },  /* LD.E */
        { { 0x0000000702007985, 0x0001e4000c10190a }, 100, "global_store_32" }, /* ST.E */
        { { 0x000000040e027980, 0x004ea8000c101b00 }, 100, "global_load_64" },  /* LD.E.64 */
        { { 0x000000060208723f, 0x00462400000000ff }, 100, "dmma" },            /* DMMA.8 */
        { { 0x0000000802007985, 0x001fe2000c101d04 }, 100, "global_store_128" }, /* ST.E.128 */
        { { 0x0000000608047237, 0x000fe200004054ff }, 100, "imma" }, /* IMMA.16816.S8.S8 */
        { { 0x000000100414723c, 0x041ff000000018ff }, 100, "hmma" }, /* HMMA.16816.F32 */
        { { 0x0000001001007387, 0x0043e80000100c00 }, 100, "local_store_128" }, /* STL.128 */
        { { 0x000000000c057983, 0x000ea20000100800 }, 100, "local_load_32" },   /* LDL */
        { { 0x000000050c007387, 0x0001e80000100800 }, 100, "local_store_32" },  /* STL */
        { { 0x0000000001047983, 0x00fea80000100c00 }, 100, "local_load_128" },  /* LDL.128 */
        { { 0x0000780c01007387, 0x010fe80000100a00 }, 100, "local_store_64" },  /* STL.64 */
        { { 0x0001900001087983, 0x001f680000300a00 }, 100, "local_load_64" },   /* LDL.LU.64 */
        { { 0x00000010ff037435, 0x000fe200000001ff }, 80, "hfma2" },            /* HFMA2.MMA */
        { { 0x0000000d1400798e, 0x000fe8000c10e786 },
          80,
          "atomic" }, /* RED.E.ADD.F32.FTZ.RN.STRONG.GPU */
        { { 0x000000000808783b, 0x000e240000000200 }, 100, "matrix_load" }, /* LDSM.16.M88.4 */
        { { 0x00000000020d7fae, 0x0083e4000b981804 },
          100,
          "async_copy_128" }, /* LDGSTS.E.BYPASS.128 */
        { { 0x00000000080f7fae, 0x0005e4000b9a1404 }, 100, "async_copy_64" }, /* LDGSTS.E.64 */
        { { 0x000000000a137fae, 0x0007e2000b9a1004 }, 100, "async_copy_32" }, /* LDGSTS.E */
        { { 0x00000004040c723d, 0x000ff600000154ff }, 80, "bmma" }, /* BMMA.168256.AND.POPC */
        { { 0x00000000020f7fae, 0x0003e2000b901c44 },
          80,
          "async_copy_128" }, /* LDGSTS.E.BYPASS.128 */
        { { 0x0040000008157fae, 0x0005e6000b921a44 }, 80, "async_copy_64" }, /* LDGSTS.E.64 */
        { { 0x006000000a177fae, 0x000fe8000b921844 }, 80, "async_copy_32" }, /* LDGSTS.E */
        { { 0x00000000041c79f0, 0x000fe2000c0018ff }, 90, "wgmma" },         /* HGMMA.64 */
        { { 0x00000000041879f1, 0x000fe6000c0410ff }, 90, "wgmma" },         /* IGMMA.64 */
        { { 0x00000000042079f3, 0x000fe2000c0008ff }, 90, "wgmma" },         /* QGMMA.64 */
        { { 0x0000000402027981, 0x002ea2000c1e1b00 }, 61, NULL }, /* of another encoding */
        { { 0, 0 }, 90, NULL },
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int expected = find_class(table[i].kind);
        kg__instructions found =
            kg__count_instructions(table[i].words, sizeof table[i].words, table[i].architecture);

        cr_expect(expected >= 0 || table[i].kind == NULL, "%zu: no such class", i);
        for (int kind = 0; kind < KG__INSTRUCTION_CLASSES; kind++)
            cr_expect(found.count[kind] == (kind == expected), "%zu: %s", i,
                      kg__instruction_class_name(kind));
    }
}

Test(instructions, several_and_a_part)
{
    static const uint64_t code[] = { 0x101d027223, 0, 0x7b1d, 0x10000, 0x101d027223, 0, 0x7b1d };
    kg__instructions found = kg__count_instructions(code, sizeof code, 90);

    cr_expect(found.count[KG__FFMA] == 2);
    cr_expect(found.count[KG__BARRIER_INSTRUCTIONS] == 1, "half an instruction is none");
}
