#include "cub.cuh"
