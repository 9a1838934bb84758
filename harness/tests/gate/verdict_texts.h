/* SPDX-License-Identifier: MIT */
/* What the tests of results write of verdicts files: their head, their target, and cases of theirs.
 */
#ifndef KG__VERDICT_TEXTS_H
#define KG__VERDICT_TEXTS_H

#define HEAD                                                                                       \
    "{\"schema\": \"kernelgate-verdicts/1\", \"test\": \"gpu.a.time\", \"complete\": true, "       \
    "\"exit_code\": 0"

#define CASE(id, target, part, verdict, why)                                                       \
    "{\"case\": \"" id "\", \"target\": \"" target "\", \"part\": \"" part                         \
    "\", \"seconds\": 0.5, \"verdict\": \"" verdict "\", \"why\": \"" why "\"}"

#define TIMED(id, verdict, why)                                                                    \
    "{\"case\": \"" id "\", \"target\": \"nvidia-h200\", \"part\": \"time\", \"seconds\": 0.25, "  \
    "\"metrics\": {\"time_ns\": {\"value\": 47980, \"low\": 47900, \"high\": 48050, "              \
    "\"baseline\": 45130, \"change\": 0.0631, \"limit\": 0.02, \"smallest\": 0.02, "               \
    "\"verdict\": \"" verdict "\"}}, \"verdict\": \"" verdict "\", \"why\": \"" why                \
    "\", \"throttled\": false, \"work\": {\"operations\": 8, \"bytes\": 12}, \"kernel\": "         \
    "{\"registers\": 40}}"

#define TARGET                                                                                     \
    ", \"target\": {\"key\": \"nvidia-h200\", \"name\": \"NVIDIA H200\"}, \"provenance\": "        \
    "{\"driver\": \"580.159.04\"}"

#endif
