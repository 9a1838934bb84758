/* Verdicts that are read back: what tests write, and each kind of bad file. */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/stat.h>

#include "results/results_files.h"
#include "tests/fakes/drive.h"
#include "tests/gate/verdict_texts.h"

TestSuite(results_form, .init = make_folder, .fini = remove_folder);

static void expect_refused(const char *text, const char *message)
{
    kg__error error = { "" };
    json_t *document;

    write_text(at("x.verdicts.json"), text);
    document = kg__verdicts_load_json(at("x.verdicts.json"), &error);
    cr_expect(document == NULL, "accepted: %s", text);
    cr_expect(strstr(error.text, message) != NULL, "\"%s\" is not in \"%s\"", message, error.text);
    cr_expect(strstr(error.text, "x.verdicts.json") != NULL, "%s", error.text);
    json_decref(document);
}

Test(results_form, load_accepts_what_tests_write)
{
    kg__error error = { "" };
    json_t *document;

    write_text(
        at("x.verdicts.json"), HEAD
        ", \"seconds\": 3" TARGET ", \"errors\": [\"e\"], \"vanished\": [\"a/b/c/-\"], "
        "\"refused\": [{\"case\": \"a/b/0/-\", \"why\": \"size 0\"}], \"claims\": [{\"claim\": "
        "\"a/claim_x\", \"holds\": true}], \"notes\": [\"n\"], \"unheard_of\": 1, \"cases\": "
        "[" TIMED("a/b/c/b16", "slower", "") "]}");
    document = kg__verdicts_load_json(at("x.verdicts.json"), &error);
    cr_assert(document != NULL, "%s", error.text);
    json_decref(document);
    write_text(at("x.verdicts.json"), HEAD
               ", \"skipped\": \"no GPU\", \"skipped_by\": \"unavailable\", \"cases\": [{\"case\": "
               "\"a\", \"target\": \"t\", \"verdict\": \"pass\", \"metrics\": {\"time_ns\": "
               "{\"value\": null}}}]}");
    document = kg__verdicts_load_json(at("x.verdicts.json"), &error);
    cr_assert(document != NULL, "%s", error.text);
    json_decref(document);
}

Test(results_form, load_refuses_what_is_no_verdicts_file)
{
    kg__error error = { "" };

    cr_expect(kg__verdicts_load_json(at("none.verdicts.json"), &error) == NULL);
    cr_expect(strstr(error.text, "none.verdicts.json: cannot be read: No such file") != NULL, "%s",
              error.text);
    cr_expect(kg__verdicts_load_json(at(""), &error) == NULL);
    cr_expect(strstr(error.text, "it is not a regular file") != NULL, "%s", error.text);
    cr_assert(mkfifo(at("pipe"), 0600) == 0);
    cr_expect(kg__verdicts_load_json(at("pipe"), &error) == NULL);

    expect_refused("", "is no JSON");
    expect_refused(HEAD ", \"cases\": [\n{\"case\": \"a/b", "x.verdicts.json:2: is no JSON");
    expect_refused("[]", "is no JSON object");
    expect_refused("{\"schema\": 1}", "its schema is \"\"");
    expect_refused("{\"schema\": \"kernelgate-verdicts/2\"}",
                   "its schema is \"kernelgate-verdicts/2\"");
    expect_refused("{\"schema\": \"kernelgate-verdicts/1\", \"schema\": \"x\"}", "duplicate");
    expect_refused(HEAD ", \"notes\": [\"\xff\"]}", "is no JSON");
}

#define ONE ", \"cases\": [{\"case\": \"a\", \"target\": \"t\", \"verdict\": \"pass\", "

/* A row for each keyword of the schemas, and each way to get to a member. */
Test(results_form, load_names_the_member_of_the_wrong_type)
{
    static const struct {
        const char *members;
        const char *message;
    } wrong[] = {
        { ", \"seconds\": \"3\"}", "seconds is not {\"type\": \"number\", \"minimum\": 0}" },
        { ", \"seconds\": -1}", "seconds is not" },
        { ", \"target\": {\"key\": \"\"}}",
          "target.key is not {\"type\": \"string\", \"minLength\": 1}" },
        { ", \"skipped\": \"no GPU\"}", "skipped_by is not" },
        { ", \"skipped\": \"no GPU\", \"skipped_by\": \"whim\"}", "skipped_by is not" },
        { ", \"errors\": [\"e\", 1]}", "errors[1] is not" },
        { ", \"refused\": [{\"case\": \"a\", \"why\": 1}]}", "refused[0].why is not" },
        { ", \"claims\": [{\"holds\": true}]}", "claims[0].claim is not" },
        { ONE "\"findings\": [{\"kind\": \"none\"}]}]}", "cases[0].findings[0].kind is not" },
        { ONE "\"failure\": {\"kind\": \"k\", \"new\": 1}}]}",
          "cases[0].failure.new is not a known member" },
        { ONE "\"suspect\": false}]}", "cases[0].suspect is not {\"const\": true}" },
        { ONE "\"kernel\": {\"fingerprint\": \"x\"}}]}", "cases[0].kernel.fingerprint is not" },
        { ONE "\"kernel\": {\"occupancy\": 2}}]}", "cases[0].kernel.occupancy is not" },
        { ONE "\"part\": 0}]}", "cases[0].part is not" },
        { ONE "\"metrics\": {\"time_ns\": {\"change\": \"6 %\"}}}]}",
          "cases[0].metrics.time_ns.change is not {\"type\": [\"number\", \"null\"]}" },
        { ONE "\"work\": {\"bytes\": 1}}]}", "cases[0].work.operations is not" },
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[1024];

        snprintf(text, sizeof text, "%s%s", HEAD, wrong[i].members);
        expect_refused(text, wrong[i].message);
    }
    expect_refused("{\"schema\": \"kernelgate-verdicts/1\", \"complete\": true}", "test is not");
    expect_refused("{\"schema\": \"kernelgate-verdicts/1\", \"test\": \"t\"}",
                   "complete is not {\"type\": \"boolean\"}");
}

Test(results_form, a_file_cut_anywhere_is_refused)
{
    static const char whole[] =
        HEAD TARGET ", \"cases\": [" TIMED("a/b/c/b16", "pass", "") "], \"errors\": []}";
    char text[sizeof whole];

    for (size_t length = 0; length + 1 < sizeof whole; length++) {
        kg__error error = { "" };

        memcpy(text, whole, length);
        text[length] = '\0';
        write_text(at("x.verdicts.json"), text);
        cr_assert(kg__verdicts_load_json(at("x.verdicts.json"), &error) == NULL, "cut at %zu",
                  length);
        cr_assert(error.text[0] != '\0');
    }
}
