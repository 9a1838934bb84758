/* SPDX-License-Identifier: MIT */
#include "tests/fakes/drive.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/message.h"

extern char **environ;

#define SETTINGS_MAXIMUM 24
#define SETTING_SIZE 2048

const char *environment[SETTINGS_MAXIMUM + 1];

static char folder[256];

void make_folder(void)
{
    const char *base = getenv("TMPDIR");

    kg__format(folder, sizeof folder, "%s/kernelgate-test.XXXXXX",
               base != NULL && base[0] != '\0' ? base : "/tmp");
    cr_assert(mkdtemp(folder) != NULL, "%s: %s", folder, strerror(errno));
}

static int remove_entry(const char *path, const struct stat *facts, int type, struct FTW *walk)
{
    (void)facts;
    (void)type;
    (void)walk;
    return remove(path);
}

void remove_folder(void)
{
    (void)nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

const char *at(const char *name)
{
    static char paths[16][512];
    static int next;
    char *path = paths[next++ % 16];

    kg__format(path, sizeof paths[0], "%s%s%s", folder, name[0] != '\0' ? "/" : "", name);
    return path;
}

void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    cr_assert(file != NULL, "%s: %s", path, strerror(errno));
    cr_assert(fputs(text, file) >= 0);
    cr_assert(fclose(file) == 0);
}

char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    size_t room = 4096;
    size_t length = 0;
    char *text = kg__allocate(room, 1);
    size_t got;

    cr_assert(file != NULL, "%s: %s", path, strerror(errno));
    while ((got = fread(text + length, 1, room - 1 - length, file)) > 0) {
        char *larger;

        length += got;
        if (length < room - 1)
            continue;
        room *= 2;
        larger = kg__allocate(room, 1);
        memcpy(larger, text, length);
        free(text);
        text = larger;
    }
    text[length] = '\0';
    cr_assert(fclose(file) == 0);
    return text;
}

bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

char *quote(char *text)
{
    for (char *c = text; *c != '\0'; c++)
        if (*c == '\'')
            *c = '"';
    return text;
}

json_t *json_of(const char *text)
{
    char *quoted = quote(kg__copy_text(text));
    json_error_t error;
    json_t *json = json_loads(quoted, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);

    cr_assert(json != NULL, "%s: %s", quoted, error.text);
    free(quoted);
    return json;
}

size_t occurrences(const char *text, const char *part)
{
    size_t count = 0;

    for (const char *found = strstr(text, part); found != NULL; found = strstr(found + 1, part))
        count++;
    return count;
}

/* What would steer the program besides the test's own settings. */
static const char *const left_out[] = {
    "BXFI_MAP",
    "KG__PARENT",
    "KG_STRICT",
    "KG_VERBOSE",
    "KG_FILTER",
    "KG_OUT",
    "KG_BASELINES",
    "KG_BASE",
    "KG_BASE_REF",
    "KG_BASE_COMMIT",
    "KG_PAIRED",
    "KG_FILTER_GIVEN",
    "NO_COLOR",
    "CLICOLOR_FORCE",
    "KG_LOCK_DIR",
    "KG_CASE_SECONDS",
    "KG_CASE_TIMEOUT",
    "KG_WRAPPER",
    "KG_WHOLE_PROGRAMS",
    "CTEST_RESOURCE_GROUP_0_GPUS",
    "CTEST_RESOURCE_GROUP_COUNT",
    "CUDA_VISIBLE_DEVICES",
    "GITHUB_ACTIONS",
};

static bool names(const char *setting, const char *name)
{
    size_t length = strcspn(setting, "=");

    return strlen(name) >= length && strncmp(setting, name, length) == 0 &&
           (name[length] == '=' || name[length] == '\0');
}

static char **environment_with(const char *const *settings)
{
    size_t count = 0;
    size_t kept = 0;
    char **copy;

    for (size_t i = 0; environ[i] != NULL; i++)
        count++;
    for (size_t i = 0; settings != NULL && settings[i] != NULL; i++)
        count++;
    copy = kg__allocate(count + 1, sizeof *copy);
    for (size_t i = 0; environ[i] != NULL; i++) {
        bool keep = true;

        for (size_t j = 0; j < sizeof left_out / sizeof *left_out; j++)
            keep = keep && !names(left_out[j], environ[i]);
        for (size_t j = 0; settings != NULL && settings[j] != NULL; j++)
            keep = keep && !names(settings[j], environ[i]);
        if (keep)
            copy[kept++] = environ[i];
    }
    for (size_t i = 0; settings != NULL && settings[i] != NULL; i++) {
        if (strchr(settings[i], '=') != NULL)
            copy[kept++] = (char *)settings[i];
    }
    return copy;
}

void set(const char *name, const char *value)
{
    static char texts[SETTINGS_MAXIMUM][SETTING_SIZE];
    size_t i = 0;

    while (environment[i] != NULL && !names(environment[i], name))
        i++;
    cr_assert(i < SETTINGS_MAXIMUM, "more settings than there is room for: %s", name);
    kg__format(texts[i], sizeof texts[i], "%s%s%s", name, value != NULL ? "=" : "",
               value != NULL ? value : "");
    environment[i] = texts[i];
    /* A test's filter is meant, as one that is given to ci/gate. */
    if (strcmp(name, "KG_FILTER") == 0)
        set("KG_FILTER_GIVEN", value);
}

ending drive(const char *const *arguments, const char *const *settings)
{
    char output[300];
    char **whole = environment_with(settings);
    posix_spawn_file_actions_t actions;
    pid_t process;
    int status = 0;
    int file;
    ending seen = { 0 };

    kg__format(output, sizeof output, "%s", at(".output.XXXXXX"));
    file = mkstemp(output);
    cr_assert(file >= 0, "%s: %s", output, strerror(errno));
    close(file);
    cr_assert(posix_spawn_file_actions_init(&actions) == 0);
    cr_assert(posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) == 0);
    cr_assert(posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_APPEND, 0) == 0);
    cr_assert(posix_spawn_file_actions_adddup2(&actions, 1, 2) == 0);
    cr_assert(
        posix_spawn(&process, arguments[0], &actions, NULL, (char *const *)arguments, whole) == 0,
        "%s does not start", arguments[0]);
    posix_spawn_file_actions_destroy(&actions);
    free(whole);
    while (waitpid(process, &status, 0) < 0)
        cr_assert(errno == EINTR);
    seen.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    seen.output = read_text(output);
    (void)unlink(output);
    return seen;
}

void need_comparison(const char *program)
{
    if (*program == '\0')
        cr_skip_test("the comparison that this test asks is not in CMakeLists.txt");
}

void expect_ending(const ending *seen, int code, const char *expected)
{
    cr_assert(seen->code == code, "exit code %d, expected %d; the output:\n%s", seen->code, code,
              seen->output);
    cr_assert(expected == NULL || strstr(seen->output, expected) != NULL,
              "\"%s\" is not in the output:\n%s", expected, seen->output);
}

void expect_drive(const char *const *arguments, int code, const char *expected)
{
    ending seen = drive(arguments, environment);

    expect_ending(&seen, code, expected);
    free(seen.output);
}

json_t *read_json(const char *path)
{
    json_error_t error;
    json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);

    cr_assert(document != NULL, "%s:%d: %s", path, error.line, error.text);
    return document;
}

json_t *read_rows(const char *path)
{
    char *text = read_text(path);
    json_t *rows = json_array();
    char *rest = NULL;

    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        cr_assert(json_array_append_new(rows, json_loads(line, 0, NULL)) == 0, "%s", line);
    free(text);
    return rows;
}
