/* What `kernelgate occupancy` and `kernelgate baseline record`, whose programs are Python, ask of
 * kernels: their occupancy, what the compiler gave them, and which machine code runs. */
#ifndef KG__CLI_KERNEL_QUERIES_H
#define KG__CLI_KERNEL_QUERIES_H

/* Reads a JSON list of launches from the standard input, [architecture, registers, static shared
 * bytes, dynamic shared bytes, threads per block] each, and prints a list with {"blocks", "warps",
 * "occupancy", "limited_by": [...]} or {"why"} of each. Returns the exit code: KG__EXIT_NOTHING
 * where this command was built without the toolkit's calculator. */
int kg__answer_occupancies(void);

/* Prints the kernels in a program or a cubin as a JSON list, {"name", "architecture",
 * "registers", "static_shared", "local_bytes"} each: the names as nvcc mangles them. Returns the
 * exit code. */
int kg__print_kernels(const char *path);

/* Reads {"compute_capability": "9.0", "kernels": [{"program": PATH, "kernel": a record's}, ...]}
 * from the standard input, and prints a list with the fingerprint of each kernel, "" where it is
 * not known (kg__kernels_fingerprint()). Returns the exit code. */
int kg__answer_fingerprints(void);

#endif
