/* SPDX-License-Identifier: MIT */
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

/* Beyond this a figure is shown with an exponent: digits in groups of three would not be read. */
#define LARGEST_GROUPED 1e15

/* Copies the digits of `plain`, a number as "%.*f" writes it, with a space between groups of three
 * before the decimal point. */
void kg__group_digits(char *text, size_t size, const char *plain)
{
    size_t digits = strspn(plain + (*plain == '-'), "0123456789");
    size_t used = 0;

    if (*plain == '-' && used + 1 < size)
        text[used++] = *plain++;
    for (; *plain != '\0'; plain++) {
        if (used + 2 >= size)
            break;
        text[used++] = *plain;
        if (digits > 0 && --digits > 0 && digits % 3 == 0)
            text[used++] = ' ';
    }
    text[used] = '\0';
}

void kg__show_figure(char *text, size_t size, double value, const char *unit)
{
    double magnitude = fabs(value);
    char plain[KG__FIGURE_SIZE];
    char grouped[KG__FIGURE_SIZE];
    int decimals = 3;

    if (!isfinite(value)) {
        kg__format(text, size, "unknown");
        return;
    }
    if (magnitude >= LARGEST_GROUPED) {
        snprintf(grouped, sizeof grouped, "%.6g", value);
    } else {
        if (magnitude == floor(magnitude) || magnitude >= 1000.0)
            decimals = 0;
        else if (magnitude >= 100.0)
            decimals = 1;
        else if (magnitude >= 10.0)
            decimals = 2;
        snprintf(plain, sizeof plain, "%.*f", decimals, value);
        kg__group_digits(grouped, sizeof grouped, plain);
    }
    kg__format(text, size, "%s%s%s", grouped, *unit != '\0' ? " " : "", unit);
}

void kg__show_percent(char *text, size_t size, double fraction, bool sign)
{
    double percent = fraction * 100.0;
    double magnitude = fabs(percent);
    int decimals = 1;
    char plain[KG__FIGURE_SIZE];
    char grouped[KG__FIGURE_SIZE];

    if (!isfinite(fraction)) {
        kg__format(text, size, "unknown");
        return;
    }
    if (magnitude >= LARGEST_GROUPED) {
        kg__format(text, size, "%s%.3g %%", sign && percent > 0.0 ? "+" : "", percent);
        return;
    }
    if (magnitude >= 100.0)
        decimals = 0;
    else if (magnitude > 0.0 && magnitude < 0.1)
        decimals = (int)fmin(9.0, 1.0 - floor(log10(magnitude)));
    snprintf(plain, sizeof plain, "%.*f", decimals, percent);
    kg__group_digits(grouped, sizeof grouped, plain);
    kg__format(text, size, "%s%s %%", sign && percent > 0.0 ? "+" : "", grouped);
}

/* Decodes the character at `bytes`; returns its length, or 0 where it is not well-formed UTF-8. */
static size_t decode(const unsigned char *bytes, uint32_t *character)
{
    static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
    size_t length = bytes[0] < 0x80   ? 1
                    : bytes[0] < 0xc0 ? 0
                    : bytes[0] < 0xe0 ? 2
                    : bytes[0] < 0xf0 ? 3
                    : bytes[0] < 0xf8 ? 4
                                      : 0;

    if (length == 0)
        return 0;
    *character = length == 1 ? bytes[0] : bytes[0] & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        *character = *character << 6 | (bytes[i] & 0x3fU);
    }
    if (*character < smallest[length] || *character > 0x10ffff ||
        (*character >= 0xd800 && *character <= 0xdfff))
        return 0;
    return length;
}

/* Controls, ends of lines and paragraphs, what turns the direction of writing, and what has no
 * width, which whoever compares texts may pass over. */
static bool is_control(uint32_t character)
{
    return character < 0x20 || (character >= 0x7f && character <= 0x9f) || character == 0xad ||
           (character >= 0x200b && character <= 0x200f) ||
           (character >= 0x2028 && character <= 0x202e) ||
           (character >= 0x2060 && character <= 0x2064) ||
           (character >= 0x2066 && character <= 0x2069) || character == 0xfeff;
}

static bool fits_xml(uint32_t character)
{
    if (character < 0x20)
        return character == '\t' || character == '\n' || character == '\r';
    return character != 0xfffe && character != 0xffff;
}

char *kg__clean_text(const char *text, bool one_line)
{
    static const char replacement[] = "\xef\xbf\xbd";
    const unsigned char *bytes = (const unsigned char *)text;
    char *clean = kg__allocate(3 * strlen(text) + 1, 1);
    size_t used = 0;

    while (*bytes != '\0') {
        uint32_t character = 0;
        size_t length = decode(bytes, &character);

        if (length > 0 && one_line && is_control(character)) {
            clean[used++] = ' ';
        } else if (length == 0 || !fits_xml(character)) {
            memcpy(clean + used, replacement, 3);
            used += 3;
        } else {
            memcpy(clean + used, bytes, length);
            used += length;
        }
        bytes += length > 0 ? length : 1;
    }
    clean[used] = '\0';
    kg__disarm(clean);
    return clean;
}

void kg__print(FILE *stream, const char *format, ...)
{
    va_list arguments;
    char *text;
    char *clean;
    int length;

    va_start(arguments, format);
    length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        kg__complain("out of host memory for a line of output: free some memory");
        exit(2);
    }
    clean = kg__clean_text(text, false);
    fputs(clean, stream);
    free(clean);
    free(text);
}

const char *kg__metric_unit(const char *metric)
{
    return kg__ends_with(metric, "_ns") ? "ns" : "";
}

int kg__compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

bool kg__ends_with(const char *text, const char *end)
{
    size_t length = strlen(text);
    size_t end_length = strlen(end);

    return length > end_length && strcmp(text + length - end_length, end) == 0;
}
