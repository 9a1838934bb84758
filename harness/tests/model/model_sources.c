/* Sources of kernels that the CPU model does not take. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/model_fixture.h"

#define HIDES(attribute)                                                                           \
    {                                                                                              \
        attribute " ", "", "kernel.cpp:2:"                                                         \
    }

/* What a kernel may not use is a compile error that names it, and where to read on. */
static const struct {
    const char *before; /* the kernel */
    const char *statement;
    const char *error;
} unsupported[] = {
    { "", "out[0] = __activemask();", "the CPU model does not support __activemask()" },
    { "", "out[0] = __vadd4(out[1], 1u);", "the CPU model does not support __vadd4()" },
    { "", "out[0] = (unsigned)clock64();", "the CPU model does not support clock64()" },
    { "", "asm volatile(\"mov.u32 %0, %laneid;\" : \"=r\"(out[0]));",
      "the CPU model does not support inline PTX" },
    { "#include <cooperative_groups.h>\n", "",
      "the CPU model does not support cooperative_groups.h" },
    { "#include <cuda_fp16.h>\n", "", "the CPU model does not support cuda_fp16.h" },
    HIDES("__attribute__((no_sanitize(\"thread\")))"),
    HIDES("__attribute__((noinline, no_sanitize(\"bounds\", \"coverage\")))"),
    HIDES("__attribute__((no_sanitize_thread))"),
    HIDES("__attribute__((no_sanitize_coverage))"),
    HIDES("__attribute__((no_sanitize_undefined))"),
    HIDES("[[gnu::no_sanitize(\"thread\")]]"),
    HIDES("[[gnu::no_sanitize_thread]]"),
    { "#define HIDDEN __attribute__((no_sanitize_thread))\nHIDDEN ", "", "kernel.cpp:3:" },
    { "", "[=]() __attribute__((no_sanitize(\"thread\"))) { out[0] = out[1]; }();",
      "kernel.cpp:2:" },
};

/* Compiles a text as a kernel's source; what the compiler says goes to `said`. */
static bool compiles(const char *text, char *said, size_t size)
{
    char folder[] = "/tmp/kernelgate-test.XXXXXX";
    char source[64];
    char command[1024];
    FILE *file;
    FILE *compiler;
    bool written;
    int status;

    cr_assert(mkdtemp(folder) != NULL);
    snprintf(source, sizeof source, "%s/kernel.cpp", folder);
    snprintf(command, sizeof command, "'%s' -std=c++17 -O1 -I'%s' -S -o /dev/null %s 2>&1", KG__CXX,
             KG__MODEL_INCLUDE, source);
    file = fopen(source, "w");
    cr_assert(file != NULL);
    written = fputs(text, file) >= 0;
    written = fclose(file) == 0 && written;
    cr_assert(written);
    compiler = popen(command, "r");
    cr_assert(compiler != NULL);
    said[fread(said, 1, size - 1, compiler)] = '\0';
    status = pclose(compiler);
    cr_assert(remove(source) == 0 && remove(folder) == 0);
    return status == 0;
}

Test(model_sources, what_is_not_supported_is_a_compile_error)
{
    for (size_t i = 0; i < LENGTH(unsupported); i++) {
        char text[512];
        char said[8192];

        snprintf(text, sizeof text,
                 "#include <cuda_runtime.h>\n"
                 "%s__global__ void kernel(unsigned int *out) { out[0] = out[1]; %s }\n",
                 unsupported[i].before, unsupported[i].statement);
        cr_expect(!compiles(text, said, sizeof said), "it compiles: %s", text);
        cr_expect(strstr(said, unsupported[i].error) != NULL &&
                      strstr(said, "docs/model.md") != NULL,
                  "%s: %s", text, said);
    }
}

/* Headers may define and ask for what they do not use, and the system's may use it. */
Test(model_sources, what_hides_accesses_may_be_in_headers)
{
    static const char text[] =
        "#include <cuda_runtime.h>\n"
        "#include <algorithm>\n#include <atomic>\n#include <functional>\n#include <iostream>\n"
        "#include <limits>\n#include <memory>\n#include <mutex>\n#include <numeric>\n"
        "#include <random>\n#include <string>\n#include <thread>\n#include <vector>\n"
        "#include <fcntl.h>\n#include <immintrin.h>\n#include <pthread.h>\n#include <unistd.h>\n"
        "#define HIDDEN __attribute__((no_sanitize(\"thread\"), no_sanitize_thread))\n"
        "#if !__has_attribute(no_sanitize) || !__has_attribute(__no_sanitize_thread__)\n"
        "#error\n"
        "#endif\n"
        "__attribute__((__no_sanitize__(\"thread\"), __no_sanitize_coverage__)) void f() {}\n"
        "[[gnu::__no_sanitize_thread__, __gnu__::__no_sanitize_undefined__]] void g() {}\n";
    char said[8192];

    cr_expect(compiles(text, said, sizeof said) && said[0] == '\0', "%s", said);
}
