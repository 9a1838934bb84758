/* SPDX-License-Identifier: MIT */
/* invert_red: the red channel of 8-bit RGB images becomes 255 - red, in place; sizes are rows x
 * columns x images. The layout of the channels is the variant's: planar or interleaved. Launched
 * again and again, as it is to be timed, it inverts what it inverted, which gives the image back:
 * no value makes it branch, so that its time is that of any image. */
#include <kernelgate/kernelgate.h>

enum { IMAGE };

#define CHANNELS 3

kg_launcher invert_red_coalesced, invert_red_uncoalesced, invert_red_vectorized;

/* Blocks of 128 to 512 take the same time, within 1 %. */
static const kg_launch one_launch[] = { KG_LAUNCH(256), KG_END };

static const kg_variant variants[] = {
    KG_VARIANT("coalesced", invert_red_coalesced, "planar: all red values lie side by side"),
    KG_VARIANT("vectorized", invert_red_vectorized, "planar, 16 pixels per thread",
               .launches = one_launch),
    KG_VARIANT("uncoalesced", invert_red_uncoalesced, "interleaved: every third byte is red",
               .advanced.own_reference = true),
    KG_END,
};

/* The odd ones leave a warp, or a block, partly without pixels. */
static const kg_size sizes[] = {
    KG_CHECKED(1, 1, 1),      KG_CHECKED(1, 33, 1),
    KG_CHECKED(7, 31, 1),     KG_CHECKED(31, 33, 1),
    KG_CHECKED(1, 1280, 1),   KG_CHECKED(5, 7, 4),
    KG_CHECKED(961, 1279, 1), KG_TIMED_AND_COUNTED(960, 1280, 1),
    KG_TIMED(960, 1280, 2),   KG_TIMED(960, 1280, 4),
    KG_TIMED(960, 1280, 64),  KG_END,
};

static const kg_launch launches[] = {
    KG_LAUNCH(64), KG_LAUNCH(128), KG_LAUNCH(256), KG_LAUNCH(512), KG_LAUNCH(1024), KG_END,
};

static int64_t pixels_of(const kg_size *size)
{
    return kg_extent(size, 0) * kg_extent(size, 1) * kg_extent(size, 2);
}

/* Every channel is compared: green and blue must come out as they went in. */
static void arguments(const kg_size *size, kg_arguments *list)
{
    kg_add_argument(list, KG_INPUT_OUTPUT, "image", KG_UINT8, 1, CHANNELS * pixels_of(size));
}

/* An operation a pixel; each red value is read and written once, green and blue are not. */
static kg_work work(const kg_size *size)
{
    double pixels = (double)pixels_of(size);

    return (kg_work){ .operations = pixels, .bytes = 2 * pixels };
}

static void reference(const kg_problem *problem, int output, double *expected, double *tolerance)
{
    const uint8_t *image = problem->data[output];
    int64_t pixels = pixels_of(problem->size);
    int64_t between_reds = problem->variant != NULL ? CHANNELS : 1;

    (void)tolerance;
    for (int64_t i = 0; i < CHANNELS * pixels; i++)
        expected[i] = image[i];
    for (int64_t pixel = 0; pixel < pixels; pixel++)
        expected[pixel * between_reds] = 255 - image[pixel * between_reds];
}

static const char *refuses(const kg_variant *variant, const kg_size *size, const kg_launch *launch)
{
    if (kg_extent(size, 2) <= 4)
        return NULL;
    if (variant->advanced.own_reference)
        return "a reference of its own for 236 million elements takes as long as timing 20 cases";
    return launch->axis[0] != 256
               ? "what exceeds the L2 cache is timed in blocks of 256: memory is the limit"
               : NULL;
}

KG_COMPARISON(invert_red, .variants = variants, .sizes = sizes, .launches = launches,
              .arguments = arguments, .reference = reference, .work = work, .refuses = refuses);

/* 32 bytes a warp against every third of 96: exactly 3. */
KG_COUNT_CLAIM(invert_red, coalesced_moves_a_third_of_the_sectors)
{
    kg_expect_less("global_load_sectors", "coalesced/960x1280x1/b256",
                   "uncoalesced/960x1280x1/b256", 3);
    kg_expect_less("global_store_sectors", "coalesced/960x1280x1/b256",
                   "uncoalesced/960x1280x1/b256", 3);
}

/* A full warp's request of neighboring bytes is one sector, no more. */
KG_COUNT_CLAIM(invert_red, coalesced_asks_for_one_sector_per_request)
{
    kg_expect_within("global_load_sectors_per_request", "coalesced/960x1280x1/b256", 1, 1);
    kg_expect_within("global_store_sectors_per_request", "coalesced/960x1280x1/b256", 1, 1);
}

/* 512 bytes per request instead of 32. */
KG_COUNT_CLAIM(invert_red, vectors_ask_sixteen_times_less)
{
    kg_expect_less("global_load_requests", "vectorized/960x1280x1/b256",
                   "coalesced/960x1280x1/b256", 16);
    kg_expect_less("global_store_requests", "vectorized/960x1280x1/b256",
                   "coalesced/960x1280x1/b256", 16);
    kg_expect_within("global_load_sectors_per_request", "vectorized/960x1280x1/b256", 16, 16);
}

/* 1.19 on an H200; hot, with the images in the L2 cache, 1.03. */
KG_TIME_CLAIM(invert_red, coalesced_beats_uncoalesced_from_memory)
{
    kg_expect_less("cold_time_ns", "coalesced/960x1280x1/b256", "uncoalesced/960x1280x1/b256", 1.1);
}

/* 4.9 on an H200, where `vectorized` takes as long as a copy. */
KG_TIME_CLAIM(invert_red, vectors_reach_the_memory)
{
    kg_expect_speedup("vectorized/960x1280x64/b256", "coalesced/960x1280x64/b256", 3.0);
}
