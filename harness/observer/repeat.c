#include "observer/repeat.h"

#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "observer/problem.h"
#include "suite/element_type.h"

/* Writes the bits of an element of up to 8 bytes, the most significant first. */
static void show_bits(char *text, size_t size, const unsigned char *element, size_t bytes)
{
    kg__format(text, size, "0x");
    for (size_t i = bytes; i-- > 0;)
        kg__format(text + strlen(text), size - strlen(text), "%02x", element[i]);
}

static kg__repetition compare(const kg_argument *shape, const void *first, const void *now,
                              size_t bytes, int order, kg__error *why)
{
    const size_t size = kg_type_size(shape->type);
    const unsigned char *before = first;
    const unsigned char *after = now;
    kg_mismatch place = { 0 };
    char name[128];
    char then_bits[32];
    char now_bits[32];

    if (memcmp(before, after, bytes) == 0)
        return KG__REPEATED;
    while (memcmp(before + place.index * size, after + place.index * size, size) == 0)
        place.index++;
    kg__name_element(shape, &place, name, sizeof name);
    show_bits(then_bits, sizeof then_bits, before + place.index * size, size);
    show_bits(now_bits, sizeof now_bits, after + place.index * size, size);
    kg__fail(why, "%s: %s %s, %s %s: the variant is KG_REPEATABLE", name, then_bits,
             kg__device_order_words(0), now_bits, kg__device_order_words(order));
    return KG__NOT_REPEATED;
}

kg__repetition kg__repeats_take(kg__repeats *repeats, kg__buffers *buffers, int order,
                                const char **symbol, kg__error *why)
{
    if (order == 0)
        kg__repeats_free(repeats);
    for (int i = 0; i < buffers->arguments.count; i++) {
        const kg_argument *argument = &buffers->arguments.list[i];
        const size_t bytes = buffers->bytes[i];
        kg__repetition found = KG__REPEATED;
        const void *computed;

        if (!kg__is_compared(argument) || bytes == 0)
            continue;
        computed = kg__buffers_read(buffers, i, why);
        if (computed == NULL)
            return KG__REPETITION_UNREAD;
        if (order == 0)
            repeats->first[i] = memcpy(kg__allocate(bytes, 1), computed, bytes);
        else
            found = compare(argument, repeats->first[i], computed, bytes, order, why);
        *symbol = argument->name;
        if (found != KG__REPEATED)
            return found;
    }
    return KG__REPEATED;
}

void kg__repeats_free(kg__repeats *repeats)
{
    for (int i = 0; i < KG_MAX_ARGUMENTS; i++)
        free(repeats->first[i]);
    *repeats = (kg__repeats){ 0 };
}
