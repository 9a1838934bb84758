/* SPDX-License-Identifier: MIT */
/* Kernels by address: their names and their static shared arrays, from the symbol table of their
 * program or library. */
#include "model/runtime/runtime.h"

#include "base/message.h"
#include "model/exec/allocations.h"
#include "model/exec/clusters.h"
#include "model/watch/image.h"
#include "model/watch/places.h"

#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static kg__model_kernel *kernels;

/* Returns the function that begins at `address`, or NULL; of several names, the table's first. */
static const kg__model_symbol *function_at(const kg__model_image *image, const void *address)
{
    const size_t rank =
        kg__model_rank(image->functions, offsetof(kg__model_symbol, base), image->function_count,
                       sizeof *image->functions, (uintptr_t)address - 1);

    if (rank == image->function_count || image->functions[rank].base != address)
        return NULL;
    return &image->functions[rank];
}

/* Returns whether `object` is a static variable in the body of the function `body`: its mangled
 * name is "_ZZ", the function's own name without its "_Z" (for a C function, with its length in
 * front), "E". Two sources may have static functions of one name. */
static bool is_static_of(const kg__model_symbol *object, const kg__model_symbol *body)
{
    const char *variable = object->name;
    const char *function = body->name;
    size_t length;

    if (body->file != 0 && body->file != object->file)
        return false;
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

/* Returns whether an array belongs to no function of the host and to no kernel, as far as they are
 * known: kernels have the visibility of device code, too, until they are launched. */
static bool is_of_device_function(const kg__model_image *image, const kg__model_symbol *object)
{
    for (size_t i = 0; i < image->function_count; i++) {
        const kg__model_symbol *function = &image->functions[i];
        const kg__model_kernel *kernel = kernels;

        /* A name without a size is the one that other files know. */
        if (function->size == 0 || !is_static_of(object, function))
            continue;
        while (kernel != NULL && kernel->address != (const void *)function->base)
            kernel = kernel->next;
        if (kernel != NULL || !function->of_device)
            return false;
    }
    return true;
}

/* Returns how many thread-local variables may be shared arrays. If shared arrays are static, none
 * are: thread-local variables then belong to host code, such as libstdc++.a. */
static size_t count_thread_local_arrays(const kg__model_image *image)
{
    for (size_t i = 0; i < image->object_count; i++) {
        if (kg__model_is_shared(image, &image->objects[i]))
            return 0;
    }
    return image->thread_object_count;
}

/* Adds the shared arrays of the kernel, a `function` of the image; or (`called`) those of other
 * functions that it may call. Where shared arrays are thread-local, variables of the
 * host's inlined functions are saved too. */
static void add_shared_arrays(kg__model_kernel *kernel, const kg__model_image *image,
                              const kg__model_symbol *function, bool called)
{
    const size_t count = image->object_count;
    const size_t all = count + count_thread_local_arrays(image);

    for (size_t i = 0; i < all; i++) {
        const bool of_threads = i >= count;
        const kg__model_symbol *object =
            of_threads ? &image->thread_objects[i - count] : &image->objects[i];

        if (!(of_threads ? strncmp(object->name, "_ZZ", 3) == 0
                         : kg__model_is_shared(image, object)) ||
            !(called ? is_of_device_function(image, object) && !is_static_of(object, function)
                     : is_static_of(object, function)))
            continue;
        kernel->shared_of_threads = kernel->shared_of_threads || of_threads;
        *KG__ADD(kernel->shared, kernel->kept_count, kernel->kept_room) = (kg__model_shared_array){
            .base = object->base, .size = object->size, .place = (uintptr_t)object->base
        };
        if (called)
            continue;
        kernel->shared_count++;
        kernel->shared_bytes += object->size;
    }
}

/* An image, and where the calling thread has its variables. */
typedef struct thread_variables {
    uintptr_t inside; /* an address in the image */
    unsigned char *begin;
} thread_variables;

static int find_variables(struct dl_phdr_info *image, size_t size, void *data)
{
    thread_variables *wanted = data;

    (void)size;
    for (size_t i = 0; i < image->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &image->dlpi_phdr[i];

        if (segment->p_type == PT_LOAD &&
            wanted->inside - image->dlpi_addr - segment->p_vaddr < segment->p_memsz)
            wanted->begin = image->dlpi_tls_data;
    }
    return wanted->begin != NULL;
}

void kg__model_place_shared(const kg__model_kernel *kernel)
{
    thread_variables own = { .inside = (uintptr_t)kernel->address };

    if (!kernel->shared_of_threads)
        return;
    (void)dl_iterate_phdr(find_variables, &own);
    for (size_t i = 0; i < kernel->kept_count; i++) {
        kernel->shared[i].base = own.begin + kernel->shared[i].place;
        kernel->shared[i].owner = kg__exec_own_place();
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
    if (length > 5 && strncmp(name, "void ", 5) == 0)
        memmove(name, name + 5, strlen(name) - 4);
}

/* Returns the threads that __launch_bounds__ allows per block: g++ puts that many single-byte
 * instructions before the kernel, and keeps a list of where they begin. */
static unsigned int launch_bound(const kg__model_image *image, const unsigned char *kernel)
{
    for (size_t i = 0; i < image->section_count; i++) {
        const kg__model_section *section = &image->sections[i];
        const unsigned char *const *starts = (const unsigned char *const *)section->base;

        if (strcmp(section->name, "__patchable_function_entries") != 0)
            continue;
        for (size_t entry = 0; entry < section->size / sizeof *starts; entry++) {
            size_t count = (uintptr_t)kernel - (uintptr_t)starts[entry];
            size_t same = 0;

            while (count <= KG__MODEL_MAX_THREADS && same < count &&
                   starts[entry][same] == starts[entry][0])
                same++;
            if (same > 0 && same == count)
                return (unsigned int)count;
        }
    }
    return KG__MODEL_MAX_THREADS;
}

/* Returns the cluster of a kernel, by the constant that __cluster_dims__ leaves in its body. */
static dim3 cluster_of(const kg__model_image *image, const kg__model_symbol *function)
{
    static const char constant[] = "E11kg__cluster";
    dim3 size = { 0, 0, 0 };

    for (size_t i = 0; i < image->object_count; i++) {
        const kg__model_symbol *object = &image->objects[i];
        size_t length = strlen(object->name);

        if (object->size == sizeof size && length >= sizeof constant &&
            strcmp(object->name + length - (sizeof constant - 1), constant) == 0 &&
            is_static_of(object, function))
            memcpy(&size, object->base, sizeof size);
    }
    return size;
}

/* Fills in the kernel's properties from the symbol table. */
static void look_up(kg__model_kernel *kernel)
{
    const kg__model_image *image = kg__model_image_at(kernel->address);
    const kg__model_symbol *function;

    if (image == NULL)
        return;
    kernel->most_threads = launch_bound(image, kernel->address);
    function = function_at(image, kernel->address);
    if (function == NULL)
        return;
    kernel->name = kg__model_demangled(function->name);
    kernel->symbol = kg__copy_text(function->name);
    shorten(kernel->name);
    kernel->cluster = cluster_of(image, function);
    add_shared_arrays(kernel, image, function, false);
    add_shared_arrays(kernel, image, function, true);
}

bool kg__model_has_symbols(void)
{
    const kg__model_image *image = kg__model_image_at(&kernels);

    return image != NULL && image->function_count > 0;
}

const char *kg__model_symbol_at(const void *address)
{
    const kg__model_image *image = kg__model_image_at(address);
    const kg__model_symbol *function = image != NULL ? function_at(image, address) : NULL;

    return function != NULL ? function->name : "";
}

size_t kg__model_bytes_at(const void *address)
{
    const kg__model_image *image = kg__model_image_at(address);

    for (size_t i = 0; image != NULL && i < image->object_count; i++) {
        const kg__model_symbol *object = &image->objects[i];
        size_t before = (size_t)((uintptr_t)address - (uintptr_t)object->base);

        if (before < object->size)
            return object->size - before;
    }
    return 0;
}

static int find_in_variables(struct dl_phdr_info *image, size_t size, void *data)
{
    const uintptr_t address = *(const uintptr_t *)data;
    const uintptr_t begin = (uintptr_t)image->dlpi_tls_data;

    (void)size;
    for (size_t i = 0; begin != 0 && i < image->dlpi_phnum; i++) {
        if (image->dlpi_phdr[i].p_type == PT_TLS && address - begin < image->dlpi_phdr[i].p_memsz)
            return true;
    }
    return false;
}

/* Returns the kind of memory that a variable is in. */
static kg__model_memory memory_of_variable(const void *address)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* blocks run side by side */
    const kg__model_variable *variable;
    uintptr_t wanted = (uintptr_t)address;

    pthread_mutex_lock(&lock);
    variable = kg__model_variable_near(address);
    pthread_mutex_unlock(&lock);
    if (variable == NULL || wanted - (uintptr_t)variable->base >= variable->size)
        return dl_iterate_phdr(find_in_variables, &wanted) != 0 ? KG__MODEL_IS_SHARED
                                                                : KG__MODEL_IS_NOWHERE;
    return variable->space == KG__MODEL_SHARED     ? KG__MODEL_IS_SHARED
           : variable->space == KG__MODEL_CONSTANT ? KG__MODEL_IS_CONSTANT
                                                   : KG__MODEL_IS_GLOBAL;
}

kg__model_memory kg__model_memory_at(const void *address)
{
    if (kg__model_find(address) != NULL)
        return KG__MODEL_IS_GLOBAL;
    if (kg__exec_is_local(address))
        return KG__MODEL_IS_LOCAL;
    if (kg__exec_is_shared(address))
        return KG__MODEL_IS_SHARED;
    return memory_of_variable(address);
}

kg__model_kernel *kg__model_kernel_at(const void *address)
{
    kg__model_kernel **link = &kernels;
    kg__model_kernel *kernel;

    for (; *link != NULL; link = &(*link)->next) {
        kernel = *link;
        if (kernel->address != address)
            continue;
        /* To the front: the same kernel is usually launched many times. */
        *link = kernel->next;
        kernel->next = kernels;
        kernels = kernel;
        return kernel;
    }
    kernel = kg__allocate(1, sizeof *kernel);
    kernel->address = address;
    kernel->symbol = "";
    kernel->most_threads = KG__MODEL_MAX_THREADS;
    kernel->carveout = -1;
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
