/* cuBLAS and cuBLASLt of programs: compiled as kernels when the toolkit is built. */
#include "kg_model_cublas.h"
#include "kg_model_cublaslt.h"
