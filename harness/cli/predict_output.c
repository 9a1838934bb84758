/* Prints predictions: tables for a terminal or as Markdown, and a JSON document. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/message.h"
#include "base/text.h"
#include "cli/predict.h"
#include "records/records.h"

#define COLUMNS 12
#define CELL_SIZE 256

/* A table of strings; the first column is left-aligned, the others right-aligned. */
typedef struct table {
    const char *titles[COLUMNS];
    size_t columns;
    char (*cells)[COLUMNS][CELL_SIZE];
    size_t rows;
    size_t capacity;
} table;

static size_t measure_column(const table *grid, size_t column)
{
    size_t width = kg__shown_width(grid->titles[column]);

    for (size_t row = 0; row < grid->rows; row++) {
        size_t cell = kg__shown_width(grid->cells[row][column]);

        width = cell > width ? cell : width;
    }
    return width;
}

static void write_cell(FILE *stream, const char *text, size_t width, bool left)
{
    int padding = (int)(width - kg__shown_width(text));

    fprintf(stream, "%*s%s%*s", left ? 0 : padding, "", text, left ? padding : 0, "");
}

static void write_row(FILE *stream, const table *grid, const size_t *widths, size_t row,
                      bool markdown)
{
    for (size_t column = 0; column < grid->columns; column++) {
        const char *text =
            row == 0 ? grid->titles[column] : (const char *)grid->cells[row - 1][column];

        fputs(markdown ? (column == 0 ? "| " : " | ") : (column == 0 ? "" : "  "), stream);
        write_cell(stream, text, widths[column], column == 0);
    }
    fputs(markdown ? " |\n" : "\n", stream);
}

static void write_table(FILE *stream, const table *grid, bool markdown)
{
    size_t widths[COLUMNS];

    for (size_t column = 0; column < grid->columns; column++)
        widths[column] = measure_column(grid, column);
    write_row(stream, grid, widths, 0, markdown);
    for (size_t column = 0; column < grid->columns && markdown; column++) {
        fputs(column == 0 ? "| " : " | ", stream);
        for (size_t i = 0; i < widths[column]; i++)
            fputc(column > 0 && i + 1 == widths[column] ? ':' : '-', stream);
    }
    fputs(markdown ? " |\n" : "", stream);
    for (size_t row = 1; row <= grid->rows; row++)
        write_row(stream, grid, widths, row, markdown);
}

static void free_table(table *grid)
{
    free(grid->cells);
    *grid = (table){ .rows = 0 };
}

/* The row being filled. */
typedef struct cursor {
    char (*cells)[CELL_SIZE];
    size_t next;
} cursor;

static cursor begin_row(table *grid)
{
    grid->cells = kg__grow(grid->cells, grid->rows, &grid->capacity, sizeof *grid->cells);
    return (cursor){ grid->cells[grid->rows++], 0 };
}

static void put_text(cursor *cursor, const char *text)
{
    kg__format(cursor->cells[cursor->next++], CELL_SIZE, "%s", text);
}

/* Adds a figure, or a dash if there is none. */
static void put_figure(cursor *cursor, double value)
{
    if (isnan(value))
        kg__format(cursor->cells[cursor->next++], CELL_SIZE, "–");
    else
        kg__show_figure(cursor->cells[cursor->next++], CELL_SIZE, value, "");
}

static void put_percent(cursor *cursor, double fraction)
{
    if (isnan(fraction))
        kg__format(cursor->cells[cursor->next++], CELL_SIZE, "–");
    else
        kg__show_percent(cursor->cells[cursor->next++], CELL_SIZE, fraction, false);
}

/* Whether a case was measured on a GPU of the predictions. */
static bool was_measured_on(const kg__predictions *predictions, const kg__gpu_spec *gpu)
{
    return predictions->measured != NULL && strcmp(predictions->measured, gpu->key) == 0;
}

static kg__prediction predict_case(const kg__predictions *predictions, size_t gpu,
                                   const kg__predicted_case *c, bool hot)
{
    return kg__predict(predictions->gpus[gpu], &c->job, hot, predictions->launches[gpu].ns);
}

size_t kg__predict_measured(const kg__predictions *predictions, kg__measured_bound *list,
                            const char **ids)
{
    size_t count = 0;

    for (size_t gpu = 0; gpu < predictions->gpu_count; gpu++) {
        for (size_t i = 0;
             i < predictions->cases->count && was_measured_on(predictions, predictions->gpus[gpu]);
             i++) {
            const kg__predicted_case *c = &predictions->cases->list[i];
            bool hot = isnan(c->cold_ns);
            kg__prediction prediction = predict_case(predictions, gpu, c, hot);

            ids[count] = c->id;
            list[count++] =
                (kg__measured_bound){ .body_ns = prediction.body_ns,
                                      .measured_ns = hot ? c->hot_ns : c->cold_ns,
                                      .memory_bound = kg__is_memory_bound(&prediction) };
            if (hot)
                continue;
            /* The hot time of the same case: its bound counts, but not as another memory-bound
             * case. */
            prediction = predict_case(predictions, gpu, c, true);
            ids[count] = c->id;
            list[count++] =
                (kg__measured_bound){ .body_ns = prediction.body_ns, .measured_ns = c->hot_ns };
        }
    }
    return count;
}

/* Describes the work of a case. */
static void describe_job(const kg__job *job, char *text, size_t size)
{
    static const char *const operands[] = { "float32", "int32", "uint8" };
    char operations[KG__FIGURE_SIZE];
    char bytes[KG__FIGURE_SIZE];
    char read[KG__FIGURE_SIZE];
    char written[KG__FIGURE_SIZE];
    char sectors[KG__FIGURE_SIZE];
    char blocks[KG__FIGURE_SIZE];
    size_t used;

    kg__show_figure(operations, sizeof operations, job->operations, "");
    kg__show_figure(bytes, sizeof bytes, job->bytes, "");
    kg__show_figure(read, sizeof read, job->count[KG__UNIQUE_BYTES_READ], "");
    kg__show_figure(written, sizeof written, job->count[KG__UNIQUE_BYTES_WRITTEN], "");
    kg__show_figure(sectors, sizeof sectors,
                    job->count[KG__GLOBAL_LOAD_SECTORS] + job->count[KG__GLOBAL_STORE_SECTORS], "");
    kg__show_figure(blocks, sizeof blocks, job->blocks, "");
    kg__format(text, size, "%s operations (%s), %s bytes", operations, operands[job->operand],
               bytes);
    used = strlen(text);
    if (!isnan(job->count[KG__UNIQUE_BYTES_READ]))
        kg__format(text + used, size - used, "; counted: %s bytes read and %s written, %s sectors",
                   read, written, sectors);
    used = strlen(text);
    if (!isnan(job->blocks))
        kg__format(text + used, size - used, "; %s blocks", blocks);
}

/* Whether any case copies data over the bus. */
static bool crosses_bus(const kg__predictions *predictions)
{
    for (size_t i = 0; i < predictions->cases->count; i++) {
        const kg__job *job = &predictions->cases->list[i].job;

        if (job->bytes_to_device > 0 || job->bytes_to_host > 0)
            return true;
    }
    return false;
}

static void add_title(table *grid, const char *title)
{
    grid->titles[grid->columns++] = title;
}

static table begin_bounds(const char *first, bool bus)
{
    table grid = { .rows = 0 };

    add_title(&grid, first);
    for (int i = 0; i < KG__RESOURCES; i++) {
        if (i != KG__BUS || bus)
            add_title(&grid, kg__resource_name((kg__resource)i));
    }
    add_title(&grid, "body");
    add_title(&grid, "bound by");
    add_title(&grid, "launch");
    add_title(&grid, "total");
    return grid;
}

static void add_bounds(table *grid, const char *first, const kg__prediction *prediction, bool bus)
{
    cursor cursor = begin_row(grid);

    put_text(&cursor, first);
    for (int i = 0; i < KG__RESOURCES; i++) {
        if (i != KG__BUS || bus)
            put_figure(&cursor, prediction->bound_ns[i]);
    }
    put_figure(&cursor, prediction->body_ns);
    put_text(&cursor, isnan(prediction->body_ns) ? "–" : kg__resource_name(prediction->binding));
    put_figure(&cursor, prediction->launch_ns);
    put_figure(&cursor, prediction->total_ns);
}

/* One case on several GPUs. */
static void write_case(FILE *stream, const kg__predictions *predictions,
                       const kg__predicted_case *c, bool markdown)
{
    table grid = begin_bounds("ns", crosses_bus(predictions));
    char job[CELL_SIZE];

    describe_job(&c->job, job, sizeof job);
    fprintf(stream, markdown ? "### `%s`\n\n%s\n\n" : "%s\n%s\n", c->id, job);
    for (size_t gpu = 0; gpu < predictions->gpu_count; gpu++) {
        kg__prediction prediction = predict_case(predictions, gpu, c, false);

        add_bounds(&grid, predictions->gpus[gpu]->name, &prediction, crosses_bus(predictions));
    }
    write_table(stream, &grid, markdown);
    fputc('\n', stream);
    free_table(&grid);
}

/* All cases on one GPU. */
static void write_gpu(FILE *stream, const kg__predictions *predictions, size_t gpu, bool markdown)
{
    table grid = begin_bounds("ns", crosses_bus(predictions));

    fprintf(stream, markdown ? "### %s\n\n" : "%s\n", predictions->gpus[gpu]->name);
    for (size_t i = 0; i < predictions->cases->count; i++) {
        const kg__predicted_case *c = &predictions->cases->list[i];
        kg__prediction prediction = predict_case(predictions, gpu, c, false);

        add_bounds(&grid, c->id, &prediction, crosses_bus(predictions));
    }
    write_table(stream, &grid, markdown);
    fputc('\n', stream);
    free_table(&grid);
}

static void put_measured(cursor *cursor, const kg__prediction *prediction, double measured)
{
    bool held = !isnan(measured);

    put_figure(cursor, held ? prediction->body_ns : (double)NAN);
    put_text(cursor,
             held && !isnan(prediction->body_ns) ? kg__resource_name(prediction->binding) : "–");
    put_figure(cursor, measured);
    put_percent(cursor, prediction->body_ns / measured);
}

/* Predicted and measured, side by side. */
static void write_measured(FILE *stream, const kg__predictions *predictions, size_t gpu,
                           bool markdown)
{
    table grid = { .titles = { "ns", "cold bound", "by", "measured", "share", "hot bound", "by",
                               "measured", "share" },
                   .columns = 9 };

    fprintf(stream,
            markdown ? "### %s, predicted and measured\n\n" : "%s, predicted and measured\n",
            predictions->gpus[gpu]->name);
    for (size_t i = 0; i < predictions->cases->count; i++) {
        const kg__predicted_case *c = &predictions->cases->list[i];
        kg__prediction cold = predict_case(predictions, gpu, c, false);
        kg__prediction hot = predict_case(predictions, gpu, c, true);
        cursor cursor = begin_row(&grid);

        put_text(&cursor, c->id);
        put_measured(&cursor, &cold, c->cold_ns);
        put_measured(&cursor, &hot, c->hot_ns);
    }
    write_table(stream, &grid, markdown);
    fputc('\n', stream);
    free_table(&grid);
}

/* In how many cases a bound is absent on a GPU, and why. */
typedef struct absence {
    size_t count;
    const char *why;
} absence;

static absence find_absence(const kg__predictions *predictions, size_t gpu, int resource)
{
    absence found = { .why = "" };

    for (size_t i = 0; i < predictions->cases->count; i++) {
        kg__prediction prediction =
            predict_case(predictions, gpu, &predictions->cases->list[i], false);

        if (prediction.absent[resource] == NULL)
            continue;
        found.why = prediction.absent[resource];
        found.count++;
    }
    return found;
}

static bool is_same(const absence *left, const absence *right)
{
    return left->count == right->count && strcmp(left->why, right->why) == 0;
}

/* Names the GPUs with the same absence as `first`, if there are several GPUs. */
static void write_sharers(FILE *stream, const kg__predictions *predictions, size_t first,
                          const absence *absences)
{
    if (predictions->gpu_count == 1)
        return;
    for (size_t gpu = first; gpu < predictions->gpu_count; gpu++) {
        if (is_same(&absences[gpu], &absences[first]))
            fprintf(stream, "%s%s", gpu == first ? " (" : ", ", predictions->gpus[gpu]->name);
    }
    fputc(')', stream);
}

/* Writes which bounds are absent, in how many cases and why, grouping equal GPUs. */
static void write_absences(FILE *stream, const kg__predictions *predictions, const char *bullet)
{
    absence *absences = kg__allocate(predictions->gpu_count, sizeof *absences);

    for (int resource = 0; resource < KG__RESOURCES; resource++) {
        for (size_t gpu = 0; gpu < predictions->gpu_count; gpu++)
            absences[gpu] = find_absence(predictions, gpu, resource);
        for (size_t gpu = 0; gpu < predictions->gpu_count; gpu++) {
            bool reported = absences[gpu].count == 0;

            for (size_t before = 0; before < gpu && !reported; before++)
                reported = is_same(&absences[before], &absences[gpu]);
            if (reported)
                continue;
            fprintf(stream, "%sno bound by %s for %zu of %zu cases: %s", bullet,
                    kg__resource_name((kg__resource)resource), absences[gpu].count,
                    predictions->cases->count, absences[gpu].why);
            write_sharers(stream, predictions, gpu, absences);
            fputc('\n', stream);
        }
    }
    free(absences);
}

/* Whether the launch overhead and its source are the same on all GPUs. */
static bool launches_agree(const kg__predictions *predictions)
{
    for (size_t gpu = 1; gpu < predictions->gpu_count; gpu++) {
        if (predictions->launches[gpu].ns != predictions->launches[0].ns ||
            strcmp(predictions->launches[gpu].source, predictions->launches[0].source) != 0)
            return false;
    }
    return true;
}

static void write_launches(FILE *stream, const kg__predictions *predictions, const char *bullet)
{
    bool once = launches_agree(predictions);

    for (size_t gpu = 0; gpu < (once ? 1 : predictions->gpu_count); gpu++)
        fprintf(stream, "%s%s%sthe launch overhead is %.0f ns, %s\n", bullet,
                once ? "" : predictions->gpus[gpu]->name, once ? "" : ": ",
                predictions->launches[gpu].ns, predictions->launches[gpu].source);
}

static void write_verdict(FILE *stream, const kg__predictions *predictions, const char *bullet)
{
    kg__measured_bound *bounds = kg__allocate(2 * predictions->cases->count, sizeof *bounds);
    const char **ids = kg__allocate(2 * predictions->cases->count, sizeof *ids);
    size_t count = kg__predict_measured(predictions, bounds, ids);
    kg__bounds_report report = kg__compare_bounds(bounds, count);

    for (size_t i = 0; i < count; i++) {
        if (kg__is_violated(&bounds[i]))
            fprintf(stream, "%sbound violated: %s: at least %.0f ns predicted, %.0f measured\n",
                    bullet, ids[i], bounds[i].body_ns, bounds[i].measured_ns);
    }
    if (count > 0 && report.nearest < count) {
        const kg__measured_bound *nearest = &bounds[report.nearest];

        fprintf(stream,
                "%s%zu of %zu times are below their bound by more than %.0f %%; nearest to its "
                "bound: %s, %.1f %%\n",
                bullet, report.violated, count, 100 * KG__BOUND_TOLERANCE, ids[report.nearest],
                100 * nearest->body_ns / nearest->measured_ns);
        if (report.memory_bound > 0)
            fprintf(stream,
                    "%smeasured over predicted, median of the %zu memory-bound cases above 10 µs: "
                    "%.2f\n",
                    bullet, report.memory_bound, report.median);
    }
    free(bounds);
    free(ids);
}

static void write_notes(FILE *stream, const kg__predictions *predictions, bool markdown)
{
    const char *bullet = markdown ? "- " : "";

    write_launches(stream, predictions, bullet);
    write_absences(stream, predictions, bullet);
    if (!isnan(predictions->copy_bytes_per_second))
        fprintf(stream, "%sthe copy sentinel of this run moved %.0f GB/s\n", bullet,
                predictions->copy_bytes_per_second / 1e9);
    write_verdict(stream, predictions, bullet);
}

void kg__predict_write_tables(FILE *stream, const kg__predictions *predictions, bool markdown)
{
    if (predictions->gpu_count > 1 && predictions->measured == NULL) {
        for (size_t i = 0; i < predictions->cases->count; i++)
            write_case(stream, predictions, &predictions->cases->list[i], markdown);
    } else {
        for (size_t gpu = 0; gpu < predictions->gpu_count; gpu++) {
            if (was_measured_on(predictions, predictions->gpus[gpu]))
                write_measured(stream, predictions, gpu, markdown);
            else
                write_gpu(stream, predictions, gpu, markdown);
        }
    }
    write_notes(stream, predictions, markdown);
}

static json_t *pack_prediction(const kg__prediction *prediction, double measured)
{
    static const char *const keys[KG__RESOURCES] = {
        [KG__COMPUTE] = "compute_ns", [KG__DRAM] = "dram_ns",     [KG__L2] = "l2_ns",
        [KG__L1] = "l1_shared_ns",    [KG__BLOCKS] = "blocks_ns", [KG__BUS] = "bus_ns",
    };
    json_t *bounds = json_object();
    json_t *absent = json_object();
    json_t *object = json_pack("{s:o, s:o}", "bounds", bounds, "absent", absent);

    for (int i = 0; i < KG__RESOURCES; i++) {
        kg__json_set_finite(bounds, keys[i], prediction->bound_ns[i]);
        if (prediction->absent[i] != NULL)
            json_object_set_new(absent, keys[i], json_string(prediction->absent[i]));
    }
    kg__json_set_finite(object, "body_ns", prediction->body_ns);
    kg__json_set_finite(object, "total_ns", prediction->total_ns);
    if (!isnan(prediction->body_ns))
        json_object_set_new(object, "bound_by",
                            json_string(kg__resource_name(prediction->binding)));
    kg__json_set_finite(object, "measured_ns", measured);
    kg__json_set_finite(object, "share", prediction->body_ns / measured);
    return object;
}

static json_t *pack_job(const kg__job *job)
{
    static const char *const operands[] = { "float32", "int32", "uint8" };
    json_t *object = json_pack("{s:s}", "type", operands[job->operand]);
    json_t *counters = json_object();

    kg__json_set_finite(object, "operations", job->operations);
    kg__json_set_finite(object, "bytes", job->bytes);
    kg__json_set_finite(object, "blocks", job->blocks);
    kg__json_set_finite(object, "bytes_to_device", job->bytes_to_device);
    kg__json_set_finite(object, "bytes_to_host", job->bytes_to_host);
    for (int i = 0; i < KG__COUNTERS; i++)
        kg__json_set_finite(counters, kg__counter_name((kg__counter)i), job->count[i]);
    json_object_set_new(object, "counters", counters);
    return object;
}

static json_t *pack_gpu(const kg__predictions *predictions, size_t gpu)
{
    const kg__gpu_spec *spec = predictions->gpus[gpu];
    json_t *object =
        json_pack("{s:s, s:{s:f, s:s}}", "name", spec->name, "launch_ns", "value",
                  predictions->launches[gpu].ns, "source", predictions->launches[gpu].source);

    for (int i = 0; i < KG__GPU_FIGURES; i++) {
        if (spec->source[i] != NULL)
            json_object_set_new(
                object, kg__gpu_figure_name((kg__gpu_figure)i),
                json_pack("{s:f, s:s}", "value", spec->value[i], "source", spec->source[i]));
    }
    return object;
}

static json_t *pack_comparison(const kg__predictions *predictions)
{
    kg__measured_bound *bounds = kg__allocate(2 * predictions->cases->count, sizeof *bounds);
    const char **ids = kg__allocate(2 * predictions->cases->count, sizeof *ids);
    size_t count = kg__predict_measured(predictions, bounds, ids);
    kg__bounds_report report = kg__compare_bounds(bounds, count);
    json_t *object = NULL;

    if (count > 0 && report.nearest < count) {
        object = json_pack("{s:I, s:I, s:s, s:I}", "times", (json_int_t)count, "violated",
                           (json_int_t)report.violated, "nearest", ids[report.nearest],
                           "memory_bound", (json_int_t)report.memory_bound);
        kg__json_set_finite(object, "median_measured_over_predicted", report.median);
    }
    free(bounds);
    free(ids);
    return object;
}

json_t *kg__predict_document(const kg__predictions *predictions)
{
    json_t *gpus = json_object();
    json_t *list = json_array();

    for (size_t gpu = 0; gpu < predictions->gpu_count; gpu++) {
        json_object_set_new(gpus, predictions->gpus[gpu]->key, pack_gpu(predictions, gpu));
        for (size_t i = 0; i < predictions->cases->count; i++) {
            const kg__predicted_case *c = &predictions->cases->list[i];
            bool here = was_measured_on(predictions, predictions->gpus[gpu]);
            kg__prediction cold = predict_case(predictions, gpu, c, false);
            kg__prediction hot = predict_case(predictions, gpu, c, true);

            json_array_append_new(
                list, json_pack("{s:s, s:s, s:o, s:o, s:o}", "case", c->id, "gpu",
                                predictions->gpus[gpu]->key, "work", pack_job(&c->job), "cold",
                                pack_prediction(&cold, here ? c->cold_ns : (double)NAN), "hot",
                                pack_prediction(&hot, here ? c->hot_ns : (double)NAN)));
        }
    }
    return json_pack("{s:s, s:o, s:o, s:o*}", "schema", "kernelgate-predictions/1", "gpus", gpus,
                     "predictions", list, "held", pack_comparison(predictions));
}
