/* Verdicts that are read back: what tests write, and each kind of bad file. */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/stat.h>

#include "results/results.h"
#include "tests/fakes/drive.h"
#include "tests/gate/verdict_texts.h"

TestSuite(results_form, .init = make_folder, .fini = remove_folder);

static void expect_refused(const char *text, const char *message)
{
    kg__error error = { "" };
    json_t *document;

    write_text(at("x.verdicts.json"), text);
    document = kg__verdicts_load(at("x.verdicts.json"), &error);
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
    document = kg__verdicts_load(at("x.verdicts.json"), &error);
    cr_assert(document != NULL, "%s", error.text);
    json_decref(document);
    write_text(at("x.verdicts.json"), HEAD
               ", \"skipped\": \"no GPU\", \"skipped_by\": \"unavailable\", \"cases\": [{\"case\": "
               "\"a\", \"target\": \"t\", \"verdict\": \"pass\", \"metrics\": {\"time_ns\": "
               "{\"value\": null}}}]}");
    document = kg__verdicts_load(at("x.verdicts.json"), &error);
    cr_assert(document != NULL, "%s", error.text);
    json_decref(document);
}

Test(results_form, load_refuses_what_is_no_verdicts_file)
{
    kg__error error = { "" };

    cr_expect(kg__verdicts_load(at("none.verdicts.json"), &error) == NULL);
    cr_expect(strstr(error.text, "none.verdicts.json: cannot be read: No such file") != NULL, "%s",
              error.text);
    cr_expect(kg__verdicts_load(at(""), &error) == NULL);
    cr_expect(strstr(error.text, "it is not a regular file") != NULL, "%s", error.text);
    cr_assert(mkfifo(at("pipe"), 0600) == 0);
    cr_expect(kg__verdicts_load(at("pipe"), &error) == NULL);

    expect_refused("", "is no JSON");
    expect_refused(HEAD ", \"cases\": [\n{\"case\": \"a/b", "x.verdicts.json:2: is no JSON");
    expect_refused("[]", "is no JSON object");
    expect_refused("{\"schema\": 1}", "its schema is \"\"");
    expect_refused("{\"schema\": \"kernelgate-verdicts/2\"}",
                   "its schema is \"kernelgate-verdicts/2\"");
    expect_refused("{\"schema\": \"kernelgate-verdicts/1\", \"schema\": \"x\"}", "duplicate");
    expect_refused(HEAD ", \"notes\": [\"\xff\"]}", "is no JSON");
}

Test(results_form, load_names_the_member_of_the_wrong_type)
{
    static const struct {
        const char *members;
        const char *message;
    } wrong[] = {
        { ", \"seconds\": -1}", "seconds is not a number of at least 0" },
        { ", \"seconds\": \"3\"}", "seconds is not" },
        { ", \"target\": \"nvidia-h200\"}", "target is not an object" },
        { ", \"target\": {\"key\": \"\"}}", "target.key is not a text, and not an empty one" },
        { ", \"provenance\": []}", "provenance is not an object" },
        { ", \"board\": 3}", "board is not a text, and not an empty one" },
        { ", \"board\": \"\"}", "board is not a text, and not an empty one" },
        { ", \"skipped\": true, \"skipped_by\": \"filter\"}", "skipped is not a text" },
        { ", \"skipped\": \"no GPU\"}", "skipped_by is not one of [\"filter\",\"empty\"" },
        { ", \"skipped\": \"no GPU\", \"skipped_by\": \"whim\"}", "skipped_by is not" },
        { ", \"errors\": \"e\"}", "errors is not a list" },
        { ", \"errors\": [\"e\", 1]}", "errors[1] is not a text" },
        { ", \"vanished\": [\"\"]}", "vanished[0] is not a text" },
        { ", \"notes\": {}}", "notes is not a list" },
        { ", \"refused\": {}}", "refused is not a list" },
        { ", \"refused\": [1]}", "refused[0] is not an object" },
        { ", \"refused\": [{\"case\": \"a\", \"why\": 1}]}", "refused[0].why is not a text" },
        { ", \"claims\": 1}", "claims is not a list" },
        { ", \"claims\": [{\"holds\": true}]}", "claims[0].claim is not" },
        { ", \"claims\": [{\"claim\": \"c\", \"holds\": 1}]}",
          "claims[0].holds is not true or false" },
        { ", \"claims\": [{\"claim\": \"c\", \"holds\": true, \"why\": []}]}", "claims[0].why" },
        { ", \"cases\": {}}", "cases is not a list" },
        { ", \"cases\": [1]}", "cases[0] is not an object" },
        { ", \"cases\": [{\"case\": \"a\", \"target\": \"t\", \"verdict\": \"wrong\", "
          "\"findings\": [{\"kind\": \"none\"}]}]}",
          "cases[0].findings[0].kind is not one of [\"out_of_bounds\"" },
        { ", \"cases\": [{\"case\": \"a\", \"target\": \"t\", \"verdict\": \"pass\", "
          "\"changed\": \"x\"}]}",
          "cases[0].changed is not a list" },
        { ", \"cases\": [{\"case\": \"a\", \"target\": \"t\", \"verdict\": \"pass\", "
          "\"changed\": [\"x\", 1]}]}",
          "cases[0].changed[1] is not a text" },
        { ", \"cases\": [{\"case\": \"a\", \"target\": \"t\", \"verdict\": \"pass\", "
          "\"smallest\": -0.1}]}",
          "cases[0].smallest is not a number of at least 0" },
        { ", \"cases\": [{\"case\": \"a\", \"target\": \"t\", \"verdict\": \"pass\", "
          "\"kernel\": {\"name\": \"k\", \"fingerprint\": \"x\"}}]}",
          "cases[0].kernel.fingerprint is not a text of the form ^[0-9a-f]{16}$" },
        { ", \"cases\": [{\"case\": \"a\", \"target\": \"t\", \"verdict\": \"pass\", "
          "\"kernel\": {\"name\": 7}}]}",
          "cases[0].kernel.name is not a text" },
        { ", \"cases\": [{\"target\": \"t\", \"verdict\": \"pass\"}]}", "cases[0].case is not" },
        { ", \"cases\": [{\"case\": \"c\", \"verdict\": \"pass\"}]}", "cases[0].target is not" },
        { ", \"cases\": [{\"case\": \"c\", \"target\": \"t\", \"verdict\": \"fast\"}]}",
          "cases[0].verdict is not one of [\"pass\",\"faster\"" },
        { ", \"cases\": [{\"case\": \"c\", \"target\": \"t\"}]}", "cases[0].verdict is not" },
        { ", \"cases\": [{\"case\": \"c\", \"target\": \"t\", \"verdict\": \"pass\", \"why\": 0}]}",
          "cases[0].why is not a text" },
        { ", \"cases\": [{\"case\": \"c\", \"target\": \"t\", \"verdict\": \"pass\", \"part\": "
          "0}]}",
          "cases[0].part is not a text" },
        { ", \"cases\": [{\"case\": \"c\", \"target\": \"t\", \"verdict\": \"pass\", \"seconds\": "
          "\"\"}]}",
          "cases[0].seconds is not" },
        { ", \"cases\": [{\"case\": \"c\", \"target\": \"t\", \"verdict\": \"pass\", \"metrics\": "
          "[]}]}",
          "cases[0].metrics is not an object" },
        { ", \"cases\": [{\"case\": \"c\", \"target\": \"t\", \"verdict\": \"pass\", \"metrics\": "
          "{\"time_ns\": 3}}]}",
          "cases[0].metrics.time_ns is not an object" },
        { ", \"cases\": [{\"case\": \"c\", \"target\": \"t\", \"verdict\": \"pass\", \"metrics\": "
          "{\"time_ns\": {\"change\": \"6 %\"}}}]}",
          "cases[0].metrics.time_ns.change is not a number" },
        { ", \"cases\": [{\"case\": \"c\", \"target\": \"t\", \"verdict\": \"pass\", \"metrics\": "
          "{\"time_ns\": {\"verdict\": \"ok\"}}}]}",
          "cases[0].metrics.time_ns.verdict is not one of [\"pass\"" },
        { ", \"cases\": [{\"case\": \"c\", \"target\": \"t\", \"verdict\": \"pass\", \"metrics\": "
          "{\"time_ns\": {\"why\": 3}}}]}",
          "cases[0].metrics.time_ns.why is not a text" },
        { ", \"cases\": [{\"case\": \"c\", \"target\": \"t\", \"verdict\": \"pass\", \"work\": "
          "[]}]}",
          "cases[0].work is not an object" },
        { ", \"cases\": [{\"case\": \"c\", \"target\": \"t\", \"verdict\": \"pass\", \"work\": "
          "{\"operations\": 1, \"bytes\": -1}}]}",
          "cases[0].work.bytes is not a number of at least 0" },
        { ", \"cases\": [{\"case\": \"c\", \"target\": \"t\", \"verdict\": \"pass\", \"work\": "
          "{\"bytes\": 1}}]}",
          "cases[0].work.operations is not a number of at least 0" },
        { ", \"cases\": [{\"case\": \"c\", \"target\": \"t\", \"verdict\": \"pass\", \"kernel\": "
          "{\"registers\": \"40\"}}]}",
          "cases[0].kernel.registers is not a whole number of at least 0" },
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[1024];

        snprintf(text, sizeof text, "%s%s", HEAD, wrong[i].members);
        expect_refused(text, wrong[i].message);
    }
    expect_refused("{\"schema\": \"kernelgate-verdicts/1\", \"complete\": true}", "test is not");
    expect_refused("{\"schema\": \"kernelgate-verdicts/1\", \"test\": \"t\"}",
                   "complete is not true or false");
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
        cr_assert(kg__verdicts_load(at("x.verdicts.json"), &error) == NULL, "cut at %zu", length);
        cr_assert(error.text[0] != '\0');
    }
}
