/* SPDX-License-Identifier: MIT */
/* Linked as the last object of each program and shared library of `kernelgate nvcc`: without it no
 * gap follows the last arrays, and the bytes behind them may be the host's. */
#include "model/watch/behind.h"
