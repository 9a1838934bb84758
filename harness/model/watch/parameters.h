/* SPDX-License-Identifier: MIT */
/* Parameters of functions, from the program's debug information. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The class of an 8-byte word of a value in the System V ABI of x86-64. */
typedef enum kg__model_word { KG__WORD_EMPTY, KG__WORD_FLOATS, KG__WORD_INTEGERS } kg__model_word;

/* How a parameter is passed. */
typedef struct kg__model_parameter {
    size_t size;      /* bytes */
    size_t alignment; /* bytes */
    kg__model_word words[2];
    bool on_stack; /* passed in memory, whatever the class of its words */
    /* A class that may only be copied by its own constructor is passed by an object's address. */
    bool by_address;
} kg__model_parameter;

/* Fills in up to `room` parameters of the function that begins at `function`. Returns how many
 * it has; SIZE_MAX when the debug information is missing, or has a type that is not known. */
size_t kg__model_parameters(const void *function, kg__model_parameter *parameters, size_t room);
