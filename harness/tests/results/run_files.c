/* What a run leaves in its folder: made, cleared and written. */
#include "results/run_files.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "tests/fakes/drive.h"

TestSuite(run_files, .init = make_folder, .fini = remove_folder);

static void begin(void)
{
    kg__error error = { "" };

    cr_assert(kg__results_begin(at("out"), &error), "%s", error.text);
}

Test(run_files, begin_makes_folders_above)
{
    kg__error error = { "" };

    cr_assert(kg__results_begin(at("a/b//c/out"), &error), "%s", error.text);
    cr_assert(exists(at("a/b/c/out/records")));
}

Test(run_files, begin_names_what_is_in_its_way)
{
    static const struct {
        const char *path;
        bool folder; /* or a file */
        const char *error;
    } rows[] = {
        { "out", false, "/out: is not a folder" },
        { "out/results.json", true, "out/results.json: left by an earlier run" },
        { "out/report", false, "out/report: the folder cannot be read" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kg__error error = { "" };

        if (i > 0)
            begin();
        if (rows[i].folder)
            cr_assert(mkdir(at(rows[i].path), 0777) == 0);
        else
            write_text(at(rows[i].path), "x");
        cr_expect(not(kg__results_begin(at("out"), &error)));
        cr_expect(strstr(error.text, rows[i].error) != NULL, "%s", error.text);
        cr_assert(remove(at(rows[i].path)) == 0);
    }
}

Test(run_files, begin_removes_what_a_run_left_and_nothing_else)
{
    static const char *const ours[] = { "out/results.json",
                                        "out/junit.xml",
                                        "out/summary.md",
                                        "out/.results.json.new-42",
                                        "out/report/index.html",
                                        "out/records/gpu.a.time.verdicts.json",
                                        "out/records/.gpu.a.time.verdicts.json.new-7",
                                        "out/records/gpu.a.time.1.jsonl",
                                        "out/records/gpu.a.time.1.cases" };
    static const char *const others[] = { "out/notes.txt",       "out/results.json.bak",
                                          "out/my.results.json", "out/.junit.xml.swp",
                                          "out/.new-1",          "out/..new-1",
                                          "out/records/.new-1",  "out/report/style.css",
                                          "out/records/readme",  "out/records/results.json",
                                          "out/records/.jsonl" };

    begin();
    cr_assert(mkdir(at("out/report"), 0777) == 0);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        write_text(at(ours[i]), "x");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        write_text(at(others[i]), "x");
    begin();
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        cr_expect(not(exists(at(ours[i]))), "%s stayed", ours[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_expect(exists(at(others[i])), "%s went", others[i]);
}

Test(run_files, json_leaves_the_old_file_where_it_cannot_write)
{
    kg__error error = { "" };
    json_t *bad = json_object();
    struct stat facts;

    write_text(at("x.json"), "old");
    json_object_set_new(bad, "text", json_string_nocheck("\xff"));
    cr_assert(not(kg__json_save(at("x.json"), bad, 1, &error)));
    cr_expect(strstr(error.text, "x.json: the document cannot be written") != NULL, "%s",
              error.text);
    cr_assert(stat(at("x.json"), &facts) == 0);
    cr_expect(eq(long, facts.st_size, 3));
    json_decref(bad);
}
