/* SPDX-License-Identifier: MIT */
/* What the tests of settling share: a folder with the builds `base` and `head`, a comparison's real
 * program each, on a GPU that is not there, with a plan of its own for the times of its cases. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define SLOW "fake/plain/64/b32"
#define OTHER "fake/quick/64/b64"
#define VERDICTS "out/records/gpu.fake.time.verdicts.json"

/* A suite's .init and .fini. */
void begin_settle(void);
void end_settle(void);

/* Gives a build's program this plan (fake_plan.h), and a new log. */
void plan(const char *side, const char *text);

/* A build's program: the fake one with its own plan and log, after the commands `before`. */
void build(const char *side, const char *before);

/* Runs this build's part `time`; the test of it passes or fails by its exit code. */
void expect_time(int code, const char *line);

/* The same with what the plan says of the first observation alone, forgotten then. */
void expect_suspects(const char *head_plan, const char *line);

/* Settles with an option more (NULL: none), and expects the exit code and a line. */
void expect_settle(const char *option, const char *value, int code, const char *line);

/* The same with --json: the document, and what else was written, both freed by the caller. */
json_t *settle_as_json(const char *option, const char *value, int code, char **complaints);

/* Puts the results together, and expects the exit code and a line. */
void expect_results(int code, const char *line);

/* The entry of a case in the verdicts, of a document that the caller frees. */
json_t *entry_of(const char *id, json_t **document);

/* Expects a case's verdict, and this in its reason. */
void expect_case(const char *id, const char *verdict, const char *why);

/* Whether the verdicts have the case as a suspect. */
bool is_suspect(const char *id);

/* How many processes a build's observers were. */
size_t processes(const char *side);

/* A number of a document, which must be there. */
double figure(const json_t *object, const char *key);
