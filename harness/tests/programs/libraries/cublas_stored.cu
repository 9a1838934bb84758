/* cuBLAS: matrices that store a band or a triangle, held against dense ones. */
#include "cublas_dense.h"

/* y = alpha op(a) x + beta y by call(alpha, a, lda, x, incx, beta, y, incy) */
template <typename T, typename Call>
static void multiply(const char *name, const form &as, cublasOperation_t op, Call call)
{
    for (const int step : { 1, 2, -1 }) {
        const bool turned = op != CUBLAS_OP_N;
        const number alpha = scalar<T>(2, -1), beta = step == 2 ? 0 : scalar<T>(3, 1);
        const T factors[] = { type<T>::of(alpha), type<T>::of(beta) };
        matrix<T> a(as, 1);
        vector<T> x(turned ? as.m : as.n, step, 2), y(turned ? as.n : as.m, -step, 3);

        if (step == 2)
            cudaMemset(y.stored.device, 0xff, y.stored.host.size() * sizeof(T));
        const cublasStatus_t status = call(factors, a.stored.device, as.lead(), x.stored.device,
                                           step, factors + 1, y.stored.device, -step);
        for (int i = 0; i < y.count; i++) {
            number sum = 0;

            for (int j = 0; j < x.count; j++)
                sum += a.of(op, i, j) * x.at(j);
            y.set(i, alpha * sum + beta * y.at(i));
        }
        expect(name, status, y.stored);
    }
}

/* x = op(a) x by call(false, a, lda, x, incx), and back by call(true, ...) */
template <typename T, typename Call>
static void solve(const char *name, const form &as, cublasOperation_t op, Call call)
{
    for (const int step : { 1, 2, -1 }) {
        matrix<T> a(as, 4);
        vector<T> x(as.n, step, 5);
        const std::vector<number> given = x.dense;

        for (const bool solves : { false, true }) {
            const cublasStatus_t status =
                call(solves, a.stored.device, as.lead(), x.stored.device, step);

            for (int i = 0; i < as.n; i++) {
                number sum = 0;

                for (int j = 0; j < as.n; j++)
                    sum += a.of(op, i, j) * given[size_t(j)];
                x.set(i, solves ? given[size_t(i)] : sum);
            }
            expect(name, status, x.stored);
        }
    }
}

/* a += alpha x y' by call(alpha, x, incx, y, incy, a, lda); `twice`: and its mirror; else y is x */
template <typename T, typename Call>
static void update(const char *name, const form &as, bool twice, Call call)
{
    for (const int step : { 1, 2, -1 }) {
        const bool is_hermitian = as.kind == 'h';
        const number alpha = scalar<T>(2, is_hermitian && !twice ? 0 : -1);
        matrix<T> a(as, 6);
        vector<T> x(as.n, step, 7), y(as.n, -step, twice ? 8 : 7);
        const T factor = type<T>::of(alpha);
        const cublasStatus_t status = call(&factor, x.stored.device, step, y.stored.device, -step,
                                           a.stored.device, as.lead());

        a.update([&](int i, int j) {
            const number mirror =
                conjugate(alpha, is_hermitian) * y.at(i) * conjugate(x.at(j), is_hermitian);

            return a.at(i, j) + alpha * x.at(i) * conjugate(y.at(j), is_hermitian) +
                   (twice ? mirror : 0);
        });
        expect(name, status, a.stored);
    }
}

/* c = alpha op(a) op(b)' + beta c of call(alpha, a, lda, b, ldb, beta, c, ldc), where `turn` says
 * which ' it is; `twice`: and its mirror */
template <typename T, typename Call>
static void combine(const char *name, const form &as_a, const form &as_b, const form &as_c,
                    cublasOperation_t op_a, cublasOperation_t op_b, number alpha, number beta,
                    bool twice, Call call)
{
    matrix<T> a(as_a, 1), b(as_b, twice ? 2 : 1), c(as_c, 3);
    const int k = op_a == CUBLAS_OP_N ? as_a.n : as_a.m;

    if (beta == 0.0)
        cudaMemset(c.stored.device, 0xff, c.stored.host.size() * sizeof(T));
    const T factors[] = { type<T>::of(alpha), type<T>::of(beta) };
    const cublasStatus_t status = call(factors, a.stored.device, as_a.lead(), b.stored.device,
                                       as_b.lead(), factors + 1, c.stored.device, as_c.lead());
    c.update([&](int i, int j) {
        number sum = beta * c.at(i, j);

        for (int l = 0; l < k; l++)
            sum += alpha * a.of(op_a, i, l) * b.of(op_b, l, j) +
                   (twice ? conjugate(alpha, as_c.kind == 'h') *
                                conjugate(b.of(op_b, l, i), as_c.kind == 'h') *
                                conjugate(a.of(op_a, j, l), as_c.kind == 'h')
                          : 0);
        return sum;
    });
    expect(name, status, c.stored);
}

/* The factors of Hermitian updates are real: the real parts of complex ones. */
#define REAL(factor) reinterpret_cast<const typename type<T>::real *>(factor)
#define MULTIPLY(name, other, as, op, ...)                                                         \
    multiply<T>(                                                                                   \
        #name "/" #other, as, op,                                                                  \
        [&](const T *alpha, T *a, int lda, T *x, int incx, const T *beta, T *y, int incy) {        \
            return PICK_OF(name, other)(handle, __VA_ARGS__, x, incx, beta, y, incy);              \
        })
#define SOLVE(name, as, ...)                                                                       \
    solve<T>(#name, as, op, [&](bool solves, T *a, int lda, T *x, int incx) {                      \
        return (solves ? PICK(name##sv) : PICK(name##mv))(handle, fill, op, unit, n, __VA_ARGS__,  \
                                                          x, incx);                                \
    })
#define UPDATE(name, other, as, twice, ...)                                                        \
    update<T>(#name "/" #other, as, twice,                                                         \
              [&](const T *alpha, T *x, int incx, T *y, int incy, T *a, int lda) {                 \
                  return PICK_OF(name, other)(handle, fill, n, __VA_ARGS__);                       \
              })
#define CALL(...)                                                                                  \
    [&](const T *alpha, T *a, int lda, T *b, int ldb, const T *beta, T *c, int ldc) {              \
        return __VA_ARGS__;                                                                        \
    }

template <typename T>
static void check_level2()
{
    const char kind = type<T>::is_complex ? 'h' : 's';
    const form rectangle = { 'w', 'g', 5, 7, 0, 0, fills[0] },
               wide = { 'b', 'g', 5, 7, 1, 3, fills[0] };
    const int n = 5, k = 2;

    for (const cublasOperation_t op : operations) {
        MULTIPLY(gemv, gemv, rectangle, op, op, 5, 7, alpha, a, lda);
        MULTIPLY(gbmv, gbmv, wide, op, op, 5, 7, 1, 3, alpha, a, lda);
    }
    for (const cublasFillMode_t fill : fills) {
        const bool lower = fill == CUBLAS_FILL_MODE_LOWER;
        const cublasOperation_t none = CUBLAS_OP_N;
        const form symmetric = { 'w', 's', n, n, 0, 0, fill },
                   hermitian = { 'w', kind, n, n, 0, 0, fill };
        const form packed = { 'p', kind, n, n, 0, 0, fill };
        const form band = { 'b', kind, n, n, lower ? k : 0, lower ? 0 : k, fill };

        MULTIPLY(symv, symv, symmetric, none, fill, n, alpha, a, lda);
        MULTIPLY(symv, hemv, hermitian, none, fill, n, alpha, a, lda);
        MULTIPLY(sbmv, hbmv, band, none, fill, n, k, alpha, a, lda);
        MULTIPLY(spmv, hpmv, packed, none, fill, n, alpha, a);
        UPDATE(syr, syr, symmetric, false, alpha, x, incx, a, lda);
        UPDATE(syr, her, hermitian, false, REAL(alpha), x, incx, a, lda);
        UPDATE(spr, hpr, packed, false, REAL(alpha), x, incx, a);
        UPDATE(syr2, syr2, symmetric, true, alpha, x, incx, y, incy, a, lda);
        UPDATE(syr2, her2, hermitian, true, alpha, x, incx, y, incy, a, lda);
        UPDATE(spr2, hpr2, packed, true, alpha, x, incx, y, incy, a);
        for (const cublasOperation_t op : operations)
            for (const char of : { 't', 'u' }) {
                const cublasDiagType_t unit = of == 'u' ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
                form of_band = band, of_packed = packed;

                of_band.kind = of_packed.kind = of;
                SOLVE(tr, (form{ 'w', of, n, n, 0, 0, fill }), a, lda);
                SOLVE(tb, of_band, k, a, lda);
                SOLVE(tp, of_packed, a);
            }
    }
}

template <typename T>
static void check_copies()
{
    const int n = 5;

    for (const cublasFillMode_t fill : fills) {
        const form whole = { 'w', 't', n, n, 0, 0, fill };
        matrix<T> from(whole, 1), to({ 'p', 't', n, n, 0, 0, fill }, 2), back(whole, 3);
        const cublasStatus_t packed =
            PICK(trttp)(handle, fill, n, from.stored.device, whole.lead(), to.stored.device);
        const cublasStatus_t unpacked =
            PICK(tpttr)(handle, fill, n, to.stored.device, back.stored.device, whole.lead());

        to.update([&](int i, int j) { return from.at(i, j); });
        expect("trttp", packed, to.stored);
        back.stored.host = from.stored.host;
        expect("tpttr", unpacked, back.stored);
    }
}

/* Products from both sides. */
template <typename T>
static void check_sided(cublasFillMode_t fill, cublasSideMode_t side)
{
    const char kind = type<T>::is_complex ? 'h' : 's';
    const bool left = side == CUBLAS_SIDE_LEFT;
    const int m = 5, n = 3, order = left ? m : n;
    const form other = { 'w', 'g', m, n, 0, 0, fill };
    const number alpha = scalar<T>(2, -1), beta = scalar<T>(3, 1);
    const auto check = [&](const char *name, char of, cublasOperation_t op, number beta,
                           auto call) {
        const form square = { 'w', of, order, order, 0, 0, fill };

        if (left)
            combine<T>(name, square, other, other, op, CUBLAS_OP_N, alpha, beta, false, call);
        else
            combine<T>(name, other, square, other, CUBLAS_OP_N, op, alpha, beta, false,
                       [&](const T *alpha, T *a, int lda, T *b, int ldb, auto... given) {
                           return call(alpha, b, ldb, a, lda, given...);
                       });
    };

    check("symm", 's', CUBLAS_OP_N, beta,
          CALL(PICK(symm)(handle, side, fill, m, n, alpha, a, lda, b, ldb, beta, c, ldc)));
    check("hemm", kind, CUBLAS_OP_N, 0,
          CALL(PICK_OF(symm, hemm)(handle, side, fill, m, n, alpha, a, lda, b, ldb, beta, c, ldc)));
    for (const cublasOperation_t op : operations)
        for (const char of : { 't', 'u' }) {
            const cublasDiagType_t unit = of == 'u' ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
            const auto multiplied =
                CALL(PICK(trmm)(handle, side, fill, op, unit, m, n, alpha, a, lda, b, ldb, c, ldc));

            check("trmm", of, op, 0, multiplied);
            /* The product, b again, and the product in place. */
            check("trsm", of, op, 0,
                  [&](const T *alpha, T *a, int lda, T *b, int ldb, const T *beta, T *c, int ldc) {
                      const T inverse = type<T>::of(1.0 / type<T>::value(*alpha));

                      multiplied(alpha, a, lda, b, ldb, beta, c, ldc);
                      RUN(PICK(trsm)(handle, side, fill, op, unit, m, n, &inverse, a, lda, c, ldc));
                      return multiplied(alpha, a, lda, c, ldc, beta, c, ldc);
                  });
        }
}

/* Updates of a triangle. */
template <typename T>
static void check_triangles(cublasFillMode_t fill, cublasOperation_t op)
{
    const char kind = type<T>::is_complex ? 'h' : 's';
    const int n = 5, k = 3;
    const bool straight = op == CUBLAS_OP_N;
    const form given = { 'w', 'g', straight ? n : k, straight ? k : n, 0, 0, fill };
    const number alpha = scalar<T>(2, -1), beta = scalar<T>(3, 1);
    const auto check = [&](const char *name, char of, number alpha, number beta, bool twice,
                           auto call) {
        const cublasOperation_t turn = of == 'h' ? CUBLAS_OP_C : CUBLAS_OP_T;

        if (straight || op == turn || !type<T>::is_complex)
            combine<T>(name, given, given, { 'w', of, n, n, 0, 0, fill }, op,
                       straight ? turn : CUBLAS_OP_N, alpha, beta, twice, call);
    };

    check("syrk", 's', alpha, beta, false,
          CALL(PICK(syrk)(handle, fill, op, n, k, alpha, a, lda, beta, c, ldc)));
    check("syrkx", 's', alpha, 0, false,
          CALL(PICK(syrkx)(handle, fill, op, n, k, alpha, a, lda, b, ldb, beta, c, ldc)));
    check("syr2k", 's', alpha, beta, true,
          CALL(PICK(syr2k)(handle, fill, op, n, k, alpha, a, lda, b, ldb, beta, c, ldc)));
    if constexpr (type<T>::is_complex) {
        check("herk", 'h', 2, 3, false,
              CALL(PICK_OF(syrk, herk)(handle, fill, op, n, k, REAL(alpha), a, lda, REAL(beta), c,
                                       ldc)));
        check("herkx", 'h', 2, 0, false,
              CALL(PICK_OF(syrkx, herkx)(handle, fill, op, n, k, alpha, a, lda, b, ldb, REAL(beta),
                                         c, ldc)));
        check("her2k", 'h', alpha, 3, true,
              CALL(PICK_OF(syr2k, her2k)(handle, fill, op, n, k, alpha, a, lda, b, ldb, REAL(beta),
                                         c, ldc)));
    }
    if constexpr (std::is_same_v<T, cuComplex>) {
        const cudaDataType_t of = CUDA_C_32F;

        check("syrkEx", 's', alpha, beta, false,
              CALL(cublasCsyrkEx(handle, fill, op, n, k, alpha, a, of, lda, beta, c, of, ldc)));
        check("syrk3mEx", 's', alpha, beta, false,
              CALL(cublasCsyrk3mEx(handle, fill, op, n, k, alpha, a, of, lda, beta, c, of, ldc)));
        check("herkEx", 'h', 2, 3, false,
              CALL(cublasCherkEx(handle, fill, op, n, k, REAL(alpha), a, of, lda, REAL(beta), c, of,
                                 ldc)));
        check("herk3mEx", 'h', 2, 3, false,
              CALL(cublasCherk3mEx(handle, fill, op, n, k, REAL(alpha), a, of, lda, REAL(beta), c,
                                   of, ldc)));
    }
}

/* Products of complex matrices with types of their own, or with three multiplications. */
static void check_complex_products(cublasOperation_t op_a, cublasOperation_t op_b)
{
    using T = cuComplex;
    const int m = 5, n = 3, k = 4;
    const cudaDataType_t of = CUDA_C_32F;
    const bool turn_a = op_a != CUBLAS_OP_N, turn_b = op_b != CUBLAS_OP_N;
    const form as_a = { 'w', 'g', turn_a ? k : m, turn_a ? m : k, 0, 0, fills[0] };
    const form as_b = { 'w', 'g', turn_b ? n : k, turn_b ? k : n, 0, 0, fills[0] };
    const auto check = [&](const char *name, auto call) {
        combine<T>(name, as_a, as_b, { 'w', 'g', m, n, 0, 0, fills[0] }, op_a, op_b, { 2, -1 },
                   { 3, 1 }, false, call);
    };

    check("gemm3m",
          CALL(cublasCgemm3m(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)));
    check("gemmEx", CALL(cublasCgemmEx(handle, op_a, op_b, m, n, k, alpha, a, of, lda, b, of, ldb,
                                       beta, c, of, ldc)));
    check("gemm3mEx", CALL(cublasCgemm3mEx(handle, op_a, op_b, m, n, k, alpha, a, of, lda, b, of,
                                           ldb, beta, c, of, ldc)));
}

/* Device memory with addresses. */
template <typename T>
struct addresses : memory<T *> {
    explicit addresses(const std::vector<T *> &given) : memory<T *>(given.size())
    {
        this->host = given;
        this->send();
    }
};

template <typename T>
static void check_batches()
{
    const form whole = { 'w', 'g', 5, 3, 0, 0, fills[0] },
               square = { 'w', 'g', 3, 3, 0, 0, fills[0] };
    const int lead = square.lead();
    matrix<T> a(square, 1), inverse(square, 2), back(square, 3);
    const addresses<T> from({ a.stored.device, inverse.stored.device }),
        to({ inverse.stored.device, back.stored.device });
    memory<int> infos(2);

    multiply<T>("gemvStridedBatched", whole, CUBLAS_OP_N,
                [&](auto alpha, auto a, int lda, auto x, int incx, auto beta, auto y, int incy) {
                    return PICK(gemvStridedBatched)(handle, CUBLAS_OP_N, 5, 3, alpha, a, lda, 1, x,
                                                    incx, 1, beta, y, incy, 1, 1);
                });
    multiply<T>("gemvBatched", whole, CUBLAS_OP_C,
                [&](auto alpha, T *a, int lda, T *x, int incx, auto beta, T *y, int incy) {
                    const addresses<T> all({ a, x, y });

                    return PICK(gemvBatched)(handle, CUBLAS_OP_C, 5, 3, alpha, all.device, lda,
                                             all.device + 1, incx, beta, all.device + 2, incy, 1);
                });
    RUN(PICK(matinvBatched)(handle, 3, from.device, lead, to.device, lead, infos.device, 1));
    const cublasStatus_t status =
        PICK(matinvBatched)(handle, 3, from.device + 1, lead, to.device + 1, lead, infos.device, 1);
    back.stored.host = a.stored.host;
    expect("matinvBatched", status, back.stored);
}

/* A group of two products of 3 x 3 matrices, and one of other sizes, whose result is checked. */
template <typename T>
static void check_groups()
{
    const form as_a = { 'w', 'g', 5, 3, 0, 0, fills[0] }, as_b = { 'w', 'g', 3, 4, 0, 0, fills[0] };
    const form as_c = { 'w', 'g', 5, 4, 0, 0, fills[0] },
               square = { 'w', 'g', 3, 3, 0, 0, fills[0] };
    const cudaDataType_t of = sizeof(T) == 8 ? CUDA_R_64F : CUDA_R_32F;
    const cublasComputeType_t compute = sizeof(T) == 8 ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
    const cublasOperation_t ops[] = { CUBLAS_OP_T, CUBLAS_OP_N };
    const int m[] = { 3, 5 }, n[] = { 3, 4 }, k[] = { 3, 3 }, sizes[] = { 2, 1 };
    matrix<T> small(square, 1), first(square, 2), second(square, 3);
    T *const s = small.stored.device;

    for (const bool has_types : { false, true })
        combine<T>("gemmGroupedBatched", as_a, as_b, as_c, CUBLAS_OP_N, CUBLAS_OP_N, 2, 3, false,
                   [&](const T *alpha, T *a, int lda, T *b, int ldb, const T *beta, T *c, int ldc) {
                       const addresses<T> left({ s, s, a }), right({ s, s, b }),
                           to({ first.stored.device, second.stored.device, c });
                       const int leads_a[] = { square.lead(), lda },
                                 leads_b[] = { square.lead(), ldb },
                                 leads_c[] = { square.lead(), ldc };
                       const T alphas[] = { 1, *alpha }, betas[] = { 0, *beta };

                       if (has_types)
                           return cublasGemmGroupedBatchedEx(
                               handle, ops, ops, m, n, k, alphas, (void **)left.device, of, leads_a,
                               (void **)right.device, of, leads_b, betas, (void **)to.device, of,
                               leads_c, 2, sizes, compute);
                       return pick<T>(cublasSgemmGroupedBatched, cublasDgemmGroupedBatched, 0, 0)(
                           handle, ops, ops, m, n, k, alphas, left.device, leads_a, right.device,
                           leads_b, betas, to.device, leads_c, 2, sizes);
                   });
}

template <typename T>
static void check_type()
{
    check_level2<T>();
    check_copies<T>();
    for (const cublasFillMode_t fill : fills) {
        for (const cublasSideMode_t side : { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT })
            check_sided<T>(fill, side);
        for (const cublasOperation_t op : operations)
            check_triangles<T>(fill, op);
    }
    check_batches<T>();
}

/* Arguments that no call takes. */
static void check_refusals()
{
    const float one = 1;
    float *const a = memory<float>(1).device;
    const auto lower = fills[0], full = CUBLAS_FILL_MODE_FULL;
    const auto n = CUBLAS_OP_N;
    const auto left = CUBLAS_SIDE_LEFT;
    const auto unit = CUBLAS_DIAG_UNIT;
    cuComplex *const z = reinterpret_cast<cuComplex *>(a);
    const cuComplex complex_one = { 1, 0 };
    const cublasStatus_t refused[] = {
        cublasSgbmv(handle, n, 3, 3, 1, 1, &one, a, 2, a, 1, &one, a, 1),
        cublasSgbmv(handle, n, 3, 3, -1, 1, &one, a, 3, a, 1, &one, a, 1),
        cublasSsbmv(handle, lower, 3, 1, &one, a, 1, a, 1, &one, a, 1),
        cublasSsbmv(handle, full, 3, 1, &one, a, 2, a, 1, &one, a, 1),
        cublasSspmv(handle, lower, -1, &one, a, a, 1, &one, a, 1),
        cublasSspmv(handle, lower, 3, &one, a, a, 0, &one, a, 1),
        cublasStbmv(handle, lower, n, unit, 3, -1, a, 2, a, 1),
        cublasStpsv(handle, lower, n, unit, 3, a, a, 0),
        cublasSsyr(handle, lower, 3, &one, a, 1, a, 2),
        cublasSsyr2(handle, lower, 3, &one, a, 1, a, 0, a, 3),
        cublasSspr(handle, lower, 3, nullptr, a, 1, a),
        cublasChemm(handle, left, lower, 3, 2, &complex_one, z, 2, z, 3, &complex_one, z, 3),
        cublasCher2k(handle, lower, n, 3, 2, &complex_one, z, 3, z, 2, &one, z, 3),
        cublasStpttr(handle, lower, 3, a, a, 2),
        cublasSetSmCountTarget(handle, -1),
        cublasSetEmulationStrategy(handle, cublasEmulationStrategy_t(9)),
    };

    for (const cublasStatus_t status : refused)
        CHECK(status == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasCgemmEx(handle, n, n, 2, 2, 2, &complex_one, a, CUDA_R_32F, 2, a, CUDA_R_32F, 2,
                        &complex_one, z, CUDA_C_32F, 2) == CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK(cublasCsyrkEx(handle, lower, n, 2, 2, &complex_one, a, CUDA_R_32F, 2, &complex_one, z,
                        CUDA_C_32F, 2) == CUBLAS_STATUS_NOT_SUPPORTED);
}

int main()
{
    RUN(cublasCreate(&handle));
    check_type<float>();
    check_type<double>();
    check_type<cuComplex>();
    check_type<cuDoubleComplex>();
    for (const cublasOperation_t op_a : operations)
        for (const cublasOperation_t op_b : operations)
            check_complex_products(op_a, op_b);
    check_groups<float>();
    check_groups<double>();
    check_refusals();
    RUN(cublasDestroy(handle));
    return failures > 0;
}

// SPDX-License-Identifier: MIT
