#error "the CPU model does not support cuda_bf16.h: use float (docs/model.md)"
