/* The base that ci/gate --base builds: which commits it takes, what it leaves of the checkout, and
 * how it begins again after whatever was killed. What compiles is a stand-in. KG__CI is the folder
 * of the scripts. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/fakes/drive.h"

#define SETUP                                                                                      \
    "set -eu\n"                                                                                    \
    "mkdir -p tree/ci tree/kernels tree/harness tree/build/gpu\n"                                  \
    "cp '" KG__CI "/common.sh' '" KG__CI "/base.sh' tree/ci/\n"                                    \
    "echo 'CMAKE_BUILD_TYPE:STRING=Release' >tree/build/gpu/CMakeCache.txt\n"                      \
    "echo build/ >tree/.gitignore\n"                                                               \
    "cd tree\n"                                                                                    \
    "git init --quiet --initial-branch=main\n"                                                     \
    "git config user.name test; git config user.email test@localhost\n"                            \
    "echo one >kernels/a.cu; echo own >harness/a.c\n"                                              \
    "git add .; git commit --quiet --message=one; git tag first\n"                                 \
    "echo two >kernels/a.cu; git commit --quiet --all --message=two\n"

/* Finds and builds the base $1 of this tree, by the scripts of a folder; the stand-in keeps what it
 * was to compile. */
#define BUILD_BY(scripts)                                                                          \
    "set -euo pipefail\n"                                                                          \
    ". " scripts "/common.sh; . " scripts "/base.sh\n"                                             \
    "build_gpu_programs() {\n"                                                                     \
    "    [[ ! -e $root/build/refuse ]] || return 1\n"                                              \
    "    mkdir -p \"$base_build\"; cat \"$1/kernels/a.cu\" \"$1/harness/a.c\" "                    \
    ">\"$base_build/a.gpu\"\n"                                                                     \
    "}\n"                                                                                          \
    "find_base \"$1\"\n"                                                                           \
    "if build_base; then paste -sd ' ' \"$base_build/a.gpu\"; else echo without a base; fi\n"

#define BUILD BUILD_BY("./ci")

/* Runs a script in the test's folder, or in the tree that it has there. */
static void expect_script(const char *folder, const char *script, const char *argument, int code,
                          const char *line)
{
    char text[8192];
    const char *const arguments[] = { "/bin/bash", "-c", text, "bash", argument, NULL };
    static const char *const plain[] = { "GIT_DIR", "GIT_INDEX_FILE", "GIT_CONFIG_GLOBAL=/dev/null",
                                         NULL };
    ending seen;

    (void)snprintf(text, sizeof text, "cd '%s' || exit 9\n%s", folder, script);
    seen = drive(arguments, plain);
    expect_ending(&seen, code, line);
    free(seen.output);
}

static void begin(void)
{
    make_folder();
    expect_script(at(""), SETUP, "", 0, NULL);
}

TestSuite(base, .init = begin, .fini = remove_folder, .timeout = 60);

static void expect_base(const char *ref, int code, const char *line)
{
    expect_script(at("tree"), BUILD, ref, code, line);
}

/* Nothing of the base's worktree stays, and the tree is as it was. */
static void expect_clean(void)
{
    expect_script(at("tree"),
                  "[[ -z $(git status --short) && $(git worktree list | wc -l) == 1 ]] && "
                  "[[ ! -e build/base/tree && ! -e .git/worktrees/tree ]]",
                  "", 0, NULL);
}

Test(base, a_commit_is_built_with_this_harness)
{
    write_text(at("tree/harness/a.c"), "changed\n");
    expect_base("first", 0, "\none changed\n");
    expect_base("first", 0, "is built already");
    write_text(at("tree/harness/a.c"), "own\n");
    expect_clean();
}

Test(base, what_is_no_commit)
{
    static const char *const refs[] = { "nobody",      "^main",  "first..main", "HEAD:.gitignore",
                                        "HEAD^{tree}", "--help", "main\nmain",  "a b" };

    for (size_t i = 0; i < sizeof refs / sizeof *refs; i++)
        expect_base(refs[i], 2, "git knows no such commit here");
    expect_clean();
}

/* Held against itself a build is as fast, whatever it does. */
Test(base, this_very_tree_is_no_base)
{
    expect_base("HEAD", 0, "is this tree itself");
    expect_base("main", 0, "without a base");
    write_text(at("tree/kernels/new.cu"), "new\n");
    expect_base("HEAD", 0, "\ntwo own\n");
    expect_script(at("tree"), "rm kernels/new.cu; echo three >kernels/a.cu", "", 0, NULL);
    expect_base("HEAD", 0, "\ntwo own\n");
}

/* Git locks a worktree while it makes it, and whoever kills it then leaves it so. */
Test(base, a_worktree_that_was_left_behind)
{
    static const char *const remains[] = {
        "git worktree add --quiet --detach build/base/tree first",
        "git worktree add --quiet --detach --lock build/base/tree first",
        "git worktree add --quiet --detach --lock build/base/tree first; rm -r build/base",
        "mkdir -p build/base/tree/kernels",
    };

    for (size_t i = 0; i < sizeof remains / sizeof *remains; i++) {
        expect_script(at("tree"), "rm -rf build/base", "", 0, NULL);
        expect_script(at("tree"), remains[i], "", 0, NULL);
        expect_base("first", 0, "\none own\n");
        expect_clean();
    }
}

/* In a hook git's variables name the index of the commit that is being made. */
Test(base, in_a_hook_the_index_is_left_alone)
{
    write_text(at("tree/build/try"), BUILD);
    expect_script(at("tree"),
                  "set -e; echo three >kernels/a.cu; git add .\n"
                  "GIT_DIR=.git GIT_INDEX_FILE=$PWD/.git/index bash build/try first\n"
                  "[[ $(git status --short) == 'M  kernels/a.cu' ]]",
                  "", 0, "\none own\n");
}

Test(base, a_base_that_does_not_build)
{
    write_text(at("tree/build/refuse"), "");
    expect_base("first", 0, "does not build");
    expect_base("first", 0, "without a base");
    expect_clean();
}

/* A project that uses kernelgate may have a folder of the same name, which is as the base had it.
 * What it uses decides whether the base is built anew. */
Test(base, a_project_that_uses_kernelgate)
{
    static const char *const use =
        "cp -R ci ../ci; echo ../command >build/gpu/kernelgate.path\n"
        "echo changed >harness/a.c; export KG_PROJECT=$PWD\n" BUILD_BY("../ci");

    write_text(at("command"), "one\n");
    expect_script(at("tree"), use, "first", 0, "\none own\n");
    expect_script(at("tree"), use, "first", 0, "is built already");
    write_text(at("command"), "two\n");
    expect_script(at("tree"), use, "first", 0, "kernelgate: building the base first");
    write_text(at("tree/build/refuse"), "");
    write_text(at("command"), "three\n");
    expect_script(at("tree"), use, "first", 0, "does not build");
    write_text(at("tree/harness/a.c"), "own\n");
}
