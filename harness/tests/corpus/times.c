/* SPDX-License-Identifier: MIT */
/* The comparison `times` of the corpus, whose cases no kernel runs: its observers replay
 * (replay.c). */
#include <kernelgate/kernelgate.h>

static cudaError_t replayed(const kg_call *call)
{
    (void)call;
    return cudaErrorNotSupported;
}

#define SAMPLED(name_, ...) KG_VARIANT(#name_, replayed, "", __VA_ARGS__)

static const kg_launch strided_launches[] = { KG_LAUNCH(256, 1056), KG_LAUNCH(1024, 264), KG_END };
static const kg_launch launches[] = { KG_LAUNCH(16), KG_LAUNCH(32), KG_LAUNCH(256), KG_LAUNCH(1024),
                                      KG_END };

static const kg_variant variants[] = {
    SAMPLED(naive),
    SAMPLED(tiled),
    SAMPLED(unstrided),
    SAMPLED(unstrided_managed),
    SAMPLED(unstrided_first_touch),
    SAMPLED(distance_unstrided),
    SAMPLED(strided, .launches = strided_launches),
    SAMPLED(strided_managed, .launches = strided_launches),
    SAMPLED(strided_first_touch, .launches = strided_launches),
    SAMPLED(distance_strided, .launches = strided_launches),
    SAMPLED(h2d_pageable),
    SAMPLED(h2d_pinned),
    SAMPLED(d2h_pageable),
    SAMPLED(d2h_pinned),
    SAMPLED(h2d_constant),
    SAMPLED(global_to_shared),
    SAMPLED(coalesced),
    SAMPLED(uncoalesced),
    SAMPLED(shared_tree),
    SAMPLED(warp_shuffle),
    KG_END,
};

static const kg_size sizes[] = {
    KG_CHECKED(65537),
    KG_TIMED(256),
    KG_TIMED(530),
    KG_TIMED(1048576),
    KG_TIMED(96, 96),
    KG_TIMED(384, 384),
    KG_TIMED(960, 1280, 1),
    KG_TIMED_AND_COUNTED(5, 5, 100),
    KG_END,
};

static void arguments(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_OUTPUT, "y", KG_FLOAT32, 1, kg_extent(size, 0));
}

static kg_work work(const kg_size *size)
{
    return (kg_work){ .operations = (double)kg_extent(size, 0), .bytes = 0 };
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    (void)output;
    for (int64_t i = 0; i < kg_extent(problem->size, 0); i++)
        expected[i] = tolerance[i] = 0;
}

KG_COMPARISON(times, .variants = variants, .sizes = sizes, .launches = launches,
              .arguments = arguments, .reference = reference, .work = work);
