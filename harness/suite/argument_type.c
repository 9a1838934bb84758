/* SPDX-License-Identifier: MIT */
#include "suite/argument_type.h"

#include <kernelgate/kernelgate.h>

#include "base/message.h"
#include "base/source_path.h"
#include "suite/element_type.h"

/* The program's comparison, whose home messages leave out; a test may have none. */
extern const kg_comparison *const kg__comparison __attribute__((weak));

static struct {
    bool is_pending;
    kg__error text;
} fault;

const char *kg__take_argument_fault(void)
{
    bool was_pending = fault.is_pending;

    fault.is_pending = false;
    return was_pending ? fault.text.text : NULL;
}

bool kg__argument_is_wrong(void)
{
    return fault.is_pending;
}

/* Returns whether elements of one type may be used as the other: integers of either sign. */
static bool are_alike(const kg__element_type *a, const kg__element_type *b)
{
    return a == b || (a->size == b->size && a->significand == 0 && b->significand == 0);
}

static bool is_right(const kg_arguments *declared, int index, int type, bool is_const,
                     const char *spelled, kg__error *why)
{
    const kg__element_type *given = kg__element_type_of((kg_type)type);
    const kg_argument *argument;

    if (index < 0 || index >= declared->count)
        return kg__fail(why, "the suite declares %d arguments, from number 0 on", declared->count);
    argument = &declared->list[index];
    if (type >= 0 && !are_alike(given, kg__element_type_of(argument->type)))
        return kg__fail(why, "argument %s has elements of %s, not of %s: use its type, and cast",
                        argument->name, kg__element_type_of(argument->type)->name, given->name);
    return is_const || argument->role != KG_INPUT ||
           kg__fail(why, "argument %s is an input, which must stay unchanged: use const %s",
                    argument->name, spelled);
}

void *kg__argument(const kg_call *call, int index, int type, bool is_const, const char *spelled,
                   const char *file, int line)
{
    const char *home = &kg__comparison != NULL ? kg__comparison->home : "";
    kg__error why = { "" };

    if (call->declared == NULL || is_right(call->declared, index, type, is_const, spelled, &why))
        return call->argument[index];
    if (!fault.is_pending)
        kg__fail(&fault.text, "%s:%d: KG_ARG(call, %s, %d): %s", kg__source_name(home, file), line,
                 spelled, index, why.text);
    fault.is_pending = true;
    return index >= 0 && index < KG_MAX_ARGUMENTS ? call->argument[index] : NULL;
}
