#include "suite/gpu_specs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_file.h"
#include "base/text.h"

#define REMEDY "fix the file: each figure is {\"value\": number, \"source\": text}"

/* A file of GPUs has some hundred lines. */
#define LARGEST_FILE ((size_t)4 << 20)

/* harness/suite/gpu_specs.json, which the build embeds. */
extern const char kg__gpu_specs_json[];

/* A figure's name, and the range of what a GPU has had or may soon have: beyond it a unit is
 * mistaken. */
static const struct {
    const char *name;
    double least;
    double most;
    bool needed;
    bool whole;
} figures[KG__GPU_FIGURES] = {
    [KG__GPU_MULTIPROCESSORS] = { "multiprocessors", 1, 2048, true, true },
    [KG__GPU_CLOCK] = { "clock_mhz", 100, 10000, true, false },
    [KG__GPU_FLOAT32] = { "float32_operations_per_clock", 8, 4096, true, true },
    [KG__GPU_INT32] = { "int32_operations_per_clock", 8, 4096, false, true },
    [KG__GPU_DRAM] = { "dram_gb_per_s", 1, 100000, true, false },
    [KG__GPU_L2] = { "l2_gb_per_s", 10, 1000000, false, false },
    [KG__GPU_L2_SIZE] = { "l2_mib", 0.0625, 4096, false, false },
    [KG__GPU_SHARED] = { "shared_bytes_per_clock", 16, 4096, false, true },
    [KG__GPU_BLOCKS] = { "blocks_per_us", 1, 1000000, false, false },
    [KG__GPU_BUS] = { "bus_gb_per_s", 0.1, 10000, false, false },
};

const char *kg__gpu_figure_name(kg__gpu_figure figure)
{
    return figures[figure].name;
}

/* The figure of a name; KG__GPU_FIGURES where there is none. */
static kg__gpu_figure find_figure(const char *name)
{
    int figure = 0;

    while (figure < KG__GPU_FIGURES && strcmp(figures[figure].name, name) != 0)
        figure++;
    return (kg__gpu_figure)figure;
}

static bool value_is_good(kg__reading *file, const kg__json_place *where, kg__gpu_figure figure,
                          double value)
{
    if (!(value >= figures[figure].least && value <= figures[figure].most)) {
        kg__complain_at(file, where,
                        "is %g, and a GPU's %s is from %g to %g: fix the value or its unit", value,
                        figures[figure].name, figures[figure].least, figures[figure].most);
        return false;
    }
    if (figures[figure].whole && value != floor(value)) {
        kg__complain_at(file, where, "is %g, and has to be a whole number: fix the value", value);
        return false;
    }
    return true;
}

/* Reads a text that is printed as it is: a terminal obeys control characters, and a table breaks by
 * them. */
static bool read_words(kg__reading *file, const kg__json_place *where, const json_t *value,
                       char *text, size_t size)
{
    char *clean;
    bool plain;

    if (!kg__read_name(file, where, value, text, size, REMEDY))
        return false;
    clean = kg__clean_text(text, true);
    plain = strcmp(clean, text) == 0;
    free(clean);
    if (!plain)
        kg__complain_at(file, where, "holds a control character: write it without");
    return plain;
}

/* Reads {"value", "source"}. */
static bool read_sourced(kg__reading *file, const kg__json_place *where, json_t *object,
                         kg__gpu_figure figure, kg__gpu_spec *gpu)
{
    const kg__json_place at_value = { where, "value" };
    const kg__json_place at_source = { where, "source" };
    char source[KG__GPU_SOURCE_SIZE];
    const char *key;
    json_t *member;
    double value;

    if (!json_is_object(object)) {
        kg__complain_at(file, where, "is not an object: " REMEDY);
        return false;
    }
    json_object_foreach (object, key, member) {
        const kg__json_place place = { where, key };

        if (strcmp(key, "value") != 0 && strcmp(key, "source") != 0) {
            kg__complain_at(file, &place, "is an unknown key: " REMEDY);
            return false;
        }
    }
    if (!kg__has_member(file, where, object, "value", REMEDY) ||
        !kg__has_member(file, where, object, "source", REMEDY) ||
        !kg__read_figure(file, &at_value, json_object_get(object, "value"), &value, REMEDY) ||
        !value_is_good(file, &at_value, figure, value) ||
        !read_words(file, &at_source, json_object_get(object, "source"), source, sizeof source))
        return false;
    gpu->value[figure] = value;
    free(gpu->source[figure]);
    gpu->source[figure] = kg__copy_text(source);
    return true;
}

static bool is_key(const char *key)
{
    return *key != '\0' && strlen(key) < KG__GPU_KEY_SIZE &&
           strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789_-") == strlen(key);
}

/* Whether all is there that a prediction cannot do without. */
static bool is_whole(kg__reading *file, const kg__json_place *where, const kg__gpu_spec *gpu)
{
    if (gpu->name[0] == '\0') {
        kg__complain_at(file, where, "has no \"name\": " REMEDY);
        return false;
    }
    for (int i = 0; i < KG__GPU_FIGURES; i++) {
        if (!figures[i].needed || !isnan(gpu->value[i]))
            continue;
        kg__complain_at(file, where, "has no \"%s\": " REMEDY, figures[i].name);
        return false;
    }
    return true;
}

static void refuse_figure(kg__reading *file, const kg__json_place *where)
{
    const char *names[KG__GPU_FIGURES];
    const char *nearest;

    for (int i = 0; i < KG__GPU_FIGURES; i++)
        names[i] = figures[i].name;
    nearest = kg__nearest_name(where->key, names, KG__GPU_FIGURES);
    if (nearest != NULL)
        kg__complain_at(file, where, "is an unknown key; did you mean \"%s\"?", nearest);
    else
        kg__complain_at(file, where, "is an unknown key: " REMEDY);
}

static bool read_gpu(kg__reading *file, const kg__json_place *where, json_t *object,
                     kg__gpu_spec *gpu)
{
    const char *key;
    json_t *value;

    if (!json_is_object(object)) {
        kg__complain_at(file, where, "is not an object: " REMEDY);
        return false;
    }
    json_object_foreach (object, key, value) {
        const kg__json_place member = { where, key };
        kg__gpu_figure figure = find_figure(key);
        bool good;

        if (strcmp(key, "name") == 0) {
            good = read_words(file, &member, value, gpu->name, sizeof gpu->name);
        } else if (figure < KG__GPU_FIGURES) {
            good = read_sourced(file, &member, value, figure, gpu);
        } else {
            refuse_figure(file, &member);
            good = false;
        }
        if (!good)
            return false;
    }
    return is_whole(file, where, gpu);
}

static kg__gpu_spec *find_or_add(kg__gpu_specs *gpus, const char *key)
{
    kg__gpu_spec *gpu;

    for (size_t i = 0; i < gpus->count; i++) {
        if (strcmp(gpus->list[i].key, key) == 0)
            return &gpus->list[i];
    }
    gpus->list = kg__grow(gpus->list, gpus->count, &gpus->capacity, sizeof *gpus->list);
    gpu = &gpus->list[gpus->count++];
    *gpu = (kg__gpu_spec){ .name = "" };
    kg__format(gpu->key, sizeof gpu->key, "%s", key);
    for (int i = 0; i < KG__GPU_FIGURES; i++)
        gpu->value[i] = (double)NAN;
    return gpu;
}

static bool read_gpus(kg__reading *file, const kg__json_place *where, json_t *object,
                      kg__gpu_specs *gpus)
{
    const char *key;
    json_t *value;

    if (!json_is_object(object) || json_object_size(object) == 0) {
        kg__complain_at(file, where, "is not an object with a GPU in it: " REMEDY);
        return false;
    }
    json_object_foreach (object, key, value) {
        const kg__json_place member = { where, key };

        if (!is_key(key)) {
            kg__complain_at(
                file, &member,
                "is not a target's key: they hold a-z, 0-9, - and _ alone, as nvidia-h200 "
                "does");
            return false;
        }
        if (!read_gpu(file, &member, value, find_or_add(gpus, key)))
            return false;
    }
    return true;
}

static bool read_document(kg__reading *file, json_t *document, kg__gpu_specs *gpus)
{
    const kg__json_place where = { NULL, "gpus" };
    const char *key;
    json_t *value;

    if (!kg__read_schema(file, document, KG__GPUS_SCHEMA, "update kernelgate or the file", REMEDY))
        return false;
    json_object_foreach (document, key, value) {
        const kg__json_place here = { NULL, key };

        if (strcmp(key, "schema") == 0 || strcmp(key, "gpus") == 0)
            continue;
        kg__complain_at(file, &here, "is an unknown key: " REMEDY);
        return false;
    }
    return kg__has_member(file, NULL, document, "gpus", REMEDY) &&
           read_gpus(file, &where, json_object_get(document, "gpus"), gpus);
}

bool kg__gpu_specs_parse(const char *path, const char *text, size_t length, kg__gpu_specs *gpus,
                         kg__error *error)
{
    kg__reading file = { .path = path, .text = text, .error = error };
    json_t *document = kg__parse_document(&file, length, REMEDY);
    bool good = document != NULL && read_document(&file, document, gpus);

    json_decref(document);
    return good;
}

bool kg__gpu_specs_load(const char *path, kg__gpu_specs *gpus, kg__error *error)
{
    static const kg__document_kind kind = { .name = "file of GPUs",
                                            .remedy = REMEDY,
                                            .renew = "name a file of GPUs",
                                            .largest = LARGEST_FILE };
    size_t length = 0;
    bool absent;
    char *text = kg__read_document(&kind, path, &length, &absent, error);
    bool good = text != NULL && kg__gpu_specs_parse(path, text, length, gpus, error);

    free(text);
    return good;
}

bool kg__gpu_specs_add_known(kg__gpu_specs *gpus, kg__error *error)
{
    return kg__gpu_specs_parse("harness/suite/gpu_specs.json", kg__gpu_specs_json,
                               strlen(kg__gpu_specs_json), gpus, error);
}

const kg__gpu_spec *kg__gpu_specs_find(const kg__gpu_specs *gpus, const char *key)
{
    for (size_t i = 0; i < gpus->count; i++) {
        if (strcmp(gpus->list[i].key, key) == 0)
            return &gpus->list[i];
    }
    return NULL;
}

void kg__gpu_specs_free(kg__gpu_specs *gpus)
{
    for (size_t i = 0; i < gpus->count; i++) {
        for (int figure = 0; figure < KG__GPU_FIGURES; figure++)
            free(gpus->list[i].source[figure]);
    }
    free(gpus->list);
    *gpus = (kg__gpu_specs){ 0 };
}
