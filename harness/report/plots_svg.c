/* What gnuplot drew, made fit for a page: without colours of its own, without what repeats. */
#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"
#include "report/plots.h"

/* A drawing is read as what it is, a file of another program: no network, no entities, no report of
 * errors on the standard error. */
static xmlDoc *parse_drawing(const char *drawing)
{
    return xmlReadMemory(drawing, (int)strlen(drawing), NULL, NULL,
                         XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                             XML_PARSE_NOBLANKS);
}

static bool is_named(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

static void drop_attribute(xmlNode *node, const char *name)
{
    xmlAttr *attribute = xmlHasProp(node, (const xmlChar *)name);

    if (attribute != NULL)
        xmlRemoveProp(attribute);
}

static void set_attribute(xmlNode *node, const char *name, const char *value)
{
    xmlSetProp(node, (const xmlChar *)name, (const xmlChar *)value);
}

/* The class of a colour that stands for one; false for a colour that is one. */
static bool find_class(const char *colour, char *name, size_t size)
{
    int red;
    int green;
    int blue;

    if (sscanf(colour, "rgb(%d,%d,%d)", &red, &green, &blue) != 3 || red != 1 ||
        (green != 1 && green != 2))
        return false;
    kg__format(name, size, "%s%d", green == 1 ? "s" : "m", blue);
    return true;
}

/* Gives one attribute's colour to the style sheet: the ink is the page's, grey lines are a grid,
 * and what stands for a series or a mark becomes its class. */
static void soften(xmlNode *node, const char *attribute)
{
    xmlChar *value = xmlGetProp(node, (const xmlChar *)attribute);
    const char *colour = (const char *)value;
    char name[16];

    if (colour == NULL)
        return;
    if (find_class(colour, name, sizeof name))
        set_attribute(node, "class", name);
    else if (strcmp(colour, "gray") == 0)
        set_attribute(node, "class", "grid");
    if (strcmp(attribute, "color") == 0)
        drop_attribute(node, attribute);
    else if (strcmp(colour, "none") != 0)
        set_attribute(node, attribute, "currentColor");
    xmlFree(value);
}

/* Whether a node shows nothing: an empty group, a title of the whole, definitions, the canvas. */
static bool is_idle(const xmlNode *node, bool top)
{
    if (node->type != XML_ELEMENT_NODE)
        return xmlIsBlankNode(node) || node->type == XML_COMMENT_NODE;
    if (is_named(node, "defs") || is_named(node, "desc") || is_named(node, "filter"))
        return true;
    if (top && is_named(node, "title"))
        return true;
    if (is_named(node, "g"))
        return node->children == NULL;
    if (is_named(node, "path")) {
        xmlChar *path = xmlGetProp(node, (const xmlChar *)"d");
        bool idle = path == NULL || strpbrk((const char *)path, "LlHhVvCcZzh") == NULL;

        xmlFree(path);
        return idle;
    }
    return false;
}

static void clean_element(xmlNode *node);

static void clean_children(xmlNode *node, bool top)
{
    for (xmlNode *child = node->children, *next; child != NULL; child = next) {
        next = child->next;
        if (child->type == XML_ELEMENT_NODE && !is_named(child, "defs"))
            clean_element(child);
        if (is_idle(child, top)) {
            xmlUnlinkNode(child);
            xmlFreeNode(child);
        }
    }
}

static void clean_element(xmlNode *node)
{
    static const char *const idle[] = { "id", "font-family", "stroke-linecap", "stroke-linejoin" };

    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
        drop_attribute(node, idle[i]);
    soften(node, "color");
    soften(node, "stroke");
    soften(node, "fill");
    clean_children(node, false);
}

/* Copies an element of a drawing into the page; its strings may be shared within its own document.
 */
static void copy_into(xmlNode *parent, xmlNode *node)
{
    xmlNode *copy = xmlDocCopyNode(node, parent->doc, 1);

    if (copy != NULL)
        xmlAddChild(parent, copy);
}

/* Takes the namespaces off a tree, which HTML has none of: xlink:href becomes href, as SVG 2 has
 * it. */
static void drop_namespaces(xmlNode *node)
{
    if (node->type != XML_ELEMENT_NODE)
        return;
    node->ns = NULL;
    for (xmlAttr *attribute = node->properties; attribute != NULL; attribute = attribute->next)
        attribute->ns = NULL;
    for (xmlNode *child = node->children; child != NULL; child = child->next)
        drop_namespaces(child);
    xmlFreeNsList(node->nsDef);
    node->nsDef = NULL;
}

/* The name of what is drawn as number `number`, from 1: marks come first, then series with points;
 * NULL where there are not so many. */
static const char *name_of(const kg__plot *plot, unsigned long number)
{
    if (number == 0)
        return NULL;
    if (number <= plot->mark_count)
        return plot->marks[number - 1].name;
    number -= plot->mark_count;
    for (size_t i = 0; i < plot->series_count; i++)
        if (plot->series[i].count > 0 && --number == 0)
            return plot->series[i].name;
    return NULL;
}

/* gnuplot numbers what it draws where it shows no names itself. */
static void name_drawn(xmlNode *node, const kg__plot *plot)
{
    static const char numbered[] = "gnuplot_plot_";

    for (xmlNode *child = node->children; child != NULL; child = child->next) {
        xmlChar *text = is_named(child, "title") ? xmlNodeGetContent(child) : NULL;

        if (text != NULL && strncmp((const char *)text, numbered, strlen(numbered)) == 0) {
            const char *digits = (const char *)text + strlen(numbered);
            const char *name = name_of(plot, strtoul(digits, NULL, 10));

            xmlNodeSetContent(child, NULL);
            kg__html_text(child, name != NULL ? name : "");
        }
        xmlFree(text);
        name_drawn(child, plot);
    }
}

bool kg__plot_add_drawing(xmlNode *parent, const char *drawing, const kg__plot *plot)
{
    xmlDoc *document = parse_drawing(drawing);
    xmlNode *root = document != NULL ? xmlDocGetRootElement(document) : NULL;

    if (root == NULL || !is_named(root, "svg")) {
        xmlFreeDoc(document);
        return false;
    }
    drop_namespaces(root);
    clean_children(root, true);
    name_drawn(root, plot);
    set_attribute(root, "role", "img");
    kg__html_set(root, "aria-label", plot->title);
    copy_into(parent, root);
    xmlFreeDoc(document);
    return true;
}

/* The first element of a name in a tree. */
static xmlNode *find_element(xmlNode *node, const char *name)
{
    for (xmlNode *child = node->children; child != NULL; child = child->next) {
        xmlNode *found = is_named(child, name) ? child : find_element(child, name);

        if (found != NULL)
            return found;
    }
    return NULL;
}

void kg__plot_add_shapes(xmlNode *parent, const char *drawing)
{
    xmlDoc *document = parse_drawing(drawing);
    xmlNode *root = document != NULL ? xmlDocGetRootElement(document) : NULL;
    xmlNode *shapes = root != NULL ? find_element(root, "defs") : NULL;
    xmlNode *holder;

    if (shapes != NULL) {
        drop_namespaces(root);
        for (xmlNode *child = shapes->children, *next; child != NULL; child = next) {
            next = child->next;
            if (is_named(child, "filter")) {
                xmlUnlinkNode(child);
                xmlFreeNode(child);
            }
        }
        holder = kg__html_add_class(parent, "svg", "shapes", NULL);
        set_attribute(holder, "aria-hidden", "true");
        copy_into(holder, shapes);
    }
    xmlFreeDoc(document);
}
