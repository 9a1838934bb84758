/* Kernels by address: their names and their static shared arrays, from the symbol table of the
 * program or library that they are in. */
#include "model.h"

#include "message.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* libstdc++'s; kernels are C++, so it is there wherever there is a kernel. */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status)
    __attribute__((weak));

/* The alignment that __shared__ gives to an array. */
#define SHARED_ALIGNMENT 65536

/* A file of machine code that is mapped into the process. */
typedef struct module {
    const void *wanted; /* an address in it */
    ElfW(Addr) bias;    /* what its symbols' values are short of */
    char path[4096];
} module;

/* A symbol table as the file has it. */
typedef struct table {
    unsigned char *file;
    size_t file_size;
    const ElfW(Sym) * symbols;
    size_t count;
    const char *names;
    size_t names_size;
} table;

static kg__model_kernel *kernels;

static int find_module(struct dl_phdr_info *info, size_t size, void *data)
{
    module *found = data;

    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + segment->p_vaddr;

        if (segment->p_type == PT_LOAD && (uintptr_t)found->wanted >= start &&
            (uintptr_t)found->wanted - start < segment->p_memsz) {
            found->bias = info->dlpi_addr;
            kg__format(found->path, sizeof found->path, "%s",
                       info->dlpi_name[0] != '\0' ? info->dlpi_name : "/proc/self/exe");
            return 1;
        }
    }
    return 0;
}

/* True when `size` bytes from `offset` lie within `whole` bytes. */
static bool within(uint64_t offset, uint64_t size, uint64_t whole)
{
    return offset <= whole && size <= whole - offset;
}

static bool read_table(table *read)
{
    const ElfW(Ehdr) *header = (const void *)read->file;
    const ElfW(Shdr) * sections;

    if (read->file_size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_shentsize != sizeof *sections || header->e_shoff % _Alignof(ElfW(Shdr)) != 0 ||
        !within(header->e_shoff, (uint64_t)header->e_shnum * sizeof *sections, read->file_size))
        return false;
    sections = (const void *)(read->file + header->e_shoff);
    for (size_t i = 0; i < header->e_shnum; i++) {
        const ElfW(Shdr) *section = &sections[i];
        const ElfW(Shdr) * names;

        if (section->sh_type != SHT_SYMTAB || section->sh_link >= header->e_shnum)
            continue;
        names = &sections[section->sh_link];
        if (!within(section->sh_offset, section->sh_size, read->file_size) ||
            section->sh_offset % _Alignof(ElfW(Sym)) != 0 ||
            !within(names->sh_offset, names->sh_size, read->file_size) || names->sh_size == 0 ||
            read->file[names->sh_offset + names->sh_size - 1] != '\0')
            return false;
        read->symbols = (const void *)(read->file + section->sh_offset);
        read->count = section->sh_size / sizeof *read->symbols;
        read->names = (const char *)(read->file + names->sh_offset);
        read->names_size = names->sh_size;
        return true;
    }
    return false;
}

static bool open_table(const char *path, table *opened)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    void *mapped;

    if (file < 0)
        return false;
    if (fstat(file, &status) != 0 || status.st_size <= 0) {
        close(file);
        return false;
    }
    mapped = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (mapped == MAP_FAILED)
        return false;
    *opened = (table){ .file = mapped, .file_size = (size_t)status.st_size };
    if (read_table(opened))
        return true;
    munmap(mapped, opened->file_size);
    return false;
}

static const char *name_of(const table *from, const ElfW(Sym) * symbol)
{
    return symbol->st_name < from->names_size ? from->names + symbol->st_name : "";
}

/* The mangled name of the function at `value`, or NULL. */
static const char *function_at(const table *from, ElfW(Addr) value)
{
    for (size_t i = 0; i < from->count; i++) {
        const ElfW(Sym) *symbol = &from->symbols[i];

        if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
            symbol->st_value == value)
            return name_of(from, symbol);
    }
    return NULL;
}

/* True when `variable` is the mangled name of a static variable in the body of `function`: "_ZZ",
 * the function's own name without its "_Z" (or, of a C function, with its length in front), "E". */
static bool is_static_of(const char *variable, const char *function)
{
    size_t length;

    if (strncmp(variable, "_ZZ", 3) != 0)
        return false;
    variable += 3;
    if (strncmp(function, "_Z", 2) == 0) {
        function += 2;
    } else {
        char *end = NULL;

        if (strtoul(variable, &end, 10) != strlen(function))
            return false;
        variable = end;
    }
    length = strlen(function);
    return strncmp(variable, function, length) == 0 && variable[length] == 'E';
}

/* Adds the shared arrays of the kernel, a `function` whose value in the symbol table is `at`. */
static void add_shared_arrays(kg__model_kernel *kernel, const table *from, const char *function,
                              ElfW(Addr) at)
{
    for (size_t i = 0; i < from->count; i++) {
        const ElfW(Sym) *symbol = &from->symbols[i];
        kg__model_shared_array *grown;

        if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_shndx == SHN_UNDEF ||
            symbol->st_value % SHARED_ALIGNMENT != 0 || symbol->st_size == 0 ||
            !is_static_of(name_of(from, symbol), function))
            continue;
        grown = kg__allocate(kernel->shared_count + 1, sizeof *grown);
        if (kernel->shared_count > 0)
            memcpy(grown, kernel->shared, kernel->shared_count * sizeof *grown);
        free(kernel->shared);
        grown[kernel->shared_count++] = (kg__model_shared_array){
            .base = (unsigned char *)kernel->address + (ptrdiff_t)(symbol->st_value - at),
            .size = symbol->st_size,
        };
        kernel->shared = grown;
        kernel->shared_bytes += symbol->st_size;
    }
}

/* Cuts the parameters off the end of a demangled function and a "void " off its beginning. */
static void shorten(char *name)
{
    size_t length = strlen(name);
    size_t depth = 0;

    if (length > 0 && name[length - 1] == ')') {
        do {
            length--;
            depth += name[length] == ')';
            depth -= name[length] == '(';
        } while (depth > 0 && length > 0);
        if (length > 0)
            name[length] = '\0';
    }
    if (strncmp(name, "void ", 5) == 0)
        memmove(name, name + 5, strlen(name + 5) + 1);
}

static char *readable(const char *mangled)
{
    char *demangled = NULL;
    char *name;
    int status = 0;

    if (__cxa_demangle != NULL)
        demangled = __cxa_demangle(mangled, NULL, NULL, &status);
    if (demangled == NULL)
        return kg__copy_text(mangled);
    shorten(demangled);
    name = kg__copy_text(demangled);
    free(demangled);
    return name;
}

/* Fills in what the symbol table knows. */
static void look_up(kg__model_kernel *kernel)
{
    module holder = { .wanted = kernel->address };
    table opened;
    const char *function;
    ElfW(Addr) at;

    if (dl_iterate_phdr(find_module, &holder) == 0 || !open_table(holder.path, &opened))
        return;
    at = (uintptr_t)kernel->address - holder.bias;
    function = function_at(&opened, at);
    if (function != NULL) {
        kernel->name = readable(function);
        add_shared_arrays(kernel, &opened, function, at);
    }
    munmap(opened.file, opened.file_size);
}

kg__model_kernel *kg__model_kernel_at(const void *address)
{
    kg__model_kernel **link = &kernels;
    kg__model_kernel *kernel;

    for (; *link != NULL; link = &(*link)->next) {
        kernel = *link;
        if (kernel->address != address)
            continue;
        /* To the front: the same kernel is usually launched many times over. */
        *link = kernel->next;
        kernel->next = kernels;
        kernels = kernel;
        return kernel;
    }
    kernel = kg__allocate(1, sizeof *kernel);
    kernel->address = address;
    look_up(kernel);
    if (kernel->name == NULL) {
        kernel->name = kg__allocate(64, 1);
        kg__format(kernel->name, 64, "kernel at %p", address);
    }
    kernel->dynamic_limit = KG__MODEL_SHARED_DEFAULT > kernel->shared_bytes
                                ? KG__MODEL_SHARED_DEFAULT - kernel->shared_bytes
                                : 0;
    kernel->next = kernels;
    kernels = kernel;
    return kernel;
}
