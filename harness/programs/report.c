/* SPDX-License-Identifier: MIT */
#include "programs/report.h"

#include <errno.h>
#include <gnu/libc-version.h>
#include <inttypes.h>
#include <jansson.h>
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
    if (extent[2] > 1)
        kg__append(text, size, "(%u,%u,%u)", extent[0], extent[1], extent[2]);
    else if (extent[1] > 1)
        kg__append(text, size, "(%u,%u)", extent[0], extent[1]);
    else
        kg__append(text, size, "%u", extent[0]);
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
        kg__append(launch, sizeof launch, ", ");
        add_extent(launch, sizeof launch, finding->threads);
        kg__append(launch, sizeof launch, ">>>]");
    }
    kg__disarm(line);
    fprintf(to, "%s%s\n", line, launch);
    if (made.line > 0)
        fprintf(to, "%s:%u: note: %s is allocated here\n", below_here(made.file), made.line,
                finding->symbol);
}

/* Tells a defect of the host's code, and adds it to `others`. */
static void tell(FILE *to, json_t *others, kg__model_source source, const char *text)
{
    if (source.line > 0)
        fprintf(to, "%s:%u: ", below_here(source.file), source.line);
    fprintf(to, "error: %s\n", text);
    json_array_append_new(others, json_pack("{s:s, s:s, s:i}", "text", text, "file", source.file,
                                            "line", source.line));
}

static void tell_unchecked(FILE *to, json_t *others, size_t found)
{
    const kg__model_unchecked launch = kg__model_unchecked_launch();
    const char *name = cudaGetErrorName(launch.error);
    const char *why = *launch.why != '\0' ? launch.why : cudaGetErrorString(launch.error);
    const kg__model_source source = kg__model_host_source(launch.calls, launch.call_count);
    char text[512];

    if (launch.error == cudaSuccess) {
        /* The program has asked for the error, which does not say why. */
        if (*launch.why != '\0' && found > 0 && source.line > 0)
            fprintf(to, "%s:%u: note: a launch failed: %s\n", below_here(source.file), source.line,
                    launch.why);
        return;
    }
    if (launch.call != NULL)
        kg__format(text, sizeof text,
                   "unchecked call: %s() failed with %s (%s), and nothing looks at its result",
                   launch.call, name, why);
    else
        kg__format(text, sizeof text,
                   "unchecked launch: it failed with %s (%s), and nothing asks for its error: call "
                   "cudaGetLastError() after it",
                   name, why);
    tell(to, others, source, text);
}

static void tell_lost_output(FILE *to, json_t *others)
{
    const void *code = kg__model_lost_output();

    if (code != NULL)
        tell(to, others, kg__model_source_of(code),
             "lost output: the program ends without waiting for the kernel that prints here, and a "
             "GPU may show nothing: call cudaDeviceSynchronize()");
}

static void tell_leaks(FILE *to, json_t *others)
{
    for (size_t i = 0; i < kg__model_allocation_count(); i++) {
        const kg__model_allocation *left = kg__model_allocation_at(i);
        char text[160];

        if (left->kind == KG__MODEL_REGISTERED)
            continue;
        kg__format(text, sizeof text,
                   "leak: allocation %" PRIu64 ", %zu bytes of %s memory, was never freed",
                   left->number, left->size,
                   left->kind <= KG__MODEL_HEAP      ? "device"
                   : left->kind == KG__MODEL_MANAGED ? "managed"
                                                     : "pinned host");
        tell(to, others, kg__host_call_of(left->number), text);
    }
}

static size_t print_findings(FILE *to, const kg__model_report *seen)
{
    size_t count = 0;

    for (size_t i = 0; i < seen->finding_count; i++) {
        if (kg__finding_is_excused(&seen->findings[i]))
            continue;
        if (count++ < FINDINGS_PRINTED)
            print_finding(to, &seen->findings[i]);
    }
    if (count > FINDINGS_PRINTED)
        fprintf(to, "and %zu more\n", count - FINDINGS_PRINTED);
    return count;
}

/* "2 findings"; `plural` is the noun's ending. */
static void add_count(char *text, size_t size, size_t count, const char *noun, const char *plural)
{
    kg__append(text, size, "%zu %s%s", count, noun, count == 1 ? "" : plural);
}

static void print_summary(FILE *to, size_t found, bool failed, const kg__program_end *end)
{
    const kg__model_report *seen = kg__model_seen();
    char text[512] = "";
    char sampled[160] = "";

    if (found > 0)
        add_count(text, sizeof text, found, "finding", "s");
    else
        kg__format(text, sizeof text, "no findings");
    if (kg__program_launch_count() > 0) {
        char of[160] = "";

        add_count(of, sizeof of, kg__program_launch_count(), "launch", "es");
        kg__append(of, sizeof of, " of ");
        add_count(of, sizeof of, kg__program_kernel_count(), "kernel", "s");
        kg__append(text, sizeof text, " in %s", of);
    }
    if (seen->watched < seen->blocks && !failed)
        kg__format(sampled, sizeof sampled,
                   "; sampled: %" PRIu64 " of %" PRIu64
                   " blocks ran, and the program's results are not valid",
                   seen->watched, seen->blocks);
    fprintf(to, "kernelgate: %s%s%s", text, failed ? "; a kernel failed" : "", sampled);
    if (end != NULL)
        fprintf(to, "; %s", end->why);
    if (end != NULL && end->line > 0)
        fprintf(to, " at %s:%u", below_here(end->file), end->line);
    fputc('\n', to);
}

/* Adds the findings to the document, the most serious first. */
static void add_findings(json_t *document, const kg__model_report *seen)
{
    kg__findings findings;

    kg__findings_rank(&findings, seen->findings, seen->finding_count, true);
    for (size_t i = 0; i < findings.count; i++) {
        if (findings.list[i].call_count == 0)
            findings.list[i].calls = NULL;
    }
    kg__findings_set(document, &findings);
}

/* Writes the file of the option `counters`; false with `error`. */
static bool write_document(const char *path, const char *flavor, const kg__model_report *seen,
                           json_t *others, const kg__program_end *end, kg__error *error)
{
    json_t *document = json_pack(
        "{s:{s:s, s:s, s:s}, s:{s:s, s:s, s:s}, s:s, s:o, s:O}", "target", "key", "cpu-model",
        "name", "CPU model", "compiler", KG__MODEL_COMPILER, "provenance", "compiler",
        KG__MODEL_COMPILER, "model", KG__MODEL_VERSION, "libc", gnu_get_libc_version(), "flavor",
        flavor, "kernels", kg__program_kernels_json(), "other", others);
    bool written;

    add_findings(document, seen);
    if (kg__model_sticky_error() != cudaSuccess)
        json_object_set_new(document, "failed",
                            json_string(cudaGetErrorName(kg__model_sticky_error())));
    if (end != NULL)
        json_object_set_new(document, "ended",
                            json_pack("{s:s, s:s, s:i}", "why", end->why, "file",
                                      end->file != NULL ? end->file : "", "line", end->line));
    errno = 0;
    written = json_dump_file(document, path, JSON_INDENT(1)) == 0;
    json_decref(document);
    return written || kg__fail(error, "%s: the counters cannot be written: %s: check the directory",
                               path, strerror(errno));
}

int kg__program_report(const kg__program_options *options, const char *flavor,
                       const kg__program_end *end)
{
    const kg__model_report *seen = kg__model_seen();
    const bool failed = kg__model_sticky_error() != cudaSuccess;
    FILE *to = options->log != NULL ? fopen(options->log, "a") : stderr;
    json_t *others = json_array();
    kg__error error;
    bool complete = true;
    size_t found;

    if (to == NULL) {
        kg__complain("%s: the report cannot be written: %s: check the directory", options->log,
                     strerror(errno));
        complete = false;
        to = stderr;
    }
    /* First what other findings may follow from, such as results that no kernel wrote. */
    tell_unchecked(to, others, seen->finding_count);
    found = print_findings(to, seen);
    tell_lost_output(to, others);
    if (options->leaks)
        tell_leaks(to, others);
    found += json_array_size(others);
    if (seen->too_large != NULL)
        fprintf(
            to,
            "kernelgate: note: %s is too large to be checked for races and uninitialized reads\n",
            seen->too_large);
    if (found > 0 || failed || end != NULL || (options->summary && kg__program_launch_count() > 0))
        print_summary(to, found, failed, end);
    if (to != stderr)
        (void)fclose(to);
    if (options->counters != NULL &&
        !write_document(options->counters, flavor, seen, others, end, &error)) {
        kg__complain("%s", error.text);
        complete = false;
    }
    json_decref(others);
    if (!complete)
        return KG__EXIT_ERROR;
    return (found > 0 || failed) && options->exitcode > 0 ? options->exitcode : -1;
}
