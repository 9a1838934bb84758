#include "../kg_model_cub_more.h"
