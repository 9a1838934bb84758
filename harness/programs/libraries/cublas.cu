/* cuBLAS of programs: `kernelgate nvcc` compiles it when the toolkit is built. */
#include "kg_model_cublas.h"
