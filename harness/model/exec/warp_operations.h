/* SPDX-License-Identifier: MIT */
/* Warp operations: shuffles, votes, reductions and __syncwarp(). Internal to exec/. */
#pragma once

/* Releases the warp operations in which all lanes of the mask wait. */
void kg__release_warp_operations(unsigned int warp);
