#include <vector>

#include <gtest/gtest.h>

#include "reduce.h"

namespace
{

class Reduce : public ::testing::TestWithParam<int>
{
};

float sum_on_device(const std::vector<float> &values)
{
    float *device_values, *device_sum, sum = -1;

    cudaMalloc(&device_values, values.size() * sizeof(float) + 1);
    cudaMalloc(&device_sum, sizeof(float));
    cudaMemcpy(device_values, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
    EXPECT_EQ(reduce_sum(device_values, static_cast<int>(values.size()), device_sum), cudaSuccess);
    cudaMemcpy(&sum, device_sum, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(device_values);
    cudaFree(device_sum);
    return sum;
}

TEST_P(Reduce, AddsOnes)
{
    EXPECT_EQ(sum_on_device(std::vector<float>(GetParam(), 1.0f)), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Sizes, Reduce, ::testing::Values(1, 255, 256, 1000));

TEST(ReduceEdges, AddsNothing)
{
    EXPECT_EQ(sum_on_device({}), 0.0f);
}

} // namespace
