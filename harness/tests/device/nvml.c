/* SPDX-License-Identifier: MIT */
/* NVML, through a library of our own that answers in its place: KG__FAKE_NVML is its path. */
#include "device/nvml.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fakes/drive.h"

static kg__error error;

static void use_fake(void)
{
    setenv("KG_NVML_LIBRARY", KG__FAKE_NVML, 1);
    unsetenv("KG_FAKE_NVML");
}

TestSuite(nvml, .init = use_fake);

static void answer(const char *settings)
{
    setenv("KG_FAKE_NVML", settings, 1);
}

static kg__nvml *open_fake(void)
{
    kg__nvml *nvml = kg__nvml_open(&error);

    cr_assert(nvml != NULL, "%s", error.text);
    kg__pool_keep(test_pool(), nvml, free);
    return nvml;
}

static kg__nvml_state state_of(const char *which)
{
    kg__nvml *nvml = open_fake();
    kg__nvml_state state;

    cr_assert(kg__nvml_gpu_state(nvml, which, &state, &error), "%s", error.text);
    return state;
}

Test(nvml, what_cannot_be_opened_is_absent_or_broken)
{
    static const struct {
        const char *library, *settings; /* library: NULL for the fake */
        const char *said, *more;
    } rows[] = {
        { "/nowhere/libnvidia-ml.so.1", "",
          "no NVIDIA driver here (/nowhere/libnvidia-ml.so.1: cannot open", "" },
        { "libm.so.6", "", "libm.so.6: has no function nvmlInit_v2", "" },
        { NULL, "init=9", "not loaded (NVML: Driver Not Loaded)", "" },
        { NULL, "init=18", "NVML error 18", "restart the machine" },
        { NULL, "init=999", "NVML error 999", "" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        setenv("KG_NVML_LIBRARY", rows[i].library == NULL ? KG__FAKE_NVML : rows[i].library, 1);
        answer(rows[i].settings);
        cr_expect(kg__nvml_open(&error) == NULL);
        cr_expect(strstr(error.text, rows[i].said) != NULL &&
                      strstr(error.text, rows[i].more) != NULL,
                  "%s", error.text);
        if (rows[i].library == NULL && strcmp(rows[i].settings, "init=9") != 0)
            cr_expect(eq(int, strstr(error.text, "restart") != NULL, rows[i].more[0] != '\0'));
    }
}

Test(nvml, an_empty_name_is_the_usual_one)
{
    kg__nvml *nvml;

    setenv("KG_NVML_LIBRARY", "", 1);
    nvml = kg__nvml_open(&error);
    if (nvml == NULL)
        cr_expect(strstr(error.text, KG__NVML_LIBRARY) != NULL ||
                      strstr(error.text, "not loaded") != NULL,
                  "%s", error.text);
    free(nvml);
}

Test(nvml, tells_the_driver)
{
    kg__nvml *nvml = open_fake();
    char driver[96];
    char small[4] = "xyz";

    kg__nvml_driver(nvml, driver, sizeof driver);
    cr_expect(eq(str, driver, "580.159.04"));
    kg__nvml_driver(nvml, small, sizeof small);
    cr_expect(eq(str, small, ""), "a version that does not fit is left out");
    answer("driver=none");
    kg__nvml_driver(nvml, driver, sizeof driver);
    cr_expect(eq(str, driver, ""));
}

static void expect_figures(const kg__nvml_state *state, const int wanted[5])
{
    const int got[] = { state->temperature_c, state->sm_clock_mhz, state->memory_clock_mhz,
                        state->max_sm_clock_mhz, state->ecc };

    for (int i = 0; i < 5; i++)
        cr_expect(eq(int, got[i], wanted[i]), "figure %d", i);
}

Test(nvml, reads_every_figure)
{
    static const int figures[] = { 71, 1410, 2619, 1980, 0 };
    kg__nvml_state state;

    answer("temperature=71,sm=1410,memory=2619,max=1980,throttle=0x44,limit=650000,ecc=0");
    state = state_of("GPU-fake-0");
    cr_expect(state.reasons_known);
    cr_expect(eq(u64, state.reasons, 0x44));
    cr_expect(epsilon_eq(dbl, state.power_limit_w, 650.0, 1e-9));
    expect_figures(&state, figures);
}

Test(nvml, each_figure_may_be_unavailable_on_its_own)
{
    static const int none[] = { -1, -1, -1, -1, -1 };
    kg__nvml_state state;

    answer("temperature=none,sm=none,memory=none,max=none,throttle=none,old_throttle=none,"
           "limit=none,ecc=none");
    state = state_of("GPU-fake-0");
    cr_expect(not(state.reasons_known));
    cr_expect(eq(u64, state.reasons, 0));
    cr_expect(isnan(state.power_limit_w) != 0);
    expect_figures(&state, none);
    answer("memory=none");
    cr_expect(eq(int, state_of("GPU-fake-0").memory_clock_mhz, -1));
    cr_expect(eq(int, state_of("GPU-fake-0").sm_clock_mhz, 1980));
}

Test(nvml, a_gpu_that_is_not_there_is_an_error)
{
    static const char *const missing[] = { "GPU-fake-1", "GPU-other", "0", "" };
    kg__nvml *nvml = open_fake();

    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        kg__nvml_state state = { .temperature_c = 3 };
        char expected[128];

        cr_assert(not(kg__nvml_gpu_state(nvml, missing[i], &state, &error)));
        snprintf(expected, sizeof expected,
                 "GPU %s: the NVIDIA driver does not find it (NVML error 6: "
                 "Not Found)",
                 missing[i]);
        cr_expect(strstr(error.text, expected) != NULL, "%s", error.text);
        cr_expect(eq(int, state.temperature_c, -1), "nothing of an earlier GPU stays");
    }
}

/* The processes that the fake lists under these settings. */
static kg__nvml_processes listed(const char *settings)
{
    kg__nvml *nvml = NULL;
    kg__nvml_processes all;
    bool is_listed;

    answer(settings);
    nvml = open_fake();
    is_listed = kg__nvml_list(nvml, "GPU-fake-0", &all);
    cr_expect(eq(int, is_listed, all.count >= 0));
    return all;
}

Test(nvml, other_processes_are_counted)
{
    static const struct {
        const char *settings;
        int foreign;
    } rows[] = { { "others=2,self=1", 2 },
                 { "listed=0,others=2", -1 },
                 { "others=0,self=1", 0 },
                 { "others=0,self=0", 0 },
                 { "others=5000", 256 } }; /* as many as are looked at */

    const kg__nvml_processes own = { .count = 1, .pids = { (unsigned)getpid() } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kg__nvml_processes processes = listed(rows[i].settings);

        cr_expect(eq(int, kg__nvml_foreign(&processes, &own), rows[i].foreign), "%s",
                  rows[i].settings);
    }
}

Test(nvml, older_drivers_have_another_call)
{
    answer("throttle=none,old_throttle=0x20");
    cr_expect(state_of("GPU-fake-0").reasons_known);
    cr_expect(eq(u64, state_of("GPU-fake-0").reasons, 0x20));
}

/* How many are foreign at the end, from the lists before this process had its context, after it,
 * and at the end. */
static int foreign(const char *before, const char *after, const char *end)
{
    kg__nvml_processes none = listed(before);
    kg__nvml_processes made = listed(after);
    kg__nvml_processes now = listed(end);
    kg__nvml_processes own;

    kg__nvml_find_own(&none, &made, &own);
    return kg__nvml_foreign(&now, &own);
}

Test(nvml, this_process_is_not_foreign_by_whatever_id)
{
    static const struct {
        const char *before, *after, *end; /* what is listed */
        int foreign;
    } rows[] = {
        /* By its own id. */
        { "self=0", "self=1", "self=1", 0 },
        { "self=0,others=2", "self=1,others=2", "self=1,others=2", 2 },
        /* By another id, as in a container. */
        { "self=0", "self_pid=4242", "self_pid=4242", 0 },
        { "self=0,others=2", "self_pid=4242,others=2", "self_pid=4242,others=2", 2 },
        /* A process that came later, and those that left. */
        { "self=0", "self_pid=4242", "self_pid=4242,others=1", 1 },
        { "self=0,others=3", "self_pid=4242,others=3", "self_pid=4242", 0 },
        /* Another process of the machine has the id that this one has in its container. */
        { "self=1", "self=1,others=1", "self=1,others=1", 1 },
        { "self=1", "self=1,others=1", "self=0,others=1", 0 },
        /* Hidden. */
        { "self=0", "self=0", "self=0", 0 },
        { "self=0,others=1", "self=0,others=1", "self=0,others=1", 1 },
        /* Of several that came at once one may be this process, unless one has its id. */
        { "self=0", "self=0,others=2", "self=0,others=2", 1 },
        { "self=0", "self=0,others=2", "self=0,others=1", 0 },
        { "self=0", "self=1,others=2", "self=1,others=2", 2 },
        /* None is foreign where none is listed. */
        { "listed=0", "self=1", "self=1", -1 },
        { "self=0", "listed=0", "self=1", -1 },
        { "self=0", "self=1", "listed=0", -1 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect(eq(int, foreign(rows[i].before, rows[i].after, rows[i].end), rows[i].foreign),
                  "row %zu", i);
    cr_expect(eq(int, listed("listed=0").count, -1));
    cr_expect(eq(int, listed("others=5000").count, KG__NVML_PROCESSES), "as many as fit");
}

Test(nvml, a_split_gpu_lists_this_process_twice)
{
    kg__nvml_processes all = { .count = 3, .pids = { 7, 7, 8 } };
    kg__nvml_processes own = { .count = 1, .pids = { 7 } };

    cr_expect(eq(int, kg__nvml_foreign(&all, &own), 1));
}

Test(nvml, processes_of_a_gpu_that_is_not_there)
{
    kg__nvml *nvml = open_fake();
    kg__nvml_processes all = { .count = 3 };

    cr_expect(not(kg__nvml_list(nvml, "GPU-fake-7", &all)));
    cr_expect(eq(int, all.count, -1));
}

Test(nvml, which_reasons_are_throttling)
{
    static const uint64_t slowed[] = { 0x4, 0x8, 0x20, 0x40, 0x80 };
    static const uint64_t usual[] = { 0x0, 0x1, 0x2, 0x10, 0x100, 0x113, 0x200, 1ULL << 63 };

    for (size_t i = 0; i < sizeof slowed / sizeof *slowed; i++) {
        cr_expect(kg__nvml_throttles(slowed[i]), "0x%llx", (unsigned long long)slowed[i]);
        cr_expect(kg__nvml_throttles(slowed[i] | 0x1), "0x%llx", (unsigned long long)slowed[i]);
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        cr_expect(not(kg__nvml_throttles(usual[i])), "0x%llx", (unsigned long long)usual[i]);
}

Test(nvml, reasons_in_words)
{
    static const struct {
        uint64_t reasons;
        const char *text;
    } rows[] = { { 0, "none" },
                 { 0x45, "idle, software power cap, hardware thermal slowdown" },
                 { 1ULL << 63, "a reason that this version does not know" },
                 { 0x90, "sync boost, hardware power brake" } };
    char text[256];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kg__nvml_reasons_text(rows[i].reasons, text, sizeof text);
        cr_expect(eq(str, text, (char *)rows[i].text));
    }
    kg__nvml_reasons_text(UINT64_MAX, text, 16);
    cr_expect(eq(sz, strlen(text), 15));
}

/* The commands take them from the schema of results. */
Test(nvml, reasons_are_those_of_the_schema)
{
    json_t *schema = read_json(KG__RESULTS_SCHEMA);
    json_t *entry = NULL;
    json_t *known;

    cr_assert(json_unpack(schema, "{s:{s:{s:{s:{s:o}}}}}", "$defs", "case_entry", "properties",
                          "gpu_state", "properties", &entry) == 0);
    known = json_object_get(json_object_get(entry, "clock_reasons"), "x-throttling");
    for (int i = 0; i < 64; i++) {
        uint64_t bit = 1ULL << i;
        char key[32];
        char text[128];
        const char *named;

        snprintf(key, sizeof key, "%llu", (unsigned long long)bit);
        named = json_string_value(json_object_get(known, key));
        kg__nvml_reasons_text(bit, text, sizeof text);
        cr_expect(kg__nvml_throttles(bit) == (named != NULL), "%s", key);
        cr_expect(named == NULL || strcmp(text, named) == 0, "%s", key);
    }
}
