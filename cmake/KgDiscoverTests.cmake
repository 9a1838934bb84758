# Read by CTest when it runs: asks a comparison's program for its Criterion tests and makes a CTest test of each.
# Wants: program, prefix ("gpu."), properties, labels.

if(NOT EXISTS "${program}")
  # Its absence must fail: a test of this name cannot run, and CTest reports it as Not Run.
  add_test("${prefix}${labels}.not-built" "${program}")
  return()
endif()

execute_process(COMMAND "${program}" --encoding=C --list
                OUTPUT_VARIABLE kg_listing ERROR_VARIABLE kg_errors RESULT_VARIABLE kg_status)
if(NOT kg_status EQUAL 0)
  # A message that begins with a space is not wrapped.
  message(FATAL_ERROR " ${program} --list failed (${kg_status}): ${kg_errors}")
endif()

# The listing names a suite with its number of tests ("matmul_f32: 3 tests"), then a test a line behind a tree's branch.
string(REPLACE ";" "\\;" kg_listing "${kg_listing}")
string(REPLACE "\n" ";" kg_listing "${kg_listing}")
set(kg_suite "")
set(kg_found 0)
foreach(kg_line IN LISTS kg_listing)
  if(kg_line MATCHES "^([A-Za-z0-9_]+): [0-9]+ tests?")
    set(kg_suite "${CMAKE_MATCH_1}")
  elseif(kg_line MATCHES "^[^A-Za-z0-9_]+([A-Za-z0-9_]+)")
    set(kg_part "${CMAKE_MATCH_1}")
    set(kg_test "${prefix}${kg_suite}.${kg_part}")
    add_test("${kg_test}" "${program}" "--filter=${kg_suite}/${kg_part}")
    set_tests_properties("${kg_test}" PROPERTIES ${properties})
    set_tests_properties("${kg_test}" PROPERTIES LABELS "${labels}")
    if(kg_part MATCHES "^claim_")
      # A claim reads what the part before it recorded.
      set_tests_properties("${kg_test}" PROPERTIES
        DEPENDS "${prefix}${kg_suite}.check;${prefix}${kg_suite}.time;${prefix}${kg_suite}.count")
    elseif(kg_part STREQUAL "time")
      # Speedups are spoken of only where both variants were found right.
      set_tests_properties("${kg_test}" PROPERTIES DEPENDS "${prefix}${kg_suite}.check")
    endif()
    math(EXPR kg_found "${kg_found} + 1")
  endif()
endforeach()
if(kg_found EQUAL 0)
  message(FATAL_ERROR " ${program} lists no test: a comparison without tests gates nothing")
endif()
