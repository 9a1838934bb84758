#error "the CPU model does not support mma.h: multiply by hand (docs/model.md)"
