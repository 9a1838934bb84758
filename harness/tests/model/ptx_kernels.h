/* SPDX-License-Identifier: MIT */
/* Launchers of kernels with inline PTX and with <<<>>>, on what watch_kernels.h has. */
#pragma once

#include "tests/model/watch_kernels.h"

BEGIN_C

/* Each ROW is an instruction on registers, %1 to %3, which have a, b and c, and what it leaves in
 * %0, which was 7. ROW_OF_REALS has floats as x, y, z, and leaves one in x; ROW_OF_LONGS has 64
 * bits. */
#define PTX_ROWS(ROW)                                                                              \
    ROW("add.s32 %0, %1, %2;", 5, -7u, 0, -2u)                                                     \
    ROW("add.cc.u32 %0, %1, %2; addc.u32 %0, %3, 5;", -1u, 1, 6, 12)                               \
    ROW("add.cc.u32 %0, %1, %2; addc.cc.u32 %0, %3, 0; addc.u32 %0, 0, 0;", -1u, 1, -1u, 1)        \
    ROW("add.cc.s32 %0, %1, %2; addc.s32 %0, %3, 0;", 5, 7, 3, 3)                                  \
    ROW("sub.cc.u32 %0, %1, %2; subc.u32 %0, %3, 2;", 5, 7, 6, 3)                                  \
    ROW("sub.cc.u32 %0, %1, %2; subc.cc.u32 %0, 0, 0; subc.u32 %0, %3, 0;", 5, 7, 6, 5)            \
    ROW("add.cc.u32 %0, %1, %2; subc.u32 %0, %3, 2;", 5, 7, 6, 3)                                  \
    ROW("sub.cc.u32 %0, %1, %2; addc.u32 %0, %3, 2;", 7, 5, 6, 9)                                  \
    ROW("mad.lo.cc.u32 %0, %1, %2, %3; madc.hi.u32 %0, %1, %2, 9;", -1u, 2, 2, 11)                 \
    ROW("mad.hi.cc.u32 %0, %1, %2, %3; madc.lo.cc.u32 %0, 2, 3, 1; addc.u32 %0, %0, 0;", -1u, 2,   \
        -1u, 8)                                                                                    \
    ROW("sub.u32 %0, %1, %2;", 5, 7, 0, -2u)                                                       \
    ROW("add.u32 %1, %1, %2; mov.u32 %0, %1;", 5, 7, 0, 12)                                        \
    ROW("add.sat.s32 %0, %1, %2;", 0x7fffffffu, 1, 0, 0x7fffffffu)                                 \
    ROW("mul.lo.u32 %0, %1, %2;", 0x10001u, 0x10003u, 0, 0x40003u)                                 \
    ROW("mul.hi.u32 %0, %1, %2;", 0x80000000u, 6, 0, 3)                                            \
    ROW("mul.hi.s32 %0, %1, %2;", 0x80000000u, 6, 0, -3u)                                          \
    ROW("mad.lo.s32 %0, %1, %2, %3;", 3, -4u, 5, -7u)                                              \
    ROW("mad.lo.u32 %0, %1, 24, 0x10;", 3, 0, 0, 88)                                               \
    ROW("mul24.lo.u32 %0, %1, %2;", 0x1000003u, 5, 0, 15)                                          \
    ROW("sad.u32 %0, %1, %2, %3;", 3, 10, 100, 107)                                                \
    ROW("div.s32 %0, %1, %2;", -7u, 2, 0, -3u)                                                     \
    ROW("rem.s32 %0, %1, %2;", -7u, 2, 0, -1u)                                                     \
    ROW("min.s32 %0, %1, %2;", -7u, 2, 0, -7u)                                                     \
    ROW("min.u32 %0, %1, %2;", -7u, 2, 0, 2)                                                       \
    ROW("max.u32 %0, %1, %2;", -7u, 2, 0, -7u)                                                     \
    ROW("neg.s32 %0, %1;", 7, 0, 0, -7u)                                                           \
    ROW("abs.s32 %0, %1;", -7u, 0, 0, 7)                                                           \
    ROW("and.b32 %0, %1, %2;", 0xf0f0u, 0xff00u, 0, 0xf000u)                                       \
    ROW("or.b32 %0, %1, 0xf;", 0xf0u, 0, 0, 0xffu)                                                 \
    ROW("xor.b32 %0, %1, %2;", 0xf0f0u, 0xff00u, 0, 0x0ff0u)                                       \
    ROW("not.b32 %0, %1;", 0xf0f0u, 0, 0, 0xffff0f0fu)                                             \
    ROW("cnot.b32 %0, %1;", 0, 0, 0, 1)                                                            \
    ROW("shl.b32 %0, %1, %2;", 3, 4, 0, 48)                                                        \
    ROW("shl.b32 %0, %1, %2;", 3, 40, 0, 0)                                                        \
    ROW("shl.b32 %0, %1, 32-2+1;", 1, 0, 0, 0x80000000u)                                           \
    ROW("shr.u32 %0, %1, %2;", 0x80000000u, 31, 0, 1)                                              \
    ROW("shr.s32 %0, %1, %2;", 0x80000000u, 40, 0, -1u)                                            \
    ROW("popc.b32 %0, %1;", 0xf0f1u, 0, 0, 9)                                                      \
    ROW("clz.b32 %0, %1;", 0xffu, 0, 0, 24)                                                        \
    ROW("brev.b32 %0, %1;", 1, 0, 0, 0x80000000u)                                                  \
    ROW("bfind.u32 %0, %1;", 0x100u, 0, 0, 8)                                                      \
    ROW("bfind.shiftamt.s32 %0, %1;", -2u, 0, 0, 31)                                               \
    ROW("bfe.u32 %0, %1, %2, %3;", 0x12345678u, 8, 8, 0x56u)                                       \
    ROW("bfe.s32 %0, %1, 4, 4;", 0x80u, 0, 0, -8u)                                                 \
    ROW("bfi.b32 %0, %1, %2, 8, 16;", 0xabcdu, 0x11111111u, 0, 0x11abcd11u)                        \
    ROW("prmt.b32 %0, %1, %2, %3;", 0x33221100u, 0x77665544u, 0x7520u, 0x77552200u)                \
    ROW("prmt.b32 %0, %1, %2, 0x8888;", 0x80u, 0, 0, 0xffffffffu)                                  \
    ROW("lop3.b32 %0, %1, %2, %3, 0x96;", 0xffu, 0xf0fu, 0x3333u, 0x3cc3u)                         \
    ROW("lop3.b32 %0, %1, %2, %3, 0xe8;", 0xffu, 0xf0fu, 0x3333u, 0x033fu)                         \
    ROW("shf.l.wrap.b32 %0, %1, %2, %3;", 0x80000001u, 0x1u, 33, 3)                                \
    ROW("shf.r.clamp.b32 %0, %1, %2, %3;", 0x1u, 0x2u, 40, 2)                                      \
    ROW("dp4a.s32.s32 %0, %1, %2, %3;", 0x01ff0203u, 0x01020304u, 100, 117)                        \
    ROW("mov.b32 %0, %1;", 9, 0, 0, 9)                                                             \
    ROW("{ .reg .b16 l, h; mov.b32 {l, h}, %1; mov.b32 %0, {h, l}; }", 0x12345678u, 0, 0,          \
        0x56781234u)                                                                               \
    ROW("{ .reg .s16 s; cvt.s16.s8 s, %1; cvt.s32.s16 %0, s; }", 0x1fe, 0, 0, -2u)                 \
    ROW("{ .reg .pred p, q; setp.lt.s32 p|q, %1, %2; selp.b32 %0, 1, 2, q; }", -1u, 1, 0, 2)       \
    ROW("{ .reg .pred p; setp.lo.u32 p, %1, %2; @p mov.u32 %0, 1; }", -1u, 1, 0, 7)                \
    ROW("{ .reg .pred p; setp.hi.u32 p, %1, %2; @!p mov.u32 %0, 1; @p mov.u32 %0, 3; }", 3, 1, 0,  \
        3)                                                                                         \
    ROW("{ .reg .pred p; setp.eq.u32 p, %1, 1; setp.eq.and.u32 p, %2, 2, p; not.pred p, p; "       \
        "selp.u32 %0, 5, 6, p; }",                                                                 \
        1, 2, 0, 6)                                                                                \
    ROW("{ .reg .b32 x; mov.b32 x, %1; { .reg .b32 x; mov.b32 x, 1; } add.u32 %0, x, x; }", 4, 0,  \
        0, 8)                                                                                      \
    ROW("{ .reg .b32 r<3>; add.u32 r0, %1, 1; add.u32 r1, r0, 1; add.u32 r2, r1, r0; "             \
        "mov.u32 %0, r2; }",                                                                       \
        1, 0, 0, 5)                                                                                \
    ROW("{ .reg .u64 w; mul.wide.u32 w, %1, %2; shr.u64 w, w, 32; cvt.u32.u64 %0, w; }",           \
        0x80000000u, 6, 0, 3)                                                                      \
    ROW("{ .reg .u64 w; mov.b64 w, {%1, %2}; mov.b64 {%0, _}, w; }", 11, 12, 0, 11)                \
    ROW("add.f16x2 %0, %1, %2;", 0x3c004000u, 0x40003c00u, 0, 0x42004200u)                         \
    ROW("fma.rn.f16x2 %0, %1, %2, %3;", 0x3c004000u, 0x40004000u, 0x3c003c00u, 0x42004500u)        \
    ROW("fma.rn.bf16x2 %0, %1, %2, %3;", 0x3f804000u, 0x40004000u, 0x3f803f80u, 0x404040a0u)       \
    ROW("max.f16x2 %0, %1, %2;", 0x3c004000u, 0x40003c00u, 0, 0x40004000u)                         \
    ROW("{ .reg .f32 x, y; mov.b32 x, %1; mov.b32 y, %2; cvt.rn.f16x2.f32 %0, x, y; }",            \
        0x3f800000u, 0x40000000u, 0, 0x3c004000u)                                                  \
    ROW("{ .reg .f32 x, y; mov.b32 x, %1; mov.b32 y, %2; cvt.rn.bf16x2.f32 %0, x, y; }",           \
        0x3f800000u, 0x40000000u, 0, 0x3f804000u)                                                  \
    ROW("{ .reg .f32 x, y; .reg .b16 e; mov.b32 x, %1; mov.b32 y, %2; "                            \
        "cvt.rn.satfinite.e4m3x2.f32 e, x, y; cvt.rn.f16x2.e4m3x2 %0, e; }",                       \
        0x3f900000u, 0x44800000u, 0, 0x3c805f00u)                                                  \
    ROW("{ .reg .f32 x; mov.b32 x, %1; cvt.rzi.s32.f32 %0, x; }", 0xc0200000u, 0, 0, -2u)          \
    ROW("{ .reg .f32 x; mov.b32 x, %1; cvt.rni.s32.f32 %0, x; }", 0xc0600000u, 0, 0, -4u)          \
    ROW("{ .reg .f32 x; mov.b32 x, %1; cvt.rpi.u32.f32 %0, x; }", 0xc0600000u, 0, 0, 0)            \
    ROW("{ .reg .f32 x; mov.b32 x, %1; cvt.rna.tf32.f32 %0, x; }", 0x3f801000u, 0, 0, 0x3f802000u) \
    ROW("{ .reg .b32 d; cvt.sat.u8.s32 d, %1; mov.b32 %0, d; }", 300, 0, 0, 255)                   \
    ROW("slct.s32.s32 %0, %1, %2, %3;", 4, 5, 0, 4)                                                \
    ROW("slct.u32.s32 %0, %1, %2, %3;", 4, 5, -1u, 5)                                              \
    ROW("{ .reg .f32 x; mov.b32 x, %3; slct.b32.f32 %0, %1, %2, x; }", 4, 5, 0x80000000u, 4)       \
    ROW("// nothing\n", 0, 0, 0, 7)
#define PTX_ROWS_OF_VIDEO(ROW)                                                                     \
    ROW("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;", 0x05ff0001u, 0x03000102u, 100, 359)           \
    ROW("vabsdiff4.s32.s32.s32 %0, %1, %2, %3;", 0x05ff0001u, 0x03000102u, 9, 0x02010101u)         \
    ROW("vadd4.u32.u32.u32.sat %0, %1, %2, %3;", 0xf0010203u, 0x20010101u, 0, 0xff020304u)         \
    ROW("vadd4.s32.s32.s32.add %0, %1, %2, %3;", 0xff010203u, 0xfe010101u, 10, 16)                 \
    ROW("vsub2.s32.u32.u32.sat %0, %1, %2, %3;", 0x0001fff0u, 0xffff0001u, 0, 0x80007fffu)         \
    ROW("vavrg4.u32.u32.u32 %0, %1, %2, %3;", 0x01020304u, 0x02020305u, 0, 0x02020305u)            \
    ROW("vmax2.s32.s32.s32 %0, %1, %2, %3;", 0xffff0001u, 0x0001fffeu, 0, 0x00010001u)             \
    ROW("vset4.u32.u32.lt.add %0, %1, %2, %3;", 0x01020304u, 0x02020205u, 5, 7)                    \
    ROW("vset2.s32.s32.eq %0, %1, %2, %3;", 0x00010002u, 0x00010003u, 0, 0x10000u)                 \
    ROW("vadd.s32.s32.s32.sat %0, %1, %2;", 0x7fffffffu, 1, 0, 0x7fffffffu)                        \
    ROW("vabsdiff.u32.s32.s32.max %0, %1, %2, %3;", 3, -4u, 5, 7)                                  \
    ROW("vadd.s32.s32.s32 %0, %1.h1, %2.h0;", 0xfffe0001u, 0x00070005u, 0, 3)                      \
    ROW("vsub.s32.u32.u32 %0, %1.h0, %2.b3;", 0xfffe0001u, 0xff000000u, 0, -254u)                  \
    ROW("vmin.s32.s32.s32.add %0, %1, %2, %3;", 3, -4u, 5, 1)
#define PTX_ROWS_OF_REALS(ROW)                                                                     \
    ROW("add.f32 x, x, y;", 1.5f, 2.0f, 0.0f, 3.5f)                                                \
    ROW("sub.ftz.f32 x, x, y;", 1.5f, 2.0f, 0.0f, -0.5f)                                           \
    ROW("mul.ftz.f32 x, x, y;", 0x1p-100f, 0x1p-30f, 0.0f, 0.0f)                                   \
    ROW("mul.f32 x, x, y;", 0x1p-100f, 0x1p-30f, 0.0f, 0x1p-130f)                                  \
    ROW("fma.rn.f32 x, x, y, z;", 2.0f, 3.0f, 0.5f, 6.5f)                                          \
    ROW("fma.rn.sat.f32 x, x, y, z;", 2.0f, 3.0f, 0.5f, 1.0f)                                      \
    ROW("add.rz.f32 x, x, y;", 0x1.fffffep0f, 0x1p-24f, 0.0f, 0x1.fffffep0f)                       \
    ROW("add.rp.f32 x, x, y;", 0x1.fffffep0f, 0x1p-30f, 0.0f, 2.0f)                                \
    ROW("div.full.f32 x, x, y;", 6.0f, 3.0f, 0.0f, 2.0f)                                           \
    ROW("min.f32 x, x, y;", 6.0f, -3.0f, 0.0f, -3.0f)                                              \
    ROW("max.NaN.f32 x, x, y;", 6.0f, -3.0f, 0.0f, 6.0f)                                           \
    ROW("neg.f32 x, x;", 6.0f, 0.0f, 0.0f, -6.0f)                                                  \
    ROW("abs.f32 x, x;", -6.0f, 0.0f, 0.0f, 6.0f)                                                  \
    ROW("copysign.f32 x, x, y;", -6.0f, 3.0f, 0.0f, -3.0f)                                         \
    ROW("rcp.approx.ftz.f32 x, x;", 4.0f, 0.0f, 0.0f, 0.25f)                                       \
    ROW("sqrt.approx.f32 x, x;", 16.0f, 0.0f, 0.0f, 4.0f)                                          \
    ROW("rsqrt.approx.f32 x, x;", 16.0f, 0.0f, 0.0f, 0.25f)                                        \
    ROW("ex2.approx.ftz.f32 x, x;", 3.0f, 0.0f, 0.0f, 8.0f)                                        \
    ROW("lg2.approx.f32 x, x;", 8.0f, 0.0f, 0.0f, 3.0f)                                            \
    ROW("sin.approx.f32 x, x;", 0.0f, 0.0f, 0.0f, 0.0f)                                            \
    ROW("cos.approx.f32 x, x;", 0.0f, 0.0f, 0.0f, 1.0f)                                            \
    ROW("tanh.approx.f32 x, x;", 0.0f, 0.0f, 0.0f, 0.0f)                                           \
    ROW("mov.f32 x, 0f40490fdb;", 0.0f, 0.0f, 0.0f, 3.14159274f)                                   \
    ROW("add.f32 x, x, 1.25;", 1.0f, 0.0f, 0.0f, 2.25f)                                            \
    ROW("cvt.rmi.f32.f32 x, x;", -1.5f, 0.0f, 0.0f, -2.0f)                                         \
    ROW("{ .reg .b16 h; cvt.rn.f16.f32 h, x; cvt.f32.f16 x, h; }", 1.0009f, 0.0f, 0.0f,            \
        1.0009765625f)                                                                             \
    ROW("{ .reg .b16 h; cvt.rz.bf16.f32 h, x; cvt.f32.bf16 x, h; }", 1.0077f, 0.0f, 0.0f, 1.0f)    \
    ROW("{ .reg .f64 w; cvt.f64.f32 w, x; add.f64 w, w, 0d3ff0000000000000; cvt.rn.f32.f64 x, w; " \
        "}",                                                                                       \
        2.0f, 0.0f, 0.0f, 3.0f)                                                                    \
    ROW("{ .reg .pred p; setp.gtu.f32 p, x, y; selp.f32 x, 0f3f800000, 0f00000000, p; }", NAN,     \
        1.0f, 0.0f, 1.0f)                                                                          \
    ROW("{ .reg .pred p; setp.ne.f32 p, x, y; selp.f32 x, 0f3f800000, 0f00000000, p; }", NAN,      \
        1.0f, 0.0f, 0.0f)                                                                          \
    ROW("{ .reg .pred p; setp.nan.f32 p, x, y; selp.f32 x, 0f3f800000, 0f00000000, p; }", NAN,     \
        1.0f, 0.0f, 1.0f)
#define PTX_ROWS_OF_LONGS(ROW)                                                                     \
    ROW("add.u64 %0, %1, %2;", 1ull << 63, (1ull << 63) + 5, 0, 5)                                 \
    ROW("mad.lo.s64 %0, %1, %2, %3;", -3ull, 1ull << 40, 1, 1 - (3ull << 40))                      \
    ROW("mul.hi.u64 %0, %1, %2;", 1ull << 63, 6, 0, 3)                                             \
    ROW("shl.b64 %0, %1, 63;", 3, 0, 0, 1ull << 63)                                                \
    ROW("{ .reg .u32 c; clz.b64 c, %1; cvt.u64.u32 %0, c; }", 1, 0, 0, 63)                         \
    ROW("{ .reg .u32 c; popc.b64 c, %1; cvt.u64.u32 %0, c; }", -1ull, 0, 0, 64)                    \
    ROW("brev.b64 %0, %1;", 1, 0, 0, 1ull << 63)                                                   \
    ROW("bfe.u64 %0, %1, 32, 8;", 0x5600000000ull, 0, 0, 0x56)                                     \
    ROW("{ .reg .b32 l, h; mov.b64 {l, h}, %1; mov.b64 %0, {h, l}; }", 0x100000002ull, 0, 0,       \
        0x200000001ull)                                                                            \
    ROW("sub.cc.u64 %0, %1, %2; subc.u64 %0, %3, 0;", 5, 7, 9, 8)                                  \
    ROW("mad.hi.cc.u64 %0, %1, %2, %3; madc.hi.s64 %0, %3, 2, 5;", -1ull, 2, -1ull, 5)             \
    ROW("{ .reg .s32 t; cvt.u32.u64 t, %1; cvt.s64.s32 %0, t; }", 0xfffffffeull, 0, 0, -2ull)      \
    ROW("{ .reg .s32 t; cvt.u32.u64 t, %1; mad.wide.s32 %0, t, t, %2; }", 0xfffffffdull, 1, 0, 10)

/* By <<<>>>; k says how. */
cudaError_t start_by_marks(watch_data data, cudaStream_t stream);

END_C
