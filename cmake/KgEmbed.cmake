# kg__embed(TARGET FILE SYMBOL): compiles the text of a file into a target, as `const char SYMBOL[]`, which ends in a zero.

function(kg__embed target file symbol)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  file(READ ${file} bytes HEX)
  # A string literal may be no longer than 4095 characters in C11, an array may.
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${bytes}")
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.c)
  file(GENERATE OUTPUT ${source} CONTENT
"extern const char ${symbol}[];
const char ${symbol}[] = { ${bytes}0 };
")
  target_sources(${target} PRIVATE ${source})
endfunction()
