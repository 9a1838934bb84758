/* What a case's job asks for, whoever does it: the limits of a GPU are held against it. */
#ifndef KG__SUITE_WORK_H
#define KG__SUITE_WORK_H

typedef struct kg__work {
    double operations;
    double bytes;
} kg__work;

#endif
