/* The program `kernelgate-queries`: what the Python package still asks of C. */
#include <string.h>

#include "base/exit_code.h"
#include "base/message.h"
#include "cli/baseline_query.h"
#include "cli/kernel_queries.h"

int main(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "";

    if (argc == 2 && strcmp(first, "--fingerprints") == 0)
        return kg__answer_fingerprints();
    if (argc == 3 && strcmp(first, "--kernels") == 0)
        return kg__print_kernels(argv[2]);
    if (strcmp(first, "--baseline") == 0)
        return kg__answer_baselines((size_t)argc - 2, argv + 2);
    kg__complain("%s: unknown query: install kernelgate again", first);
    return KG__EXIT_ERROR;
}
