#error "the CPU model does not support cuda_pipeline.h: copy by assignment (docs/model.md)"
