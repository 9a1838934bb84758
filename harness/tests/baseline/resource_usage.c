/* What the compiler gave kernels, from texts as cuobjdump and ptxas print them. */
#include "baseline/resource_usage.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static json_t *usage;
static kg__resources found;
static bool ambiguous;

static void begin(void)
{
    usage = json_object();
}

static void end(void)
{
    json_decref(usage);
}

TestSuite(resource_usage, .init = begin, .fini = end, .timeout = 10);

/* cuobjdump -res-usage of a program with code for two architectures. */
static const char dump[] = "\n"
                           "Fatbin ptx code:\n"
                           "================\n"
                           "arch = sm_90\n"
                           "identifier = /home/kernels/matmul_f32/tiled.cu\n"
                           "\n"
                           "Fatbin elf code:\n"
                           "================\n"
                           "arch = sm_90\n"
                           "identifier = /home/kernels/matmul_f32/tiled.cu\n"
                           "\n"
                           "Resource usage:\n"
                           " Common:\n"
                           "  GLOBAL:0\n"
                           " Function _Z5tiledILi16EEvPKfS1_Pfiii:\n"
                           "  REG:32 STACK:8 SHARED:3072 LOCAL:16 CONSTANT[0]:564 TEXTURE:0\n"
                           " Function _Z5plainPf:\n"
                           "  REG:12 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:564\n"
                           "\n"
                           "Fatbin elf code:\n"
                           "================\n"
                           "arch = sm_80\n"
                           "\n"
                           "Resource usage:\n"
                           " Function _Z5tiledILi16EEvPKfS1_Pfiii:\n"
                           "  REG:40 STACK:0 SHARED:2048 LOCAL:0 CONSTANT[0]:388\n";

static bool find(int architecture, const char *kernel, const char *file)
{
    return kg__resource_usage_find(usage, architecture, kernel, file, &found, &ambiguous);
}

/* From sm_90 on the reserved KiB is in the figure, where a kernel has any shared memory. */
Test(resource_usage, of_cuobjdump)
{
    kg__resource_usage_add(usage, dump, "");
    cr_assert(json_object_size(usage) == 2);
    cr_assert(find(90, "_Z5tiledILi16EEvPKfS1_Pfiii", ""));
    cr_expect(found.registers == 32 && found.static_shared == 2048 && found.local_bytes == 24);
    cr_assert(find(90, "_Z5plainPf", ""));
    cr_expect(found.registers == 12 && found.static_shared == 0 && found.local_bytes == 0);
    cr_assert(find(80, "_Z5tiledILi16EEvPKfS1_Pfiii", ""));
    cr_expect(found.registers == 40 && found.static_shared == 2048);
    cr_expect(!find(80, "_Z5plainPf", "") && !ambiguous);
    cr_expect(!find(86, "_Z5tiledILi16EEvPKfS1_Pfiii", ""));
}

Test(resource_usage, of_ptxas)
{
    kg__resource_usage_add(
        usage,
        "ptxas info    : 0 bytes gmem\n"
        "ptxas info    : Compiling entry function '_Z5tiledILi16EEvPKfS1_Pfiii' for 'sm_100a'\n"
        "ptxas info    : Function properties for _Z5tiledILi16EEvPKfS1_Pfiii\n"
        "    64 bytes stack frame, 60 bytes spill stores, 60 bytes spill loads\n"
        "ptxas info    : Used 32 registers, used 1 barriers, 64 bytes cumulative stack size, 2048 "
        "bytes smem, 388 bytes cmem[0]\n"
        "ptxas info    : Compiling entry function '_Z5plainPf' for 'sm_100a'\n"
        "ptxas info    : Function properties for _Z5plainPf\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Used 12 registers, used 0 barriers\n",
        "tiled");
    cr_assert(find(100, "_Z5tiledILi16EEvPKfS1_Pfiii", ""));
    cr_expect(found.registers == 32 && found.static_shared == 2048 && found.local_bytes == 64);
    cr_assert(find(100, "_Z5plainPf", ""));
    cr_expect(found.registers == 12 && found.static_shared == 0 && found.local_bytes == 0);
}

/* What g++ marks as static, and what both call an unnamed namespace. */
Test(resource_usage, names_of_two_compilers)
{
    kg__resource_usage_add(usage,
                           "arch = sm_90\n"
                           " Function _Z5naivePKfS0_Pfiii:\n"
                           "  REG:32 STACK:0 SHARED:0 LOCAL:0\n"
                           " Function _ZN32_GLOBAL__N__63d8032e_4_n_cu_main6kernelIiEEvPT_:\n"
                           "  REG:20 STACK:0 SHARED:0 LOCAL:0\n",
                           "");
    cr_expect(find(90, "_ZL5naivePKfS0_Pfiii", ""));
    cr_expect(find(90, "_Z5naivePKfS0_Pfiii", ""));
    cr_expect(!find(90, "_ZL5naivePKfS0_Pfii", ""));
    cr_expect(find(90, "_ZN12_GLOBAL__N_16kernelIiEEvPT_", "") && found.registers == 20);
    cr_expect(!find(90, "_ZN12_GLOBAL__N_16kernelIlEEvPT_", ""));
}

Test(resource_usage, plain_names)
{
    static const char *const pairs[][2] = {
        { "_ZL5naivePf", "_Z5naivePf" },
        { "_Z5tiledILi16EEvPf", "_Z5tiledILi16EEvPf" },
        { "_ZN2kgL5naiveEv", "_ZN2kg5naiveEv" },
        { "_Z6fourthIL4Edge1EEvPi", "_Z6fourthI4Edge1EEvPi" },
        { "_ZN12_GLOBAL__N_15naiveEv", "_ZN12_GLOBAL__N_15naiveEv" },
        { "main", "main" },
        { "", "" },
        { "_ZN99_GLOBAL__N_5naive", "_ZN99_GLOBAL__N_5naive" },
        { "_Z99999999999999999999999x", "_Z99999999999999999999999x" },
    };
    char name[64];

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        kg__resource_usage_plain_name(pairs[i][0], name, sizeof name);
        cr_expect_str_eq(name, pairs[i][1]);
    }
    kg__resource_usage_plain_name("_Z5naivePKfS0_PfiiiPKfS0_Pfiii", name, 16);
    cr_expect(strlen(name) < 16);
}

/* Each file may have a static kernel of the same name. */
Test(resource_usage, one_name_in_two_files)
{
    static const char two[] = "arch = sm_90\n"
                              "identifier = /k/one.cu\n"
                              " Function _Z6kernelPf:\n"
                              "  REG:%d STACK:0 SHARED:0 LOCAL:0\n"
                              "arch = sm_90\n"
                              "identifier = /k/two.cu\n"
                              " Function _Z6kernelPf:\n"
                              "  REG:16 STACK:0 SHARED:0 LOCAL:0\n";
    char text[512];

    snprintf(text, sizeof text, two, 32);
    kg__resource_usage_add(usage, text, "");
    cr_assert(find(90, "_ZL6kernelPf", "two"));
    cr_expect(found.registers == 16);
    cr_assert(find(90, "_ZL6kernelPf", "one"));
    cr_expect(found.registers == 32);
    cr_expect(!find(90, "_ZL6kernelPf", "three") && ambiguous);
    /* A third one that is like the second leaves the first another one. */
    kg__resource_usage_add(usage,
                           "arch = sm_90\nidentifier = /k/four.cu\n Function _Z6kernelPf:\n"
                           "  REG:16 STACK:0 SHARED:0 LOCAL:0\n",
                           "");
    cr_expect(!find(90, "_ZL6kernelPf", "three") && ambiguous);
    json_object_clear(usage);
    snprintf(text, sizeof text, two, 16);
    kg__resource_usage_add(usage, text, "");
    cr_expect(find(90, "_ZL6kernelPf", "three"), "both are alike");
}

/* A text that breaks off, or is none, tells of nothing. */
Test(resource_usage, odd_texts)
{
    static const char *const odd[] = {
        "",
        "cuobjdump fatal   : Could not open input file\n",
        "  REG:32 STACK:0\n",
        "arch = sm_\n Function _Z1kv:\n  REG:32\n",
        "arch = sm_90\n Function :\n  REG:32\n",
        "arch = sm_90\n Function _Z1kv:\n",
        "ptxas info    : Used 32 registers\n",
        "ptxas info    : Compiling entry function '",
    };

    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        kg__resource_usage_add(usage, odd[i], "x");
        cr_expect(json_object_size(usage) == 0, "%s", odd[i]);
    }
}
