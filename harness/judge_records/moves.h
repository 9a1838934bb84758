/* SPDX-License-Identifier: MIT */
/* How the metrics of two runs differ (kernelgate-moves/1), judged by the gate's rule. */
#pragma once

#include <jansson.h>

#include "base/message.h"

#define KG__MOVES_SCHEMA "kernelgate-moves/1"

/* Judges {"moves": [MOVE...]}, where a MOVE has a value, its interval, what it is compared with and
 * its surroundings. Returns {"judgments": [...]} in the same order, {"verdict", "why", "smallest"}
 * each, the caller's; NULL with `error` where the document is invalid. */
json_t *kg__judge_moves(const char *path, json_t *document, kg__error *error);
