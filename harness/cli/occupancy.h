/* What `kernelgate occupancy`, whose program is Python, asks: the occupancy calculator, and what
 * the compiler gave kernels. */
#ifndef KG__CLI_OCCUPANCY_H
#define KG__CLI_OCCUPANCY_H

/* Reads a JSON list of launches from the standard input, [architecture, registers, static shared
 * bytes, dynamic shared bytes, threads per block] each, and prints a list with {"blocks", "warps",
 * "occupancy", "limited_by": [...]} or {"why"} of each. Returns the exit code: KG__EXIT_NOTHING
 * where this command was built without the toolkit's calculator. */
int kg__answer_occupancies(void);

/* Prints the kernels in a program or a cubin as a JSON list, {"name", "architecture",
 * "registers", "static_shared", "local_bytes"} each: the names as nvcc mangles them. Returns the
 * exit code. */
int kg__print_kernels(const char *path);

#endif
