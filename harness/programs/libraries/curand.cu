/* cuRAND of programs, as cublas.cu. */
#include "kg_model_curand_host.h"
