# SPDX-License-Identifier: Apache-2.0
# posenc_test_program(<target> <sources>...): a program of tests. With POSENC_TEST_OBJECTS it links the objects that it has in that
# build. The linker takes the first copy of an inline function: the sanitized one of an object library, which comes before these
# objects; not that of a static library, which comes after them.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/empty.cc CONTENT "")
set(posenc_empty ${PROJECT_BINARY_DIR}/empty.cc)
function(posenc_test_program target)
  if(NOT POSENC_TEST_OBJECTS)
    add_executable(${target} ${ARGN})
    posenc_units(${target})
    return()
  endif()
  set(commands ${POSENC_TEST_OBJECTS}/compile_commands.json)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${commands})
  file(STRINGS ${commands} objects REGEX " -o [^ ]*/${target}\\.dir/[^ ]*\\.o ")
  list(TRANSFORM objects REPLACE ".* -o ([^ ]*/${target}\\.dir/[^ ]*\\.o) .*" "${POSENC_TEST_OBJECTS}/\\1")
  if(NOT objects)
    message(FATAL_ERROR "[posenc] POSENC_TEST_OBJECTS must be a build with the tests, got ${POSENC_TEST_OBJECTS} without ${target}")
  endif()
  add_executable(${target} ${posenc_empty})
  target_link_libraries(${target} PRIVATE ${objects})
endfunction()
