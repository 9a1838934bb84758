# SPDX-License-Identifier: MIT
# The project's compiler settings for each source of a comparison, by every route of CMake: properties of a library, of
# the file and of the folder, linked libraries, generator expressions, CMAKE_CUDA_FLAGS. The CPU model and the cubins
# are compiled with them; nvcc's options without an equivalent in the CPU model are listed in NAME.untaken, for the
# run's results.
#
# A property is read as text with the file's language: g++ compiles a .cu file, so CMake's own $<COMPILE_LANGUAGE:CUDA>
# would be false, and no custom command, which compiles a program's files, may have one.

# nvcc's options that g++ has too; those that change no result and no count; and those that a cubin's own options
# replace.
set(KG_TAKEN "^-[DUI].|^-std=c" CACHE INTERNAL "Options of nvcc that g++ has")
set(KG_WITHOUT_EFFECT
    "^$|^--?(O|optimize|g$|G$|W|w$|v$|t=|threads|lineinfo|generate-line-info|(device-)?debug|X(ptxas|cudafe|fatbin|nvlink)\
|ptxas-options|maxrregcount|keep|diag|display-error|res-usage|resource-usage|expt-|extended-lambda|forward-unknown|fPIC|fvisibility|pipe)"
    CACHE INTERNAL "Options of nvcc that the CPU model needs not")
set(KG_OF_TARGET "^--?(gencode|generate-code|arch|gpu-architecture|code|gpu-code)(=|$)" CACHE INTERNAL "Options of nvcc that choose a GPU")

# kg__as_language(VARIABLE LANGUAGE TEXT): the text of a property, evaluated for the language. Each option of nvcc
# becomes one element, its value after "=".
function(kg__as_language variable language text)
  set(compiler NVIDIA)
  if(NOT language STREQUAL "CUDA")
    set(compiler ${CMAKE_${language}_COMPILER_ID})
  endif()
  string(REGEX REPLACE "\\$<COMPILE_LANG_AND_ID:${language},([^>]*,)?${compiler}(,[^>]*)?>|\\$<COMPILE_LANGUAGE:([^>]*,)?${language}(,[^>]*)?>"
    "1" text "${text}")
  string(REGEX REPLACE "\\$<COMPILE_LANG(_AND_ID|UAGE):[^>]*>" "0" text "${text}")
  string(REPLACE "$<COMPILE_LANGUAGE>" "${language}" text "${text}")
  set(elements)
  foreach(element IN LISTS text)
    string(REGEX REPLACE "^\\$<1:([^<>]*)>$" "\\1" element "${element}")
    string(REGEX REPLACE "^SHELL:\\$<1:([^<>]*)>$" "SHELL:\\1" element "${element}")
    if(element MATCHES "^SHELL:([^$]*)$")
      separate_arguments(element UNIX_COMMAND "${CMAKE_MATCH_1}")
    endif()
    list(APPEND elements ${element})
  endforeach()
  set(text "${elements}")
  if(language STREQUAL "CUDA")
    string(REGEX REPLACE "(^|;)--define-macro[=;]" "\\1-D" text "${text}")
    string(REGEX REPLACE "(^|;)(-[DUI]);" "\\1\\2" text "${text}")
    string(REGEX REPLACE "(^|;)(--?(X[a-z]+|compiler-options|ptxas-options|maxrregcount|gencode|generate-code|arch|gpu-architecture\
|code|gpu-code|std|ftz|prec-div|prec-sqrt|fmad|threads|t));" "\\1\\2=" text "${text}")
    string(REGEX REPLACE "(^|;)(-Xcompiler|--compiler-options)=(-[DU])" "\\1\\3" text "${text}")
  endif()
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# kg__find_linked(VARIABLE ITEM ...): the targets whose interface a target that links the ITEMs has. One in a condition
# counts.
function(kg__find_linked variable)
  set(found)
  set(items ${ARGN})
  while(items)
    list(POP_FRONT items item)
    if(item MATCHES "^\\$<LINK_ONLY:")
      continue()
    endif()
    string(REGEX MATCHALL "[A-Za-z0-9_.+-]+(::[A-Za-z0-9_.+-]+)*" names "${item}")
    foreach(name IN LISTS names)
      # nvcc finds CUDA's headers itself, and the CPU model has its own.
      if(NOT TARGET ${name} OR name MATCHES "^CUDA::" OR name IN_LIST found)
        continue()
      endif()
      list(APPEND found ${name})
      get_target_property(linked ${name} INTERFACE_LINK_LIBRARIES)
      if(linked)
        list(APPEND items ${linked})
      endif()
    endforeach()
  endwhile()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# kg__own_flags(VARIABLE LIBRARY LANGUAGE PROPERTY): a library's setting for its files, or the folder's without a
# library.
function(kg__own_flags variable library language property)
  set(flags)
  if(library)
    get_target_property(flags ${library} ${property})
    get_target_property(folder ${library} SOURCE_DIR)
    get_target_property(standard ${library} ${language}_STANDARD)
    get_target_property(features ${library} COMPILE_FEATURES)
  else()
    get_property(flags DIRECTORY PROPERTY ${property})
    set(folder ${CMAKE_CURRENT_SOURCE_DIR})
    set(standard ${CMAKE_${language}_STANDARD})
    set(features)
  endif()
  if(NOT flags)
    set(flags)
  endif()
  if(property STREQUAL "COMPILE_OPTIONS" AND NOT language STREQUAL "C")
    string(REPLACE "CUDA" "cuda" feature ${language})
    string(REPLACE "CXX" "cxx" feature ${feature})
    if(NOT standard AND features MATCHES "${feature}_std_([0-9]+)")
      set(standard ${CMAKE_MATCH_1})
    endif()
    # The CPU model's headers need C++17.
    if(standard AND NOT standard MATCHES "^(98|03|11|14|17)$")
      list(PREPEND flags -std=c++${standard})
    endif()
  endif()
  if(property STREQUAL "COMPILE_OPTIONS" AND language STREQUAL "CUDA")
    get_directory_property(all DIRECTORY ${folder} DEFINITION CMAKE_CUDA_FLAGS)
    string(TOUPPER "CMAKE_CUDA_FLAGS_${CMAKE_BUILD_TYPE}" configuration)
    get_directory_property(some DIRECTORY ${folder} DEFINITION ${configuration})
    if(NOT all)
      set(all "$ENV{CUDAFLAGS}")
    endif()
    separate_arguments(all UNIX_COMMAND "${all} ${some}")
    list(PREPEND flags ${all})
  endif()
  set(${variable} "${flags}" PARENT_SCOPE)
endfunction()

# kg__kernel_sources(VARIABLE LIBRARY PATTERN): the paths of a target's sources, where it is of this project and one of
# them matches PATTERN; else nothing.
function(kg__kernel_sources variable library pattern)
  set(sources)
  get_target_property(imported ${library} IMPORTED)
  get_target_property(files ${library} SOURCES)
  get_target_property(folder ${library} SOURCE_DIR)
  set(found ${files})
  list(FILTER found INCLUDE REGEX "${pattern}")
  if(files AND NOT imported AND found)
    foreach(file IN LISTS files)
      cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${folder} NORMALIZE)
      list(APPEND sources ${file})
    endforeach()
    list(FILTER sources INCLUDE REGEX "\\.(cu|cpp|cc|cxx|c)$")
    if(NOT CMAKE_CUDA_COMPILER_LOADED AND sources MATCHES "\\.cu(;|$)")
      # Nothing compiles its .cu files then, and it need not be built.
      set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX EXCLUDE_FROM_ALL ON)
      # The CPU model replaces the parts of a missing CUDA Toolkit that it links, such as CUDA::cudart.
      get_target_property(linked ${library} LINK_LIBRARIES)
      foreach(item IN LISTS linked)
        if(item MATCHES "^CUDA::" AND NOT TARGET ${item})
          add_library(${item} INTERFACE IMPORTED GLOBAL)
        endif()
      endforeach()
    endif()
  endif()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# kg__library_of(VARIABLE SOURCE): the library of kg__read_libraries() that contains a source; empty for one of the
# comparison.
function(kg__library_of variable source)
  set(${variable} "" PARENT_SCOPE)
  list(FIND LIBRARY_SOURCES ${source} place)
  if(place GREATER_EQUAL 0)
    list(GET LIBRARY_OWNERS ${place} library)
    set(${variable} ${library} PARENT_SCOPE)
  endif()
endfunction()

# kg__read_flags_last(COMPARISON SOURCES LIBRARIES): reads the flags of the comparison's sources, which link the
# LIBRARIES, and of its libraries' at the end of the folder, because lines after kg_add_comparison() can add to them.
function(kg__read_flags_last comparison sources libraries)
  foreach(source IN LISTS sources LIBRARY_SOURCES)
    kg__library_of(library ${source})
    cmake_language(EVAL CODE
      "cmake_language(DEFER CALL kg__read_flags [[${comparison}]] [[${source}]] [[${library}]] [[${libraries}]])")
  endforeach()
endfunction()

# kg__read_flags(COMPARISON SOURCE LIBRARY LINKED): sets KG__<property>_<hash of the source> of NAME.model to the flags
# of a source in a LIBRARY, or of the comparison itself (""), which links LINKED.
function(kg__read_flags comparison source library linked)
  set(language CXX)
  if(source MATCHES "\\.cu$")
    set(language CUDA)
  elseif(source MATCHES "\\.c$")
    set(language C)
  endif()
  string(MD5 hash ${source})
  set(place DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  if(library)
    set(place TARGET_DIRECTORY ${library})
    get_target_property(linked ${library} LINK_LIBRARIES)
  endif()
  kg__find_linked(linked ${linked} kernelgate::headers)
  foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES)
    get_source_file_property(text ${source} ${place} ${property})
    if(NOT text)
      set(text)
    endif()
    kg__own_flags(own "${library}" ${language} ${property})
    list(PREPEND text ${own})
    foreach(target IN LISTS linked)
      get_target_property(flags ${target} INTERFACE_${property})
      if(flags)
        list(APPEND text ${flags})
      endif()
    endforeach()
    kg__as_language(text ${language} "${text}")
    set_property(TARGET ${comparison}.model PROPERTY KG__${property}_${hash} "${text}")
  endforeach()
endfunction()

# kg__flags_of(VARIABLE COMPARISON SOURCE PROPERTY LIBRARY): the generator expression for the flags from
# kg__read_flags().
function(kg__flags_of variable comparison source property library)
  string(MD5 hash ${source})
  if(NOT library)
    set(library ${comparison}.model)
  endif()
  set(${variable} "$<TARGET_GENEX_EVAL:${library},$<TARGET_PROPERTY:${comparison}.model,KG__${property}_${hash}>>" PARENT_SCOPE)
endfunction()

# kg__tell_flags(COMPARISON SOURCE WRAPPER LIBRARY): compiles the CPU model's file for a source with the source's flags,
# and appends a line about omitted ones to UNTAKEN.
function(kg__tell_flags comparison source wrapper library)
  foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES)
    kg__flags_of(flags ${comparison} ${source} ${property} "${library}")
    if(property STREQUAL "COMPILE_OPTIONS" AND source MATCHES "\\.cu$")
      set(untaken "$<FILTER:$<FILTER:${flags},EXCLUDE,${KG_TAKEN}>,EXCLUDE,${KG_WITHOUT_EFFECT}|${KG_OF_TARGET}>")
      cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
      string(APPEND UNTAKEN "$<$<BOOL:${untaken}>:${name}\t$<JOIN:${untaken},\t>\n>")
      set(flags "$<FILTER:${flags},INCLUDE,${KG_TAKEN}>")
    elseif(property STREQUAL "INCLUDE_DIRECTORIES")
      # They would come before the CPU model's headers, and may have a CUDA Toolkit's.
      get_target_property(stand_in kernelgate::cpu_model INTERFACE_INCLUDE_DIRECTORIES)
      set(flags ${stand_in} ${flags})
    endif()
    set_property(SOURCE ${wrapper} APPEND PROPERTY ${property} "${flags}")
  endforeach()
  set(UNTAKEN "${UNTAKEN}" PARENT_SCOPE)
endfunction()
