# SPDX-License-Identifier: MIT
# Run by CTest: lists a comparison's program's Criterion tests and makes a CTest test of each. Variables: program,
# prefix ("gpu."), properties, labels, and board_slots, the slots of a GPU in a resource spec (0: its tests take none);
# list_seconds, how long a listing may take (60).
# If whole, a name, is set and the environment has KG_WHOLE_PROGRAMS=1, the program is one CTest test of that name, in
# which Criterion runs all of its tests, two at a time, and names those that fail. Each still has a process of its own,
# but only one instead of two, and processes are most of these tests' cost.

if(NOT EXISTS "${program}")
  # A missing program must fail: a test of this name cannot run, and CTest reports it as Not Run.
  add_test("${prefix}${labels}.not-built" "${program}")
  return()
endif()

# A program that hangs before main() would hang CTest, and the gate.
if(NOT list_seconds)
  set(list_seconds 60)
endif()
execute_process(COMMAND "${program}" --encoding=C --list TIMEOUT ${list_seconds}
                OUTPUT_VARIABLE kg_listing ERROR_VARIABLE kg_errors RESULT_VARIABLE kg_status)
if(NOT kg_status EQUAL 0)
  # A message that begins with a space is not wrapped.
  message(FATAL_ERROR " ${program} --list failed (${kg_status}): ${kg_errors}")
endif()

# Longest first, so that no long test runs last while other boards idle. The cost is the number of timed cases, also for
# a comparison's check, because its times wait for it. Defects come before checks: each takes a process of its own, and
# a board times nothing meanwhile. Tests without a cost follow. A table that cannot be listed fails its own tests.
if(board_slots GREATER 0)
  execute_process(COMMAND "${program}" --cases time TIMEOUT ${list_seconds} OUTPUT_VARIABLE kg_cases ERROR_QUIET)
  string(REGEX MATCHALL "\n" kg_cases "${kg_cases}")
  list(LENGTH kg_cases kg_timed)
  math(EXPR kg_cost_of_time "20000 + ${kg_timed}")
  math(EXPR kg_cost_of_check "10000 + ${kg_timed}")
  set(kg_cost_of_defects 15000)
endif()

# A test of a comparison ends with this ctest. One that starts too late for the signal compares this number with its
# parent's (kg__end_with_parent()).
set(kg_ended_with)
if(NOT prefix STREQUAL "harness.")
  execute_process(COMMAND sh -c "echo $PPID" OUTPUT_VARIABLE kg_ctest OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(kg_ended_with ENVIRONMENT_MODIFICATION "KG__PARENT=set:${kg_ctest}")
endif()

# The listing has a suite with its number of tests ("matmul_f32: 3 tests"), then one line per test.
string(REPLACE ";" "\\;" kg_listing "${kg_listing}")
string(REPLACE "\n" ";" kg_listing "${kg_listing}")
set(kg_suite "")
set(kg_found 0)
set(kg_is_whole FALSE)
if(whole AND "$ENV{KG_WHOLE_PROGRAMS}" STREQUAL "1")
  set(kg_is_whole TRUE)
endif()
foreach(kg_line IN LISTS kg_listing)
  if(kg_line MATCHES "^([A-Za-z0-9_]+): [0-9]+ tests?")
    set(kg_suite "${CMAKE_MATCH_1}")
  elseif(kg_line MATCHES "^[^A-Za-z0-9_]+([A-Za-z0-9_]+)")
    set(kg_part "${CMAKE_MATCH_1}")
    math(EXPR kg_found "${kg_found} + 1")
    if(kg_is_whole)
      continue()
    endif()
    set(kg_test "${prefix}${kg_suite}.${kg_part}")
    add_test("${kg_test}" "${program}" "--filter=${kg_suite}/${kg_part}")
    set_tests_properties("${kg_test}" PROPERTIES ${properties})
    set_tests_properties("${kg_test}" PROPERTIES LABELS "${labels}" ${kg_ended_with})
    if(board_slots GREATER 0 AND kg_part MATCHES "^(check|defects|time)$")
      set(kg_slots 1)
      # If only changed cases are timed, most tests time nothing, and the lock on the board serializes the others.
      if(kg_part STREQUAL "time" AND NOT "$ENV{KG_CHANGED}" STREQUAL "1")
        set(kg_slots ${board_slots})
      endif()
      set_tests_properties("${kg_test}" PROPERTIES RESOURCE_GROUPS gpus:${kg_slots} COST ${kg_cost_of_${kg_part}})
    endif()
    if(kg_part MATCHES "^claim_")
      # A claim reads the verdicts of the parts before it.
      set_tests_properties("${kg_test}" PROPERTIES
        DEPENDS "${prefix}${kg_suite}.check;${prefix}${kg_suite}.time;${prefix}${kg_suite}.count")
    elseif(kg_part STREQUAL "check" AND prefix STREQUAL "model.")
      # What was counted was checked with instrumented kernels, and is not again.
      set_tests_properties("${kg_test}" PROPERTIES DEPENDS "${prefix}${kg_suite}.count")
    elseif(kg_part STREQUAL "time")
      # What is wrong is told before its times are taken.
      set_tests_properties("${kg_test}" PROPERTIES DEPENDS "${prefix}${kg_suite}.check")
    endif()
  endif()
endforeach()
if(kg_found EQUAL 0)
  message(FATAL_ERROR " ${program} lists no test: a comparison without tests gates nothing")
endif()
if(kg_is_whole)
  # One test at a time: Criterion 2.4's runner sometimes leaks when it runs two, which LeakSanitizer reports.
  add_test("${whole}" "${program}" --jobs=1)
  set_tests_properties("${whole}" PROPERTIES ${properties})
  set_tests_properties("${whole}" PROPERTIES LABELS "${labels}" TIMEOUT ${whole_timeout})
endif()
