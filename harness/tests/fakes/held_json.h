/* SPDX-License-Identifier: MIT */
/* JSON documents that a test need not free. */
#pragma once

#include <jansson.h>

/* Keeps a document, which must be one, until release_json(); returns it. */
json_t *hold_json(json_t *document);

/* The same of a text with ' for ". */
json_t *held(const char *text);

/* A suite's .fini: frees what was kept. */
void release_json(void);
