/* SPDX-License-Identifier: MIT */
/* Properties of the program that the model is linked to. program.c is compiled for each program,
 * because one installed model serves programs of other compilers, and its headers may have been
 * moved. */
#pragma once

/* Absolute paths of the folders of the headers that kernels include: the model's cuda_runtime.h and
 * the like, which the program sets before main(), and kernelgate/kernelgate.h, which every target
 * uses. */
extern const char *kg__model_headers;
extern const char kg__kernel_headers[];

/* The kernels' compiler, which may differ from the harness's: "gcc 12.2.0". */
extern const char kg__model_compiler[];

/* The kernels' flags beyond kernelgate's own: CMAKE_CXX_FLAGS, whose initial value is the
 * environment's CXXFLAGS; "" if empty. */
extern const char kg__model_flags[];
