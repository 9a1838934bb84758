/* SPDX-License-Identifier: MIT */
/* Findings: errors in a kernel, with place and threads, from the CPU model to the printers, and
 * their JSON in records and results. Unknown members are 0, NULL or false, and absent in JSON. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/message.h"
#include "base/pool.h"

typedef enum kg__finding_kind {
    KG__OUT_OF_BOUNDS,
    KG__AFTER_FREE,    /* an access to freed memory, or to shared memory whose block has ended */
    KG__NEVER_WRITTEN, /* a read of unwritten memory */
    KG__RACE_IN_WARP,  /* two threads of a warp, which __syncwarp() would order */
    KG__RACE_IN_BLOCK,
    KG__RACE_BETWEEN_BLOCKS,
    KG__DIVERGENT_BARRIER,
    KG__MISALIGNED,
    KG__HOST_ACCESS,   /* the host accesses device memory, or a kernel the host's */
    KG__READ_ONLY,     /* a write to memory that a kernel may only read */
    KG__MISSING_FENCE, /* an atomic or a volatile flag publishes a write without __threadfence() */
    KG__SHUFFLE_OUTSIDE,        /* a shuffle reads a lane that does not take part */
    KG__COPY_NOT_WAITED,        /* an access to memory that an asynchronous copy has yet to write */
    KG__DEADLOCK,               /* threads wait for each other forever; `detail` says where */
    KG__INVALID_WARP_OPERATION, /* CUDA leaves its operands undefined */
    KG__INVALID_BARRIER,        /* the same of a barrier in shared memory, or of one by number */
    KG__CONVERSION,           /* of a floating-point value that the integer type cannot represent */
    KG__RACE_BETWEEN_STREAMS, /* two pieces of work that nothing orders access the same memory */
    KG__HOST_TOO_EARLY, /* the host accesses memory before the work that does too has completed */
    KG__DOUBLE_FREE,
    KG__DESTROYED,  /* a stream or an event is used after it was destroyed */
    KG__OVERLAP,    /* a copy's source and destination overlap */
    KG__DIVISION,   /* of an integer by zero */
    KG__NO_SYMBOL,  /* a call takes memory that is no variable of the device for one */
    KG__HOST_TABLE, /* a kernel calls a virtual function of an object that the host made */
    KG__FINDING_KINDS
} kg__finding_kind;

typedef enum kg__finding_access {
    KG__NO_ACCESS,
    KG__READ,
    KG__WRITE,
    KG__ATOMIC,
    KG__FINDING_ACCESSES
} kg__finding_access;

typedef enum kg__finding_space {
    KG__UNKNOWN_SPACE,
    KG__GLOBAL,
    KG__SHARED,
    KG__CONSTANT,
    KG__LOCAL,
    KG__FINDING_SPACES
} kg__finding_space;

/* A thread or the host, and the place of its access. */
typedef struct kg__finding_actor {
    const char *file;  /* as given to the compiler, or relative to the project's folder */
    unsigned int line; /* 0: unknown */
    kg__finding_access access;
    bool has_block, has_thread; /* false: several, or none */
    unsigned int block[3];
    unsigned int thread[3];
    unsigned int waiting; /* threads at this barrier */
    const char *what;     /* of work in a stream, what it is: "copy", "kernel scale" */
} kg__finding_actor;

/* The place of a function's call. */
typedef struct kg__finding_call {
    const char *file;
    unsigned int line;
} kg__finding_call;

/* An error at one source line. Texts are borrowed. */
typedef struct kg__finding {
    const char *symbol;   /* the allocation, array or variable; of an index, the array's type; of a
                             conversion, the type that it is to */
    const char *kernel;   /* its name */
    const char *function; /* the function that contains the line, unless it is the kernel itself, */
    kg__finding_call *calls; /* and its calls, innermost first */
    size_t call_count;
    const char *detail; /* of a failed launch, the model's message; of a conversion, the value; of a
                           race with the launch before it, the call that waits for that; of shared
                           memory of a block that may have ended, what to do */
    const char *on_gpu; /* of a conversion, the result there and here; NULL: unknown */
    const char *on_cpu;
    uint64_t size;       /* of the whole symbol, bytes */
    int64_t offset;      /* of the access from its start */
    int64_t index;       /* if has_index */
    uint64_t address;    /* if there is no symbol */
    uint64_t count;      /* number of occurrences */
    uint64_t allocation; /* the number of the symbol's allocation; not in JSON, 0: none */
    uint64_t mask;       /* of a shuffle, the lanes it names, */
    uint64_t absent;     /* and those of them that do not take part */
    kg__finding_actor by;
    kg__finding_actor other; /* of a race, the earlier access; of a barrier, the other barrier */
    kg__finding_kind kind;
    unsigned int
        grid[3]; /* of the launch, in blocks; not in JSON, 0 where it was read from there */
    unsigned int threads[3]; /* and of a block of it */
    unsigned int bytes;      /* of the access */
    unsigned int alignment;  /* required by the access; 0: its bytes */
    kg__finding_space space;
    bool by_host;       /* the host's access, in a launcher */
    bool lacks_acquire; /* of a missing fence: the reader's, not the writer's */
    bool has_index;     /* the compiler gives the index in place of the offset */
} kg__finding;

/* Findings that a text describes in full; the data has all of them. */
#define KG__FINDINGS_TOLD 3
/* Findings kept per case, which bounds the size of results. */
#define KG__FINDINGS_MAXIMUM 256

/* The findings of a case, most serious first. */
typedef struct kg__findings {
    kg__finding *list;
    size_t count;
    size_t more; /* further findings, the least serious ones, only counted */
} kg__findings;

/* Returns whether a finding is a barrier in a loop that some threads left earlier, and ended. On
 * hardware since Volta they do not hold it up, so it is a defect only where results are wrong. */
bool kg__finding_is_excused(const kg__finding *finding);

/* Fills `to` with copies of `count` findings, the most serious first: the first
 * KG__FINDINGS_MAXIMUM, and how many more there are. `excuses` leaves out those that are excused.
 * The list is valid until the next call; texts and calls are borrowed. */
void kg__findings_rank(kg__findings *to, const kg__finding *all, size_t count, bool excuses);

/* Returns whether a kind is a data race. */
bool kg__finding_is_race(kg__finding_kind kind);

/* Returns a kind's name in JSON: "race_in_block". */
const char *kg__finding_kind_name(kg__finding_kind kind);

/* The member of a record or of an entry in the results with the source's place if no finding has
 * one: {"file", "line"}, the line absent if unknown. */
#define KG__AT "at"

/* Returns a finding as JSON, owned by the caller. */
json_t *kg__finding_json(const kg__finding *finding);

/* Reads a finding. Its texts stay the JSON's and its calls are the pool's. False with `error` if
 * a member is missing, unknown, or of another type. */
bool kg__finding_read(const json_t *json, kg__pool *pool, kg__finding *finding, kg__error *error);

/* Sets "findings" and "more_findings" of a record or an entry of the results; neither without
 * findings. */
void kg__findings_set(json_t *object, const kg__findings *findings);

/* Reads an object's findings into memory of the pool; none if it has none. False with `error` if
 * one is malformed. */
bool kg__findings_read(const json_t *object, kg__pool *pool, kg__findings *findings,
                       kg__error *error);
