/* Arrays of the device, that textures and surfaces read. Internal to runtime/. */
#ifndef KG__MODEL_RUNTIME_ARRAYS_H
#define KG__MODEL_RUNTIME_ARRAYS_H

#include "model/include/cuda_runtime_api.h"

/* Elements in rows, one after the other; layers as depth. */
struct cudaArray {
    unsigned char *data;
    struct cudaChannelFormatDesc element;
    struct cudaExtent extent; /* as the caller gave it: 0 for unused dimensions */
    unsigned int flags;
    struct cudaArray *next; /* of all arrays */
};

/* The bytes of an element; 0 where textures do not take it: its fields are of 8, 16 or 32 bits, all
 * alike, and 1, 2 or 4. */
size_t kg__model_element_bytes(const struct cudaChannelFormatDesc *element);
/* Forgets all arrays, whose memory has been freed. */
void kg__model_forget_arrays(void);
/* A copy within the device or with the host, which is checked. */
cudaError_t kg__model_copy(void *to, const void *from, size_t count, enum cudaMemcpyKind kind);
/* Memory that nothing has written. */
cudaError_t kg__model_allocate(void **pointer, size_t size);
/* Frees it. */
cudaError_t kg__model_release(void *pointer);

#endif
