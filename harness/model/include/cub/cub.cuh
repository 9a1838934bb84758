#error "the CPU model does not support cub/cub.cuh: write the step out (docs/model.md)"
