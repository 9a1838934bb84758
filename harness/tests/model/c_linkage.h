/* SPDX-License-Identifier: MIT */
/* What is between BEGIN_C and END_C is called from tests in C and defined in C++. */
#pragma once

#ifdef __cplusplus
#define BEGIN_C extern "C" {
#define END_C }
#else
#define BEGIN_C
#define END_C
#endif
