/* SPDX-License-Identifier: MIT */
#include "observer/repeat.h"

#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "observer/problem.h"

/* Writes the bits of an element of up to 8 bytes, the most significant first. */
static void show_bits(char *text, size_t size, const unsigned char *element, size_t bytes)
{
    kg__format(text, size, "0x");
    for (size_t i = bytes; i-- > 0;)
        kg__append(text, size, "%02x", element[i]);
}

/* Describes the first difference of two results of an argument. */
static void describe(const kg_argument *shape, const unsigned char *before,
                     const unsigned char *after, int order, kg__error *why)
{
    const size_t size = kg_type_size(shape->type);
    kg_mismatch place = { 0 };
    char name[128];
    char bits[2][32];

    while (memcmp(before + place.index * size, after + place.index * size, size) == 0)
        place.index++;
    kg__name_element(shape, &place, name, sizeof name);
    show_bits(bits[0], sizeof bits[0], before + place.index * size, size);
    show_bits(bits[1], sizeof bits[1], after + place.index * size, size);
    kg__fail(why, "%s: %s %s, %s %s: the variant is KG_REPEATABLE", name, bits[0],
             kg__device_order_words(0), bits[1], kg__device_order_words(order));
}

bool kg__repeats_take(kg__repeats *repeats, kg__buffers *buffers, int order, const char **symbol,
                      kg__error *why)
{
    if (order == 0)
        kg__repeats_free(repeats);
    for (int i = 0; i < buffers->arguments.count; i++) {
        const kg_argument *argument = &buffers->arguments.list[i];
        const size_t bytes = buffers->bytes[i];
        const void *computed;

        if (!kg__is_compared(argument) || bytes == 0)
            continue;
        computed = kg__buffers_read(buffers, i, why);
        if (computed == NULL)
            return false;
        if (order == 0) {
            repeats->first[i] = memcpy(kg__allocate(bytes, 1), computed, bytes);
        } else if (memcmp(repeats->first[i], computed, bytes) != 0) {
            *symbol = argument->name;
            describe(argument, repeats->first[i], computed, order, why);
            return false;
        }
    }
    return true;
}

void kg__repeats_free(kg__repeats *repeats)
{
    for (int i = 0; i < KG_MAX_ARGUMENTS; i++)
        free(repeats->first[i]);
    *repeats = (kg__repeats){ 0 };
}
