/* SPDX-License-Identifier: MIT */
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

/* The case started last. */
static const char *started;

void kg__report(int records, kg__event event, const char *id, const char *why)
{
    if (event == KG__EVENT_START)
        started = id;
    kg__report_observation(records, &(kg__observation){ .event = event, .id = id, .why = why });
}

void kg__report_stub(int records, const char *id, const kg__stub *stub)
{
    kg__report_observation(records,
                           &(kg__observation){
                               .event = stub->gpu_only ? KG__EVENT_REFUSED : KG__EVENT_FAILED,
                               .id = id,
                               .why = stub->why,
                               .gpu_only = stub->gpu_only,
                               .at_file = stub->gpu_only ? NULL : stub->file,
                               .at_line = stub->gpu_only ? 0 : stub->line,
                           });
}

void kg__report_reached(void *records, const kg__stub *stub)
{
    kg__report_stub(*(const int *)records, started, stub);
    exit(KG__EXIT_LOST);
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
