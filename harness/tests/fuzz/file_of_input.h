/* SPDX-License-Identifier: MIT */
/* The readers read files, so every input of the fuzzer becomes one, in a folder of the process's
 * own, in memory. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/message.h"

/* The path of `name` in the process's folder, which is made on the first call and removed at exit
 * with what is in it. Good for the next 7 calls. */
const char *path_of(const char *name);

/* Writes the input to the file `name` and returns its path. */
const char *file_of_input(const char *name, const uint8_t *input, size_t size);

/* Ends the process as a finding unless `right`. */
void require(int right, const char *what);

/* Ends the process as a finding unless `error` holds one line where something `failed`, and nothing
 * where it did not. */
void require_error(bool failed, const kg__error *error);
