/* What the model knows of the program that it is linked to. A model that is installed once serves
 * programs of other compilers, and finds its headers where it was moved to: program.c is compiled
 * anew for each program. */
#ifndef KG__MODEL_PROGRAM_H
#define KG__MODEL_PROGRAM_H

/* The folder of the headers that kernels include, an absolute path as the build names it. */
extern const char kg__model_headers[];

/* The compiler of the kernels, which need not be that of the harness: "gcc 12.2.0". */
extern const char kg__model_compiler[];

#endif
