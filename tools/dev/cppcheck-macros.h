/* SPDX-License-Identifier: MIT */
/* cppcheck reads no system headers, so macros of libraries that it cannot parse are defined
 * here. */
#define ElfW(type) Elf64_##type
#define json_array_foreach(array, index, value)                                                    \
    for (index = 0; (value = json_array_get(array, index)) != NULL; index++)
#define json_object_foreach(object, key, value)                                                    \
    for (key = first_key(object); (value = json_object_get(object, key)) != NULL;                  \
         key = next_key(object, key))
