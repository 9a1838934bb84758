#include "report/report_cells.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

static void show_times(char *text, size_t size, double ratio)
{
    int decimals = ratio >= 100 ? 0 : ratio >= 10 ? 1 : ratio >= 0.1 ? 2 : 3;

    kg__format(text, size, "%.*f×", decimals, ratio);
}

/* Shows a figure in a column's form: "45.13", "1.43×", "33.1 %". */
static void show(char *text, size_t size, kg__report_form form, double value)
{
    switch (form) {
    case KG__FORM_MICROSECONDS:
        kg__show_figure(text, size, value / 1000, "");
        break;
    case KG__FORM_FIGURE:
        kg__show_figure(text, size, value, "");
        break;
    case KG__FORM_TIMES:
        show_times(text, size, value);
        break;
    case KG__FORM_PERCENT:
        kg__show_percent(text, size, value, false);
        break;
    }
}

/* What stands in place of a figure that a case (NULL: none) does not have in a column; NULL where
 * it has it. */
static const char *stand_in(const kg__report_case *one, int column)
{
    if (one == NULL)
        return "-";
    if (one->entry == NULL)
        return "refused";
    if (one->verdict >= KG__WRONG)
        return kg__verdict_name(one->verdict);
    return isnan(one->figures[column]) ? "-" : NULL;
}

void kg__report_show_case(const kg__report_table *table, const kg__report_case *one, int column,
                          char *text, size_t size)
{
    int beside = table->columns[column].beside;
    const char *word = stand_in(one, column);
    char ratio[KG__FIGURE_SIZE];
    size_t used;

    if (word != NULL) {
        kg__format(text, size, "%s", word);
        return;
    }
    show(text, size, table->columns[column].form, one->figures[column]);
    if (beside < 0 || one->variant == 0 || !(one->figures[beside] > 0))
        return;
    show(ratio, sizeof ratio, table->columns[beside].form, one->figures[beside]);
    used = strlen(text);
    kg__format(text + used, size - used, " (%s)", ratio);
}

bool kg__report_has_launches(const kg__report_table *table)
{
    for (size_t row = 0; row < table->row_count; row++)
        if (strcmp(table->rows[row].launch, "-") != 0)
            return true;
    return false;
}

bool kg__report_shows(const kg__report_table *table, size_t variant, int column)
{
    for (size_t i = 0; i < table->case_count; i++) {
        const kg__report_case *one = &table->cases[i];

        if (one->variant == variant && one->entry != NULL &&
            (one->verdict >= KG__WRONG || !isnan(one->figures[column])))
            return true;
    }
    return false;
}

bool kg__report_tells(const kg__report_table *table, int column)
{
    for (size_t i = 0; i < table->case_count; i++) {
        double figure = table->cases[i].figures[column];

        if (!isnan(figure) && figure != 0)
            return true;
    }
    return false;
}

int kg__report_column_of(const kg__report_table *table, const char *name)
{
    for (int column = 0; column < table->column_count; column++)
        if (strcmp(table->columns[column].name, name) == 0)
            return column;
    return -1;
}
