#include "base/color.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "base/text.h"

bool kg__color_wanted(FILE *stream)
{
    const char *forced = kg__setting("CLICOLOR_FORCE");
    const char *terminal = kg__setting("TERM");

    if (kg__setting("NO_COLOR") != NULL)
        return false;
    if (forced != NULL && strcmp(forced, "0") != 0)
        return true;
    return isatty(fileno(stream)) != 0 && (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

const char *kg__color_of_word(const char *word)
{
    static const struct {
        const char *word;
        const char *color;
    } colors[] = {
        { "pass", KG__GREEN },          { "faster", KG__GREEN },      { "holds", KG__GREEN },
        { "slower", KG__RED },          { "wrong", KG__RED },         { "error", KG__RED },
        { "fails", KG__RED },           { "noisy", KG__YELLOW },      { "environment", KG__YELLOW },
        { "more-accurate", KG__GREEN }, { "less-accurate", KG__RED }, { "no-baseline", KG__YELLOW },
        { "suspect", KG__YELLOW },      { "confirming", KG__YELLOW }, { "skipped", KG__YELLOW },
        { "note", KG__YELLOW },
    };

    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++) {
        if (strcmp(word, colors[i].word) == 0)
            return colors[i].color;
    }
    return "";
}

/* Prints a word, padded to `width`, in its color where the stream wants one. */
static void print_word(FILE *stream, const char *word, int width)
{
    const char *color = kg__color_wanted(stream) ? kg__color_of_word(word) : "";
    int length = (int)strlen(word);

    fprintf(stream, "%s%s%s%*s", color, word, *color != '\0' ? KG__PLAIN : "",
            width > length ? width - length : 0, "");
}

void kg__print_verdict(FILE *stream, const char *word, const char *format, ...)
{
    va_list arguments;

    print_word(stream, word, KG__VERDICT_WIDTH);
    fputs("  ", stream);
    va_start(arguments, format);
    kg__print_list(stream, format, arguments);
    va_end(arguments);
}

void kg__print_verdict_line(FILE *stream, const char *line)
{
    char word[32];
    size_t length = strcspn(line, " ");

    if (length < sizeof word) {
        memcpy(word, line, length);
        word[length] = '\0';
        print_word(stream, word, 0);
        line += length;
    }
    kg__print(stream, "%s\n", line);
}
