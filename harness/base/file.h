/* SPDX-License-Identifier: MIT */
/* Writing a file so that a reader finds the old content or the new one, never a torn one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/message.h"

/* What is between a file's name and the rest of its temporary name: ".<name>.new-<process>". */
#define KG__FILE_TEMPORARY ".new-"

/* Replaces the file at `path` by `size` bytes of `content`: written to a temporary file in the same
 * folder, flushed to disk, renamed. The mode is that of the file that was there, else it follows
 * the umask. A link stays, and the file that it leads to is replaced. A device, a pipe, a folder
 * and a link that leads nowhere are refused. On failure returns false with `error`, and what was at
 * `path` stays untouched. */
bool kg__file_replace(const char *path, const char *content, size_t size, kg__error *error);

/* Opens the regular file at `path` for reading, and waits for nobody where it is a pipe or a
 * device; NULL with `cause` in words where it cannot be opened or is not a regular file. `errno`
 * is ENOENT where it is not there. */
FILE *kg__file_stream(const char *path, const char **cause);

/* Makes the folder `path` and those above it that are missing. False with `error` on failure. */
bool kg__file_make_folder(const char *path, kg__error *error);
