/* SPDX-License-Identifier: MIT */
/* Interoperation with OpenGL: a program that includes this and calls nothing of it compiles. */
