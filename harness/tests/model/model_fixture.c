/* SPDX-License-Identifier: MIT */
#include "tests/model/model_fixture.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "model/model.h"

cudaLaunchConfig_t shape(dim3 grid, dim3 block)
{
    return (cudaLaunchConfig_t){ .gridDim = grid, .blockDim = block };
}

const cudaLaunchConfig_t *line(unsigned int blocks, unsigned int threads)
{
    static _Thread_local cudaLaunchConfig_t config;

    config = shape((dim3){ blocks, 1, 1 }, (dim3){ threads, 1, 1 });
    return &config;
}

void *device(size_t size, int fill)
{
    void *memory = NULL;

    cr_assert(cudaMalloc(&memory, size) == cudaSuccess);
    cr_assert(cudaMemset(memory, fill, size) == cudaSuccess);
    return memory;
}

size_t mapped_bytes(void)
{
    size_t pages = 0;
    FILE *sizes = fopen("/proc/self/statm", "r");

    cr_assert(sizes != NULL && fscanf(sizes, "%zu", &pages) == 1);
    fclose(sizes);
    return pages * (size_t)sysconf(_SC_PAGE_SIZE);
}

void limit_addresses(size_t more)
{
    struct rlimit limit;

    cr_assert(getrlimit(RLIMIT_AS, &limit) == 0);
    limit.rlim_cur = (rlim_t)(mapped_bytes() + more);
    cr_assert(setrlimit(RLIMIT_AS, &limit) == 0);
}

const char *complaints(void)
{
    static char text[4096];
    FILE *stream = cr_get_redirected_stderr();
    size_t length;

    fflush(stderr);
    length = fread(text, 1, sizeof text - 1, stream);
    text[length] = '\0';
    return text;
}
