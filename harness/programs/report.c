#include "programs/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/source_path.h"
#include "model/exec/allocations.h"
#include "model/runtime/runtime.h"
#include "model/watch/places.h"
#include "model/watch/watch.h"
#include "programs/host_calls.h"
#include "programs/kernels.h"
#include "records/finding_text.h"

/* Findings that are printed: a program of thousands of lines with one mistake in a macro has more
 * than anybody reads. */
#define FINDINGS_PRINTED 100

/* "4", or "(4,2)", or "(4,2,1)" of what has three. */
static void add_extent(char *text, size_t size, const unsigned int extent[3])
{
    const size_t used = strlen(text);

    if (extent[2] > 1)
        kg__format(text + used, size - used, "(%u,%u,%u)", extent[0], extent[1], extent[2]);
    else if (extent[1] > 1)
        kg__format(text + used, size - used, "(%u,%u)", extent[0], extent[1]);
    else
        kg__format(text + used, size - used, "%u", extent[0]);
}

/* A path from the working directory on, where it lies below that. */
static const char *below_here(const char *path)
{
    char here[KG__PATH_SIZE];

    return path != NULL && getcwd(here, sizeof here) != NULL ? kg__source_name(here, path) : path;
}

/* Prints a finding as a compiler prints an error, with its launch at the end. */
static void print_finding(FILE *to, const kg__finding *finding)
{
    const kg__model_source made = kg__host_call_of(finding->allocation);
    kg__finding told = *finding;
    char line[2 * KG__MESSAGE_SIZE];
    char launch[512] = "";

    told.kernel = NULL;
    told.by.file = below_here(told.by.file);
    kg__finding_line(&told, line, sizeof line);
    if (finding->kernel != NULL && finding->grid[0] > 0) {
        kg__format(launch, sizeof launch, " [%s<<<", finding->kernel);
        add_extent(launch, sizeof launch, finding->grid);
        strncat(launch, ", ", sizeof launch - strlen(launch) - 1);
        add_extent(launch, sizeof launch, finding->threads);
        strncat(launch, ">>>]", sizeof launch - strlen(launch) - 1);
    }
    kg__disarm(line);
    fprintf(to, "%s%s\n", line, launch);
    if (made.line > 0)
        fprintf(to, "%s:%u: note: %s is allocated here\n", below_here(made.file), made.line,
                finding->symbol);
}

static size_t print_unchecked(FILE *to)
{
    const kg__model_unchecked launch = kg__model_unchecked_launch();
    const kg__model_source source = kg__call_source(&launch.site);
    char text[512];

    if (launch.error == cudaSuccess)
        return 0;
    kg__format(text, sizeof text,
               "unchecked launch: it failed with %s (%s), and nothing asks for its error: call "
               "cudaGetLastError() after it",
               cudaGetErrorName(launch.error),
               *launch.why != '\0' ? launch.why : cudaGetErrorString(launch.error));
    if (source.line > 0)
        fprintf(to, "%s:%u: ", below_here(source.file), source.line);
    fprintf(to, "error: %s\n", text);
    return 1;
}

static size_t print_leaks(FILE *to)
{
    size_t count = 0;

    for (size_t i = 0; i < kg__model_allocation_count(); i++) {
        const kg__model_allocation *left = kg__model_allocation_at(i);
        const kg__model_source made = kg__host_call_of(left->number);

        if (left->kind == KG__MODEL_REGISTERED)
            continue;
        if (made.line > 0)
            fprintf(to, "%s:%u: ", below_here(made.file), made.line);
        fprintf(to,
                "error: leak: allocation %" PRIu64 ", %zu bytes of %s memory, was never freed\n",
                left->number, left->size,
                left->kind == KG__MODEL_DEVICE    ? "device"
                : left->kind == KG__MODEL_MANAGED ? "managed"
                                                  : "pinned host");
        count++;
    }
    return count;
}

static size_t print_findings(FILE *to, const kg__model_report *seen)
{
    const size_t told =
        seen->finding_count < FINDINGS_PRINTED ? seen->finding_count : FINDINGS_PRINTED;

    for (size_t i = 0; i < told; i++)
        print_finding(to, &seen->findings[i]);
    if (told < seen->finding_count)
        fprintf(to, "and %zu more\n", seen->finding_count - told);
    return seen->finding_count;
}

/* "2 findings"; `plural` is the noun's ending. */
static void add_count(char *text, size_t size, size_t count, const char *noun, const char *plural)
{
    const size_t used = strlen(text);

    kg__format(text + used, size - used, "%zu %s%s", count, noun, count == 1 ? "" : plural);
}

static void print_summary(FILE *to, size_t found, bool failed, const char *ended)
{
    char text[512] = "";

    if (found > 0)
        add_count(text, sizeof text, found, "finding", "s");
    else
        kg__format(text, sizeof text, "no findings");
    if (kg__program_launch_count() > 0) {
        char of[160] = "";

        add_count(of, sizeof of, kg__program_launch_count(), "launch", "es");
        strncat(of, " of ", sizeof of - strlen(of) - 1);
        add_count(of, sizeof of, kg__program_kernel_count(), "kernel", "s");
        strncat(text, " in ", sizeof text - strlen(text) - 1);
        strncat(text, of, sizeof text - strlen(text) - 1);
    }
    fprintf(to, "kernelgate: %s%s%s%s\n", text, failed ? "; a kernel failed" : "",
            ended != NULL ? "; " : "", ended != NULL ? ended : "");
}

int kg__program_report(const kg__program_options *options, const char *ended)
{
    const kg__model_report *seen = kg__model_seen();
    const bool failed = kg__model_sticky_error() != cudaSuccess;
    FILE *to = options->log != NULL ? fopen(options->log, "a") : stderr;
    kg__error error;
    bool complete = true;
    size_t found;

    if (to == NULL) {
        kg__complain("%s: the report cannot be written: %s: check the directory", options->log,
                     strerror(errno));
        complete = false;
        to = stderr;
    }
    found = print_findings(to, seen) + print_unchecked(to);
    if (options->leaks)
        found += print_leaks(to);
    if (seen->too_large != NULL)
        fprintf(
            to,
            "kernelgate: note: %s is too large to be checked for races and uninitialized reads\n",
            seen->too_large);
    if (found > 0 || failed || ended != NULL ||
        (options->summary && kg__program_launch_count() > 0))
        print_summary(to, found, failed, ended);
    if (to != stderr)
        (void)fclose(to);
    if (options->counters != NULL && !kg__program_kernels_write(options->counters, &error)) {
        kg__complain("%s", error.text);
        complete = false;
    }
    if (!complete)
        return KG__EXIT_ERROR;
    return (found > 0 || failed) && options->exitcode > 0 ? options->exitcode : -1;
}
