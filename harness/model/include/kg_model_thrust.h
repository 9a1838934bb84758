/* SPDX-License-Identifier: MIT */
/* The device of Thrust: the algorithms of its C++ backend, each run as a kernel of one thread, and
 * copies between the host and the device by cudart. Thrust itself is a package's. */
#pragma once

#include <thrust/detail/config.h>
#include <thrust/detail/execution_policy.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/distance.h>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/system/detail/sequential/execution_policy.h>
#include <thrust/type_traits/is_contiguous_iterator.h>

#include <thrust/system/cuda/error.h>
#include <thrust/system/system_error.h>

#include <chrono>
#include <cuda/std/functional>
#include <vector>

#include "kg_model_thrust_policy.h"

THRUST_NAMESPACE_BEGIN
namespace system
{
namespace cuda
{
namespace detail
{

/* Of a copy between the host and the device. */
template <bool FromHost>
struct cross_system : execution_policy<cross_system<FromHost>> {
};
template <typename Device, typename Host>
cross_system<false> select_system(const execution_policy<Device> &,
                                  const cpp::execution_policy<Host> &)
{
    return {};
}
template <typename Host, typename Device>
cross_system<true> select_system(const cpp::execution_policy<Host> &,
                                 const execution_policy<Device> &)
{
    return {};
}

/* The policy of the sequential algorithms. */
inline system::detail::sequential::tag &in_order()
{
    static system::detail::sequential::tag tag;

    return tag;
}

/* Its callers, as mismatch() and equal(), promise all elements of their second sequence too, which
 * a device reads beyond the first one found. */
template <typename Iterator, typename Predicate>
Iterator find_if(system::detail::sequential::tag &tag, Iterator first, Iterator last,
                 Predicate predicate)
{
    if (first != last)
        (void)static_cast<bool>(predicate(first[thrust::distance(first, last) - 1]));
    return find_if(
        static_cast<
            system::detail::sequential::execution_policy<system::detail::sequential::tag> &>(tag),
        first, last, predicate);
}

/* Throws where a call of cudart has failed. */
inline void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess)
        throw thrust::system_error(error, thrust::cuda_category(), what);
}

/* The call of a sequential algorithm, as one in a kernel. */
template <typename Call, typename Policy, typename... Arguments>
auto run_alone(void (*name)(), Policy &policy, const Arguments &...arguments)
    -> decltype(Call()(arguments...))
{
    using Result = decltype(Call()(arguments...));
    kg__model_kept<Result> result;

    if (kg__model_in_kernel())
        return Call()(arguments...);
    check(kg__model_run_alone<Call, Result>(name, policy.stream(), result, arguments...),
          "a launch of Thrust's");
    check(cudaStreamSynchronize(policy.stream()), "an algorithm of Thrust's");
    if constexpr (!std::is_void_v<Result>)
        return std::move(result.value);
}

/* An algorithm has its name twice: of the call by which the sequential one is found, and of the
 * kernel that findings name. */
#define KG__THRUST(name)                                                                           \
    struct call_##name {                                                                           \
        template <typename... Arguments>                                                           \
        auto operator()(Arguments... arguments) const -> decltype(name(in_order(), arguments...))  \
        {                                                                                          \
            return name(in_order(), arguments...);                                                 \
        }                                                                                          \
    };                                                                                             \
    namespace kernels                                                                              \
    {                                                                                              \
    static __attribute__((noinline, used)) void name()                                             \
    {                                                                                              \
    }                                                                                              \
    }                                                                                              \
    template <typename Policy, typename... Arguments>                                              \
    auto name(execution_policy<Policy> &policy, Arguments... arguments)                            \
        ->decltype(call_##name()(arguments...))                                                    \
    {                                                                                              \
        return run_alone<call_##name>(kernels::name, static_cast<Policy &>(policy), arguments...); \
    }

// clang-format off
#define KG__THRUST_ALGORITHMS(X)                                                                   \
    X(adjacent_difference) X(binary_search) X(lower_bound) X(upper_bound) X(copy_if) X(find_if)    \
    X(for_each) X(for_each_n) X(min_element) X(max_element) X(minmax_element) X(merge)             \
    X(merge_by_key) X(partition) X(stable_partition) X(stable_partition_copy) X(reduce)            \
    X(reduce_by_key) X(remove_if) X(remove_copy_if) X(inclusive_scan) X(exclusive_scan)            \
    X(inclusive_scan_by_key) X(exclusive_scan_by_key) X(set_difference) X(set_intersection)        \
    X(set_symmetric_difference) X(set_union) X(stable_sort) X(stable_sort_by_key) X(unique)        \
    X(unique_copy) X(unique_by_key) X(unique_by_key_copy)
// clang-format on
KG__THRUST_ALGORITHMS(KG__THRUST)
#undef KG__THRUST_ALGORITHMS
#undef KG__THRUST

/* The elements of [first, first + n) are bytes side by side, which need no constructor. */
template <typename Iterator>
constexpr bool is_plain = is_contiguous_iterator<Iterator>::value
    &&std::is_trivially_copyable_v<iterator_value_t<Iterator>>;
template <typename Input, typename Output>
constexpr bool is_one_block = is_plain<Input> &&is_plain<Output>
    &&std::is_same_v<std::remove_cv_t<iterator_value_t<Input>>, iterator_value_t<Output>>;

template <typename Input, typename Output>
Output copy_bytes(Input first, std::size_t count, Output result, cudaMemcpyKind kind)
{
    if (count > 0)
        check(cudaMemcpy(raw_pointer_cast(&*result), raw_pointer_cast(&*first),
                         count * sizeof(iterator_value_t<Output>), kind),
              "a copy of Thrust's");
    return result + static_cast<typename iterator_difference<Output>::type>(count);
}

struct call_copy_n {
    template <typename Input, typename Size, typename Output>
    Output operator()(Input first, Size count, Output result) const
    {
        return copy_n(in_order(), first, count, result);
    }
};
namespace kernels
{
static __attribute__((noinline, used)) void copy()
{
}
} // namespace kernels

template <typename Policy, typename Input, typename Size, typename Output>
Output copy_n(execution_policy<Policy> &policy, Input first, Size count, Output result)
{
    if constexpr (is_one_block<Input, Output>) {
        if (!kg__model_in_kernel())
            return copy_bytes(first, static_cast<std::size_t>(count), result, cudaMemcpyDefault);
    }
    return run_alone<call_copy_n>(kernels::copy, static_cast<Policy &>(policy), first, count,
                                  result);
}

template <typename Policy, typename Input, typename Output>
Output copy(execution_policy<Policy> &policy, Input first, Input last, Output result)
{
    return copy_n(policy, first, thrust::distance(first, last), result);
}

/* Memory of the device that ends with the scope. */
template <typename Element>
struct scratch {
    explicit scratch(std::size_t count)
    {
        check(cudaMalloc(&elements, count * sizeof(Element)), "memory of Thrust's");
    }
    ~scratch()
    {
        (void)cudaFree(elements);
    }
    scratch(const scratch &) = delete;
    Element *elements = nullptr;
};

/* By a block of bytes in between where the elements are not side by side. */
template <bool FromHost, typename Input, typename Size, typename Output>
Output copy_n(execution_policy<cross_system<FromHost>> &, Input first, Size n, Output result)
{
    using Element = std::remove_cv_t<iterator_value_t<Input>>;
    const auto count = static_cast<std::size_t>(n);
    tag device;

    if constexpr (is_one_block<Input, Output>) {
        return copy_bytes(first, count, result,
                          FromHost ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
    } else if (count == 0) {
        return result;
    } else {
        scratch<Element> there(count);
        std::vector<std::aligned_storage_t<sizeof(Element), alignof(Element)>> here(count);
        Element *const elements = reinterpret_cast<Element *>(here.data());

        if constexpr (FromHost) {
            std::uninitialized_copy_n(first, count, elements);
            check(cudaMemcpy(there.elements, elements, count * sizeof(Element),
                             cudaMemcpyHostToDevice),
                  "a copy of Thrust's");
            std::destroy_n(elements, count);
            return run_alone<call_copy_n>(kernels::copy, device, there.elements, count, result);
        } else {
            (void)run_alone<call_copy_n>(kernels::copy, device, first, count, there.elements);
            check(cudaMemcpy(elements, there.elements, count * sizeof(Element),
                             cudaMemcpyDeviceToHost),
                  "a copy of Thrust's");
            return std::copy_n(elements, count, result);
        }
    }
}

template <bool FromHost, typename Input, typename Output>
Output copy(execution_policy<cross_system<FromHost>> &policy, Input first, Input last,
            Output result)
{
    return copy_n(policy, first, thrust::distance(first, last), result);
}

/* Single elements, which references of device_vector read and write. */

template <typename Policy, typename To, typename From>
void assign_value(execution_policy<Policy> &, To to, From from)
{
    auto *const target = raw_pointer_cast(to);
    const auto *const source = raw_pointer_cast(from);
    std::remove_cv_t<std::remove_pointer_t<decltype(target)>> value;

    if (kg__model_in_kernel()) {
        *target = *source;
        return;
    }
    if constexpr (std::is_same_v<std::remove_cv_t<std::remove_pointer_t<decltype(source)>>,
                                 decltype(value)>) {
        check(cudaMemcpy(target, source, sizeof *target, cudaMemcpyDefault), "an element");
    } else {
        std::remove_cv_t<std::remove_pointer_t<decltype(source)>> given;

        check(cudaMemcpy(&given, source, sizeof given, cudaMemcpyDefault), "an element");
        value = given;
        check(cudaMemcpy(target, &value, sizeof value, cudaMemcpyDefault), "an element");
    }
}

template <typename Policy, typename Pointer>
iterator_value_t<Pointer> get_value(execution_policy<Policy> &, Pointer pointer)
{
    kg__model_kept<iterator_value_t<Pointer>> result;

    if (kg__model_in_kernel())
        return *raw_pointer_cast(pointer);
    check(cudaMemcpy(&result.value, raw_pointer_cast(pointer), sizeof result.value,
                     cudaMemcpyDefault),
          "an element");
    return result.value;
}

template <typename Policy, typename One, typename Other>
void iter_swap(execution_policy<Policy> &policy, One one, Other other)
{
    auto value = get_value(policy, one);

    assign_value(policy, one, other);
    assign_value(policy, other, &value);
}

template <typename Policy>
void *malloc(const execution_policy<Policy> &, std::size_t bytes)
{
    void *memory = nullptr;

    if (kg__model_in_kernel())
        return kg__model_room(bytes);
    check(cudaMalloc(&memory, bytes), "memory of Thrust's");
    return memory;
}

template <typename Policy, typename Pointer>
void free(const execution_policy<Policy> &, Pointer pointer)
{
    if (kg__model_in_kernel())
        kg__model_free(raw_pointer_cast(pointer));
    else
        check(cudaFree(raw_pointer_cast(pointer)), "memory of Thrust's");
}

} // namespace detail
} // namespace cuda
} // namespace system
THRUST_NAMESPACE_END
