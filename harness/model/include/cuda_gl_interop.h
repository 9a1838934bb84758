/* Interoperation with OpenGL: a program that includes this and calls nothing of it compiles. */
