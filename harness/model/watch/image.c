/* SPDX-License-Identifier: MIT */
#include "model/watch/image.h"

#include "base/message.h"
#include "model/watch/behind.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* From libstdc++, which declares it only for C++. */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

/* The loader's data about the image that holds an address. */
typedef struct sighting {
    unsigned char *wanted;
    uintptr_t bias;
    kg__model_range whole;
    char *path;
    ElfW(Phdr) * segments;
    size_t segment_count;
    bool permanent;
    uint64_t unloaded; /* number of libraries unloaded since the program started */
} sighting;

static kg__model_image *images;
static kg__model_image *given_up;
static uint64_t unloaded_before;
uint64_t kg__model_images_given_up;

static bool in_range(kg__model_range range, uintptr_t address)
{
    return address >= range.base && address - range.base < range.size;
}

/* Returns the addresses from the first segment to the end of the last. */
static kg__model_range whole_of(const struct dl_phdr_info *info)
{
    uintptr_t low = UINTPTR_MAX;
    uintptr_t high = 0;

    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

        if (segment->p_type != PT_LOAD)
            continue;
        if (segment->p_vaddr < low)
            low = segment->p_vaddr;
        if (segment->p_vaddr + segment->p_memsz > high)
            high = segment->p_vaddr + segment->p_memsz;
    }
    return low < high ? (kg__model_range){ info->dlpi_addr + low, high - low }
                      : (kg__model_range){ 0 };
}

static int see(struct dl_phdr_info *info, size_t size, void *data)
{
    sighting *seen = data;
    kg__model_range whole = whole_of(info);

    (void)size;
    seen->unloaded = info->dlpi_subs;
    if (!in_range(whole, (uintptr_t)seen->wanted))
        return 0;
    /* The loader names every library and leaves the program's own name empty. */
    seen->permanent = info->dlpi_name == NULL || info->dlpi_name[0] == '\0';
    seen->path = kg__copy_text(seen->permanent ? "/proc/self/exe" : info->dlpi_name);
    seen->bias = info->dlpi_addr;
    seen->whole = whole;
    seen->segment_count = info->dlpi_phnum;
    seen->segments = kg__allocate(info->dlpi_phnum, sizeof *seen->segments);
    memcpy(seen->segments, info->dlpi_phdr, info->dlpi_phnum * sizeof *seen->segments);
    return 1;
}

/* Returns whether the open file has the segments that are mapped, and was not replaced under its
 * name since it was loaded. */
static bool is_same_file(Elf *elf, const sighting *seen)
{
    size_t count = 0;

    if (elf_getphdrnum(elf, &count) != 0 || count != seen->segment_count)
        return false;
    for (size_t i = 0; i < count; i++) {
        const ElfW(Phdr) *mapped = &seen->segments[i];
        GElf_Phdr segment;

        if (gelf_getphdr(elf, (int)i, &segment) == NULL || segment.p_type != mapped->p_type ||
            segment.p_flags != mapped->p_flags || segment.p_offset != mapped->p_offset ||
            segment.p_vaddr != mapped->p_vaddr || segment.p_filesz != mapped->p_filesz ||
            segment.p_memsz != mapped->p_memsz)
            return false;
    }
    return true;
}

static bool open_file(kg__model_image *image, const sighting *seen)
{
    size_t names = 0;

    if (elf_version(EV_CURRENT) == EV_NONE)
        return false;
    image->file = open(seen->path, O_RDONLY | O_CLOEXEC);
    if (image->file < 0)
        return false;
    image->elf = elf_begin(image->file, ELF_C_READ_MMAP, NULL);
    if (image->elf != NULL && elf_kind(image->elf) == ELF_K_ELF && is_same_file(image->elf, seen) &&
        elf_getshdrnum(image->elf, &image->section_count) == 0 &&
        elf_getshdrstrndx(image->elf, &names) == 0)
        return true;
    elf_end(image->elf);
    image->elf = NULL;
    image->section_count = 0;
    close(image->file);
    image->file = -1;
    return false;
}

static void read_sections(kg__model_image *image)
{
    size_t names = 0;

    if (elf_getshdrstrndx(image->elf, &names) != 0)
        return;
    image->sections = kg__allocate(image->section_count + 1, sizeof *image->sections);
    for (size_t i = 0; i < image->section_count; i++) {
        Elf_Scn *scn = elf_getscn(image->elf, i);
        kg__model_section *section = &image->sections[i];
        GElf_Shdr header;
        const char *name;

        section->name = "";
        if (scn == NULL || gelf_getshdr(scn, &header) == NULL || (header.sh_flags & SHF_ALLOC) == 0)
            continue;
        name = elf_strptr(image->elf, names, header.sh_name);
        if (name != NULL)
            section->name = name;
        section->of_threads = (header.sh_flags & SHF_TLS) != 0;
        section->writable = (header.sh_flags & SHF_WRITE) != 0;
        section->base = image->bias + header.sh_addr;
        /* Zero-initialized thread-local variables take no room in the image. */
        if (!section->of_threads || header.sh_type != SHT_NOBITS)
            section->size = header.sh_size;
    }
}

static int compare_symbols(const void *left, const void *right)
{
    const kg__model_symbol *a = left;
    const kg__model_symbol *b = right;

    if (a->base != b->base)
        return a->base < b->base ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Returns the process's address of a `value` in the file. */
static unsigned char *place_of(const kg__model_image *image, uint64_t value)
{
    return image->inside + (ptrdiff_t)(image->bias + value - (uintptr_t)image->inside);
}

static void add_symbols(kg__model_image *image, Elf_Scn *scn, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    size_t count = header->sh_entsize > 0 ? header->sh_size / header->sh_entsize : 0;
    size_t file = 0;

    if (data == NULL || header->sh_entsize != gelf_fsize(image->elf, ELF_T_SYM, 1, EV_CURRENT))
        return;
    image->functions = kg__allocate(count + 1, sizeof *image->functions);
    image->objects = kg__allocate(count + 1, sizeof *image->objects);
    image->thread_objects = kg__allocate(count + 1, sizeof *image->thread_objects);
    for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
        kg__model_symbol symbol = { .order = i };
        GElf_Sym is;

        if (gelf_getsym(data, (int)i, &is) == NULL)
            break;
        /* A source's local symbols follow its file symbol. */
        file += GELF_ST_TYPE(is.st_info) == STT_FILE;
        symbol.file = GELF_ST_BIND(is.st_info) == STB_LOCAL ? file : 0;
        symbol.of_host = GELF_ST_BIND(is.st_info) == STB_GLOBAL &&
                         GELF_ST_VISIBILITY(is.st_other) == STV_DEFAULT;
        symbol.of_device = GELF_ST_VISIBILITY(is.st_other) == STV_INTERNAL ||
                           GELF_ST_VISIBILITY(is.st_other) == STV_PROTECTED;
        symbol.section = is.st_shndx;
        if (GELF_ST_TYPE(is.st_info) == STT_TLS && symbol.section != SHN_UNDEF) {
            symbol.base = (unsigned char *)(uintptr_t)is.st_value;
            symbol.size = is.st_size;
            symbol.name = elf_strptr(image->elf, header->sh_link, is.st_name);
            if (symbol.name != NULL)
                image->thread_objects[image->thread_object_count++] = symbol;
            continue;
        }
        if (symbol.section == SHN_UNDEF || symbol.section >= image->section_count ||
            image->sections[symbol.section].size == 0 ||
            !in_range(image->whole, image->bias + is.st_value) ||
            is.st_size > image->whole.base + image->whole.size - image->bias - is.st_value)
            continue;
        symbol.base = place_of(image, is.st_value);
        symbol.size = is.st_size;
        symbol.name = elf_strptr(image->elf, header->sh_link, is.st_name);
        if (symbol.name == NULL)
            continue;
        if (GELF_ST_TYPE(is.st_info) == STT_FUNC)
            image->functions[image->function_count++] = symbol;
        else if (GELF_ST_TYPE(is.st_info) == STT_OBJECT)
            image->objects[image->object_count++] = symbol;
    }
    qsort(image->functions, image->function_count, sizeof *image->functions, compare_symbols);
    qsort(image->objects, image->object_count, sizeof *image->objects, compare_symbols);
}

static void read_symbols(kg__model_image *image)
{
    Elf_Scn *scn = NULL;
    GElf_Shdr header;

    while ((scn = elf_nextscn(image->elf, scn)) != NULL) {
        if (gelf_getshdr(scn, &header) != NULL && header.sh_type == SHT_SYMTAB) {
            add_symbols(image, scn, &header);
            return;
        }
    }
}

static kg__model_image *add_image(const sighting *seen)
{
    kg__model_image *image = kg__allocate(1, sizeof *image);

    image->bias = seen->bias;
    image->inside = seen->wanted;
    image->permanent = seen->permanent;
    image->file = -1;
    image->whole = seen->whole;
    for (size_t i = 0; i < seen->segment_count; i++) {
        const ElfW(Phdr) *segment = &seen->segments[i];

        if (segment->p_type == PT_GNU_RELRO)
            image->sealed = (kg__model_range){ seen->bias + segment->p_vaddr, segment->p_memsz };
    }
    if (open_file(image, seen)) {
        read_sections(image);
        read_symbols(image);
    }
    image->next = images;
    images = image;
    return image;
}

/* Forgets an image, but keeps its variables, which callers may use for the life of the process. */
static void give_up(kg__model_image *image)
{
    dwarf_end(image->debug);
    elf_end(image->elf);
    if (image->file >= 0)
        close(image->file);
    free(image->functions);
    free(image->objects);
    free(image->thread_objects);
    free(image->sections);
    *image = (kg__model_image){ .file = -1,
                                .variables = image->variables,
                                .variable_count = image->variable_count,
                                .next = given_up };
    given_up = image;
}

/* Forgets every library after one was unloaded: another may now have its addresses. */
static void give_up_libraries(void)
{
    kg__model_image **link = &images;

    while (*link != NULL) {
        kg__model_image *image = *link;

        if (image->permanent) {
            link = &image->next;
            continue;
        }
        *link = image->next;
        give_up(image);
    }
    kg__model_images_given_up++;
}

kg__model_image *kg__model_image_at(const void *address)
{
    sighting seen = { .wanted = (unsigned char *)address };
    kg__model_image *image;

    for (image = images; image != NULL; image = image->next) {
        if (image->permanent && in_range(image->whole, (uintptr_t)address))
            return image;
    }
    dl_iterate_phdr(see, &seen);
    if (seen.unloaded != unloaded_before) {
        unloaded_before = seen.unloaded;
        give_up_libraries();
    }
    if (seen.segments == NULL)
        return NULL;
    for (image = images; image != NULL; image = image->next) {
        if (in_range(image->whole, (uintptr_t)address))
            break;
    }
    if (image == NULL)
        image = add_image(&seen);
    free(seen.segments);
    free(seen.path);
    return image;
}

bool kg__model_is_shared(const kg__model_image *image, const kg__model_symbol *object)
{
    const kg__model_section *section = &image->sections[object->section];

    return object->size > 0 && ((uintptr_t)object->base - image->bias) % SHARED_ALIGNMENT == 0 &&
           section->writable && strcmp(section->name, "kg_constant") != 0 &&
           (strncmp(object->name, "_ZZ", 3) == 0 || strcmp(section->name, "kg_shared") == 0);
}

const kg__model_section *kg__model_section_at(const kg__model_image *image, const void *address)
{
    for (size_t i = 0; i < image->section_count; i++) {
        const kg__model_section *section = &image->sections[i];

        if (in_range((kg__model_range){ section->base, section->size }, (uintptr_t)address))
            return section;
    }
    return NULL;
}

char *kg__model_demangled(const char *mangled)
{
    char *demangled = NULL;
    char *copy;
    int status = 0;

    /* Without the prefix _Z, the demangler would read a type: "i" as "int". */
    if (strncmp(mangled, "_Z", 2) == 0)
        demangled = __cxa_demangle(mangled, NULL, NULL, &status);
    copy = kg__copy_text(demangled != NULL ? demangled : mangled);
    free(demangled);
    return copy;
}

static Dwarf *debug_of(kg__model_image *image)
{
    if (!image->has_debug && image->elf != NULL)
        image->debug = dwarf_begin_elf(image->elf, DWARF_C_READ, NULL);
    image->has_debug = true;
    return image->debug;
}

bool kg__model_find_unit(const void *code, kg__model_unit *unit)
{
    kg__model_image *image = kg__model_image_at(code);
    Dwarf *debug = image != NULL ? debug_of(image) : NULL;
    Dwarf_CU *at = NULL;
    uint8_t type = 0;

    if (debug == NULL)
        return false;
    *unit = (kg__model_unit){ .address = (uintptr_t)code - image->bias };
    while (dwarf_get_units(debug, at, &at, NULL, &type, &unit->lines, &unit->scopes) == 0) {
        if (dwarf_haspc(&unit->lines, unit->address) <= 0)
            continue;
        if (type != DW_UT_skeleton || unit->scopes.addr == NULL)
            unit->scopes = unit->lines;
        return true;
    }
    return false;
}
