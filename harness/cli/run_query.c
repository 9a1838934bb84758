#include "cli/run_query.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/exit_code.h"
#include "base/file.h"
#include "base/message.h"
#include "base/run_lock.h"
#include "results/run_files.h"

/* The number of a process; 0 where the text is none. */
static pid_t parse_process(const char *text)
{
    char *end;
    long process = strtol(text, &end, 10);

    return *text != '\0' && *end == '\0' && process > 0 && process <= INT_MAX ? (pid_t)process : 0;
}

static bool begin(const char *folder, pid_t process, kg__error *error)
{
    return kg__file_make_folder(folder, error) && kg__run_lock_take(folder, process, error) &&
           kg__results_begin(folder, error);
}

static bool answer(size_t count, char *const *arguments, kg__error *error)
{
    const char *word = count > 0 ? arguments[0] : "";
    pid_t process = count == 3 ? parse_process(arguments[2]) : 0;

    if (strcmp(word, "check") == 0 && count == 2)
        return kg__run_lock_permits(arguments[1], error);
    if (strcmp(word, "take") == 0 && process > 0)
        return kg__run_lock_take(arguments[1], process, error);
    if (strcmp(word, "begin") == 0 && process > 0)
        return begin(arguments[1], process, error);
    if (strcmp(word, "end") != 0 || process == 0)
        return kg__fail(error, "--run: expected begin FOLDER PID, check FOLDER or end FOLDER PID: "
                               "see harness/cli/run_query.h");
    kg__run_lock_release(arguments[1], process);
    return true;
}

int kg__answer_run(size_t count, char *const *arguments)
{
    kg__error error = { "" };

    if (answer(count, arguments, &error))
        return KG__EXIT_PASS;
    kg__complain("%s", error.text);
    return KG__EXIT_ERROR;
}
