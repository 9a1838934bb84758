/* Findings: what is wrong in a kernel, where, and by whom, from the CPU model to the printers, and
 * the JSON that carries them in records and results. What is not known of one is 0, NULL or false,
 * and absent in JSON. */
#ifndef KG__RECORDS_FINDING_H
#define KG__RECORDS_FINDING_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/message.h"
#include "base/pool.h"

typedef enum kg__finding_kind {
    KG__OUT_OF_BOUNDS,
    KG__AFTER_FREE,    /* an access to memory that was freed, or (shared) whose block has ended */
    KG__NEVER_WRITTEN, /* a read of memory that nothing has written */
    KG__RACE_IN_WARP,  /* two threads of a warp, which __syncwarp() would order */
    KG__RACE_IN_BLOCK,
    KG__RACE_BETWEEN_BLOCKS,
    KG__DIVERGENT_BARRIER,
    KG__MISALIGNED,
    KG__HOST_ACCESS,     /* the host touches device memory, or a kernel the host's */
    KG__READ_ONLY,       /* a write to what a kernel may only read */
    KG__MISSING_FENCE,   /* an atomic or a volatile flag tells of what no __threadfence() follows */
    KG__SHUFFLE_OUTSIDE, /* a shuffle reads a lane that takes no part in it */
    KG__COPY_NOT_WAITED, /* a read of what an asynchronous copy has yet to write */
    KG__DEADLOCK,        /* threads wait for each other forever; `detail` says where */
    KG__INVALID_WARP_OPERATION, /* its operands are ones that CUDA leaves undefined */
    KG__INVALID_BARRIER,        /* the same of a barrier in shared memory, or of one by number */
    KG__CONVERSION,             /* of a floating-point value that the integer type cannot hold */
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

/* Who did something, and where. */
typedef struct kg__finding_actor {
    const char *file;  /* as the compiler was given it, or from the project's folder on */
    unsigned int line; /* 0: unknown */
    kg__finding_access access;
    bool has_block, has_thread; /* false: several, or none */
    unsigned int block[3];
    unsigned int thread[3];
    unsigned int waiting; /* threads at this barrier */
} kg__finding_actor;

/* Where a function was called. */
typedef struct kg__finding_call {
    const char *file;
    unsigned int line;
} kg__finding_call;

/* Something wrong at one line of source. Texts are borrowed. */
typedef struct kg__finding {
    const char *symbol;   /* the allocation, array or variable; of an index, the array's type; of a
                             conversion, the type that it is to */
    const char *kernel;   /* its name */
    const char *function; /* that has the line, where it is not the kernel itself, */
    kg__finding_call *calls; /* and where that was called, the innermost call first */
    size_t call_count;
    const char *detail; /* of a failed launch, the model's words; of a conversion, the value */
    const char *on_gpu; /* of a conversion, the result there and here; NULL: not known */
    const char *on_cpu;
    uint64_t size;    /* of all of it, bytes */
    int64_t offset;   /* of the access from its start */
    int64_t index;    /* where has_index */
    uint64_t address; /* where there is no symbol */
    uint64_t count;   /* how often it happened */
    kg__finding_actor by;
    kg__finding_actor other; /* of a race, who was there before; of a barrier, the other one */
    kg__finding_kind kind;
    uint64_t allocation; /* the number of the symbol's allocation; not in JSON, 0: none */
    unsigned int
        grid[3]; /* of the launch, in blocks; not in JSON, 0 where it was read from there */
    unsigned int threads[3]; /* and of a block of it */
    unsigned int bytes;      /* of the access */
    unsigned int alignment;  /* that it needs; 0: its bytes */
    kg__finding_space space;
    uint64_t mask;      /* of a shuffle, the lanes that it names, */
    uint64_t absent;    /* and those of them that take no part */
    bool by_host;       /* the host did it, in a launcher */
    bool lacks_acquire; /* of a missing fence: the reader's, not the writer's */
    bool has_index;     /* the compiler tells the index in place of the offset */
} kg__finding;

/* Findings that a text has in full; all of them are data. */
#define KG__FINDINGS_TOLD 3
/* Findings of a case that are kept, which bounds the size of results. */
#define KG__FINDINGS_MAXIMUM 256

/* What was found of a case, the most serious first. */
typedef struct kg__findings {
    kg__finding *list;
    size_t count;
    size_t more; /* further findings, that are only counted: the least serious ones */
} kg__findings;

/* How serious a kind is, 0 to KG__FINDING_RANKS - 1, the most serious first: what makes threads'
 * accesses unordered; invalid accesses; uninitialized reads; the rest. */
unsigned int kg__finding_rank(kg__finding_kind kind);
#define KG__FINDING_RANKS 4

/* Whether a kind is a data race. */
bool kg__finding_is_race(kg__finding_kind kind);

/* A kind's name in JSON: "race_in_block". */
const char *kg__finding_kind_name(kg__finding_kind kind);

/* The member of a record or an entry of the results that says where in the source to look, where no
 * finding does: {"file", "line"}, the line absent where it is not known. */
#define KG__AT "at"

/* A finding as JSON, owned by the caller. */
json_t *kg__finding_json(const kg__finding *finding);

/* Reads a finding, whose texts stay the JSON's and whose calls are the pool's. False with `error`
 * where a member is missing, unknown, or of another type. */
bool kg__finding_read(const json_t *json, kg__pool *pool, kg__finding *finding, kg__error *error);

/* Sets "findings" and "more_findings" of a record or an entry of the results; neither where nothing
 * was found. */
void kg__findings_set(json_t *object, const kg__findings *findings);

/* Reads them, into memory of the pool. None where the object has none; false with `error` where one
 * is not as it must be. */
bool kg__findings_read(const json_t *object, kg__pool *pool, kg__findings *findings,
                       kg__error *error);

#endif
