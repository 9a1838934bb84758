#error "the CPU model does not support cooperative_groups/reduce.h: use the warp operations (docs/model.md)"
