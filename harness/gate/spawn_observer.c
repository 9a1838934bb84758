/* SPDX-License-Identifier: MIT */
#include "gate/spawn_observer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"
#include "records/observation.h"
#include "suite/id_parts.h"
#include "suite/settings.h"

extern char **environ;

/* How often the parent looks at the records of a running observer. */
#define LOOK_EVERY_NS 5000000L

/* How long an ended process may take to go: one in the midst of a driver call can take its time. */
#define SECONDS_TO_GO 20.0
/* How long one that hangs may take to say where. */
#define SECONDS_TO_TELL 5.0
/* The words of KG_WRAPPER, and the arguments of an observer behind them with their NULL. */
#define WRAPPER_WORDS 16
#define OBSERVER_ARGUMENTS 8
/* After this many hangs of one variant its other cases are skipped: each would wait for the whole
 * timeout. */
#define HANGS_MAXIMUM 3

/* One job in progress. */
typedef struct watch {
    const kg__observation_job *job;
    bool *settled;  /* a case has its record */
    size_t running; /* the case that was started last, job->case_count when none */
    bool done;      /* the observer said that it was through */
    kg__observation_status status;
    bool progressed;       /* this process settled at least one case */
    bool *hung;            /* a case hung */
    kg__observation *hang; /* what this process said when told to end; NULL: nothing yet */
    kg__error why;         /* of a status that is not KG__OBSERVED */
} watch;

static size_t index_of(const kg__observation_job *job, const char *id)
{
    size_t i = 0;

    while (i < job->case_count && strcmp(job->cases[i], id) != 0)
        i++;
    return i;
}

/* Passes on an observation that this process made itself. */
static void hand_on(const watch *state, const kg__observation *made)
{
    kg__observation *observation = kg__observation_copy(made);

    state->job->on_observation(state->job->context, observation);
    kg__observation_release(observation);
}

static void lose_case(watch *state, size_t index, bool hung, const char *why)
{
    const kg__observation *hang = index == state->running ? state->hang : NULL;
    kg__observation lost = {
        .event = KG__EVENT_FAILED, .id = state->job->cases[index], .hung = hung, .why = why
    };

    if (hang != NULL) {
        lost.at_file = hang->at_file;
        lost.at_line = hang->at_line;
        lost.findings = hang->findings;
    }
    state->settled[index] = true;
    state->progressed = true;
    hand_on(state, &lost);
}

static bool is_settling(kg__event event)
{
    return event == KG__EVENT_CHECKED || event == KG__EVENT_MEASURED ||
           event == KG__EVENT_IDENTIFIED || event == KG__EVENT_FAILED ||
           event == KG__EVENT_REFUSED || event == KG__EVENT_SKIPPED;
}

static void take_observation(watch *state, const kg__observation *observation)
{
    size_t index = index_of(state->job, observation->id);

    switch (observation->event) {
    case KG__EVENT_DONE:
        state->done = true;
        break;
    case KG__EVENT_UNAVAILABLE:
    case KG__EVENT_BROKEN:
        state->status =
            observation->event == KG__EVENT_UNAVAILABLE ? KG__UNAVAILABLE : KG__UNOBSERVED;
        kg__fail(&state->why, "%s", observation->why);
        return;
    case KG__EVENT_HUNG:
        kg__observation_release(state->hang);
        state->hang = kg__observation_keep(observation);
        return;
    case KG__EVENT_WAITING:
        kg__complain("%s", observation->why);
        break;
    case KG__EVENT_START:
        if (index < state->job->case_count)
            state->running = index;
        break;
    default:
        if (index == state->job->case_count || !is_settling(observation->event))
            break;
        if (state->settled[index])
            return;
        state->settled[index] = true;
        state->progressed = true;
        if (state->running == index)
            state->running = state->job->case_count;
    }
    state->job->on_observation(state->job->context, observation);
}

/* Takes what has arrived; returns true when anything had. */
static bool take_records(watch *state, kg__record_reader *reader)
{
    bool any = false;
    kg__observation *observation;

    while ((observation = kg__observation_next(reader)) != NULL) {
        take_observation(state, observation);
        kg__observation_release(observation);
        any = true;
    }
    return any;
}

static bool fail_to_write(const char *path, kg__error *why)
{
    return kg__fail(why,
                    "%s: cannot be written: %s: check the directory's permissions and free space",
                    path, strerror(errno));
}

/* Writes the file that an observer finds its cases in, those that no process has settled yet: an id
 * a line. */
static bool write_unsettled(const watch *state, const char *path, kg__error *why)
{
    FILE *file = fopen(path, "w");
    bool good;

    if (file == NULL)
        return fail_to_write(path, why);
    for (size_t i = 0; i < state->job->case_count; i++) {
        if (!state->settled[i])
            fprintf(file, "%s\n", state->job->cases[i]);
    }
    good = !ferror(file);
    if (fclose(file) != 0 || !good)
        return fail_to_write(path, why);
    return true;
}

/* Splits a wrapper's command at its spaces, in place. */
static bool split_words(char *command, char **words, size_t *count, kg__error *why)
{
    char *rest;

    for (char *word = strtok_r(command, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        if (*count == WRAPPER_WORDS)
            return kg__fail(why, "KG_WRAPPER has more than %d words: put them into a script",
                            WRAPPER_WORDS);
        words[(*count)++] = word;
    }
    return true;
}

/* The path of the job's program. To a wrapper /proc/self/exe would be the wrapper itself. */
static bool find_program(const kg__observation_job *job, bool wrapped, char *path, size_t size,
                         kg__error *why)
{
    if (job->program == NULL && wrapped)
        return kg__own_program(path, size, why);
    kg__format_path(path, size, "%s", job->program != NULL ? job->program : "/proc/self/exe");
    return true;
}

static bool start(const kg__observation_job *job, const char *cases, const char *records,
                  pid_t *process, kg__error *why)
{
    const char *wrapper = kg__wrapper(job->part);
    char *command = kg__copy_text(wrapper != NULL ? wrapper : "");
    char *arguments[WRAPPER_WORDS + OBSERVER_ARGUMENTS];
    char program[KG__PATH_SIZE];
    size_t count = 0;
    bool good = split_words(command, arguments, &count, why) &&
                find_program(job, wrapper != NULL, program, sizeof program, why);

    if (good) {
        char *own[OBSERVER_ARGUMENTS] = { program,           "--observe", (char *)cases,   "--part",
                                          (char *)job->part, "--records", (char *)records, NULL };
        int code;

        kg__name_parent();
        memcpy(arguments + count, own, sizeof own);
        code = posix_spawnp(process, arguments[0], NULL, NULL, arguments, environ);
        if (code != 0 && wrapper != NULL)
            good = kg__fail(why, "KG_WRAPPER=%s: %s cannot be run: %s", wrapper, arguments[0],
                            strerror(code));
        else if (code != 0)
            good =
                kg__fail(why, "%s: the observer does not start: %s", arguments[0], strerror(code));
    }
    free(command);
    return good;
}

/* Sends a signal that ends a process, and waits up to `seconds`; false where it goes on. */
static bool end_process(pid_t process, int number, double seconds, int *status)
{
    double began = kg__now();

    kill(process, number);
    while (kg__now() - began < seconds) {
        struct timespec pause = { 0, LOOK_EVERY_NS };

        if (waitpid(process, status, WNOHANG) != 0)
            return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

/* Follows a process to its end. Returns its wait status; `hung` tells that silence ended it. */
static int follow(watch *state, kg__record_reader *reader, pid_t process, bool *hung)
{
    double heard = kg__now();
    int status = 0;

    *hung = false;
    for (;;) {
        struct timespec pause = { 0, LOOK_EVERY_NS };
        pid_t ended = waitpid(process, &status, WNOHANG);

        if (take_records(state, reader))
            heard = kg__now();
        if (ended == process || (ended < 0 && errno != EINTR))
            break;
        if (kg__now() - heard > state->job->silence_limit) {
            /* A wrapper must be left the time to end its observer, an observer of the CPU model
             * that to say where its kernel stands. */
            double patience =
                kg__wrapper(state->job->part) != NULL ? SECONDS_TO_GO : SECONDS_TO_TELL;

            *hung = true;
            if (!end_process(process, SIGTERM, patience, &status) &&
                !end_process(process, SIGKILL, SECONDS_TO_GO, &status)) {
                state->status = KG__UNOBSERVED;
                kg__fail(&state->why,
                         "part %s: process %ld hung and cannot be killed: the driver holds it; see "
                         "nvidia-smi, and restart the machine if it stays",
                         state->job->part, (long)process);
            }
            break;
        }
        nanosleep(&pause, NULL);
    }
    take_records(state, reader);
    return status;
}

static void describe_end(const watch *state, int status, bool hung, char *text, size_t size)
{
    const char *where = state->hang != NULL && state->hang->where != NULL ? state->hang->where : "";
    const char *space = *where != '\0' ? " " : "";

    if (hung)
        kg__format(text, size,
                   "hung: no record for %g s (KG_CASE_TIMEOUT sets the limit); it was ended%s%s",
                   state->job->silence_limit, space, where);
    else if (*where != '\0')
        kg__format(text, size, "the observer was ended from outside (SIGTERM)%s%s", space, where);
    else if (WIFSIGNALED(status))
        kg__format(text, size, "crashed: the observer died of signal %d (%s)", WTERMSIG(status),
                   strsignal(WTERMSIG(status)));
    else
        kg__format(text, size, "the observer ended early with exit code %d", WEXITSTATUS(status));
}

static size_t unsettled(const watch *state)
{
    size_t count = 0;

    for (size_t i = 0; i < state->job->case_count; i++)
        count += !state->settled[i];
    return count;
}

/* Loses the other cases of a variant once too many of its cases have hung. */
static void give_up_variant(watch *state, const char *id)
{
    size_t length = kg__variant_length(id);
    size_t hangs = 0;

    for (size_t i = 0; i < state->job->case_count; i++)
        hangs += state->hung[i] && strncmp(state->job->cases[i], id, length) == 0;
    for (size_t i = 0; hangs >= HANGS_MAXIMUM && i < state->job->case_count; i++) {
        if (!state->settled[i] && strncmp(state->job->cases[i], id, length) == 0)
            lose_case(state, i, true, "not run: three cases of this variant hung before it");
    }
}

/* What a process that ended leaves unsettled. Returns true when another process is to go on. */
static bool settle_end(watch *state, int status, bool hung)
{
    char end[KG__MESSAGE_SIZE];

    describe_end(state, status, hung, end, sizeof end);
    if (state->running < state->job->case_count && !state->settled[state->running]) {
        state->hung[state->running] = hung;
        lose_case(state, state->running, hung, end);
        if (hung)
            give_up_variant(state, state->job->cases[state->running]);
    }
    if (state->status != KG__OBSERVED || unsettled(state) == 0)
        return false;
    if (state->done || (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !hung)) {
        for (size_t i = 0; i < state->job->case_count; i++) {
            if (!state->settled[i])
                lose_case(state, i, false,
                          "record lost: the observer ended well and left none of this case");
        }
        return false;
    }
    if (!state->progressed) {
        state->status = KG__UNOBSERVED;
        kg__fail(&state->why, "part %s: %s%s%s before its first case: run it by hand to see why",
                 state->job->part, state->job->program != NULL ? state->job->program : "",
                 state->job->program != NULL ? ": " : "", end);
        return false;
    }
    return true;
}

/* Passes on what a wrapper has against an observer that found nothing amiss itself. */
static void report_wrapper_exit(const watch *state, int status)
{
    const char *wrapper = kg__wrapper(state->job->part);
    char why[KG__MESSAGE_SIZE];

    if (wrapper == NULL || !state->done || status == 0)
        return;
    if (WIFSIGNALED(status))
        kg__format(why, sizeof why, "KG_WRAPPER=%s: died of signal %d (%s)", wrapper,
                   WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        kg__format(
            why, sizeof why,
            "KG_WRAPPER=%s: exit code %d, although the observer had finished: see what it says",
            wrapper, WEXITSTATUS(status));
    hand_on(state, &(kg__observation){ .event = KG__EVENT_OBJECTION, .why = why });
}

kg__observation_status kg__observe_cases(const kg__observation_job *job, kg__error *why)
{
    watch state = { .job = job };
    char cases[KG__PATH_SIZE];
    char records[KG__PATH_SIZE];
    bool again = job->case_count > 0;

    state.settled = kg__allocate(job->case_count, sizeof *state.settled);
    state.hung = kg__allocate(job->case_count, sizeof *state.hung);
    kg__format_path(cases, sizeof cases, "%s.cases", job->records);
    kg__format_path(records, sizeof records, "%s.jsonl", job->records);
    (void)unlink(records);
    for (size_t from = 0; again; from++) {
        kg__record_reader reader;
        pid_t process = 0;
        bool hung;
        int status;
        int fresh;

        state.running = job->case_count;
        state.done = state.progressed = false;
        kg__observation_release(state.hang);
        state.hang = NULL;
        if (from > 0)
            kg__format_path(records, sizeof records, "%s.%zu.jsonl", job->records, from);
        fresh = open(records, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (fresh < 0) {
            fail_to_write(records, &state.why);
            state.status = KG__UNOBSERVED;
            break;
        }
        close(fresh);
        if (!write_unsettled(&state, cases, &state.why) ||
            !kg__record_open(&reader, records, &state.why)) {
            state.status = KG__UNOBSERVED;
            break;
        }
        if (!start(job, cases, records, &process, &state.why)) {
            kg__record_close(&reader);
            state.status = KG__UNOBSERVED;
            break;
        }
        status = follow(&state, &reader, process, &hung);
        if (reader.bad_lines > 0 || reader.torn)
            kg__complain("%s: %zu damaged and %d unfinished lines were skipped", records,
                         reader.bad_lines, (int)reader.torn);
        kg__record_close(&reader);
        if (!hung)
            report_wrapper_exit(&state, status);
        again = settle_end(&state, status, hung);
    }
    free(state.settled);
    free(state.hung);
    kg__observation_release(state.hang);
    if (state.status != KG__OBSERVED)
        *why = state.why;
    return state.status;
}
