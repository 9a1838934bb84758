/* Writing a file so that a reader finds the old content or the new one, never a torn one. */
#ifndef KG__FILE_H
#define KG__FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "message.h"

/* What stands between a file's name and the rest of its temporary name: ".<name>.new-<process>". */
#define KG__FILE_TEMPORARY ".new-"

/* Whether `path` is a regular file or not there: a device, a pipe or a folder is not to be
 * replaced. False with `error` where it is something else. */
bool kg__file_may_replace(const char *path, kg__error *error);

/* Replaces the file at `path` by `size` bytes of `content`: written to a temporary file in the same
 * folder, flushed to disk, renamed. The mode is that of the file that was there, else it follows
 * the umask. What is no regular file is refused. On failure returns false with `error`, and what
 * was at `path` stands untouched. What a process that was killed left over of replacing this file
 * is removed once it is a minute old. */
bool kg__file_replace(const char *path, const char *content, size_t size, kg__error *error);

/* Makes the folder `path` and those above it that are missing. False with `error` on failure. */
bool kg__file_make_folder(const char *path, kg__error *error);

/* Makes a new folder for what a command needs for the moment, kernelgate-<purpose>.XXXXXX below
 * TMPDIR, or below /tmp where that is not set; its path is left in `path`. Whoever made it removes
 * it by kg__file_remove_folder(). False with `error` on failure, with `path` empty. */
bool kg__file_make_temporary_folder(const char *purpose, char *path, size_t size, kg__error *error);

/* Removes the folder `path` with the files in it, where it holds no further folder; what cannot be
 * removed stays. */
void kg__file_remove_folder(const char *path);

/* Whether `path` is a file that may be run. */
bool kg__file_is_program(const char *path);

#endif
