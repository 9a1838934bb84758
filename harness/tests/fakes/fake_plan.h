/* SPDX-License-Identifier: MIT */
/* What the programs that stand in for observers have in common: which process of a run each is, and
 * what a plan has in store for a case. */
#pragma once

/* Adds a line to the file that the environment's `variable` names, and counts its lines: the number
 * of the process, from 1. 1 where there is no such file. */
int fake_process_number(const char *variable);

/* Follows the file that the environment's `variable` names, of lines "PROCESS PATTERN ACTION...":
 * hands the actions of every line that fits the process (a number, or *) and a case's id (a glob)
 * to `follow`, which may change them. */
void fake_follow_plan(const char *variable, int process, const char *id,
                      void (*follow)(void *context, char *actions), void *context);

/* Appends {"event", "case", "why"}, without what is NULL, to a file of records; ends the process
 * where that fails. */
void fake_report(int records, const char *event, const char *id, const char *why);
