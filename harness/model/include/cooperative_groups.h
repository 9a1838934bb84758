#error "the CPU model does not support cooperative_groups.h (docs/model.md)"
