#include "../kg_model_cub_sort.h"
