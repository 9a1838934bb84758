/* Plots as SVG, by gnuplot: what is to be drawn in, drawings out. Nothing is drawn where gnuplot is
 * not installed, and that is no failure of a run. */
#ifndef KG__PLOTS_H
#define KG__PLOTS_H

#include <libxml/tree.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/message.h"

/* Colours and shapes that series have; the page's style sheet has a class "s1" to "s8" of each. */
#define KG__PLOT_STYLES 8

typedef enum kg__plot_kind {
    KG__PLOT_LINES, /* points, joined from place to place */
    KG__PLOT_BARS,  /* side by side at each place */
    KG__PLOT_DOTS   /* any number at a place, spread so that each is seen */
} kg__plot_kind;

/* A value at a place: the number of one of the plot's places, from 0. */
typedef struct kg__plot_point {
    size_t place;
    double value;
} kg__plot_point;

typedef struct kg__plot_series {
    char *name;
    size_t style;           /* which of the styles, from 0; more begin again */
    kg__plot_point *points; /* in the order of places */
    size_t count;
    size_t room;
} kg__plot_series;

/* A line across the plot, such as a limit. */
typedef struct kg__plot_mark {
    char *name;
    double value;
} kg__plot_mark;

typedef struct kg__plot {
    kg__plot_kind kind;
    bool from_data; /* the values' axis begins where they do, not at 0 */
    char *title;
    char *place_title; /* of the axis along places */
    char *value_title; /* of the axis along values, with their unit */
    char **places;
    size_t place_count;
    size_t place_room;
    kg__plot_series *series;
    size_t series_count;
    size_t series_room;
    kg__plot_mark *marks;
    size_t mark_count;
    size_t mark_room;
} kg__plot;

/* Begins a plot of no places and no series. Here and below texts are copied. */
void kg__plot_begin(kg__plot *plot, kg__plot_kind kind, const char *title, const char *place_title,
                    const char *value_title);

/* Adds a place behind the others; returns its number. */
size_t kg__plot_add_place(kg__plot *plot, const char *name);

/* Adds a series without points, drawn in a style; returns its number. */
size_t kg__plot_add_series(kg__plot *plot, const char *name, size_t style);

/* Adds a point to a series, in the order of places; a value that is not finite adds none. */
void kg__plot_add_point(kg__plot *plot, size_t series, size_t place, double value);

/* Adds a line across the plot at a value. */
void kg__plot_add_mark(kg__plot *plot, const char *name, double value);

/* Frees what the plot holds, and empties it. */
void kg__plot_free(kg__plot *plot);

/* The number of a series' class, from 1: "s1" and so on. */
unsigned kg__plot_class(const kg__plot_series *series);

/* Writes the commands that draw the plots, each with points, one SVG document each, on gnuplot's
 * standard output. */
void kg__plots_write_script(FILE *stream, const kg__plot *plots, size_t count);

/* The program that draws: KG_GNUPLOT, else gnuplot along PATH. */
const char *kg__gnuplot(void);

/* Draws plots that have points: `drawings` becomes `count` SVG documents, freed by the caller with
 * free(). The program is that of kg__gnuplot(). False with `error` where it is not
 * installed, fails, draws another number, or takes longer than a minute; `drawings` are NULL then.
 */
bool kg__plots_draw(const kg__plot *plots, size_t count, char **drawings, kg__error *error);

/* Adds a plot's drawing to an element of a page: colours become the classes of its style sheet
 * ("s1", "m1", "grid"), so that light and dark both suit it; what repeats from drawing to drawing
 * goes. Its title and its series' names are read aloud and shown where one points at them. False
 * where it is no SVG. */
bool kg__plot_add_drawing(xmlNode *parent, const char *drawing, const kg__plot *plot);

/* Adds what all drawings of a page refer to, once: the shapes of points. */
void kg__plot_add_shapes(xmlNode *parent, const char *drawing);

#endif
