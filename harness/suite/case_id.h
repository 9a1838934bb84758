/* A case's id taken apart: comparison/variant/size/launch. Pure. */
#ifndef KG__SUITE_CASE_ID_H
#define KG__SUITE_CASE_ID_H

#include <stdbool.h>

/* The longest part of an id, its end included. */
#define KG__CASE_PART_SIZE 64

/* How an id is printed in a table whose rows come one by one, so that its width must be known
 * before: longer ones are rare, and push their row to the right. */
#define KG__CASE_COLUMN "%-50s"

typedef struct kg__case_id {
    char comparison[KG__CASE_PART_SIZE];
    char variant[KG__CASE_PART_SIZE];
    char size[KG__CASE_PART_SIZE];
    char launch[KG__CASE_PART_SIZE];
    unsigned long block; /* threads, or a tile's edge; 0: nothing to choose */
    unsigned long grid;  /* blocks; 0: not free */
} kg__case_id;

/* Takes an id apart: "matmul_f32/tiled/530/b16", whose launch is "b256", "b256g1056" or "-". False
 * where it is not a case's. */
bool kg__case_id_parse(const char *id, kg__case_id *name);

#endif
