#include "cli/manual.h"

#include <stdlib.h>

#include "cli/tool.h"

/* What the subcommands have in common, and no table of theirs holds. */
static const struct {
    const char *name;
    const char *meaning;
} environment[] = {
    { "KG_STRICT", "1: whatever kept the gate from judging fails too. 0, empty or not set: not." },
    { "KG_FILTER", "Globs on case ids, separated by commas, in which * crosses slashes." },
    { "KG_OUT", "The folder of a run's results; out where it is not set." },
    { "KG_BASELINES", "The folder of the baselines; baselines where it is not set." },
    { "NO_COLOR", "Set to anything: no colour, on no terminal." },
    { "CLICOLOR_FORCE", "Set to anything but 0: colour even where the output is not a terminal. "
                        "NO_COLOR is stronger." },
};

static const struct {
    const char *code;
    const char *meaning;
} exits[] = {
    { "0", "All that was judged is neither slower nor wrong." },
    { "1", "Slower or wrong; with KG_STRICT=1 also environment, noisy, no-baseline and vanished." },
    { "2", "An error: a crash, a bad file, no such case, a bad call." },
    { "77", "Nothing was judged, or there is no GPU." },
};

/* Writes a text of the page: a backslash, and what begins a line as a request does, would steer the
 * formatter; a hyphen of an option must stay one that can be copied. */
static void write_escaped(FILE *stream, const char *text)
{
    bool line_begins = true;

    for (const char *c = text; *c != '\0'; c++) {
        if (line_begins && (*c == '.' || *c == '\''))
            fputs("\\&", stream);
        if (*c == '\\')
            fputs("\\e", stream);
        else if (*c == '-')
            fputs("\\-", stream);
        else
            fputc(*c, stream);
        line_begins = *c == '\n';
    }
}

/* A term and what it means. */
static void write_item(FILE *stream, const char *term, const char *value, const char *meaning)
{
    fputs(".TP\n\\fB", stream);
    write_escaped(stream, term);
    fputs("\\fR", stream);
    if (value != NULL) {
        fputs(" \\fI", stream);
        write_escaped(stream, value);
        fputs("\\fR", stream);
    }
    fputc('\n', stream);
    write_escaped(stream, meaning);
    fputc('\n', stream);
}

/* Writes lines as they are. */
static void write_lines(FILE *stream, const char *text)
{
    fputs(".PP\n.nf\n", stream);
    write_escaped(stream, text);
    fputs(".fi\n", stream);
}

static bool write_command(FILE *stream, const kg__command *command)
{
    fputs(".SS kernelgate ", stream);
    write_escaped(stream, command->name);
    if (command->tool != NULL || command->options[0].name != NULL)
        fputs(" [OPTION...]", stream);
    if (*command->operands != '\0')
        fputc(' ', stream);
    write_escaped(stream, command->operands);
    fputc('\n', stream);
    write_escaped(stream, command->summary);
    fputs(".\n", stream);
    if (command->tool != NULL) {
        char *text = kg__tool_help(command);

        if (text != NULL)
            write_lines(stream, text);
        free(text);
        return text != NULL;
    }
    for (const kg__option *option = command->options; option->name != NULL; option++)
        write_item(stream, option->name, option->value, option->help);
    if (*command->details != '\0')
        write_lines(stream, command->details);
    return true;
}

bool kg__write_manual(FILE *stream, const kg__command *const *commands)
{
    fputs(".TH KERNELGATE 1 \"\" \"kernelgate\" \"User Commands\"\n"
          ".SH NAME\nkernelgate \\- a gate for CUDA kernels\n"
          ".SH SYNOPSIS\n\\fBkernelgate\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...]\n.br\n"
          "\\fBkernelgate help\\fR [\\fICOMMAND\\fR]\n"
          ".SH DESCRIPTION\n"
          "A kernel that got slower, or wrong, does not reach main. CTest runs the gate; this\n"
          "command keeps its baselines, sums up its runs, compares, tunes and reports.\n"
          ".SH COMMANDS\n",
          stream);
    for (size_t i = 0; commands[i] != NULL; i++)
        if (!write_command(stream, commands[i]))
            return false;
    fputs(".SH ENVIRONMENT\n", stream);
    for (size_t i = 0; i < sizeof environment / sizeof *environment; i++)
        write_item(stream, environment[i].name, NULL, environment[i].meaning);
    fputs(".SH EXIT STATUS\n", stream);
    for (size_t i = 0; i < sizeof exits / sizeof *exits; i++)
        write_item(stream, exits[i].code, NULL, exits[i].meaning);
    return true;
}
