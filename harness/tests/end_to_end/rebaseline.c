/* ci/rebaseline from its first line to its last, in a repository of its own, with comparisons on a
 * GPU that is not there: what it refuses, what it writes, and that the commands it ends in work. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "tests/fakes/drive.h"

#define SLOW "fake/plain/64/b32"

static void link_program(const char *program, const char *name)
{
    cr_assert(symlink(program, name) == 0);
}

/* A repository with the scripts, one commit of it, and a build that needs no building. */
static void make_repository(void)
{
    static const char *const folders[] = { "bin",
                                           "ci",
                                           "kernels",
                                           "baselines",
                                           "build",
                                           "build/gpu",
                                           "build/cpu",
                                           "build/gpu/harness",
                                           "build/cpu/harness",
                                           "build/gpu/harness/cli",
                                           "build/cpu/harness/cli" };

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        cr_assert(mkdir(folders[i], 0777) == 0);
    write_script("bin/cmake", "#!/bin/sh\n");
    write_script("bin/nvcc", "#!/bin/sh\n");
    write_script("bin/nvidia-smi", "#!/bin/sh\necho 'NVIDIA Fake'\n");
    write_script("ci/setup", "#!/bin/sh\n");
    link_program(KG__COMMAND, "build/gpu/harness/cli/kernelgate");
    link_program(KG__COMMAND, "build/cpu/harness/cli/kernelgate");
    write_text("build/gpu/kernelgate.path", at("build/gpu/harness/cli/kernelgate"));
    write_text("build/cpu/kernelgate.path", at("build/cpu/harness/cli/kernelgate"));
    link_program(KG__FAKE_SOUND_GPU, "build/gpu/fake.gpu");
    link_program(KG__FAKE_MODEL, "build/gpu/fake.model");
    link_program(KG__FAKE_INSTRUMENTED, "build/gpu/fake.instrumented");
    /* A program that is left of another commit is not in the list. */
    write_script("build/gpu/stale.gpu", "#!/bin/sh\nexit 3\n");
    write_text("build/gpu/kernelgate.programs", "build/gpu/fake.gpu\nbuild/gpu/fake.model\n");
    write_text("build/cpu/kernelgate.programs", "");
    write_text("CMakePresets.json", "{}");
    write_text("kernels/plain.cu", "\n");
    write_text(".gitignore", "/build/\n/log\n/plan\n/count_log\n/count_plan\n*.lock\n.output*\n");
    expect_shell("cp " KG__CI "/rebaseline " KG__CI
                 "/common.sh ci/ && git init -q . && git add . && "
                 "git commit -q -m one");
}

static void begin(void)
{
    static const char *const unset[] = { "CUDA_VISIBLE_DEVICES", "CUDACXX", "CI", "KG_BASELINES",
                                         "TMPDIR" };
    char path[600];

    make_folder();
    cr_assert(chdir(at("")) == 0);
    kg__format(path, sizeof path, "%s:%s", at("bin"), getenv("PATH"));
    set("PATH", path);
    set("KG_LOCK_DIR", at(""));
    set("FAKE_LOG", at("log"));
    set("FAKE_PLAN", at("plan"));
    set("FAKE_COUNT_LOG", at("count_log"));
    set("FAKE_COUNT_PLAN", at("count_plan"));
    set("KG_FILTER", "fake/plain/64/b32");
    for (size_t i = 0; i < sizeof unset / sizeof *unset; i++)
        set(unset[i], NULL);
    setenv("GIT_AUTHOR_NAME", "a", 1);
    setenv("GIT_AUTHOR_EMAIL", "a@b", 1);
    setenv("GIT_COMMITTER_NAME", "a", 1);
    setenv("GIT_COMMITTER_EMAIL", "a@b", 1);
    make_repository();
}

static void end(void)
{
    cr_assert(chdir("/") == 0);
    remove_folder();
}

TestSuite(rebaseline, .init = begin, .fini = end, .timeout = 120);

static ending rebaseline(const char *option, const char *value)
{
    const char *const arguments[] = { "ci/rebaseline", option, value, NULL };

    (void)unlink("log");
    return drive(arguments, environment);
}

static void expect(const char *option, const char *value, int code, const char *line)
{
    ending seen = rebaseline(option, value);

    expect_ending(&seen, code, line);
    free(seen.output);
}

/* Runs the command that a recording ended in: it has to leave a clean tree and one more commit. */
static void run_last_command(const char *output)
{
    const char *then = strstr(output, "kernelgate: then: ");
    char line[600];

    cr_assert(then != NULL, "%s", output);
    then += strlen("kernelgate: then: ");
    cr_assert(then[strcspn(then, "\n") + 1] == '\0', "it is the last line: %s", output);
    kg__format(line, sizeof line, "%.*s && test -z \"$(git status --porcelain)\"",
               (int)strcspn(then, "\n"), then);
    expect_shell(line);
}

Test(rebaseline, a_new_gpu_gets_a_file_and_is_told_what_to_commit)
{
    ending seen = rebaseline("--target", "gpu");

    expect_ending(&seen, 0,
                  "kernelgate: changed: baselines/nvidia-fake.json\n"
                  "kernelgate: baselines/nvidia-fake.json is new, the first baseline of its "
                  "target: look at it (build/gpu/harness/cli/kernelgate baseline show "
                  "baselines/nvidia-fake.json)\n"
                  "kernelgate: then: git add -- baselines/nvidia-fake.json");
    run_last_command(seen.output);
    free(seen.output);
    expect_shell("test \"$(git log -1 --format=%s)\" = 'baselines: record nvidia-fake'");
    expect("--target", "gpu", 0, "kernelgate: nothing moved beyond its band\n");
}

Test(rebaseline, what_moved_is_told_and_committed)
{
    ending seen = rebaseline("--target", "gpu");

    run_last_command(seen.output);
    free(seen.output);
    write_text("plan", "* " SLOW " hot 12000\n");
    seen = rebaseline("--target", "gpu");
    expect_ending(&seen, 0,
                  "kernelgate: changed: baselines/nvidia-fake.json\n"
                  "kernelgate: look at the change (git diff -- baselines/nvidia-fake.json)\n");
    cr_assert(strstr(seen.output, "10 000 ns      12 000 ns   +20.0 %") != NULL, "%s", seen.output);
    run_last_command(seen.output);
    free(seen.output);
}

Test(rebaseline, all_targets_are_recorded)
{
    ending seen = rebaseline(NULL, NULL);

    expect_ending(&seen, 0,
                  "kernelgate: changed: baselines/cpu-model.json baselines/nvidia-fake.json\n");
    cr_assert(strstr(seen.output, "git commit -m 'baselines: record cpu-model, nvidia-fake'") !=
                  NULL,
              "%s", seen.output);
    run_last_command(seen.output);
    free(seen.output);
}

/* The GPU's refusal takes nothing back of what the model counted, and hides nothing of it. */
Test(rebaseline, a_refusal_after_a_recording_says_what_stands)
{
    ending seen;

    write_text("plan", "4 " SLOW " throttled\n");
    seen = rebaseline(NULL, NULL);
    expect_ending(&seen, 2, SLOW ": the GPU was throttled while it was timed");
    cr_assert(strstr(seen.output, "kernelgate: changed: baselines/cpu-model.json\n") != NULL, "%s",
              seen.output);
    run_last_command(seen.output);
    free(seen.output);
    cr_assert(!exists("baselines/nvidia-fake.json"));
}

Test(rebaseline, refusals_write_nothing)
{
    static const struct {
        const char *plan;
        const char *line;
    } refusals[] = {
        { "3 " SLOW " wrong\n", "expected 1, got 2" },
        { "4 " SLOW " throttled\n", "the GPU was throttled" },
        { "4 " SLOW " foreign 1\n", "1 other process computed on the GPU" },
        { "3 " SLOW " hot 12000 cold 15000\n", "differ from session to session: nothing is" },
        { "3 copy hot 120000\n", "copy: time_ns: the sessions disagree" },
    };

    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        write_text("plan", refusals[i].plan);
        expect("--target", "gpu", 2, refusals[i].line);
        cr_assert(!exists("baselines/nvidia-fake.json"));
    }
    expect_shell("test -z \"$(git status --porcelain)\"");
}

Test(rebaseline, a_dirty_tree_refuses_unless_told)
{
    const char *const told[] = { "ci/rebaseline", "--target", "gpu", "--allow-dirty", NULL };

    write_text("kernels/plain.cu", "changed\n");
    expect("--target", "gpu", 2, "uncommitted changes (kernels/plain.cu): commit or remove them");
    cr_assert(!exists("log"), "nothing is measured in vain");
    expect_drive(told, 0, "baselines/nvidia-fake.json is new");
    expect_shell("grep -q '\"commit\": \"[0-9a-f]*-dirty\"' baselines/nvidia-fake.json");
}

Test(rebaseline, arguments_that_are_wrong)
{
    expect("--sessions", "4", 2, "--sessions is a number from 5 to 999, not '4'");
    expect("--sessions", "1000", 2, "--sessions is a number from 5 to 999, not '1000'");
    expect("--target", "tpu", 2, "--target is all, model or gpu, not 'tpu'");
    expect("--target", NULL, 2, "--target needs a value");
    expect("--fast", NULL, 2, "unknown option '--fast'");
    cr_assert(!exists("log"));
}

Test(rebaseline, without_git)
{
    const char *const arguments[] = { "ci/rebaseline", "--target", "gpu", "--allow-dirty", NULL };

    expect_shell("rm -rf .git");
    expect("--target", "gpu", 2, "git failed to check whether the tree is clean");
    expect_drive(arguments, 0,
                 "kernelgate: changed: baselines/nvidia-fake.json\n"
                 "kernelgate: this is not a git repository: nothing to commit to\n");
}

/* Another project, in a folder of its repository, is recorded by the scripts of this one. */
Test(rebaseline, a_project_of_its_own)
{
    static const char *const recorded[] = { "/bin/bash", "-c",
                                            "KG_PROJECT=own ci/rebaseline --target gpu", NULL };
    static const char *const nowhere[] = { "/bin/bash", "-c", "KG_PROJECT=bin ci/rebaseline",
                                           NULL };
    ending seen = drive(nowhere, environment);

    expect_ending(&seen, 2, "/bin is not a project to gate, since it has no CMakePresets.json");
    free(seen.output);
    expect_shell(
        "mkdir -p own/baselines && git mv kernels CMakePresets.json own && mv build own/ && "
        "echo /own/build/ >>.gitignore && git add . && git commit -q -m two");
    write_text("own/build/gpu/kernelgate.path", at("own/build/gpu/harness/cli/kernelgate"));
    write_text("own/include.h", "\n");
    expect_drive(recorded, 2, "uncommitted changes (own/include.h)");
    cr_assert(unlink("own/include.h") == 0);
    seen = drive(recorded, environment);
    expect_ending(&seen, 0,
                  "baseline show baselines/nvidia-fake.json)\n"
                  "kernelgate: then: git add -- baselines/nvidia-fake.json");
    cr_assert(chdir("own") == 0);
    run_last_command(seen.output);
    free(seen.output);
    cr_assert(unlink("build/gpu/kernelgate.path") == 0 && chdir("..") == 0);
    expect_drive(recorded, 2, "end its CMakeLists.txt with kg_finish_gate()");
}
