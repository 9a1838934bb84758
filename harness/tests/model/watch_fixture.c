/* SPDX-License-Identifier: MIT */
#include "tests/model/watch_fixture.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/finding_texts.h"

void *device_memory(size_t bytes, const char *name)
{
    unsigned char *base = NULL;
    const size_t guard = 65536;

    cr_assert(cudaMalloc((void **)&base, bytes + 2 * guard) == cudaSuccess);
    kg__model_describe(base + guard, bytes, name, false);
    return base + guard;
}

watch_data make_data(size_t elements)
{
    watch_data made = { .n = (int)elements, .rows = 1, .layers = 1 };
    float *host = malloc(elements * sizeof *host);

    kg__model_free_all();
    cr_assert(host != NULL);
    for (size_t i = 0; i < elements; i++)
        host[i] = (float)(i + 1);
    made.a = device_memory(elements * sizeof(float), "a");
    made.b = device_memory(elements * sizeof(float), "b");
    made.numbers = device_memory(elements * sizeof(int), "numbers");
    made.bytes = device_memory(elements, "bytes");
    cr_assert(cudaMemcpy(made.a, host, elements * sizeof *host, cudaMemcpyHostToDevice) ==
              cudaSuccess);
    cr_assert(cudaMemset(made.b, 0, elements * sizeof(float)) == cudaSuccess);
    cr_assert(cudaMemset(made.numbers, 0, elements * sizeof(int)) == cudaSuccess);
    cr_assert(cudaMemset(made.bytes, 0, elements) == cudaSuccess);
    free(host);
    return made;
}

watch_data watch_both(size_t elements)
{
    kg__model_watch(BOTH, 0);
    return make_data(elements);
}

watch_data watch_in_order(size_t turn, size_t elements)
{
    kg__model_set_order(turn % 2 == 0 ? KG__MODEL_ASCENDING : KG__MODEL_REVERSED);
    return watch_both(elements);
}

const dim3 single = { 1, 1, 1 };

dim3 line(unsigned int x)
{
    return (dim3){ x, 1, 1 };
}

launcher *kernel(const char *name)
{
    /* The linker's names for the ends of the section, which a program may lack. */
    extern const named_kernel __start_named_kernels[] __attribute__((weak));
    extern const named_kernel __stop_named_kernels[] __attribute__((weak));
    const named_kernel *found = __start_named_kernels;

    while (found != __stop_named_kernels && strcmp(found->name, name) != 0)
        found++;
    cr_assert(found != __stop_named_kernels, "no kernel %s", name);
    return found->launch;
}

cudaError_t launch(const char *name, dim3 grid, dim3 block, size_t shared, watch_data data)
{
    cudaLaunchConfig_t config = { .gridDim = grid, .blockDim = block, .dynamicSmemBytes = shared };

    return kernel(name)(&config, data);
}

void start(const char *name, dim3 grid, dim3 block, watch_data data)
{
    cr_assert(launch(name, grid, block, 0, data) == cudaSuccess);
}

uint64_t counted(kg__counter counter)
{
    return kg__model_seen()->counts.value[counter];
}

void expect_count(kg__counter counter, uint64_t expected, const char *how)
{
    cr_expect(counted(counter) == expected, "%s: %s is %llu, not %llu", how,
              kg__counter_name(counter), (unsigned long long)counted(counter),
              (unsigned long long)expected);
}

void expect_requests(uint64_t loads, uint64_t stores, const char *how)
{
    expect_count(KG__GLOBAL_LOAD_REQUESTS, loads, how);
    expect_count(KG__GLOBAL_STORE_REQUESTS, stores, how);
}

void expect_clean(const char *how)
{
    cr_expect(kg__model_seen()->finding_count == 0, "%s: %s", how, findings_of(kg__model_seen()));
}

void expect_only(const kg__finding *expected, const char *how)
{
    const kg__model_report *report = kg__model_seen();
    bool found = false;

    for (size_t i = 0; i < report->finding_count; i++) {
        cr_expect(is_of_kind(&report->findings[i], expected->kind), "%s: %s", how,
                  findings_of(report));
        found = found || is_as_expected(&report->findings[i], expected);
    }
    cr_expect(found, "%s: not as expected: %s", how, findings_of(report));
}

static void try_one(const trial *row, unsigned int what, size_t elements)
{
    watch_data data;

    kg__model_watch(what, 0);
    data = make_data(elements);
    data.n = row->n > 0 ? row->n : data.n;
    data.k = row->k;
    cr_assert(launch(row->name, line(row->grid), line(row->block), row->shared, data) ==
                  cudaSuccess,
              "%s", row->name);
    if (row->found == NULL || what == 0)
        expect_clean(row->name);
    else
        expect_only(row->found, row->name);
    cr_expect(row->file == NULL ||
                  (strstr(kg__model_seen()->findings[0].by.file, row->file) != NULL &&
                   kg__model_seen()->findings[0].by.line > 0),
              "%s: %s", row->name, findings_of(kg__model_seen()));
    cr_expect(!kg__model_seen()->too_many_words, "%s", row->name);
    if (!row->is_counted || (what & COUNT) == 0)
        return;
    expect_requests(row->loads, row->stores, row->name);
    for (size_t i = 0; i < LENGTH(row->also) && row->also[i].value > 0; i++)
        expect_count(row->also[i].counter, row->also[i].value, row->name);
}

void try_each(const trial *rows, size_t count, unsigned int one, unsigned int other,
              size_t elements)
{
    for (size_t i = 0; i < 2 * count; i++) {
        if (i % 2 == 1 && rows[i / 2].in_order)
            continue;
        kg__model_set_order(i % 2 == 0 ? KG__MODEL_ASCENDING : KG__MODEL_REVERSED);
        try_one(&rows[i / 2], one, elements);
        if (other != one)
            try_one(&rows[i / 2], other, elements);
    }
}
