#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/color.h"
#include "base/message.h"

/* Shorter commands show no progress. */
#define SILENT_SECONDS 2.0
#define BAR_SECONDS 0.2
#define LINE_SECONDS 5.0

#define BAR_CELLS 24
#define NARROWEST_TERMINAL 40
#define USUAL_TERMINAL 80
#define LINE_SIZE 256

#define SECONDS_PER_MINUTE 60
#define SECONDS_PER_HOUR 3600

void kg__progress_begin(kg__progress *progress, const char *command)
{
    const char *terminal = getenv("TERM");

    *progress = (kg__progress){ .command = command, .began = kg__now() };
    progress->bar = isatty(STDERR_FILENO) != 0 && terminal != NULL && *terminal != '\0' &&
                    strcmp(terminal, "dumb") != 0;
    if (progress->bar)
        (void)setenv(KG__BAR_SETTING, "1", 1);
    progress->color = progress->bar && kg__color_wanted(stderr);
}

/* Shows a duration: "1 min 20 s", "45 s", "2 h 05 min". */
static void show_duration(double seconds, char *text, size_t size)
{
    unsigned long total = seconds > 0 ? (unsigned long)ceil(seconds) : 0;

    if (total < SECONDS_PER_MINUTE)
        kg__format(text, size, "%lu s", total);
    else if (total < SECONDS_PER_HOUR)
        kg__format(text, size, "%lu min %02lu s", total / SECONDS_PER_MINUTE,
                   total % SECONDS_PER_MINUTE);
    else
        kg__format(text, size, "%lu h %02lu min", total / SECONDS_PER_HOUR,
                   total % SECONDS_PER_HOUR / SECONDS_PER_MINUTE);
}

/* The width of the terminal, in characters. */
static size_t terminal_width(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return USUAL_TERMINAL;
    return size.ws_col < NARROWEST_TERMINAL ? NARROWEST_TERMINAL : size.ws_col;
}

/* Overwrites the line. */
static void show_bar(kg__progress *progress, double done, const char *text)
{
    char cells[BAR_CELLS + 1];
    size_t filled = (size_t)(done * BAR_CELLS);
    size_t capacity = terminal_width() - BAR_CELLS - 4;
    size_t length = strlen(text);
    size_t width;

    /* The text is ASCII: it may be cut anywhere. */
    if (length > capacity)
        length = capacity;
    memset(cells, '.', BAR_CELLS);
    memset(cells, '#', filled);
    cells[BAR_CELLS] = '\0';
    width = BAR_CELLS + 3 + length;
    fprintf(stderr, "\r[%s%.*s%s%s] %.*s%*s", progress->color ? KG__GREEN : "", (int)filled, cells,
            progress->color ? KG__PLAIN : "", cells + filled, (int)length, text,
            progress->width > width ? (int)(progress->width - width) : 0, "");
    (void)fflush(stderr);
    progress->width = width;
}

void kg__progress_update(kg__progress *progress, double done, double left, const char *what)
{
    double now = kg__now();
    double interval = progress->bar ? BAR_SECONDS : LINE_SECONDS;
    char duration[64] = "";
    char text[LINE_SIZE];

    if (now - progress->began < SILENT_SECONDS || now - progress->last_shown < interval)
        return;
    done = fmin(fmax(done, 0), 1);
    if (left >= 0)
        show_duration(left, duration, sizeof duration);
    kg__format(text, sizeof text, "%3.0f %%  %s%s%s%s", 100 * done, what,
               left >= 0 ? ", about " : "", duration, left >= 0 ? " left" : "");
    if (progress->bar)
        show_bar(progress, done, text);
    else
        kg__complain("%s: %s", progress->command, text + strspn(text, " "));
    progress->last_shown = now;
}

void kg__progress_end(kg__progress *progress)
{
    if (progress->bar && progress->width > 0) {
        fprintf(stderr, "\r%*s\r", (int)progress->width, "");
        (void)fflush(stderr);
    }
    if (progress->bar)
        (void)unsetenv(KG__BAR_SETTING);
    progress->width = 0;
}
