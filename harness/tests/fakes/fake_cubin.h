/* SPDX-License-Identifier: MIT */
/* A cubin of one kernel, as nvcc lays them out: a constant, a device function that the kernel
 * calls, shared memory, and the figures of .nv.info. */
#pragma once

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CUBIN_STRINGS = 1,
    CUBIN_SYMBOLS,
    CUBIN_INFO,
    CUBIN_NOTE,
    CUBIN_CODE,
    CUBIN_FUNCTION,
    CUBIN_SHARED,
    CUBIN_CONSTANTS,
    CUBIN_PARAMETERS,
    CUBIN_RELOCATIONS,
    CUBIN_SECTIONS
};

typedef struct fake_cubin {
    Elf64_Ehdr header;
    Elf64_Shdr sections[CUBIN_SECTIONS];
    Elf64_Sym symbols[3];
    struct {
        uint8_t format, attribute;
        uint16_t bytes;
        uint32_t symbol, figure;
    } info[2];
    Elf64_Rela relocations[1];
    struct {
        char nothing[1], text[7], function[13], symtab[8], strings[8], info[9], note[16],
            shared[15], constants[14], parameters[16], relocations[11], kernel[24];
    } names;
    char note[24];
    char code[16];
    char function[16];
    uint32_t constants[2];
    char parameters[8];
} fake_cubin;

#define CUBIN_SECTION(NAME, TYPE, PART, LINK, INFO, ITEM)                                          \
    {                                                                                              \
        .sh_name = offsetof(fake_cubin, names.NAME) - offsetof(fake_cubin, names),                 \
        .sh_type = TYPE, .sh_offset = offsetof(fake_cubin, PART),                                  \
        .sh_size = sizeof(((fake_cubin *)0)->PART), .sh_link = LINK, .sh_info = INFO,              \
        .sh_addralign = 4, .sh_entsize = ITEM                                                      \
    }

/* SHARED includes what the system reserves from sm_90 on, 1024 bytes. */
#define FAKE_CUBIN(ARCHITECTURE, KERNEL, REGISTERS, SHARED, STACK)                                   \
    {                                                                                                \
        .header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,      \
                                 EV_CURRENT, 0x41, 8 },                                            \
                    .e_type = ET_EXEC,                                                             \
                    .e_machine = 190,                                                              \
                    .e_version = EV_CURRENT,                                                       \
                    .e_shoff = offsetof(fake_cubin, sections),                                     \
                    .e_flags = 0x6000004 | (ARCHITECTURE) << 8,                                    \
                    .e_ehsize = sizeof(Elf64_Ehdr),                                                \
                    .e_shentsize = sizeof(Elf64_Shdr),                                             \
                    .e_shnum = CUBIN_SECTIONS,                                                     \
                    .e_shstrndx = CUBIN_STRINGS },                                                 \
        .sections = {                                                                              \
            [CUBIN_STRINGS] = CUBIN_SECTION(strings, SHT_STRTAB, names, 0, 0, 0),                  \
            [CUBIN_SYMBOLS] = CUBIN_SECTION(symtab, SHT_SYMTAB, symbols, CUBIN_STRINGS, 0,         \
                                            sizeof(Elf64_Sym)),                                    \
            [CUBIN_INFO] = CUBIN_SECTION(info, 0x70000000, info, CUBIN_SYMBOLS, 0, 0),             \
            [CUBIN_NOTE] = CUBIN_SECTION(note, SHT_NOTE, note, 0, 0, 0),                           \
            [CUBIN_CODE] = CUBIN_SECTION(text, SHT_PROGBITS, code, CUBIN_SYMBOLS, 1, 0),           \
            [CUBIN_FUNCTION] = CUBIN_SECTION(function, SHT_PROGBITS, function, 0, 0, 0),           \
            [CUBIN_SHARED] = { .sh_name = offsetof(fake_cubin, names.shared) -                     \
                                          offsetof(fake_cubin, names),                             \
                               .sh_type = SHT_NOBITS,                                              \
                               .sh_size = SHARED,                                                  \
                               .sh_info = CUBIN_CODE },                                            \
            [CUBIN_CONSTANTS] = CUBIN_SECTION(constants, SHT_PROGBITS, constants, 0, 0, 0),        \
            [CUBIN_PARAMETERS] =                                                                   \
                CUBIN_SECTION(parameters, SHT_PROGBITS, parameters, 0, CUBIN_CODE, 0),             \
            [CUBIN_RELOCATIONS] = CUBIN_SECTION(relocations, SHT_RELA, relocations, CUBIN_SYMBOLS, \
                                                CUBIN_CODE, sizeof(Elf64_Rela)),                   \
        },                                                                                         \
        .symbols = { [1] = { .st_name = offsetof(fake_cubin, names.kernel) -                       \
                                        offsetof(fake_cubin, names),                               \
                             .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),                       \
                             .st_other = 0x10,                                                     \
                             .st_shndx = CUBIN_CODE },                                             \
                     [2] = { .st_name = offsetof(fake_cubin, names.function) -                     \
                                        offsetof(fake_cubin, names),                               \
                             .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),                        \
                             .st_shndx = CUBIN_FUNCTION } },                                       \
        .info = { { 4, 0x2f, 8, 1, REGISTERS }, { 4, 0x12, 8, 1, STACK } },                        \
        .relocations = { { .r_offset = 8, .r_info = ELF64_R_INFO(2, 0x4b) } },                     \
        .names = { "", ".text.", ".text.called", ".symtab", ".strtab", ".nv.info",                 \
                   ".note.nv.tkinfo", ".nv.shared.own", ".nv.constant3", ".nv.constant0.k",        \
                   ".rela.text", KERNEL },                                                         \
        .note = "-arch sm_" #ARCHITECTURE " -m 64", .code = "fake_code_EXIT",                      \
        .function = "called", .constants = { 7 }, .parameters = "x" \
    }
