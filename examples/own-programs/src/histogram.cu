// Counts the letters of a file on the GPU, and compares with the host's counts.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

#include <cuda_runtime.h>

constexpr int letters = 26;

__global__ void count_letters(const char *text, int length, unsigned int *counts)
{
    __shared__ unsigned int own[letters];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (threadIdx.x < letters)
        own[threadIdx.x] = 0;
    __syncthreads();
    if (i < length && text[i] >= 'a' && text[i] <= 'z')
        atomicAdd(&own[text[i] - 'a'], 1u);
    __syncthreads();
    if (threadIdx.x < letters)
        atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

int main(int argc, char **argv)
{
    std::ifstream file(argc > 1 ? argv[1] : "");
    const std::vector<char> text(std::istreambuf_iterator<char>(file), {});
    const int length = static_cast<int>(text.size());
    std::vector<unsigned int> wanted(letters), counts(letters);
    char *device_text;
    unsigned int *device_counts;

    if (text.empty()) {
        std::fprintf(stderr, "usage: histogram FILE\n");
        return 2;
    }
    for (char letter : text) {
        if (letter >= 'a' && letter <= 'z')
            wanted[letter - 'a']++;
    }
    cudaMalloc(&device_text, length);
    cudaMalloc(&device_counts, letters * sizeof(unsigned int));
    cudaMemcpy(device_text, text.data(), length, cudaMemcpyHostToDevice);
    cudaMemset(device_counts, 0, letters * sizeof(unsigned int));
    count_letters<<<(length + 63) / 64, 64>>>(device_text, length, device_counts);
    cudaMemcpy(counts.data(), device_counts, letters * sizeof(unsigned int),
               cudaMemcpyDeviceToHost);
    cudaFree(device_text);
    cudaFree(device_counts);
    std::printf("%d characters: %s\n", length, counts == wanted ? "PASS" : "FAIL");
    return cudaGetLastError() != cudaSuccess || counts != wanted;
}
