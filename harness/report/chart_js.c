#include "report/chart_js.h"
#include "base/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "suite/settings.h"

/* How far into the file its name is looked for. */
#define LONGEST_HEADER 200

static const char *find_path(void)
{
    const char *named = kg__setting("KG_CHART_JS");

    return named != NULL ? named : "/usr/share/javascript/chart.js/chart.min.js";
}

/* Whether a text calls itself version 3, which page.js is written for. */
static bool is_chart_js(const char *text)
{
    const char *name = strstr(text, "Chart.js v3.");

    return name != NULL && name - text <= LONGEST_HEADER;
}

char *kg__chart_js_read(kg__error *error)
{
    const char *path = find_path();
    const char *cause;
    FILE *file = kg__file_stream(path, &cause);
    char *text = NULL;
    size_t room = 0;
    bool usable;

    if (file == NULL) {
        (void)(errno == ENOENT
                   ? kg__fail(error, "Chart.js is not at %s: apt-get install libjs-chart.js", path)
                   : kg__fail(error, "%s: cannot be read: %s: check its permissions", path, cause));
        return NULL;
    }
    /* Text has no zero, and nothing in it may end the element of the page that it becomes. */
    usable = getdelim(&text, &room, '\0', file) > 0 && feof(file) && is_chart_js(text) &&
             strcasestr(text, "</script") == NULL && strstr(text, "<!--") == NULL;
    fclose(file);
    if (usable)
        return text;
    free(text);
    kg__fail(error, "%s: not a file of Chart.js 3: name one by KG_CHART_JS", path);
    return NULL;
}
