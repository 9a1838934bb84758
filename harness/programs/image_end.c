/* SPDX-License-Identifier: MIT */
/* Linked as the last object of each program and shared library of `kernelgate nvcc`. */
