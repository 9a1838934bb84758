/* SPDX-License-Identifier: MIT */
/* Inline PTX's accesses to memory and warp or block operations. Part of kg_model_ptx.h, which
 * includes it. */
#pragma once

namespace kg__ptx
{

/* Addresses. */

KG__PTX void *at(uint64_t address, int64_t offset)
{
    return reinterpret_cast<void *>(static_cast<uintptr_t>(address) +
                                    static_cast<uintptr_t>(offset));
}

KG__PTX void *shared_at(uint64_t address, int64_t offset)
{
    return __cvta_shared_to_generic(static_cast<size_t>(address) + static_cast<size_t>(offset));
}

/* The same of a 64-bit register. It may be a generic pointer, whose low bits are its address in
 * shared memory on a GPU: code relies on that. */
KG__PTX void *shared_at_any(uint64_t address, int64_t offset)
{
    char *const pointer = reinterpret_cast<char *>(address);
    void *const shared = shared_at(address, offset);

    /* First what is found fast. */
    if (address >> 32 == 0 && __isShared(shared))
        return shared;
    return __isShared(pointer) ? pointer + offset : shared;
}

/* Loads and stores: a vector is one access. */

template <typename Value, int Count>
struct values {
    Value value[Count];
};

/* The unit of one access. */
template <size_t Bytes>
struct word;
template <>
struct word<1> {
    typedef uint8_t __attribute__((may_alias)) type;
};
template <>
struct word<2> {
    typedef uint16_t __attribute__((may_alias)) type;
};
template <>
struct word<4> {
    typedef uint32_t __attribute__((may_alias)) type;
};
template <>
struct word<8> {
    typedef uint64_t __attribute__((may_alias)) type;
};
template <>
struct word<16> {
    typedef uint64_t __attribute__((may_alias, vector_size(16))) type;
};

/* Keeps the compiler from merging or removing an access. */
template <typename Pointer>
KG__PTX Pointer only(Pointer address)
{
    __asm__ volatile("" : "+r"(address));
    return address;
}

/* Keeps the compiler from removing a load whose value is unused. */
#ifdef __x86_64__
#define KG__PTX_ANY_REGISTER "rx"
#else
#define KG__PTX_ANY_REGISTER "rw"
#endif
template <typename Value>
KG__PTX void keep(Value value)
{
    __asm__ volatile("" : : KG__PTX_ANY_REGISTER(value));
}
#undef KG__PTX_ANY_REGISTER

#define KG__PTX_LOAD(name, kept, use, qualifier)                                                   \
    template <typename Value, int Count>                                                           \
    KG__PTX values<Value, Count> name(const void *address)                                         \
    {                                                                                              \
        typedef typename word<sizeof(Value) * Count>::type moved;                                  \
        const moved bits = *static_cast<const qualifier moved *>(kept(address));                   \
                                                                                                   \
        use(bits);                                                                                 \
        return __builtin_bit_cast(values<Value KG__PTX_COMMA Count>, bits);                        \
    }
#define KG__PTX_STORE(name, qualifier)                                                             \
    template <typename Value, int Count>                                                           \
    KG__PTX void name(void *address, values<Value, Count> value)                                   \
    {                                                                                              \
        typedef typename word<sizeof(Value) * Count>::type moved;                                  \
                                                                                                   \
        *static_cast<qualifier moved *>(only(address)) = __builtin_bit_cast(moved, value);         \
    }
#define KG__PTX_COMMA ,
/* As in an asm that is not volatile. */
KG__PTX_LOAD(any_load, , (void), )
KG__PTX_LOAD(load, only, keep, )
KG__PTX_LOAD(volatile_load, only, keep, volatile)
KG__PTX_STORE(store, )
KG__PTX_STORE(volatile_store, volatile)
/* ld.acquire, by which loops wait for what others release. */
template <typename T, int N>
KG__PTX auto acquire_load(const void *address)
{
    const auto loaded = volatile_load<T, N>(address);

    kg__model_tries_in_vain(address, static_cast<uint64_t>(loaded.value[0]));
    return loaded;
}
#undef KG__PTX_COMMA
#undef KG__PTX_STORE
#undef KG__PTX_LOAD

/* cp.async, without its group. */
KG__PTX void copy(void *to, const void *from, unsigned int size, unsigned int read)
{
    if ((size != 4 && size != 8 && size != 16) || read > size)
        kg__model_trap(cudaErrorLaunchFailure,
                       "cp.async: the size is not 4, 8 or 16 bytes, or more than that is read");
    kg__model_copy_async(to, from, size, size - read, nullptr);
}

/* vote.sync.uni. */
KG__PTX int uniform(unsigned int mask, bool predicate)
{
    const unsigned int votes = __ballot_sync(mask, predicate);

    return votes == 0 || votes == __ballot_sync(mask, 1);
}

struct shuffled {
    unsigned int value;
    bool inside; /* the source is in the lane's part of the warp */
};

/* shfl.sync. clamp: the mask of the part in bits 8 to 12, as in PTX. */
KG__PTX shuffled shuffle(kg__model_warp_operation operation, unsigned int value,
                         unsigned int argument, unsigned int clamp, unsigned int mask)
{
    const unsigned int width = KG__MODEL_WARP - (clamp >> 8 & 31);
    const unsigned int rank = lane() & (width - 1);
    const unsigned int by = argument & 31;
    const bool inside = operation == KG__MODEL_SHUFFLE_UP     ? rank >= by
                        : operation == KG__MODEL_SHUFFLE_DOWN ? rank + by < width
                        : operation == KG__MODEL_SHUFFLE_XOR  ? (rank ^ by) < width
                                                              : true;

    return { static_cast<unsigned int>(
                 kg__model_run_warp_operation(operation, mask, value, argument, width)),
             inside };
}

} // namespace kg__ptx
