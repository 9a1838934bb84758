/* SPDX-License-Identifier: MIT */
#include "results/result_text.h"

#include "base/message.h"
#include "base/text.h"
#include "records/finding_text.h"

char *kg__case_result_reason(const kg__case_result *result)
{
    const char *why = result->why != NULL ? result->why : "";
    const char *also = result->also != NULL ? result->also : "";
    char text[2 * KG__MESSAGE_SIZE];

    if (result->findings.count > 0) {
        kg__findings_text(&result->findings, text, KG__MESSAGE_SIZE);
        kg__append(text, sizeof text, "%s%s", *also != '\0' ? "; " : "", also);
        return kg__clean_text(text, true);
    }
    if (*why == '\0' && result->verdict != KG__PASS)
        why = "no reason was recorded";
    return kg__clean_text(why, true);
}
