# SPDX-License-Identifier: MIT
# Refuses a path that a build cannot have: CMake treats some characters as a list, a pattern or a variable; Ninja, the
# compiler or generated C code treat others specially. Included before project(), which such a path breaks first.

foreach(kg_folder CMAKE_SOURCE_DIR CMAKE_BINARY_DIR CMAKE_CURRENT_LIST_DIR)
  if("${${kg_folder}}" MATCHES "([][;#\"<>*?\\|\t\n\r]|\\$[A-Z]*{)")
    set(kg_character "${CMAKE_MATCH_1}")
    if("${kg_character}" MATCHES "[\t\n\r]")
      set(kg_character "a control character")
    endif()
    string(REGEX REPLACE "[\t\n\r]" " " kg_shown "${${kg_folder}}")
    # A message that begins with a space is not wrapped.
    message(FATAL_ERROR " ${kg_shown}: this path holds '${kg_character}', which CMake, Ninja or the compiler takes for "
                        "something else: move it to a folder without")
  endif()
endforeach()
