/* SPDX-License-Identifier: MIT */
/* The kernels that are read from cubins, and the fingerprints of cases. */
#include "baseline/fingerprint.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fakes/drive.h"
#include "tests/fakes/fake_cubin.h"

static kg__kernels kernels;

static void end(void)
{
    kg__kernels_free(&kernels);
    remove_folder();
}

TestSuite(cubin, .init = make_folder, .fini = end, .timeout = 100);

/* A kernel of 40 registers, 512 bytes of shared memory and a stack of 16. */
static const fake_cubin sound = FAKE_CUBIN(90, "kernel", 40, 1536, 16);

static void add(const void *bytes, size_t size)
{
    FILE *stream = fopen(at("program"), "wb");

    cr_assert(stream != NULL && fwrite(bytes, 1, size, stream) == size && fclose(stream) == 0);
    kg__kernels_add(&kernels, at("program"));
}

static uint64_t hash_of(const fake_cubin *cubin)
{
    uint64_t hash;

    kg__kernels_free(&kernels);
    add(cubin, sizeof *cubin);
    cr_assert(kernels.count == 1, "%zu", kernels.count);
    hash = kernels.items[0].hash;
    return hash;
}

Test(cubin, kernels_of_a_program)
{
    struct {
        char front[64];
        fake_cubin first, linked_later, second;
    } program = { "not yet \177ELF\2\1", sound, sound, FAKE_CUBIN(80, "other", 255, 1536, 0) };

    program.linked_later.header.e_type = ET_REL;
    add(&program, sizeof program);
    cr_assert(kernels.count == 2, "%zu", kernels.count);
    cr_expect(eq(str, kernels.items[0].name, "kernel"));
    cr_expect(kernels.items[0].architecture == 90 && !kernels.items[0].only_there);
    cr_expect(kernels.items[0].resources.registers == 40);
    cr_expect(kernels.items[0].resources.local_bytes == 16);
    cr_expect(eq(str, kernels.items[1].name, "other"));
    cr_expect(kernels.items[1].architecture == 80);
    cr_expect(kernels.items[1].resources.registers == 255);
}

Test(cubin, other_layouts)
{
    fake_cubin cubin = sound;

    cubin.header.e_ident[EI_ABIVERSION] = 7;
    cubin.header.e_flags = 90 << 16 | 86;
    memcpy(cubin.note, "-arch sm_86a", sizeof "-arch sm_86a");
    cubin.info[1].figure = UINT32_MAX;
    (void)hash_of(&cubin);
    cr_expect(kernels.items[0].architecture == 86 && kernels.items[0].only_there);
    cr_expect(kernels.items[0].resources.local_bytes == 0, "a stack that is not known");
}

#define CHANGES(PART) offsetof(fake_cubin, PART)

/* What changes the hash of a kernel, byte by byte, and what does not. */
Test(cubin, the_hash_is_of_what_runs)
{
    static const struct {
        size_t place;
        bool counts;
    } changes[] = {
        { CHANGES(code[4]), true },
        { CHANGES(function[0]), true },
        { CHANGES(constants[0]), true },
        { CHANGES(relocations[0].r_offset), true },
        { CHANGES(relocations[0].r_addend), true },
        { CHANGES(relocations[0].r_info), true },
        { CHANGES(symbols[2].st_value), true },
        { CHANGES(names.function[7]), true },
        { CHANGES(sections[CUBIN_SHARED].sh_size), true },
        { CHANGES(info[0].figure), true },
        { CHANGES(info[1].figure), true },
        { CHANGES(names.kernel[0]), false },
        { CHANGES(parameters[0]), false },
        { CHANGES(note[0]), false },
    };
    uint64_t hash = hash_of(&sound);

    cr_expect(hash == hash_of(&sound));
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        fake_cubin changed = sound;

        ((unsigned char *)&changed)[changes[i].place] ^= 1;
        cr_expect(changes[i].counts == (hash_of(&changed) != hash), "change %zu", i);
    }
}

/* The fingerprint of a launch of kernels, "a b"; false, with an empty text, where it has none. */
static bool fingerprint(const char *capability, const char *kernels_of_launch, const char *launch,
                        char text[KG__FINGERPRINT_SIZE])
{
    char names[64];
    const char *items[4];
    kg__kernel_code code = kg__kernel_code_unknown;
    bool known;
    char *rest = NULL;

    kg__format(names, sizeof names, "%s", kernels_of_launch);
    kg__format(code.launch, sizeof code.launch, "%s", launch);
    code.names.items = items;
    for (char *name = strtok_r(names, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest))
        items[code.names.count++] = name;
    known = kg__kernels_fingerprint(&kernels, capability, &code);
    strcpy(text, code.fingerprint);
    return known;
}

static void make_kernel(fake_cubin *cubin, int architecture, bool only_there, char code)
{
    *cubin = sound;
    cubin->header.e_flags = (unsigned)architecture << 8;
    snprintf(cubin->note, sizeof cubin->note, "-arch sm_%d%s ", architecture,
             only_there ? "a" : "");
    cubin->code[0] = code;
}

/* Of code for several architectures, that counts which the device runs. */
Test(cubin, the_device_chooses_the_code)
{
    static const struct {
        int architectures[2];
        bool only_there[2];
        const char *device;
        int chosen; /* -1: none */
    } table[] = {
        { { 80, 90 }, { 0 }, "9.0", 1 },       { { 90, 80 }, { 0 }, "8.6", 1 },
        { { 80, 86 }, { 0 }, "8.9", 1 },       { { 86, 80 }, { 0 }, "8.6", 0 },
        { { 80, 89 }, { 0 }, "8.6", 0 },       { { 80, 86 }, { 0 }, "9.0", -1 },
        { { 80, 86 }, { 0 }, "7.5", -1 },      { { 80, 86 }, { 0 }, "", -1 },
        { { 90, 90 }, { 0, true }, "9.0", 1 }, { { 100, 100 }, { true }, "10.3", 1 },
        { { 100, 90 }, { true }, "10.3", -1 }, { { 90, 90 }, { 0 }, "9.0", -1 },
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        fake_cubin cubins[2];
        char text[KG__FINGERPRINT_SIZE];
        char expected[KG__FINGERPRINT_SIZE] = "";

        for (size_t k = 0; k < 2; k++)
            make_kernel(&cubins[k], table[i].architectures[k], table[i].only_there[k],
                        (char)('a' + k));
        if (table[i].chosen >= 0) {
            int own = table[i].architectures[table[i].chosen];
            char device[32];

            (void)hash_of(&cubins[table[i].chosen]);
            snprintf(device, sizeof device, "%d.%d", own / 10, own % 10);
            cr_assert(fingerprint(device, "kernel", "aa", expected));
        }
        kg__kernels_free(&kernels);
        add(cubins, sizeof cubins);
        cr_expect(fingerprint(table[i].device, "kernel", "aa", text) == (table[i].chosen >= 0),
                  "%zu", i);
        cr_expect(strcmp(text, expected) == 0, "%zu: %s, expected %s", i, text, expected);
    }
}

/* If two files define kernels of one name with the same instructions, changing what either calls
 * or swapping the files changes the fingerprint, and a duplicate does not. If their instructions
 * differ, the case has no fingerprint, because the launch does not tell which one runs. */
Test(cubin, kernels_that_share_a_name)
{
    static const struct {
        const char *kernels, *functions;
        bool known;
        int same_as; /* -1: none of the rows before */
    } rows[] = {
        { "a", "f", true, -1 },    { "a", "g", true, -1 },   { "aa", "fg", true, -1 },
        { "aa", "gf", true, -1 },  { "aa", "fh", true, -1 }, { "aa", "ff", true, 0 },
        { "ab", "ff", false, -1 },
    };
    char texts[sizeof rows / sizeof *rows][KG__FINGERPRINT_SIZE];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fake_cubin cubins[2];
        size_t count = strlen(rows[i].kernels);
        bool known;

        for (size_t k = 0; k < count; k++) {
            make_kernel(&cubins[k], 90, false, rows[i].kernels[k]);
            cubins[k].function[0] = rows[i].functions[k];
        }
        kg__kernels_free(&kernels);
        add(cubins, count * sizeof *cubins);
        known = fingerprint("9.0", "kernel", "aa", texts[i]);
        cr_expect(known == rows[i].known, "%zu", i);
        for (size_t k = 0; k < i && known; k++)
            cr_expect(strcmp(texts[i], texts[k]) == 0 ? (int)k == rows[i].same_as
                                                      : (int)k != rows[i].same_as,
                      "%zu and %zu", i, k);
    }
}

Test(cubin, a_case_is_its_launch_and_all_its_kernels)
{
    static const struct {
        const char *kernels, *launch;
        bool known;
    } rows[] = {
        { "kernel", "aa", true },
        { "kernel", "ab", true },
        { "other", "aa", true },
        { "kernel other", "aa", true },
        { "other kernel", "aa", true },
        { "kernel third", "aa", false },
        { "", "aa", true },
        { "kernel", "", false },
    };
    fake_cubin both[2] = { sound, FAKE_CUBIN(90, "other", 32, 1024, 0) };
    char texts[sizeof rows / sizeof *rows][KG__FINGERPRINT_SIZE];

    add(both, sizeof both);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect(fingerprint("9.0", rows[i].kernels, rows[i].launch, texts[i]) == rows[i].known,
                  "%zu", i);
        cr_expect(rows[i].known ? strncmp(texts[i], "elf-", 4) == 0 && strlen(texts[i]) == 20
                                : texts[i][0] == '\0',
                  "%zu: %s", i, texts[i]);
        for (size_t k = 0; k < i; k++)
            cr_expect(strcmp(texts[i], texts[k]) != 0 || rows[i].known == false, "%zu and %zu", i,
                      k);
    }
}

/* Files that are damaged at random, or none, may have kernels or not, and crash nothing. */
Test(cubin, damaged_files)
{
    srandom(1);
    for (int i = 0; i < 1500; i++) {
        fake_cubin damaged[2] = { sound, sound };
        size_t size = i % 2 == 0 ? sizeof damaged : (size_t)random() % sizeof damaged;

        for (long k = random() % 8; k >= 0; k--) {
            /* Most often in the headers. */
            size_t most = k % 2 == 0 ? offsetof(fake_cubin, names) : sizeof damaged;

            ((unsigned char *)damaged)[8 + (size_t)random() % (most - 8)] =
                random() % 2 == 0 ? (unsigned char)random() : 0xff;
        }
        kg__kernels_free(&kernels);
        add(damaged, size);
        cr_expect(kernels.count <= 16, "%zu", kernels.count);
    }
    kg__kernels_free(&kernels);
    kg__kernels_add(&kernels, at("none"));
    kg__kernels_add(&kernels, at(""));
    kg__kernels_add(&kernels, NULL);
    cr_expect(kernels.count == 1, "the one in this program");
}

/* Compiles a kernel with a constant into a program or a cubin, and adds its kernels. */
static void compile(const char *folder, const char *options, int value)
{
    char command[2048];

    snprintf(command, sizeof command,
             "mkdir -p '%s/%s' && cp '%s' '%s/%s' && cd '%s/%s' && "
             "nvcc -arch=sm_90 -DVALUE=%d %s -o result source.cu >log 2>&1",
             at(""), folder, at("source.cu"), at(""), folder, at(""), folder, value, options);
    cr_assert(system(command) == 0, "%s", command);
    snprintf(command, sizeof command, "%s/%s/result", at(""), folder);
    kg__kernels_add(&kernels, command);
}

/* What nvcc builds of one source is the same in every folder, program or cubin, and another with
 * another constant. */
Test(cubin, what_nvcc_builds)
{
    static const char source[] =
        "__constant__ int constant = VALUE;\n"
        "__device__ __noinline__ int called(int x) { return x * constant; }\n"
        "__global__ void kernel(int *a) { __shared__ int s[128]; s[threadIdx.x] = a[threadIdx.x];\n"
        "__syncthreads(); a[threadIdx.x] = called(s[127 - threadIdx.x]); }\n"
        "int main() { kernel<<<1, 1>>>(nullptr); }\n";

    if (system("nvcc --version >/dev/null 2>&1") != 0)
        cr_skip_test("there is no nvcc");
    write_text(at("source.cu"), source);
    compile("one", "", 3);
    compile("two", "-cubin", 3);
    compile("three", "-cubin", 4);
    cr_assert(kernels.count == 3, "%zu", kernels.count);
    cr_expect(eq(str, kernels.items[0].name, "_Z6kernelPi"));
    cr_expect(kernels.items[0].architecture == 90);
    cr_expect(kernels.items[0].resources.registers > 0);
    cr_expect(kernels.items[0].hash == kernels.items[1].hash);
    cr_expect(kernels.items[0].hash != kernels.items[2].hash);
}
