/* Properties of the program that the model is linked to. A model that is installed once serves
 * programs of other compilers, and finds its headers where it was moved to: program.c is compiled
 * again for each program. */
#ifndef KG__MODEL_PROGRAM_H
#define KG__MODEL_PROGRAM_H

/* The folder of the headers that kernels include, the model's cuda_runtime.h and its kin, as an
 * absolute path that the program sets before main(); and that of kernelgate/kernelgate.h, which is
 * every target's. */
extern const char *kg__model_headers;
extern const char kg__kernel_headers[];

/* The compiler of the kernels, which need not be that of the harness: "gcc 12.2.0". */
extern const char kg__model_compiler[];

/* The kernels' flags beyond kernelgate's own: CMAKE_CXX_FLAGS, which begins as CXXFLAGS of the
 * environment; "" if empty. */
extern const char kg__model_flags[];

#endif
