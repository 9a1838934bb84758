/* The occupancy calculator for `kernelgate occupancy`, whose program is Python. */
#ifndef KG__CLI_OCCUPANCY_H
#define KG__CLI_OCCUPANCY_H

/* Reads a JSON list of launches from the standard input, [architecture, registers, static shared
 * bytes, dynamic shared bytes, threads per block] each, and prints a list with {"blocks", "warps",
 * "occupancy", "limited_by": [...]} or {"why"} of each. Returns the exit code: KG__EXIT_NOTHING
 * where this command was built without the toolkit's calculator. */
int kg__answer_occupancies(void);

#endif
