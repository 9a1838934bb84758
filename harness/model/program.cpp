#include "program.h"

#ifndef KG__MODEL_INCLUDE
#error "define KG__MODEL_INCLUDE as the absolute path of the folder with the model's cuda_runtime.h"
#endif

#define TEXT_OF(number) #number
#define VERSION_OF(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char kg__model_headers[] = KG__MODEL_INCLUDE;
const char kg__model_compiler[] = "gcc " VERSION_OF(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
