/* Tells what the harness's own readers say of documents. usage: read_documents baseline|results
 * DOCUMENTS PATH
 *
 * DOCUMENTS is a JSON array of arrays, in which a document is the last. Prints 1 for each that is
 * read and 0 for each that is refused. Results are written to PATH first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "baseline/baseline.h"
#include "results/results.h"

static bool reads_baseline(const json_t *document)
{
    const char *key =
        json_string_value(json_object_get(json_object_get(document, "target"), "key"));
    char path[300];
    char *text = json_dumps(document, 0);
    kg__baseline baseline;
    kg__error error = { "" };
    bool right;

    /* That the file is called by its key is what no schema can say. */
    kg__format(path, sizeof path, "%s.json", key != NULL ? key : "nvidia-fake");
    right = kg__baseline_parse(path, text, strlen(text), &baseline, &error) == KG__LOADED;
    kg__baseline_free(&baseline);
    free(text);
    return right;
}

static bool reads_results(const json_t *document, const char *path)
{
    kg__pool pool = { 0 };
    kg__error error = { "" };
    bool right =
        json_dump_file(document, path, 0) == 0 && kg__results_load(&pool, path, &error) != NULL;

    kg__pool_free(&pool);
    return right;
}

int main(int argc, char **argv)
{
    json_t *documents = argc == 4 ? json_load_file(argv[2], 0, NULL) : NULL;
    const json_t *entry;
    size_t i;

    if (documents == NULL)
        return 2;
    json_array_foreach (documents, i, entry) {
        const json_t *document = json_array_get(entry, json_array_size(entry) - 1);
        bool right = strcmp(argv[1], "baseline") == 0 ? reads_baseline(document)
                                                      : reads_results(document, argv[3]);

        putchar(right ? '1' : '0');
    }
    json_decref(documents);
    return 0;
}
