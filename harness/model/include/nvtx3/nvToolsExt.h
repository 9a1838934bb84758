/* The CPU model's stand-in for NVTX: nothing is traced. */
#ifndef KG__MODEL_NVTX_H
#define KG__MODEL_NVTX_H

#include <stdint.h>

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

enum { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 };
enum { NVTX_MESSAGE_UNKNOWN = 0, NVTX_MESSAGE_TYPE_ASCII = 1 };
enum { NVTX_PAYLOAD_UNKNOWN = 0, NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1 };

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;

typedef struct nvtxEventAttributes_v2 {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
    } payload;
    int32_t messageType;
    union {
        const char *ascii;
    } message;
} nvtxEventAttributes_t;

#define KG__NVTX(type, name, parameters)                                                           \
    static inline type name parameters                                                             \
    {                                                                                              \
        return (type)0;                                                                            \
    }
KG__NVTX(void, nvtxMarkA, (const char *message __attribute__((unused))))
KG__NVTX(int, nvtxRangePushA, (const char *message __attribute__((unused))))
KG__NVTX(int, nvtxRangePushEx, (const nvtxEventAttributes_t *event __attribute__((unused))))
KG__NVTX(int, nvtxRangePop, (void))
KG__NVTX(nvtxRangeId_t, nvtxRangeStartA, (const char *message __attribute__((unused))))
KG__NVTX(void, nvtxRangeEnd, (nvtxRangeId_t range __attribute__((unused))))
KG__NVTX(nvtxDomainHandle_t, nvtxDomainCreateA, (const char *name __attribute__((unused))))
KG__NVTX(void, nvtxDomainDestroy, (nvtxDomainHandle_t domain __attribute__((unused))))
KG__NVTX(int, nvtxDomainRangePushEx,
         (nvtxDomainHandle_t domain __attribute__((unused)),
          const nvtxEventAttributes_t *event __attribute__((unused))))
KG__NVTX(int, nvtxDomainRangePop, (nvtxDomainHandle_t domain __attribute__((unused))))
#undef KG__NVTX
#define nvtxMark nvtxMarkA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxDomainCreate nvtxDomainCreateA

#endif
