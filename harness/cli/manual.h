/* The manual page of `kernelgate`, made from what the subcommands say of themselves. */
#ifndef KG__CLI_MANUAL_H
#define KG__CLI_MANUAL_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/command.h"

/* Writes kernelgate(1), in the macros of man(7), from a list of subcommands that ends in NULL.
 * False with a complaint if a subcommand's program cannot say what it is. */
bool kg__write_manual(FILE *stream, const kg__command *const *commands);

#endif
