/* SPDX-License-Identifier: MIT */
/* Boards as CTest hands them out: what its environment says of them, and the resource spec that it
 * reads. */
#include "device/gpu_slot.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#define UUID "GPU-7fc4aa32-1cf4-0123-89ab-cdef01234567"
#define ID "gpu_7fc4aa32_1cf4_0123_89ab_cdef01234567"

static char uuid[KG__GPU_UUID_SIZE];
static kg__error error;

static void forget(void)
{
    unsetenv("CTEST_RESOURCE_GROUP_COUNT");
    unsetenv("CTEST_RESOURCE_GROUP_0_GPUS");
    unsetenv("CUDA_VISIBLE_DEVICES");
}

TestSuite(gpu_slot, .init = forget);

/* What is made of CTest's two variables; NULL leaves one unset. */
static bool given(const char *count, const char *gpus)
{
    forget();
    error.text[0] = '\0';
    if (count != NULL)
        setenv("CTEST_RESOURCE_GROUP_COUNT", count, 1);
    if (gpus != NULL)
        setenv("CTEST_RESOURCE_GROUP_0_GPUS", gpus, 1);
    return kg__gpu_slot_take(uuid, &error);
}

Test(gpu_slot, is_the_one_that_is_given)
{
    static const struct {
        const char *count, *gpus;
        bool is_given;
    } rows[] = {
        /* Without a resource spec any board will do; and what CTest says to a test that takes none.
         */
        { NULL, NULL, false },
        { "0", NULL, false },
        { "1", "id:" ID ",slots:8", true },
        { NULL, "id:" ID ",slots:1", true },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect(given(rows[i].count, rows[i].gpus), "row %zu", i);
        cr_expect(eq(str, uuid, rows[i].is_given ? UUID : ""));
        if (rows[i].is_given)
            cr_expect(eq(str, getenv("CUDA_VISIBLE_DEVICES"), UUID));
        else
            cr_expect(getenv("CUDA_VISIBLE_DEVICES") == NULL);
    }
}

Test(gpu_slot, what_names_no_board_is_an_error)
{
    static const char *const bad[] = { "",
                                       "id:",
                                       "id:3,slots:1",
                                       "id:gpu_,slots:1",
                                       "id:" ID,
                                       "id:" ID ",",
                                       "id:" ID ",slots:",
                                       "id:" ID ",slots:x",
                                       "id:" ID ",slots:1x",
                                       "id:" ID ",slots:1;id:" ID ",slots:1",
                                       "id:" ID "0,slots:1",
                                       "id:gpu_7fc4aa32_1cf4_0123_89ab_cdef0123456,slots:1",
                                       "id:gpu_7fc4aa32_1cf4_0123_89ab_cdef0123456g,slots:1",
                                       "id:gpu_7FC4aa32_1cf4_0123_89ab_cdef01234567,slots:1",
                                       "id:gpu_7fc4aa3211cf4_0123_89ab_cdef01234567,slots:1",
                                       "id:" UUID ",slots:1",
                                       "id:mig_7fc4aa32_1cf4_0123_89ab_cdef01234567,slots:1",
                                       "ID:" ID ",slots:1",
                                       "slots:1,id:" ID };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect(not(given("1", bad[i])), "%s", bad[i]);
        cr_expect(eq(str, uuid, ""));
        cr_expect(getenv("CUDA_VISIBLE_DEVICES") == NULL, "%s", bad[i]);
        cr_expect(strstr(error.text, "names no board") != NULL &&
                      strstr(error.text, "--resource-spec") != NULL,
                  "%s", error.text);
    }
}

Test(gpu_slot, a_test_takes_one_board)
{
    cr_expect(not(given("2", "id:" ID ",slots:1")));
    cr_expect(strstr(error.text, "CTEST_RESOURCE_GROUP_COUNT=2") != NULL, "%s", error.text);
    cr_expect(not(given("two", NULL)));
    cr_expect(not(given("0", "id:" ID ",slots:1")));
    cr_expect(not(given("1", NULL)));
    cr_expect(strstr(error.text, "takes no GPU") != NULL, "%s", error.text);
}

Test(gpu_slot, one_that_is_gone_is_named)
{
    kg__gpu_slot_gone(UUID, &error);
    cr_expect(strstr(error.text, UUID) != NULL && strchr(error.text, '\n') == NULL);
}

/* What is printed, by whom: tests/gate/test_main.py. */
Test(gpu_slot, which_can_be_handed_out)
{
    static const struct {
        kg__board board;
        const char *fault; /* NULL: none */
    } rows[] = {
        { { UUID, "NVIDIA H200" }, NULL },
        { { "GPU-00000000-0000-0000-0000-000000000001", "NVIDIA MIGHTY" }, NULL },
        { { "MIG-7fc4aa32-1cf4-0123-89ab-cdef01234567", "NVIDIA H200 MIG 1g.18gb" },
          "MIG instance" },
        { { "GPU-12", "NVIDIA Odd" }, "NVIDIA Odd: its UUID is \"GPU-12\"" },
        { { "", "NVIDIA Odd" }, "NVIDIA Odd: its UUID is \"\"" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kg__boards boards = { .list = NULL };

        kg__boards_add(&boards, UUID, "a");
        kg__boards_add(&boards, rows[i].board.uuid, rows[i].board.name);
        error.text[0] = '\0';
        cr_expect(kg__gpu_slot_takes(&boards, &error) == (rows[i].fault == NULL), "%zu", i);
        cr_expect(rows[i].fault == NULL || strstr(error.text, rows[i].fault) != NULL, "%s",
                  error.text);
        free(boards.list);
    }
}

Test(gpu_slot, instances_are_known_by_their_name)
{
    cr_expect(kg__gpu_slot_is_instance("NVIDIA A100-SXM4-40GB MIG 1g.5gb"));
    cr_expect(not(kg__gpu_slot_is_instance("NVIDIA H200")));
    cr_expect(not(kg__gpu_slot_is_instance("MIGHTY")));
}
