#include "report/html.h"

#include <ctype.h>
#include <libxml/HTMLtree.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const xmlChar *as_xml(const char *text)
{
    return (const xmlChar *)text;
}

/* libxml2 gives NULL for memory that it does not get. */
static void *require(void *made)
{
    if (made == NULL) {
        kg__complain("out of host memory for the report's page: free some memory");
        exit(2);
    }
    return made;
}

xmlNode *kg__html_new(const char *language)
{
    xmlDoc *document = require(htmlNewDocNoDtD(NULL, NULL));
    xmlNode *html = require(xmlNewDocNode(document, NULL, as_xml("html"), NULL));

    require(xmlCreateIntSubset(document, as_xml("html"), NULL, NULL));
    xmlDocSetRootElement(document, html);
    kg__html_set(html, "lang", language);
    return html;
}

void kg__html_free(xmlNode *html)
{
    xmlFreeDoc(html->doc);
}

void kg__html_text(xmlNode *element, const char *text)
{
    char *clean = kg__clean_text(text, true);

    xmlAddChild(element, require(xmlNewDocText(element->doc, as_xml(clean))));
    free(clean);
}

xmlNode *kg__html_add(xmlNode *parent, const char *element, const char *text)
{
    xmlNode *added = require(xmlNewDocNode(parent->doc, NULL, as_xml(element), NULL));

    xmlAddChild(parent, added);
    if (text != NULL && *text != '\0')
        kg__html_text(added, text);
    return added;
}

xmlNode *kg__html_add_class(xmlNode *parent, const char *element, const char *class_name,
                            const char *text)
{
    xmlNode *added = kg__html_add(parent, element, text);

    kg__html_set(added, "class", class_name);
    return added;
}

/* Whether the space at `c` stands between the digits of one figure, as kg__show_figure() writes it:
 * behind a digit, and before three and no more. */
static bool is_within_figure(const char *text, const char *c)
{
    return *c == ' ' && c > text && isdigit((unsigned char)c[-1]) &&
           strspn(c + 1, "0123456789") == 3;
}

xmlNode *kg__html_add_words(xmlNode *parent, const char *element, const char *text)
{
    static const char no_break[] = "\xc2\xa0";
    char *words = kg__allocate(strlen(text) + 1, strlen(no_break));
    size_t used = 0;
    xmlNode *added;

    for (const char *c = text; *c != '\0'; c++) {
        if (is_within_figure(text, c)) {
            memcpy(words + used, no_break, strlen(no_break));
            used += strlen(no_break);
        } else {
            words[used++] = *c;
        }
    }
    words[used] = '\0';
    added = kg__html_add(parent, element, words);
    free(words);
    return added;
}

xmlNode *kg__html_addf(xmlNode *parent, const char *element, const char *format, ...)
{
    char text[KG__MESSAGE_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return kg__html_add(parent, element, text);
}

void kg__html_add_raw(xmlNode *parent, const char *element, const char *content)
{
    xmlNode *added = kg__html_add(parent, element, NULL);

    xmlAddChild(added, require(xmlNewDocText(parent->doc, as_xml(content))));
}

void kg__html_add_json(xmlNode *parent, const char *id, const json_t *json)
{
    static const char escape[] = "\\u003c";
    char *text = require(json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(9)));
    char *escaped = kg__allocate(strlen(text) + 1, strlen(escape));
    char *end = escaped;
    xmlNode *script;

    /* "<" is in strings alone, which have another way to write it. */
    for (const char *c = text; *c != '\0'; c++)
        end = *c == '<' ? stpcpy(end, escape) : (*end = *c, end + 1);
    *end = '\0';
    kg__html_add_raw(parent, "script", escaped);
    script = xmlGetLastChild(parent);
    kg__html_set(script, "type", "application/json");
    kg__html_set(script, "id", id);
    free(escaped);
    free(text);
}

void kg__html_set(xmlNode *element, const char *attribute, const char *value)
{
    char *clean = kg__clean_text(value, true);

    require(xmlSetProp(element, as_xml(attribute), as_xml(clean)));
    free(clean);
}

/* What stands for one character in Markdown: an escape or an entity. Moves `*line` behind it. */
static char take_character(const char **line)
{
    static const struct {
        const char *name;
        char character;
    } entities[] = { { "&lt;", '<' }, { "&gt;", '>' }, { "&amp;", '&' } };

    if (**line == '\\' && (*line)[1] != '\0') {
        *line += 2;
        return (*line)[-1];
    }
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++) {
        size_t length = strlen(entities[i].name);

        if (strncmp(*line, entities[i].name, length) == 0) {
            *line += length;
            return entities[i].character;
        }
    }
    return *(*line)++;
}

/* The element that a marker begins or ends: "`" or "**"; NULL where there is none. */
static const char *element_of(const char *line, size_t *length)
{
    *length = *line == '`' ? 1 : 2;
    if (*line == '`')
        return "code";
    return line[0] == '*' && line[1] == '*' ? "strong" : NULL;
}

void kg__html_add_markdown(xmlNode *parent, const char *line)
{
    char *piece = kg__allocate(strlen(line) + 1, 1);
    const char *open = NULL;
    size_t used = 0;

    while (*line != '\0') {
        size_t length;
        const char *element = element_of(line, &length);

        if (element == NULL || (open != NULL && strcmp(open, element) != 0)) {
            piece[used++] = take_character(&line);
            continue;
        }
        piece[used] = '\0';
        if (open != NULL)
            kg__html_add(parent, open, piece);
        else if (used > 0)
            kg__html_text(parent, piece);
        open = open != NULL ? NULL : element;
        used = 0;
        line += length;
    }
    piece[used] = '\0';
    /* A marker that nothing closes is text. */
    if (open != NULL)
        kg__html_text(parent, strcmp(open, "code") == 0 ? "`" : "**");
    if (used > 0)
        kg__html_text(parent, piece);
    free(piece);
}

bool kg__html_print(FILE *stream, xmlNode *html)
{
    xmlOutputBuffer *buffer = require(xmlAllocOutputBuffer(NULL));
    bool whole;

    htmlDocContentDumpFormatOutput(buffer, html->doc, "UTF-8", 0);
    whole = buffer->error == 0;
    if (whole)
        fwrite(xmlOutputBufferGetContent(buffer), 1, xmlOutputBufferGetSize(buffer), stream);
    xmlOutputBufferClose(buffer);
    return whole;
}
