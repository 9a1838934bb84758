#error "the CPU model does not support cooperative_groups.h: use __syncthreads() and the warp operations (docs/model.md)"
