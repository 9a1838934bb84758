#include "cli/baseline_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "cli/tool.h"
#include "results/results.h"
#include "suite/settings.h"

/* What `baseline lint` says of thousands of metrics, in bytes. Memory that is not written to costs
 * nothing. */
#define FINDINGS_SIZE ((size_t)64 << 20)

/* Whether an error of the results says this already, as the test that read the file does. */
static bool is_reported(const kg__results *results, const char *line)
{
    for (size_t i = 0; i < results->errors.count; i++) {
        if (strcmp(results->errors.items[i].why, line) == 0)
            return true;
    }
    return false;
}

void kg__lint_into_results(kg__results *results)
{
    char *findings = kg__ask_tool("baseline_lint.py", "--findings", FINDINGS_SIZE);
    char *rest = findings;
    const char *line;

    if (findings == NULL)
        kg__results_add_error(results, NULL, "the baselines cannot be checked: see above");
    while ((line = strsep(&rest, "\n")) != NULL) {
        if (*line != '\0' && !is_reported(results, line))
            kg__results_add_error(results, NULL, line);
    }
    free(findings);
}

void kg__default_baselines(char *folder, size_t size)
{
    char found[KG__PATH_SIZE];

    kg__baselines_folder(".", found, sizeof found);
    kg__format_path(folder, size, "%s", strncmp(found, "./", 2) == 0 ? found + 2 : found);
}
