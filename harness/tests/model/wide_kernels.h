/* Launchers of kernels on more bytes than 32 bits can count. */
#ifndef KG__WIDE_KERNELS_H
#define KG__WIDE_KERNELS_H

#include <kernelgate/kernelgate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each copies n bytes: right, by an int as index, and without a bounds check. */
kg_launcher wide_copy, wide_copy_by_int, wide_copy_unguarded;

#ifdef __cplusplus
}
#endif

#endif
