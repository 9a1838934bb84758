#include "baseline/machine_code.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/message.h"
#include "records/records.h"

/* How well an architecture's code suits the device; the better of two is used. */
enum { UNFIT = 0, OWN = 1000 };

/* A text that is being read, and the kernel that the last lines were of. */
typedef struct reading {
    int major; /* the device's compute capability */
    int minor;
    int fitness;     /* of the architecture that the text has come to */
    json_t *kernels; /* by name: {"fitness", "code", "known"} */
    char *name;      /* NULL: in no kernel */
    uint64_t hash;
    bool has_instructions; /* it has an instruction */
    bool complete;         /* all that it runs, and all that it computes with, is in it */
} reading;

static const char *skip_blanks(const char *c)
{
    while (*c == ' ' || *c == '\t')
        c++;
    return c;
}

/* What follows `mark` at the front of `line`; NULL where it does not begin with it. */
static const char *skip_prefix(const char *line, const char *mark)
{
    size_t length = strlen(mark);

    line = skip_blanks(line);
    return strncmp(line, mark, length) == 0 ? skip_blanks(line + length) : NULL;
}

/* How well code for "sm_90" suits the device. Code for the architecture's own features ("sm_90a")
 * runs on nothing but itself. */
static int rate_architecture(const reading *text, const char *architecture)
{
    char *end;
    long number;
    int major;
    int minor;

    if (strncmp(architecture, "sm_", 3) != 0)
        return UNFIT;
    number = strtol(architecture + 3, &end, 10);
    major = (int)(number / 10);
    minor = (int)(number % 10);
    if (end == architecture + 3 || number <= 0 || major != text->major || minor > text->minor)
        return UNFIT;
    if (minor == text->minor)
        return OWN + (isalpha((unsigned char)*end) != 0);
    return isalpha((unsigned char)*end) ? UNFIT : 1 + minor;
}

/* The encoding in a line, from its 0x on, in a comment of its own; NULL where none is shown. */
static const char *find_encoding(const char *line, const char *end)
{
    while ((line = memmem(line, (size_t)(end - line), "/*", 2)) != NULL) {
        line = skip_blanks(line + 2);
        if (end - line > 2 && line[0] == '0' && line[1] == 'x')
            return line;
    }
    return NULL;
}

/* What follows the address that a line of code begins with. */
static const char *skip_address(const char *line, const char *end)
{
    const char *close = memmem(line, (size_t)(end - line), "*/", 2);

    return close != NULL ? close + 2 : end;
}

/* Adds a line's encoding, which says all that the machine reads, and the same whichever
 * disassembler printed it. Where none is shown the instruction's text has to do. */
static void add_instruction(reading *text, const char *line, size_t length)
{
    const char *end = line + length;
    const char *encoding = find_encoding(line, end);

    for (line = encoding != NULL ? encoding : skip_address(line, end); line < end; line++) {
        if (isgraph((unsigned char)*line))
            text->hash = kg__hash_bytes(text->hash, line, 1);
    }
    text->has_instructions = true;
}

/* Whether an instruction's line leads out of the kernel: a call to anything but an address in it.
 */
static bool calls_outside(const char *line, size_t length)
{
    const char *call = memmem(line, length, "CALL.", strlen("CALL."));
    const char *operand;

    if (call == NULL)
        return false;
    operand = call + strcspn(call, " \t\n");
    return strncmp(call, "CALL.REL", strlen("CALL.REL")) != 0 ||
           strncmp(skip_blanks(operand), "0x", 2) != 0;
}

/* Whether an instruction's line reads a constant other than a parameter: what a table, a literal or
 * the address of a variable holds is the program's, and no instruction shows it. Bank 0 holds the
 * launch alone. */
static bool reads_constants(const char *line, size_t length)
{
    static const char bank[] = "c[0x";
    static const char bound_bank[] = "cx[";
    const char *end = line + length;

    if (memmem(line, length, bound_bank, strlen(bound_bank)) != NULL)
        return true;
    while ((line = memmem(line, (size_t)(end - line), bank, strlen(bank))) != NULL) {
        line += strlen(bank);
        if (end - line < 2 || line[0] != '0' || line[1] != ']')
            return true;
    }
    return false;
}

static void begin_kernel(reading *text, const char *name)
{
    size_t length = strcspn(name, " \t\r\n");

    free(text->name);
    text->name = kg__allocate(length + 1, 1);
    memcpy(text->name, name, length);
    text->hash = KG__HASH_BEGIN;
    text->has_instructions = false;
    text->complete = true;
}

/* Keeps the kernel that has come to its end, unless better code of its name is there already. */
static void end_kernel(reading *text)
{
    char code[KG__HASH_TEXT_SIZE];
    json_t *before = json_object_get(text->kernels, text->name);
    int fitness = (int)json_integer_value(json_object_get(before, "fitness"));
    bool complete = text->complete && text->has_instructions;

    kg__hash_show(code, text->hash);
    if (text->fitness != UNFIT && text->fitness >= fitness) {
        if (before != NULL && fitness == text->fitness)
            complete = complete && json_is_true(json_object_get(before, "known")) &&
                       strcmp(kg__json_text(before, "code"), code) == 0;
        json_object_set_new(text->kernels, text->name,
                            json_pack("{s:i, s:s, s:b}", "fitness", text->fitness, "code", code,
                                      "known", (int)complete));
    }
    free(text->name);
    text->name = NULL;
}

static void read_line(reading *text, const char *line, size_t length)
{
    const char *rest;

    if ((rest = skip_prefix(line, "code for ")) != NULL) {
        text->fitness = rate_architecture(text, rest);
    } else if ((rest = skip_prefix(line, "Function : ")) != NULL) {
        begin_kernel(text, rest);
    } else if (text->name == NULL) {
        return;
    } else if (skip_prefix(line, "....") != NULL) {
        end_kernel(text);
    } else if (skip_prefix(line, "/*") != NULL) {
        text->complete =
            text->complete && !calls_outside(line, length) && !reads_constants(line, length);
        add_instruction(text, line, length);
    }
}

json_t *kg__machine_code_parse(const char *sass, const char *compute_capability)
{
    reading text = { .kernels = json_object() };
    json_t *fingerprints = json_object();
    char *end;
    const char *name;
    json_t *kernel;

    text.major = (int)strtol(compute_capability, &end, 10);
    if (*end == '.')
        text.minor = (int)strtol(end + 1, NULL, 10);
    while (*sass != '\0') {
        size_t length = strcspn(sass, "\n");

        read_line(&text, sass, length);
        sass += length + (sass[length] == '\n');
    }
    free(text.name);
    json_object_foreach (text.kernels, name, kernel) {
        if (json_is_true(json_object_get(kernel, "known")))
            json_object_set(fingerprints, name, json_object_get(kernel, "code"));
    }
    json_decref(text.kernels);
    return fingerprints;
}

bool kg__machine_code_of(const json_t *machine_code, const json_t *kernel,
                         char text[KG__HASH_TEXT_SIZE])
{
    const char *launch = kg__json_text(kernel, "launch");
    const json_t *names = json_object_get(kernel, "names");
    uint64_t hash = kg__hash_text(KG__HASH_BEGIN, launch);
    const json_t *name;
    size_t i;

    text[0] = '\0';
    if (*launch == '\0' || !json_is_array(names) || json_array_size(names) == 0)
        return false;
    json_array_foreach (names, i, name) {
        const char *code =
            json_is_string(name) ? kg__json_text(machine_code, json_string_value(name)) : "";

        if (*code == '\0')
            return false;
        hash = kg__hash_text(hash, code);
    }
    kg__hash_show(text, hash);
    return true;
}
