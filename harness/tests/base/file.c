/* SPDX-License-Identifier: MIT */
/* Folders, and files that are replaced whole. */
#include "base/file.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "tests/fakes/drive.h"

static kg__error error;
static struct stat facts;

TestSuite(file, .init = make_folder, .fini = remove_folder);

/* The file that a replacement is written to first. */
static const char *temporary(void)
{
    static char name[128];

    snprintf(name, sizeof name, ".x" KG__FILE_TEMPORARY "%ld", (long)getpid());
    return at(name);
}

Test(file, what_cannot_be_replaced_stays)
{
    static const struct {
        const char *name, *said;
        mode_t kind; /* 0: nothing is there */
    } rows[] = { { "nowhere/x", "nowhere/x: cannot be written: No such file", 0 },
                 { "x", "/x: cannot be written", S_IFDIR },
                 { "pipe", "/pipe: cannot be written: it is not a regular file", S_IFIFO },
                 { "to_pipe", ": cannot be written: it is not a regular file", S_IFLNK },
                 { "to_nothing", "/to_nothing: cannot be written", S_IFLNK } };

    cr_assert(mkdir(at("x"), 0777) == 0 && mkfifo(at("pipe"), 0666) == 0);
    write_text(at("x/inside"), "");
    cr_assert(symlink("pipe", at("to_pipe")) == 0);
    cr_assert(symlink("nothing", at("to_nothing")) == 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct stat facts = { 0 };

        cr_expect(!kg__file_replace(at(rows[i].name), "new", 3, &error), "%s", rows[i].name);
        cr_expect(strstr(error.text, rows[i].said) != NULL, "%s", error.text);
        cr_expect(lstat(at(rows[i].name), &facts) == (rows[i].kind == 0 ? -1 : 0));
        cr_expect((facts.st_mode & S_IFMT) == rows[i].kind, "%s", rows[i].name);
    }
    cr_expect(!exists(temporary()) && !exists(at("nowhere")));
}

Test(file, what_is_not_a_regular_file_is_not_read, .timeout = 10)
{
    static const struct {
        const char *name;
        const char *cause; /* NULL: it is opened */
    } files[] = { { "file", NULL },
                  { "link", NULL },
                  { "none", "No such file or directory" },
                  { "pipe", "it is not a regular file" },
                  { "folder", "it is not a regular file" },
                  { "device", "it is not a regular file" } };

    write_text(at("file"), "text");
    cr_assert(symlink("file", at("link")) == 0);
    cr_assert(mkfifo(at("pipe"), 0666) == 0);
    cr_assert(mkdir(at("folder"), 0777) == 0);
    cr_assert(symlink("/dev/zero", at("device")) == 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *cause = NULL;
        FILE *stream = kg__file_stream(at(files[i].name), &cause);

        cr_expect((stream != NULL) == (files[i].cause == NULL), "%s", files[i].name);
        if (stream != NULL)
            (void)fclose(stream);
        else
            cr_expect_str_eq(cause, files[i].cause);
    }
}

Test(file, a_link_stays_and_its_file_is_replaced)
{
    cr_assert(mkdir(at("else"), 0777) == 0);
    write_text(at("else/file"), "old");
    cr_assert(symlink("else/file", at("link")) == 0);
    cr_assert(kg__file_replace(at("link"), "new", 3, &error), "%s", error.text);
    cr_expect(lstat(at("link"), &facts) == 0 && S_ISLNK(facts.st_mode));
    cr_expect_str_eq(read_text(at("else/file")), "new");
}

/* A name without a folder is in the current one; a file that a dead process left is replaced. */
Test(file, a_new_file_follows_the_umask)
{
    write_text(temporary(), "left");
    umask(027);
    cr_assert(chdir(at("")) == 0);
    cr_assert(kg__file_replace("x", "new", 3, &error), "%s", error.text);
    cr_assert(chdir("/") == 0 && stat(at("x"), &facts) == 0);
    cr_expect((facts.st_mode & 0777) == 0640);
    cr_expect(!exists(temporary()));
}

Test(file, a_disk_that_takes_no_more_leaves_the_old_file)
{
    const struct rlimit full = { 8192, 8192 };
    static const char large[65536];

    write_text(at("x"), "old");
    cr_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    cr_assert(setrlimit(RLIMIT_FSIZE, &full) == 0);
    cr_assert(!kg__file_replace(at("x"), large, sizeof large, &error));
    cr_expect(strstr(error.text, "/x: cannot be written: File too large") != NULL, "%s",
              error.text);
    cr_assert(stat(at("x"), &facts) == 0);
    cr_expect(facts.st_size == 3 && !exists(temporary()));
}

Test(file, json_that_cannot_be_written_leaves_the_old_file)
{
    json_t *bad = keep_json(json_object());

    write_text(at("x.json"), "old");
    json_object_set_new(bad, "text", json_string_nocheck("\xff"));
    cr_assert(!kg__json_save(at("x.json"), bad, 1, &error));
    cr_expect(strstr(error.text, "x.json: the document cannot be written") != NULL, "%s",
              error.text);
    cr_assert(stat(at("x.json"), &facts) == 0 && facts.st_size == 3);
}
