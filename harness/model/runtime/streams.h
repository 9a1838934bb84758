/* Streams and events. Internal to runtime/; its functions need the model's lock. */
#ifndef KG__MODEL_RUNTIME_STREAMS_H
#define KG__MODEL_RUNTIME_STREAMS_H

#include "model/include/cuda_runtime_api.h"

#include <stdbool.h>

/* Returns whether `stream` accepts work, and records that it is given some: a launch, a copy, a
 * fill. */
bool kg__model_takes_work(cudaStream_t stream);
/* Returns whether `stream` accepts work. */
bool kg__model_is_stream(cudaStream_t stream);
/* Records an allocation or a wait, which CUDA refuses while it captures a graph. */
void kg__model_note_uncapturable(void);
/* Destroys all streams and events. */
void kg__model_free_streams(void);

#endif
