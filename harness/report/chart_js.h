/* Chart.js, which draws the plots of a run's page: a file of the distribution's that the page takes
 * in, so that it needs no other. */
#ifndef KG__REPORT_CHART_JS_H
#define KG__REPORT_CHART_JS_H

#include "base/message.h"

/* Its text, from KG_CHART_JS, else from where Debian and Ubuntu have it; freed by the caller. NULL
 * with `error` where there is none, or something else. */
char *kg__chart_js_read(kg__error *error);

#endif
