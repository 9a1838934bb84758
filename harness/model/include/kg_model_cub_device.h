/* SPDX-License-Identifier: MIT */
/* CUB's algorithms for the whole device, for programs: each runs as a kernel of one thread with the
 * algorithm's name. Included by kg_model_cub_sort.h. */
#pragma once

#include <limits>

#include "kg_model_cub_storage.h"

namespace cub
{

namespace kg__device
{

struct reduce {
    template <typename In, typename Out, typename Size, typename Operation, typename Value>
    KG__CUB void operator()(In in, Out out, Size n, Operation operation, Value value) const
    {
        for (Size i = 0; i < n; i++)
            value = operation(value, in[i]);
        *out = value;
    }
};
/* The extreme one of pairs; of equal values the first. */
struct reduce_place {
    template <typename In, typename Out, typename Size>
    KG__CUB void operator()(In in, Out out, Size n, bool least) const
    {
        ::std::decay_t<decltype(*out)> found;

        found.key = 1;
        found.value = least ? ::std::numeric_limits<element<In>>::max()
                            : ::std::numeric_limits<element<In>>::lowest();
        for (Size i = 0; i < n; i++) {
            const element<In> value = in[i];

            if (i == 0 || (least ? value < found.value : value > found.value)) {
                found.key = static_cast<decltype(found.key)>(i);
                found.value = value;
            }
        }
        *out = found;
    }
};
struct transform_reduce {
    template <typename In, typename Out, typename Size, typename Operation, typename Change,
              typename Value>
    KG__CUB void operator()(In in, Out out, Size n, Operation operation, Change change,
                            Value value) const
    {
        for (Size i = 0; i < n; i++)
            value = operation(value, change(in[i]));
        *out = value;
    }
};
struct reduce_by_key {
    template <typename Keys, typename Unique, typename In, typename Out, typename Runs,
              typename Operation, typename Size>
    KG__CUB void operator()(Keys keys, Unique unique, In in, Out out, Runs runs,
                            Operation operation, Size n) const
    {
        Size count = 0;

        for (Size i = 0; i < n; count++) {
            const element<Keys> key = keys[i];
            auto value = static_cast<element<In>>(in[i]);

            for (i++; i < n && keys[i] == key; i++)
                value = operation(value, in[i]);
            unique[count] = key;
            out[count] = value;
        }
        *runs = count;
    }
};
template <bool Inclusive>
struct scan {
    template <typename In, typename Out, typename Operation, typename Value, typename Size>
    KG__CUB void operator()(In in, Out out, Operation operation, Value value, bool has_value,
                            Size n) const
    {
        for (Size i = 0; i < n; i++) {
            const Value next = static_cast<Value>(in[i]);
            const Value sum =
                i > 0 || has_value ? static_cast<Value>(operation(value, next)) : next;

            out[i] = Inclusive ? sum : value;
            value = sum;
        }
    }
};
template <bool Inclusive>
struct scan_by_key {
    template <typename Keys, typename In, typename Out, typename Operation, typename Value,
              typename Size>
    KG__CUB void operator()(Keys keys, In in, Out out, Operation operation, Value first,
                            bool has_value, Size n) const
    {
        Value value = first;

        for (Size i = 0; i < n; i++) {
            const bool begins = i == 0 || !(keys[i - 1] == keys[i]);
            const Value next = static_cast<Value>(in[i]);

            if (begins)
                value = first;
            const Value sum =
                !begins || has_value ? static_cast<Value>(operation(value, next)) : next;
            out[i] = Inclusive ? sum : value;
            value = sum;
        }
    }
};
/* Chooses elements; others go to the end, the last one first, where `splits`. */
struct choose {
    template <typename In, typename Flags, typename Out, typename Number, typename Size>
    KG__CUB void operator()(In in, Flags flags, Out out, Number number, Size n, bool splits) const
    {
        Size count = 0;

        for (Size i = 0; i < n; i++) {
            const element<In> value = in[i];

            if (flags(i, value))
                out[count++] = value;
            else if (splits)
                out[n - 1 - (i - count)] = value;
        }
        *number = count;
    }
};
template <typename Flags>
struct by_flags {
    Flags flags;
    template <typename Size, typename Value>
    KG__CUB bool operator()(Size i, const Value &) const
    {
        return static_cast<bool>(flags[i]);
    }
};
template <typename Predicate>
struct by_value {
    Predicate predicate;
    template <typename Size, typename Value>
    KG__CUB bool operator()(Size, const Value &value) const
    {
        return predicate(value);
    }
};
template <typename In>
struct by_change {
    In in;
    template <typename Size, typename Value>
    KG__CUB bool operator()(Size i, const Value &value) const
    {
        return i == 0 || !(in[i - 1] == value);
    }
};
struct unique_by_key {
    template <typename Keys, typename In, typename KeysOut, typename Out, typename Number,
              typename Size>
    KG__CUB void operator()(Keys keys, In in, KeysOut keys_out, Out out, Number number,
                            Size n) const
    {
        Size count = 0;

        for (Size i = 0; i < n; i++) {
            if (i > 0 && keys[i - 1] == keys[i])
                continue;
            keys_out[count] = keys[i];
            out[count++] = in[i];
        }
        *number = count;
    }
};
struct encode {
    template <typename In, typename Unique, typename Counts, typename Runs, typename Size>
    KG__CUB void operator()(In in, Unique unique, Counts counts, Runs runs, Size n) const
    {
        Size count = 0;

        for (Size i = 0; i < n; count++) {
            const Size begin = i;
            const element<In> value = in[i];

            for (i++; i < n && in[i] == value; i++) {
            }
            unique[count] = value;
            counts[count] = static_cast<element<Counts>>(i - begin);
        }
        *runs = count;
    }
};
struct encode_runs {
    template <typename In, typename Places, typename Lengths, typename Runs, typename Size>
    KG__CUB void operator()(In in, Places places, Lengths lengths, Runs runs, Size n) const
    {
        Size count = 0;

        for (Size i = 0; i < n;) {
            const Size begin = i;
            const element<In> value = in[i];

            for (i++; i < n && in[i] == value; i++) {
            }
            if (i - begin < 2)
                continue;
            places[count] = static_cast<element<Places>>(begin);
            lengths[count++] = static_cast<element<Lengths>>(i - begin);
        }
        *runs = count;
    }
};
struct histogram_even {
    template <typename In, typename Counter, typename Level, typename Size>
    KG__CUB void operator()(In in, Counter *counters, int levels, Level lower, Level upper,
                            Size n) const
    {
        for (int bin = 0; bin < levels - 1; bin++)
            counters[bin] = 0;
        for (Size i = 0; i < n; i++) {
            const Level sample = static_cast<Level>(in[i]);

            if (!(sample < lower) && sample < upper)
                counters[static_cast<int>(static_cast<double>(sample - lower) * (levels - 1) /
                                          static_cast<double>(upper - lower))]++;
        }
    }
};
template <int Active, typename Counter, typename Level>
struct active_channels {
    struct {
        Counter *counters;
        int levels;
        Level lower, upper;
    } of[Active];
};
/* A channel of pixels. */
template <typename In, int Channels>
struct channel {
    In in;
    template <typename Size>
    KG__CUB element<In> operator[](Size i) const
    {
        return in[i * Channels];
    }
};
template <int Channels>
struct histograms_even {
    template <typename In, typename Counter, typename Level, int Active, typename Size>
    KG__CUB void operator()(In in, const active_channels<Active, Counter, Level> &channels,
                            Size n) const
    {
        for (int c = 0; c < Active; c++)
            histogram_even()(channel<In, Channels>{ in + c }, channels.of[c].counters,
                             channels.of[c].levels, channels.of[c].lower, channels.of[c].upper, n);
    }
};
struct histogram_range {
    template <typename In, typename Counter, typename Level, typename Size>
    KG__CUB void operator()(In in, Counter *counters, int levels, const Level *bounds, Size n) const
    {
        for (int bin = 0; bin < levels - 1; bin++)
            counters[bin] = 0;
        for (Size i = 0; i < n; i++)
            for (int bin = 0; bin < levels - 1; bin++)
                if (!(in[i] < bounds[bin]) && in[i] < bounds[bin + 1])
                    counters[bin]++;
    }
};
struct transform {
    template <typename In, typename Out, typename Size, typename Change>
    KG__CUB void operator()(In in, Out out, Size n, Change change) const
    {
        for (Size i = 0; i < n; i++)
            out[i] = change(in[i]);
    }
};
struct for_each {
    template <typename In, typename Size, typename Visit>
    KG__CUB void operator()(In in, Size n, Visit visit) const
    {
        for (Size i = 0; i < n; i++)
            visit(in[i]);
    }
};
struct bulk {
    template <typename Size, typename Visit>
    KG__CUB void operator()(Size n, Visit visit) const
    {
        for (Size i = 0; i < n; i++)
            visit(i);
    }
};
/* Differences of neighbors, also in place. */
struct subtract {
    template <typename In, typename Out, typename Size, typename Operation>
    KG__CUB void operator()(In in, Out out, Size n, Operation operation, bool left) const
    {
        element<In> last = in[left ? 0 : n - 1];

        for (Size step = 0; step < n; step++) {
            const Size i = left ? step : n - 1 - step;
            const element<In> value = in[i];

            out[i] = step == 0 ? value : operation(value, last);
            last = value;
        }
    }
};
template <bool OfBytes>
struct copy_batch {
    template <typename Froms, typename Tos, typename Sizes>
    KG__CUB void operator()(Froms froms, Tos tos, Sizes sizes, unsigned int count) const
    {
        for (unsigned int i = 0; i < count; i++) {
            const auto from = froms[i];
            const auto to = tos[i];

            if constexpr (OfBytes) {
                memcpy(to, from, sizes[i]);
            } else {
                for (size_t j = 0; j < static_cast<size_t>(sizes[i]); j++)
                    to[j] = from[j];
            }
        }
    }
};

/* Memory of a kernel. */
template <typename T>
struct room {
    T *elements;
    KG__CUB explicit room(size_t count)
        : elements(static_cast<T *>(kg__model_room(count * sizeof(T) + 1)))
    {
    }
    KG__CUB ~room()
    {
        kg__model_free(elements);
    }
};

/* Sorts a segment by bits of its keys, eight at a time; stable. */
struct radix_sort {
    template <typename Key, typename Value>
    KG__CUB void operator()(const Key *in, Key *out, const Value *values_in, Value *values_out,
                            size_t n, int first, int end, bool descends) const
    {
        room<Key> keys(n);
        room<Value> values(values_in != nullptr ? n : 0);

        if (in < out + n && out < in + n)
            kg__model_sort_overlaps(in > out ? in : out);
        else if (values_in != nullptr && values_in < values_out + n && values_out < values_in + n)
            kg__model_sort_overlaps(values_in > values_out ? values_in : values_out);
        for (size_t i = 0; i < n; i++) {
            out[i] = in[i];
            if (values_in != nullptr)
                values_out[i] = values_in[i];
        }
        for (int bit = first; bit < end; bit += 8)
            pass(out, keys.elements, values_in != nullptr ? values_out : nullptr, values.elements,
                 n, bit, end - bit < 8 ? end - bit : 8, descends);
    }
    template <typename Key, typename Value>
    KG__CUB static void pass(Key *keys, Key *other_keys, Value *values, Value *other_values,
                             size_t n, int bit, int bits, bool descends)
    {
        size_t places[257] = {};

        for (size_t i = 0; i < n; i++)
            places[digit(keys[i], bit, bits, descends) + 1]++;
        for (int i = 0; i < 256; i++)
            places[i + 1] += places[i];
        for (size_t i = 0; i < n; i++) {
            const Key key = keys[i];
            const size_t place = places[digit(key, bit, bits, descends)]++;

            other_keys[place] = key;
            if (values != nullptr)
                other_values[place] = values[i];
        }
        for (size_t i = 0; i < n; i++) {
            keys[i] = other_keys[i];
            if (values != nullptr)
                values[i] = other_values[i];
        }
    }
    template <typename Key>
    KG__CUB static unsigned int digit(Key key, int bit, int bits, bool down)
    {
        const unsigned int found =
            static_cast<unsigned int>(kg__model::ordered_bits(key) >> bit) & ((1u << bits) - 1);

        return down ? (1u << bits) - 1 - found : found;
    }
};
struct radix_sort_segments {
    template <typename Key, typename Value, typename Begins, typename Ends>
    KG__CUB void operator()(const Key *in, Key *out, const Value *values_in, Value *values_out,
                            int segments, Begins begins, Ends ends, int first, int end,
                            bool descends) const
    {
        for (int i = 0; i < segments; i++) {
            const auto at = begins[i];

            if (ends[i] > at)
                radix_sort()(in + at, out + at, values_in != nullptr ? values_in + at : nullptr,
                             values_out != nullptr ? values_out + at : nullptr,
                             static_cast<size_t>(ends[i] - at), first, end, descends);
        }
    }
};
struct reduce_segments {
    template <typename In, typename Out, typename Begins, typename Ends, typename Operation,
              typename Value>
    KG__CUB void operator()(In in, Out out, int segments, Begins begins, Ends ends,
                            Operation operation, Value first) const
    {
        for (int i = 0; i < segments; i++) {
            Value value = first;

            for (auto at = begins[i]; at < ends[i]; at++)
                value = operation(value, in[at]);
            out[i] = value;
        }
    }
};
/* Sorts in place by a comparison; stable. */
struct merge_sort {
    template <typename Keys, typename Values, typename Compare>
    KG__CUB void operator()(Keys keys, Values values, size_t n, Compare compare) const
    {
        constexpr bool has_values = !::std::is_same_v<Values, NullType *>;
        room<element<Keys>> other_keys(n);
        room<element<Values>> other_values(has_values ? n : 0);

        for (size_t width = 1; width < n; width *= 2) {
            for (size_t begin = 0; begin < n; begin += 2 * width) {
                const size_t middle = begin + width < n ? begin + width : n;
                const size_t end = middle + width < n ? middle + width : n;
                size_t left = begin, right = middle;

                for (size_t to = begin; to < end; to++) {
                    const bool takes_right =
                        left == middle || (right < end && compare(keys[right], keys[left]));
                    const size_t from = takes_right ? right++ : left++;

                    other_keys.elements[to] = keys[from];
                    if constexpr (has_values)
                        other_values.elements[to] = values[from];
                }
            }
            for (size_t i = 0; i < n; i++) {
                keys[i] = other_keys.elements[i];
                if constexpr (has_values)
                    values[i] = other_values.elements[i];
            }
        }
    }
};

} // namespace kg__device

#define KG__CUB_STORAGE void *storage, size_t &bytes
#define KG__CUB_RUN_ASKING(needed, name, algorithm, ...)                                           \
    return kg__device::with_storage<kg__device::algorithm>(                                        \
        kernels::name, storage, bytes, needed, kg__device::stream_of(rest...), __VA_ARGS__)
#define KG__CUB_RUN(...) KG__CUB_RUN_ASKING(kg__device::tiles<In>(n), __VA_ARGS__)
#define KG__CUB_REDUCE(...) KG__CUB_RUN_ASKING(kg__device::few_tiles<In>(n), __VA_ARGS__)

#include "kg_model_cub_calls.h"

#undef KG__CUB_STORAGE
#undef KG__CUB_RUN_ASKING
#undef KG__CUB_RUN
#undef KG__CUB_REDUCE

} // namespace cub
