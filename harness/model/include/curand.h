#error                                                                                             \
    "the CPU model does not support curand.h, cuRAND on the host: make the numbers in the suite (docs/model.md)"
