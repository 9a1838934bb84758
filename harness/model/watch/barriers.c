/* SPDX-License-Identifier: MIT */
#include "model/watch/barriers.h"

#include "model/watch/findings.h"
#include "model/watch/sites.h"

#include <string.h>

static void compare_rounds(uintptr_t code, uint32_t block)
{
    kg__site *site = kg__site_of(code);
    unsigned int waiting = kg__exec_thread_count();
    unsigned int example = 0;

    for (unsigned int i = waiting; kg__exec_any_ended() && i-- > 0;) {
        waiting -= kg__exec_barrier_of(i) == 0;
        example = kg__exec_barrier_of(i) != 0 ? i : example;
    }
    if (site->block != block) {
        site->block = block;
        site->live = waiting;
    } else if (waiting < site->live) {
        kg__find(code, example,
                 &(kg__finding){ .kind = KG__DIVERGENT_BARRIER,
                                 .by.waiting = waiting,
                                 .other.waiting = site->live - waiting });
    }
}

static void compare_places(void)
{
    unsigned int example[2] = { 0, 0 };
    unsigned int waiting[2] = { 0, 0 };
    uintptr_t code[2] = { 0, 0 };
    kg__model_source source[2];

    for (unsigned int i = 0; i < kg__exec_thread_count(); i++) {
        uintptr_t barrier = kg__exec_barrier_of(i);
        int other = code[0] != 0 && barrier != code[0];

        if (barrier == 0)
            continue;
        if (code[other] == 0) {
            code[other] = barrier;
            example[other] = i;
        }
        waiting[other]++;
    }
    if (waiting[1] == 0)
        return;
    for (int i = 0; i < 2; i++)
        source[i] = kg__model_source_of((const void *)code[i]);
    /* The compiler may have duplicated one barrier's call: the same line is the same barrier. */
    if (source[0].line == source[1].line && strcmp(source[0].file, source[1].file) == 0)
        return;
    /* Blame the branch with fewer threads, or else the one earlier in the code. */
    int few = waiting[1] < waiting[0] || (waiting[1] == waiting[0] && code[1] < code[0]);
    kg__finding what = { .kind = KG__DIVERGENT_BARRIER,
                         .by.waiting = waiting[few],
                         .other.waiting = waiting[!few] };

    kg__set_source(&what.other, source[!few]);
    kg__find(code[few], example[few], &what);
}

void kg__compare_barriers(uintptr_t code, bool several, uint32_t block)
{
    if (several)
        compare_places();
    else
        compare_rounds(code, block);
}
