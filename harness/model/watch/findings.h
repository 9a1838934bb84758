/* SPDX-License-Identifier: MIT */
/* Findings: one for each source line, kind and direction of access. Internal to watching. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/exec/launch.h"
#include "model/watch/places.h"
#include "model/watch/watch.h"
#include "records/finding.h"

/* Maximum number of calls kept around one line, innermost first. */
#define KG__FINDING_CALLS 8

/* Returns whether a place in the code already has a finding; if so, counts it once more. A
 * kernel can race a hundred million times: call this before building a finding again. Races and
 * missing fences are of class KG__RACE_IN_BLOCK or KG__RACE_BETWEEN_BLOCKS; any other kind is
 * its own class. A place either reads or writes. */
bool kg__found_before(kg__finding_kind class, uintptr_t code);
/* Returns whether a place in the code has a race or a missing fence. */
bool kg__has_race_at(uintptr_t code);

/* Returns the direction of a kind of access (trace.h). */
kg__finding_access kg__access_of(unsigned int kind);

/* Adds a finding of a thread, by its number in its block, where a hook returns to `code`. `what`
 * needs no thread, place or count, and a block only if that is not the running one. */
void kg__find(uintptr_t code, unsigned int thread, const kg__finding *what);
/* Like kg__find(), at a source line that the compiler recorded. */
void kg__find_at(kg__model_source source, uintptr_t code, unsigned int thread,
                 const kg__finding *what);
/* Adds a finding at a line of the host's code. */
void kg__find_of_host(kg__model_source source, const kg__finding *what);
/* How many times it was called, if only for one finding again. */
extern __attribute__((visibility("hidden"))) size_t kg__found_of_host;
/* Like kg__find_of_host(), of an access at `code`, which kg__found_before() knows then. */
void kg__find_of_host_at(uintptr_t code, const kg__finding *what);

/* Forgets all findings. */
void kg__findings_forget(void);

/* Returns all findings in order of first appearance; valid until one is added. */
const kg__finding *kg__model_findings(size_t *count);

/* Writes " at tiled.cu:23" to `text`, of `size` bytes, or "" where the line is not known. */
void kg__describe_line(char *text, size_t size, kg__model_source source);

/* Returns the source itself, or of a library's code, which is in a header or has no line, the line
 * of the host's code that runs it. */
kg__model_source kg__own_source(kg__model_source source);

/* Sets the source line of an actor, the other thread of a race or barrier. */
void kg__set_source(kg__finding_actor *actor, kg__model_source source);
/* Sets the block or thread index of an actor, and marks it as known. */
void kg__set_index(bool *known, unsigned int to[3], uint3 index);
