/* SPDX-License-Identifier: MIT */
/* Kernels that hand stages over by barriers of some threads. */
#pragma once

/* Who waits for a stage of ring_of_stages, and releases it. */
enum { EACH_FOR_ITSELF, ONE_FOR_WARP, ONE_FOR_GROUP };
/* How the threads of ring_of_words read a stage. */
enum { BY_WORDS, BY_VECTORS, ALL_EACH_WORD };
/* What is wrong with either. */
enum {
    RELEASED_BEFORE = 1,
    ONE_RELEASED_BEFORE, /* neither the first warp to read nor the last */
    READ_AFTER,
    WAITS_FOR_OTHER,
    NO_WAIT_FOR_FULL,
    NO_MEETING_BEFORE,
    NO_MEETING_BEHIND,
    NO_WARP_MEETS, /* behind the read */
    HALF_WARPS_MEET
};
