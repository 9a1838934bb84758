#error "the CPU model does not support cooperative_groups/reduce.h (docs/model.md)"
