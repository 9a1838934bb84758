/* HTML as a tree: elements are added, never printed, so that no text of any origin can become
 * markup. On libxml2, whose serializer escapes what is left. */
#ifndef KG__REPORT_HTML_H
#define KG__REPORT_HTML_H

#include <jansson.h>
#include <libxml/tree.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/message.h"

/* An empty page: its root, <html>, is of a document that kg__html_free() frees. */
xmlNode *kg__html_new(const char *language);

/* Frees the page of a root with all that was added to it. */
void kg__html_free(xmlNode *html);

/* Adds an element to the end of `parent`, holding `text` (NULL or "": nothing), of which whatever
 * is not clean UTF-8 on one line is replaced. Returns the element. */
xmlNode *kg__html_add(xmlNode *parent, const char *element, const char *text);

/* The same with an attribute class. */
xmlNode *kg__html_add_class(xmlNode *parent, const char *element, const char *class_name,
                            const char *text);

/* As kg__html_add(), for words with figures, such as 9 550 600, which no line's end parts. */
xmlNode *kg__html_add_words(xmlNode *parent, const char *element, const char *text);

/* As kg__html_add(), with a formatted text. It is cut to KG__MESSAGE_SIZE. */
xmlNode *kg__html_addf(xmlNode *parent, const char *element, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds text behind what an element holds. */
void kg__html_text(xmlNode *element, const char *text);

/* Adds a script or a style sheet as it is: `content` is the program's own, or else looked at, and
 * holds no "</" and no "<!--". */
void kg__html_add_raw(xmlNode *parent, const char *element, const char *content);

/* Adds JSON as data for scripts, which find it by its id. No text in it can end the element. */
void kg__html_add_json(xmlNode *parent, const char *id, const json_t *json);

/* Sets an attribute, to text of any origin. */
void kg__html_set(xmlNode *element, const char *attribute, const char *value);

/* Adds one line of the Markdown that kg__write_markdown() and its neighbours write: `code`,
 * **bold**, escapes and entities; anything else is text. */
void kg__html_add_markdown(xmlNode *parent, const char *line);

/* Writes the page; false where memory ran out. */
bool kg__html_print(FILE *stream, xmlNode *html);

#endif
