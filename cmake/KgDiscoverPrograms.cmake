# SPDX-License-Identifier: MIT
# Run by CTest: adds the tests of the programs of kg_add_program(). Variables: command, build, source, board_slots.

execute_process(COMMAND "${command}" run --tests --build "${build}" OUTPUT_VARIABLE kg_listing ERROR_QUIET RESULT_VARIABLE kg_status)
if(NOT kg_status EQUAL 0)
  # A program that is not built, or does not list its tests, must fail: this test says why.
  add_test(model.programs "${command}" run --tests --build "${build}")
  set_tests_properties(model.programs PROPERTIES LABELS model)
  return()
endif()
string(REPLACE "\n" ";" kg_listing "${kg_listing}")
foreach(kg_line IN LISTS kg_listing)
  if(kg_line MATCHES "^([a-z]+) ([^ ]+) ([^ ]+) ([0-9]+)$")
    set(kg_test "${CMAKE_MATCH_1}.${CMAKE_MATCH_2}.${CMAKE_MATCH_3}")
    math(EXPR kg_seconds "${CMAKE_MATCH_4} + 60")
    set(kg_properties LABELS "${CMAKE_MATCH_1}\;${CMAKE_MATCH_2}" TIMEOUT ${kg_seconds})
    if(CMAKE_MATCH_1 STREQUAL "gpu")
      # Three processes, and nothing else on the machine: they are timed.
      math(EXPR kg_seconds "3 * ${CMAKE_MATCH_4} + 60")
      list(APPEND kg_properties TIMEOUT ${kg_seconds} RUN_SERIAL ON RESOURCE_GROUPS gpus:${board_slots})
    endif()
    add_test("${kg_test}" "${command}" run --build "${build}" --test "${kg_test}")
    set_tests_properties("${kg_test}" PROPERTIES ${kg_properties} FIXTURES_REQUIRED gate SKIP_RETURN_CODE 77 WORKING_DIRECTORY "${source}")
  endif()
endforeach()
