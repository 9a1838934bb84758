/* The parts that the subcommands of `kernelgate` share. */
#ifndef KG__CLI_COMMAND_H
#define KG__CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/text.h"

/* How often the repeatable option of a subcommand may be given. */
#define KG__REPEATS_MAXIMUM 32

/* One option of a subcommand. Exactly one of `text` and `flag` is set: an option takes a value or
 * is a flag. */
typedef struct kg__option {
    const char *name;  /* "--out" */
    const char *value; /* what the help calls its value, "DIR"; NULL for a flag */
    const char *help;  /* one line, without a period */
    const char **text; /* where its value goes: a pointer into the arguments */
    bool *flag;        /* becomes true if it is given */
} kg__option;

/* One subcommand that is written in C. Its file defines it; main.c and commands.py, which has the
 * others, list it. */
typedef struct kg__command {
    const char *name;          /* "settle" */
    const char *operands;      /* what the help calls the operands, "FILE..."; "" if there
                                  are none */
    const char *summary;       /* one line */
    const char *details;       /* what the help says below the options; whole lines, or "" */
    const kg__option *options; /* ends with an empty one */
    bool takes_operands;
    /* The name of the option that may be given up to KG__REPEATS_MAXIMUM times; its text is an
     * array of that size, ended by NULL. NULL: none. */
    const char *repeated;
    /* Runs it, options having been parsed into their variables. Returns the exit code. */
    int (*run)(size_t count, char **operands);
} kg__command;


/* Parses a subcommand's arguments; operands move to the front of `arguments`, and `*operands`
 * becomes their number. "--" ends the options. False, with a complaint on the standard error, for
 * an unknown option (the nearest known one is named), a missing value or an unexpected operand.
 * `*help` becomes true where --help or -h is given. */
bool kg__parse_arguments(const kg__command *command, size_t count, char **arguments,
                         size_t *operands, bool *help);

/* The option of every subcommand that prints a document; `flag_` becomes true if it is given. */
#define KG__JSON_OPTION(flag_)                                                                     \
    {                                                                                              \
        "--json", NULL, "print one JSON document instead", NULL, &(flag_)                          \
    }

/* The stream for progress messages of a command that measures or stores: the standard output. */
FILE *kg__progress_stream(void);

/* Makes it the standard error, so that --json prints only its document on the standard output. */
void kg__progress_to_stderr(void);

/* The folder of a run's results: `folder` unless NULL, else KG_OUT, else out. */
const char *kg__results_folder(const char *folder);

/* Whether everything printed reached the standard output; complains if it did not. */
bool kg__flush_output(const char *command);

#endif
