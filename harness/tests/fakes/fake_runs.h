/* Tests that run the programs of the fake comparison from end to end share this: where such a run
 * looks and writes, one line for a run and what it must print, and the verdicts that it leaves. A
 * test of CMake's kg_add_fake_run_test() has the paths of the programs: KG__FAKE_MODEL and its
 * like. */
#ifndef KG__FAKE_RUNS_H
#define KG__FAKE_RUNS_H

#include <jansson.h>
#include <stddef.h>

#include "tests/fakes/drive.h"
#include "tests/fakes/fake_baselines.h"

/* The case that the plans of most tests change. */
#define SLOW "fake/plain/64/b32"

/* What instrumented kernels find where a plan says `finding`. */
#define FINDING "kernels/fake/other.cu:14: error: "

/* A suite's .init and .fini: the test's folder with baselines/, to which the settings of a run
 * point; KG_FILTER leaves the variants that are right. */
void begin_fake_runs(void);
void end_fake_runs(void);

/* Runs one test of a program, chosen by `option` (NULL: all of them); the output is freed by the
 * caller. */
ending run(const char *program, const char *option);

/* The same; the exit code and a line of the output must be so. */
void expect_run(const char *program, const char *option, int code, const char *line);

/* The same of one part of the fake comparison: of the model's program, of the GPU's, of the
 * model's. */
void expect_check(int code, const char *line);
void expect_time(int code, const char *line);
void expect_count(int code, const char *line);

/* Merges the verdicts that lie in out/, with that exit code and a line of that output. */
void expect_merge(int code, const char *line);

/* The merged results, whose exit code must be that; freed by the caller. */
json_t *merged_results(int code);

/* The entry of a case in a document of verdicts or results; NULL where it has none. */
const json_t *find_entry(const json_t *document, const char *id);

/* The verdicts that a test left, "model.fake.check"; freed by the caller. */
json_t *verdicts_of(const char *test);

/* How long a list of verdicts or results is. */
size_t size_of(const json_t *verdicts, const char *list);

/* What a test left of one case: its verdict, and a part of its reason. */
void expect_case(const char *test, const char *id, const char *verdict, const char *why);

/* How many cases of a test have a verdict. */
size_t count_cases(const char *test, const char *verdict);

/* A test was skipped by that ("filter", "unavailable", "no-baseline"), for a reason that says
 * `why`. */
void expect_skip(const char *test, const char *by, const char *why);

/* Plans what the GPU's observers, and what the instrumented ones, do from now on, and forgets which
 * were started. */
void plan(const char *text);
void plan_counts(const char *text);

/* How many observers of the GPU, and how many instrumented ones, were started since. */
size_t processes(void);
size_t instrumented_processes(void);

/* What goes wrong with SLOW while a part runs, and what comes of it. */
typedef struct mishap {
    const char *event; /* as plans name it */
    const char *verdict;
    const char *why;
    int code;         /* the run's exit code */
    size_t observers; /* that it takes */
} mishap;

/* A part of the fake comparison, as expect_mishaps() runs it. */
typedef struct fake_part {
    const char *test; /* "gpu.fake.time" */
    void (*plan)(const char *text);
    void (*expect)(int code, const char *line);
    size_t (*observers)(void);
} fake_part;

/* Each of `number` mishaps befalls SLOW in a run of its own and has its verdict, the other
 * `passing` cases pass. A hung case is given up after a second. */
void expect_mishaps(const fake_part *part, const mishap *mishaps, size_t number, size_t passing);

/* A copy of the model's program that stands alone, with no instrumented one beside it. */
const char *lone_program(void);

#endif
