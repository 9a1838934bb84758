/* The files that a run leaves: their names, and reading and writing them (results.h). */
#ifndef KG__RESULTS_RESULTS_FILES_H
#define KG__RESULTS_RESULTS_FILES_H

/* The path of a file in a folder; the caller's. */
char *kg__join_path(const char *folder, const char *name);

#endif
