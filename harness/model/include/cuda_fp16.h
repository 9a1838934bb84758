#error "the CPU model does not support cuda_fp16.h: use float (docs/model.md)"
