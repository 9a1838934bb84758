/* What is wrong, each once a line of source, reads and writes apart. */
#include "model/watch/findings.h"

#include "base/message.h"
#include "model/watch/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static kg__model_finding findings[KG__FINDINGS_MAXIMUM];
static size_t count;

/* Where findings were made: several places of the code are one line. Beyond so many, a place is
 * looked up again each time. */
#define PLACES_MAXIMUM 256
static struct {
    kg__model_finding_kind kind;
    uintptr_t code;
    size_t finding;
} places[PLACES_MAXIMUM];
static size_t place_count;

void kg__findings_forget(void)
{
    count = place_count = 0;
}

const kg__model_finding *kg__findings(size_t *number)
{
    *number = count;
    return findings;
}

uint3 kg__thread_index(unsigned int thread)
{
    return (uint3){ thread % blockDim.x, thread / blockDim.x % blockDim.y,
                    thread / (blockDim.x * blockDim.y) };
}

void kg__describe_line(char *text, size_t size, kg__model_source source)
{
    const char *slash = strrchr(source.file, '/');

    text[0] = '\0';
    if (source.line > 0)
        kg__format(text, size, " at %s:%u", slash != NULL ? slash + 1 : source.file, source.line);
}

const char *kg__access_verb(unsigned int kind)
{
    return (kind & KG__ACCESS_ATOMIC) != 0  ? "updates"
           : (kind & KG__ACCESS_WRITE) != 0 ? "writes"
                                            : "reads";
}

bool kg__found_before(kg__model_finding_kind kind, uintptr_t code)
{
    for (size_t i = 0; i < place_count; i++) {
        if (places[i].code == code && places[i].kind == kind) {
            findings[places[i].finding].times++;
            return true;
        }
    }
    return false;
}

static void remember(kg__model_finding_kind kind, uintptr_t code, const kg__model_finding *finding)
{
    if (place_count == PLACES_MAXIMUM || code == 0)
        return;
    places[place_count].kind = kind;
    places[place_count].code = code;
    places[place_count++].finding = (size_t)(finding - findings);
}

/* A new finding at a line, or the one that is there, with one more time counted. What a line reads
 * and what it writes are seldom the same memory, so that neither finding may stand for the other.
 */
static kg__model_finding *at_line(kg__model_finding_kind kind, const char *does, const char *file,
                                  unsigned int line)
{
    for (size_t i = 0; i < count; i++) {
        if (findings[i].kind == kind && findings[i].line == line &&
            strcmp(findings[i].does, does) == 0 && strcmp(findings[i].file, file) == 0) {
            findings[i].times++;
            return &findings[i];
        }
    }
    if (count == KG__FINDINGS_MAXIMUM) {
        findings[count - 1].times++;
        return &findings[count - 1];
    }
    findings[count] =
        (kg__model_finding){ .kind = kind, .does = does, .file = file, .line = line, .times = 1 };
    return &findings[count++];
}

static void write_text(kg__model_finding *finding, const char *format, va_list arguments,
                       const uint3 *block, const uint3 *thread)
{
    size_t used;

    vsnprintf(finding->text, sizeof finding->text, format, arguments);
    used = strlen(finding->text);
    if (thread != NULL)
        kg__format(finding->text + used, sizeof finding->text - used,
                   "; block (%u, %u, %u), thread (%u, %u, %u)", block->x, block->y, block->z,
                   thread->x, thread->y, thread->z);
}

void kg__find(kg__model_finding_kind kind, const kg__finding_place *place, const char *format, ...)
{
    kg__model_source source;
    kg__model_finding *finding;
    uint3 thread;
    va_list arguments;

    if (kg__found_before(kind, place->code))
        return;
    source = kg__model_source_of((const void *)place->code);
    finding = at_line(kind, place->does, source.file, source.line);
    remember(kind, place->code, finding);
    if (finding->times > 1)
        return;
    thread = kg__thread_index(place->thread);
    va_start(arguments, format);
    write_text(finding, format, arguments, place->block != NULL ? place->block : &blockIdx,
               &thread);
    va_end(arguments);
}

void kg__find_at(kg__model_finding_kind kind, const char *file, unsigned int line,
                 const char *format, ...)
{
    kg__model_finding *finding = at_line(kind, "", file, line);
    kg__model_place place = { 0 };
    va_list arguments;

    if (finding->times > 1)
        return;
    (void)kg__model_where(&place);
    va_start(arguments, format);
    write_text(finding, format, arguments, &place.block, &place.thread);
    va_end(arguments);
}

void kg__find_of_host(kg__model_finding_kind kind, uintptr_t code, const char *does,
                      const char *format, ...)
{
    kg__model_source source = kg__model_source_of((const void *)code);
    kg__model_finding *finding = at_line(kind, does, source.file, source.line);
    va_list arguments;

    if (finding->times > 1)
        return;
    va_start(arguments, format);
    write_text(finding, format, arguments, NULL, NULL);
    va_end(arguments);
}
