#include "observer/report_record.h"

#include <stdlib.h>

#include "base/exit_code.h"
#include "base/message.h"
#include "device/device.h"
#include "observer/check.h"
#include "records/finding.h"
#include "records/records.h"

void kg__report_record(int records, json_t *record)
{
    kg__error error;

    if (!kg__record_append(records, record, &error)) {
        kg__complain("%s", error.text);
        exit(KG__EXIT_ERROR);
    }
}

void kg__report(int records, const char *event, const char *id, const char *why)
{
    json_t *record = json_pack("{s:s}", "event", event);

    if (id != NULL)
        json_object_set_new(record, "case", json_string(id));
    if (why != NULL)
        json_object_set_new(record, "why", json_string(why));
    kg__report_record(records, record);
}

void kg__report_wrong(int records, const char *home, const char *id, const char *why)
{
    json_t *record =
        json_pack("{s:s, s:s, s:b, s:s}", "event", "checked", "case", id, "right", 0, "why", why);
    json_t *failure = kg__check_failure();
    kg__findings findings;

    (void)kg__device_has_findings(home, &findings);
    kg__findings_set(record, &findings);
    if (failure != NULL)
        json_object_set_new(record, "failure", failure);
    kg__report_record(records, record);
}
