/* SPDX-License-Identifier: MIT */
/* The exit codes of every program here: docs/reference.md has their meaning for users. */
#pragma once

enum {
    KG__EXIT_PASS = 0,
    KG__EXIT_FAIL = 1,
    KG__EXIT_ERROR = 2,
    /* An observer that cannot go on with its device: the context is gone, or a variant was not
     * right. Its other cases are another process's. */
    KG__EXIT_LOST = 3,
    KG__EXIT_NOTHING = 77
};
