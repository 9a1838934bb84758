/* The reader of GPUs' figures: whatever a file says, a GPU that is taken has all that a prediction
 * needs, and those that were known before stay whole. */
#include "suite/gpu_specs.h"

#include <math.h>
#include <string.h>

#include "tests/fuzz/file_of_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

static void require_whole(const kg__gpu_specs *gpus)
{
    for (size_t i = 0; i < gpus->count; i++) {
        const kg__gpu_spec *gpu = &gpus->list[i];

        require(kg__gpu_specs_find(gpus, gpu->key) == gpu, "a key is that of one GPU");
        require(*gpu->name != '\0', "a GPU has a name");
        require(gpu->value[KG__GPU_MULTIPROCESSORS] >= 1 && gpu->value[KG__GPU_CLOCK] > 0 &&
                    gpu->value[KG__GPU_FLOAT32] > 0 && gpu->value[KG__GPU_DRAM] > 0,
                "a GPU has the figures that a prediction needs");
        for (int figure = 0; figure < KG__GPU_FIGURES; figure++)
            require(isnan(gpu->value[figure]) == (gpu->source[figure] == NULL),
                    "a figure has its source, and only a figure");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    const char *path = file_of_input("gpus.json", input, size);
    kg__error error = { "" };
    kg__gpu_specs gpus = { 0 };
    bool taken;

    /* Reading those that are known takes longer than most inputs do. */
    require(size % 16 != 0 || kg__gpu_specs_add_known(&gpus, &error), error.text);
    taken = kg__gpu_specs_load(path, &gpus, &error);
    require_error(!taken, &error);
    if (taken)
        require_whole(&gpus);
    kg__gpu_specs_free(&gpus);
    return 0;
}
