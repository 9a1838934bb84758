#include "programs/kernels.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "model/exec/launch.h"
#include "model/watch/watch.h"

typedef struct counted_kernel {
    char *name;
    kg__counts counts;
    uint64_t accesses; /* of single lanes */
} counted_kernel;

static counted_kernel *kernels;
static size_t kernel_count;
static size_t kernel_room;
static size_t launch_count;
/* The sums when the last launch ended. */
static kg__counts before;
static uint64_t accesses_before;

static counted_kernel *find_kernel(const char *name)
{
    for (size_t i = 0; i < kernel_count; i++) {
        if (strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    }
    kernels = kg__grow(kernels, kernel_count, &kernel_room, sizeof *kernels);
    kernels[kernel_count] = (counted_kernel){ .name = kg__copy_text(name) };
    return &kernels[kernel_count++];
}

static void end_launch(const kg__counts *counts, uint64_t accesses)
{
    counted_kernel *kernel = find_kernel(kg__exec_kernel_name());

    launch_count++;
    for (int i = 0; i < KG__COUNTERS; i++) {
        /* The most of several launches, and no sum. */
        if (i == KG__SHARED_BYTES)
            kernel->counts.value[i] = counts->value[i];
        else
            kernel->counts.value[i] += counts->value[i] - before.value[i];
    }
    kernel->accesses += accesses - accesses_before;
    before = *counts;
    accesses_before = accesses;
}

void kg__program_kernels_begin(void)
{
    kg__model_on_launch(end_launch);
}

size_t kg__program_kernel_count(void)
{
    return kernel_count;
}

size_t kg__program_launch_count(void)
{
    return launch_count;
}

static json_t *kernel_json(const counted_kernel *kernel)
{
    json_t *counters = json_object();

    for (int i = 0; i < KG__COUNTERS; i++) {
        if (kernel->counts.value[i] > 0)
            json_object_set_new(counters, kg__counter_name((kg__counter)i),
                                json_integer((json_int_t)kernel->counts.value[i]));
    }
    return json_pack("{s:s, s:o, s:I}", "name", kernel->name, "counters", counters, "accesses",
                     (json_int_t)kernel->accesses);
}

bool kg__program_kernels_write(const char *path, kg__error *error)
{
    json_t *list = json_array();
    json_t *document = json_pack("{s:o}", "kernels", list);
    bool written;

    for (size_t i = 0; i < kernel_count; i++)
        json_array_append_new(list, kernel_json(&kernels[i]));
    errno = 0;
    written = json_dump_file(document, path, JSON_INDENT(1)) == 0;
    json_decref(document);
    return written || kg__fail(error, "%s: the counters cannot be written: %s: check the directory",
                               path, strerror(errno));
}
