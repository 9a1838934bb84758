/* SPDX-License-Identifier: MIT */
/* The CPU model's stand-in for NVTX: nothing is traced. */
#pragma once

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

#define KG__NVTX(type, name, parameters, answer)                                                   \
    static inline type name parameters                                                             \
    {                                                                                              \
        answer                                                                                     \
    }
#define KG__UNUSED(type, name) type name __attribute__((unused))
#define KG__EVENT KG__UNUSED(const nvtxEventAttributes_t *, event)
#define KG__DOMAIN KG__UNUSED(nvtxDomainHandle_t, domain)
#define KG__TEXT KG__UNUSED(const char *, text)
#define KG__RANGE KG__UNUSED(nvtxRangeId_t, range)
KG__NVTX(void, nvtxMarkA, (KG__TEXT), )
KG__NVTX(int, nvtxRangePushA, (KG__TEXT), return 0;)
KG__NVTX(int, nvtxRangePushEx, (KG__EVENT), return 0;)
KG__NVTX(int, nvtxRangePop, (void), return 0;)
KG__NVTX(nvtxRangeId_t, nvtxRangeStartA, (KG__TEXT), return 0;)
KG__NVTX(void, nvtxRangeEnd, (KG__RANGE), )
KG__NVTX(nvtxDomainHandle_t, nvtxDomainCreateA, (KG__TEXT), return (nvtxDomainHandle_t)0;)
KG__NVTX(void, nvtxDomainDestroy, (KG__DOMAIN), )
KG__NVTX(int, nvtxDomainRangePushEx, (KG__DOMAIN, KG__EVENT), return 0;)
KG__NVTX(int, nvtxDomainRangePop, (KG__DOMAIN), return 0;)
#undef KG__RANGE
#undef KG__TEXT
#undef KG__DOMAIN
#undef KG__EVENT
#undef KG__UNUSED
#undef KG__NVTX
#define nvtxMark nvtxMarkA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxDomainCreate nvtxDomainCreateA
