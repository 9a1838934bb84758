/* SPDX-License-Identifier: MIT */
/* Warp operations: shuffles, votes, reductions and __syncwarp(). Internal to exec/. */
#ifndef KG__MODEL_EXEC_WARP_OPERATIONS_H
#define KG__MODEL_EXEC_WARP_OPERATIONS_H

/* Releases the warp operations in which all lanes of the mask wait. */
void kg__release_warp_operations(unsigned int warp);

#endif
