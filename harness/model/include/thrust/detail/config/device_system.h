/* SPDX-License-Identifier: MIT */
/* The device of Thrust on the CPU model: CUDA by name, and sequential algorithms that run as
 * kernels of one thread (kg_model_thrust.h). Headers that Thrust names by its device's folder are
 * those of its C++ backend, which include the model's. */
#pragma once

#define THRUST_DEVICE_SYSTEM_CUDA 1
#define THRUST_DEVICE_SYSTEM_OMP 2
#define THRUST_DEVICE_SYSTEM_TBB 3
#define THRUST_DEVICE_SYSTEM_CPP 4
#ifndef THRUST_DEVICE_SYSTEM
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CUDA
#endif
#if THRUST_DEVICE_SYSTEM != THRUST_DEVICE_SYSTEM_CUDA
#error "the CPU model has Thrust for CUDA alone: leave out THRUST_DEVICE_SYSTEM"
#endif
#define __THRUST_DEVICE_SYSTEM_NAMESPACE cuda
// clang-format off
#define __THRUST_DEVICE_SYSTEM_ROOT thrust/system/cpp
// clang-format on
