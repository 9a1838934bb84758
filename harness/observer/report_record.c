#include "observer/report_record.h"

#include <stdlib.h>

#include "base/exit_code.h"
#include "base/message.h"
#include "device/device.h"
#include "observer/check.h"

void kg__report_observation(int records, const kg__observation *observation)
{
    kg__error error;

    if (!kg__observation_append(records, observation, &error)) {
        kg__complain("%s", error.text);
        exit(KG__EXIT_ERROR);
    }
}

void kg__report(int records, kg__event event, const char *id, const char *why)
{
    kg__report_observation(records, &(kg__observation){ .event = event, .id = id, .why = why });
}

void kg__report_wrong(int records, const char *home, const char *id, const char *why)
{
    kg__observation observation = { .event = KG__EVENT_CHECKED, .id = id, .why = why };
    kg__findings findings;

    (void)kg__device_has_findings(home, &findings);
    observation.findings = &findings;
    observation.failure = kg__check_failure(&observation.failure_symbol);
    kg__report_observation(records, &observation);
}
