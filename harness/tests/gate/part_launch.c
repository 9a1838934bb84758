/* The part `launch` of a GPU's program, whose records kernelgate validate reads. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fakes/drive.h"

TestSuite(part_launch, .init = make_folder, .fini = remove_folder, .timeout = 60);

static ending observe(const char *program, const char *cases)
{
    const char *arguments[] = { program,  "--observe", at("cases"),          "--part",
                                "launch", "--records", at("launches.jsonl"), NULL };

    write_text(at("cases"), cases);
    return drive(arguments, NULL);
}

Test(part_launch, launches_each_counted_case_once)
{
    const char *list[] = { KG__FAKE_SOUND_GPU, "--cases", "launch", NULL };
    ending seen = drive(list, NULL);
    ending launched;
    char *records;

    /* The sizes that are counted, and no others. */
    expect_ending(&seen, 0, "fake/plain/64/b32\n");
    cr_assert(occurrences(seen.output, "\n") == 8, "%s", seen.output);
    launched = observe(KG__FAKE_SOUND_GPU, seen.output);
    expect_ending(&launched, 0, NULL);
    records = read_text(at("launches.jsonl"));
    cr_assert(occurrences(records, "\"launched\"") == 4, "%s", records);
    cr_assert(occurrences(records, "\"refused\"") == 4, "%s", records);
    cr_assert(strstr(records, "{\"event\":\"start\",\"case\":\"fake/quick/64/b32\"}\n"
                              "{\"event\":\"launched\",\"case\":\"fake/quick/64/b32\","
                              "\"kernels\":1}\n") != NULL,
              "%s", records);
    cr_assert(strstr(records, "{\"event\":\"done\"}\n") != NULL);
    free(records);
    free(launched.output);
    free(seen.output);
}

Test(part_launch, tells_wrong_and_failed_ones)
{
    ending seen = observe(KG__FAKE_GPU, "fake/wrong/64/b32\nfake/hangs/64/b32\nfake/cannot/64/b32\n"
                                        "fake/plain/64/b32\n");
    char *records = read_text(at("launches.jsonl"));

    expect_ending(&seen, 0, NULL);
    cr_assert(strstr(records, "\"case\":\"fake/wrong/64/b32\",\"right\":false") != NULL, "%s",
              records);
    cr_assert(strstr(records, "\"case\":\"fake/hangs/64/b32\",\"why\":\"launching: this fake") !=
                  NULL,
              "%s", records);
    cr_assert(strstr(records, "\"case\":\"fake/cannot/64/b32\",\"why\":\"launching: ") != NULL,
              "%s", records);
    cr_assert(strstr(records, "\"event\":\"launched\",\"case\":\"fake/plain/64/b32\"") != NULL,
              "%s", records);
    free(records);
    free(seen.output);
}

Test(part_launch, ends_when_the_device_is_lost)
{
    ending seen = observe(KG__FAKE_GPU, "fake/strays/64/b32\nfake/plain/64/b32\n");
    char *records = read_text(at("launches.jsonl"));

    expect_ending(&seen, 3, "fake/strays/64/b32: ");
    cr_assert(strstr(records, "\"failed\",\"case\":\"fake/strays/64/b32\"") != NULL, "%s", records);
    cr_assert(occurrences(records, "fake/plain") == 0, "%s", records);
    cr_assert(occurrences(records, "\"done\"") == 0, "%s", records);
    free(records);
    free(seen.output);
}

Test(part_launch, is_no_part_of_the_model)
{
    ending seen = observe(KG__FAKE_MODEL, "fake/plain/64/b32\n");

    expect_ending(&seen, 2, "fake: this target has no part launch");
    free(seen.output);
}
