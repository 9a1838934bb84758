#include "observer/report_record.h"

#include <stdlib.h>

#include "base/exit_code.h"
#include "base/message.h"
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

void kg__report_outcome(int records, const char *id, bool right, const char *why)
{
    kg__report_record(records, json_pack("{s:s, s:s, s:b, s:s}", "event", "checked", "case", id,
                                         "right", (int)right, "why", why));
}
