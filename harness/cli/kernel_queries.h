/* What `kernelgate occupancy` and `kernelgate baseline record`, whose programs are Python, ask of
 * kernels: their occupancy, what the compiler gave them, and which machine code runs. */
#ifndef KG__CLI_KERNEL_QUERIES_H
#define KG__CLI_KERNEL_QUERIES_H

/* Prints the kernels in a program or a cubin as a JSON list, {"name", "architecture",
 * "registers", "static_shared", "local_bytes"} each: the names as nvcc mangles them. Returns the
 * exit code. */
int kg__print_kernels(const char *path);

/* Reads {"compute_capability": "9.0", "kernels": [{"program": PATH, "kernel": a record's}, ...]}
 * from the standard input, and prints a list with the fingerprint of each kernel, "" where it is
 * not known (kg__kernels_fingerprint()). Returns the exit code. */
int kg__answer_fingerprints(void);

#endif
