/* What `kernelgate baseline record`, whose program is Python, asks: which machine code runs. */
#ifndef KG__CLI_FINGERPRINTS_H
#define KG__CLI_FINGERPRINTS_H

/* Reads {"compute_capability": "9.0", "kernels": [{"program": PATH, "kernel": a record's}, ...]}
 * from the standard input, and prints a list with the fingerprint of each kernel, "" where it is
 * not known (kg__kernels_fingerprint()). Returns the exit code. */
int kg__answer_fingerprints(void);

#endif
