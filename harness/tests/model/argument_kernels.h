/* Launchers that give KG_ARG types, right and wrong. */
#ifndef KG__ARGUMENT_KERNELS_H
#define KG__ARGUMENT_KERNELS_H

#include <kernelgate/kernelgate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each copies argument 0, an input, to argument 1 by bytes, started by kg_start() or otherwise; the
 * names say what is given to KG_ARG for argument 0. */
kg_launcher takes_half, takes_half2, takes_bfloat16, takes_float, takes_float4, takes_int,
    takes_unsigned, takes_e4m3, takes_char, takes_writable, takes_third, takes_float_alone;

#ifdef __cplusplus
}
#endif

#endif
