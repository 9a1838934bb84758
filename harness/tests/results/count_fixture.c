/* SPDX-License-Identifier: MIT */
#include "tests/results/count_fixture.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "tests/fakes/drive.h"
#include "tests/fakes/made_baselines.h"

const kg__target target = { .key = KG__MODEL_KEY, .compiler = "gcc 12.2.0" };
kg__baseline baseline;
static kg__figures figures[KG__COUNTERS + 1];
kg__absence absent[3];
kg__observation observation;
bool strict;
const kg__case_result *result;

void release(void)
{
    kg__baseline_free(&baseline);
}

void count(const char *counter, double value)
{
    size_t i = 0;

    while (i < observation.metric_count && strcmp(figures[i].name, counter) != 0)
        i++;
    cr_assert(i < sizeof figures / sizeof *figures);
    figures[i] = (kg__figures){ .name = counter, .value = value, .low = NAN, .high = NAN };
    observation.metric_count += i == observation.metric_count;
}

void begin(void)
{
    observation = (kg__observation){
        .event = KG__EVENT_MEASURED, .id = ID, .metrics = figures, .absent.list = absent
    };
    for (int i = 0; i < KG__COUNTERS; i++)
        count(kg__counter_name((kg__counter)i), 0);
}

void lose(const char *counter)
{
    size_t i = 0;

    while (i < observation.metric_count && strcmp(figures[i].name, counter) != 0)
        i++;
    cr_assert(i < observation.metric_count);
    figures[i] = figures[--observation.metric_count];
}

kg__baseline_metric *store(const char *counter, double value)
{
    kg__baseline_metric *metric = add_baseline_metric(add_baseline_case(&baseline, ID), counter);

    metric->value = value;
    return metric;
}

void sample(void)
{
    observation.sampled_blocks = 120;
    observation.sampled_of = 16384;
    absent[0] = (kg__absence){ "unique_bytes_read", "the launch was sampled" };
    absent[1] = (kg__absence){ "unique_bytes_written", "the launch was sampled" };
    observation.absent.count = 2;
    lose("unique_bytes_read");
    lose("unique_bytes_written");
}

void judge(const kg__baseline *against, const char *otherwise)
{
    result = kg__count_result(test_pool(), ID, &target, &observation, against, otherwise, strict);
}

void expect(kg__verdict verdict, const char *why)
{
    judge(&baseline, "");
    cr_assert(result->verdict == verdict, "%s, expected %s: %s", kg__verdict_name(result->verdict),
              kg__verdict_name(verdict), result->why);
    cr_assert(strcmp(result->why, why) == 0, "expected: %s\ngot: %s", why, result->why);
    cr_assert((result->moves != NULL) == (verdict == KG__SLOWER || verdict == KG__FASTER));
}

void usual_case(void)
{
    static const struct {
        const char *counter;
        double value;
    } counts[] = {
        { "global_load_requests", 9550600 }, { "global_load_sectors", 22432515 },
        { "global_store_requests", 17980 },  { "global_store_sectors", 44520 },
        { "unique_bytes_read", 2247200 },    { "unique_bytes_written", 1123600 },
    };

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        count(counts[i].counter, counts[i].value);
        (void)store(counts[i].counter, counts[i].value);
    }
}
