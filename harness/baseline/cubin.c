/* SPDX-License-Identifier: MIT */
#include "baseline/cubin.h"

#include <ctype.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/message.h"

/* What no header of the system has: the machine of cubins, the version from which their flags have
 * the architecture in another byte, and the mark of a symbol that is a kernel. */
enum { CUDA_MACHINE = 190, NEWER_ABI = 8, KERNEL_MARK = 0x10 };

/* An item of .nv.info is a format, an attribute, and two bytes of value, or of the payload's size.
 */
enum { WITH_PAYLOAD = 4, FRAME_SIZE = 0x11, STACK_SIZE = 0x12, REGISTER_COUNT = 0x2f };

/* The stack size of recursive functions. */
#define UNKNOWN_STACK UINT32_MAX

typedef struct section {
    const char *name;
    GElf_Shdr header;
    Elf_Data *data;   /* NULL where it cannot be read */
    uint64_t hash;    /* of what belongs to it */
    bool of_a_kernel; /* a kernel's instructions */
} section;

/* A cubin that is being read. */
typedef struct cubin {
    Elf *elf;
    section *sections;
    size_t count;
    const section *symbols; /* NULL: it has none */
    const section *info;
    kg__kernel common; /* what all its kernels have in common */
} cubin;

static bool begins_with(const char *text, const char *mark)
{
    return strncmp(text, mark, strlen(mark)) == 0;
}

static bool is_relocations(const section *s)
{
    return s->header.sh_type == SHT_RELA || s->header.sh_type == SHT_REL;
}

/* Reads a symbol and returns its name, NULL where the cubin has no such symbol. */
static const char *read_symbol(const cubin *image, size_t index, GElf_Sym *symbol)
{
    if (index > INT_MAX || gelf_getsym(image->symbols->data, (int)index, symbol) == NULL)
        return NULL;
    return elf_strptr(image->elf, image->symbols->header.sh_link, symbol->st_name);
}

/* Whether code is for its architecture alone, "sm_90a", is in the compiler's command line, which a
 * note holds. */
static bool is_only_there(const section *note, int architecture)
{
    char own[16];
    const char *found = NULL;

    kg__format(own, sizeof own, "sm_%d", architecture);
    if (note->data != NULL && note->data->d_buf != NULL)
        found = memmem(note->data->d_buf, note->data->d_size, own, strlen(own));
    return found != NULL &&
           found + strlen(own) < (const char *)note->data->d_buf + note->data->d_size &&
           isalpha((unsigned char)found[strlen(own)]);
}

static bool read_sections(cubin *image)
{
    GElf_Ehdr header;
    size_t names;

    if (gelf_getehdr(image->elf, &header) == NULL ||
        elf_getshdrnum(image->elf, &image->count) != 0 ||
        elf_getshdrstrndx(image->elf, &names) != 0)
        return false;
    image->common.architecture =
        (int)(header.e_flags >> (header.e_ident[EI_ABIVERSION] >= NEWER_ABI ? 8 : 0) & 0xff);
    image->sections = kg__allocate(image->count + 1, sizeof *image->sections);
    for (size_t i = 0; i < image->count; i++) {
        section *s = &image->sections[i];
        Elf_Scn *scn = elf_getscn(image->elf, i);

        if (gelf_getshdr(scn, &s->header) == NULL)
            return false;
        s->name = elf_strptr(image->elf, names, s->header.sh_name);
        if (s->name == NULL)
            return false;
        s->data = elf_getdata(scn, NULL);
        if (s->header.sh_type == SHT_SYMTAB && s->data != NULL)
            image->symbols = s;
        else if (strcmp(s->name, ".nv.info") == 0)
            image->info = s;
        else if (strcmp(s->name, ".note.nv.tkinfo") == 0)
            image->common.only_there = is_only_there(s, image->common.architecture);
    }
    return image->symbols != NULL;
}

/* The section whose code a section belongs to: itself, a kernel's, or the first for the whole
 * cubin. NULL where it is nothing that is executed or computed with: a kernel's own bank 0 holds
 * its parameters. */
static section *find_owner(const cubin *image, section *s)
{
    if (is_relocations(s)) {
        if (s->header.sh_info >= image->count)
            return NULL;
        s = &image->sections[s->header.sh_info];
    }
    if (begins_with(s->name, ".text."))
        return s;
    if (is_relocations(s) || begins_with(s->name, ".nv.constant0") ||
        (!begins_with(s->name, ".nv.constant") && !begins_with(s->name, ".nv.shared.") &&
         !begins_with(s->name, ".nv.global")))
        return NULL;
    return &image->sections[s->header.sh_info < image->count ? s->header.sh_info : 0];
}

/* Adds relocations and what they refer to. A function's name says which it is; a variable's says
 * nothing that its place does not. */
static uint64_t hash_relocations(const cubin *image, uint64_t hash, const section *s)
{
    GElf_Rela entry = { 0 };
    GElf_Rel plain;

    for (int i = 0; i < INT_MAX; i++) {
        GElf_Sym symbol;
        const char *name;

        if (s->header.sh_type == SHT_RELA) {
            if (gelf_getrela(s->data, i, &entry) == NULL)
                break;
        } else {
            if (gelf_getrel(s->data, i, &plain) == NULL)
                break;
            entry = (GElf_Rela){ .r_offset = plain.r_offset, .r_info = plain.r_info };
        }
        hash = kg__hash_number(hash, entry.r_offset);
        hash = kg__hash_number(hash, GELF_R_TYPE(entry.r_info));
        hash = kg__hash_number(hash, (uint64_t)entry.r_addend);
        name = read_symbol(image, GELF_R_SYM(entry.r_info), &symbol);
        if (name == NULL)
            continue;
        if (symbol.st_shndx == SHN_UNDEF || GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
            hash = kg__hash_text(hash, name);
        else if (symbol.st_shndx < image->count)
            hash = kg__hash_number(hash, image->sections[symbol.st_shndx].header.sh_type);
        hash = kg__hash_number(hash, symbol.st_value);
        hash = kg__hash_number(hash, symbol.st_size);
    }
    return hash;
}

/* Adds each section to the hash of the one that it belongs to. */
static void hash_sections(cubin *image)
{
    for (size_t i = 1; i < image->count; i++) {
        const section *s = &image->sections[i];
        section *owner = find_owner(image, &image->sections[i]);

        if (owner == NULL)
            continue;
        owner->hash = kg__hash_number(owner->hash, s->header.sh_type);
        if (is_relocations(s)) {
            owner->hash = hash_relocations(image, owner->hash, s);
            continue;
        }
        owner->hash = kg__hash_number(owner->hash, s->header.sh_size);
        if (s->data != NULL && s->data->d_buf != NULL)
            owner->hash = kg__hash_bytes(owner->hash, s->data->d_buf, s->data->d_size);
    }
}

/* A kernel's figure in .nv.info; 0 where it is not in there. */
static uint32_t read_info(const cubin *image, int attribute, size_t symbol)
{
    const Elf_Data *data = image->info != NULL ? image->info->data : NULL;
    const unsigned char *at = data != NULL ? data->d_buf : NULL;
    size_t rest = at != NULL ? data->d_size : 0;

    while (rest >= 4) {
        size_t bytes = at[0] == WITH_PAYLOAD ? at[2] | (size_t)at[3] << 8 : 0;
        uint32_t numbers[2];

        if (bytes > rest - 4)
            break;
        if (at[1] == attribute && bytes >= sizeof numbers) {
            memcpy(numbers, at + 4, sizeof numbers);
            if (numbers[0] == symbol)
                return numbers[1];
        }
        at += 4 + bytes;
        rest -= 4 + bytes;
    }
    return 0;
}

static kg__resources read_resources(const cubin *image, size_t symbol)
{
    uint32_t stack = read_info(image, STACK_SIZE, symbol);

    if (stack == UNKNOWN_STACK)
        stack = read_info(image, FRAME_SIZE, symbol);
    return (kg__resources){ .registers =
                                (int)(read_info(image, REGISTER_COUNT, symbol) & INT16_MAX),
                            .local_bytes = stack };
}

/* The instructions and name of a symbol's kernel; NULL if the symbol is not a kernel. */
static section *find_kernel_code(const cubin *image, size_t index, const char **name)
{
    GElf_Sym symbol;

    *name = read_symbol(image, index, &symbol);
    if (*name == NULL || GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
        (symbol.st_other & KERNEL_MARK) == 0 || symbol.st_shndx >= image->count ||
        image->sections[symbol.st_shndx].header.sh_type != SHT_PROGBITS)
        return NULL;
    return &image->sections[symbol.st_shndx];
}

static void add_kernels(kg__kernels *kernels, const cubin *image)
{
    size_t symbols = image->symbols->data->d_size / sizeof(Elf64_Sym);
    const char *name;
    section *code;
    uint64_t common = image->sections[0].hash;

    for (size_t i = 1; i < symbols; i++) {
        code = find_kernel_code(image, i, &name);
        if (code != NULL)
            code->of_a_kernel = true;
    }
    for (size_t i = 1; i < image->count; i++) {
        if (begins_with(image->sections[i].name, ".text.") && !image->sections[i].of_a_kernel)
            common = kg__hash_number(common, image->sections[i].hash);
    }
    for (size_t i = 1; i < symbols; i++) {
        kg__kernel kernel = image->common;

        code = find_kernel_code(image, i, &name);
        if (code == NULL)
            continue;
        kernel.name = kg__copy_text(name);
        kernel.resources = read_resources(image, i);
        kernel.instructions = code->hash;
        kernel.hash = kg__hash_number(KG__HASH_BEGIN, code->hash);
        kernel.hash = kg__hash_number(kernel.hash, common);
        kernel.hash = kg__hash_number(kernel.hash, (uint64_t)kernel.resources.registers);
        kernel.hash = kg__hash_number(kernel.hash, kernel.resources.local_bytes);
        *KG__ADD(kernels->items, kernels->count, kernels->capacity) = kernel;
    }
}

/* Reads every cubin in a file's bytes; one that is not linked yet does not count. */
static void scan(kg__kernels *kernels, char *bytes, size_t size)
{
    static const char magic[] = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB };
    char *end = bytes + size;
    Elf64_Ehdr header;

    for (char *at = bytes; (at = memmem(at, (size_t)(end - at), magic, sizeof magic)) != NULL &&
                           (size_t)(end - at) >= sizeof header;
         at += sizeof magic) {
        cubin image = { 0 };

        memcpy(&header, at, sizeof header);
        if (header.e_machine != CUDA_MACHINE || header.e_type != ET_EXEC)
            continue;
        image.elf = elf_memory(at, (size_t)(end - at));
        if (image.elf != NULL && read_sections(&image)) {
            hash_sections(&image);
            add_kernels(kernels, &image);
        }
        free(image.sections);
        elf_end(image.elf);
    }
}

void kg__kernels_add(kg__kernels *kernels, const char *path)
{
    int descriptor =
        open(path != NULL ? path : "/proc/self/exe", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    char *bytes = MAP_FAILED;

    if (descriptor < 0)
        return;
    if (elf_version(EV_CURRENT) != EV_NONE && fstat(descriptor, &status) == 0)
        bytes =
            mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
    if (bytes != MAP_FAILED) {
        scan(kernels, bytes, (size_t)status.st_size);
        munmap(bytes, (size_t)status.st_size);
    }
    close(descriptor);
}

void kg__kernels_free(kg__kernels *kernels)
{
    for (size_t i = 0; i < kernels->count; i++)
        free(kernels->items[i].name);
    free(kernels->items);
    *kernels = (kg__kernels){ 0 };
}
