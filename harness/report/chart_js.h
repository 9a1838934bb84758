/* Chart.js, which draws the plots of a run's page: a file of the distribution's that the page takes
 * in, so that it needs no other. */
#ifndef KG__REPORT_CHART_JS_H
#define KG__REPORT_CHART_JS_H

#include "base/message.h"

/* Where it is: KG_CHART_JS, else where Debian and Ubuntu have it. */
const char *kg__chart_js_path(void);

/* Its text, freed by the caller; NULL with `error` where there is none, or something else. */
char *kg__chart_js_read(kg__error *error);

/* What a text of it calls itself: "Chart.js v3.9.1"; NULL where it is not version 3, which
 * page.js is written for. The name's length is left in `length`. */
const char *kg__chart_js_name(const char *text, size_t *length);

#endif
