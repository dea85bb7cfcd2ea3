# SPDX-License-Identifier: Apache-2.0
# posenc_units(<target>): where POSENC_UNITS is more than 1, so many sources of a target, neighbours by their paths, are
# compiled as one; what Highway compiles once for each instruction set, alone. So names of a target's unnamed namespaces
# differ.
function(posenc_units target)
  if(POSENC_UNITS LESS_EQUAL 1)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cc$")
  set(count 0)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source)
    if(NOT EXISTS ${source} OR NOT source MATCHES "^${PROJECT_SOURCE_DIR}/(src|apps|bindings|tests|bench)/")
      continue()
    endif()
    file(STRINGS ${source} kernel REGEX "foreach_target\\.h" LIMIT_COUNT 1)
    if(kernel)
      continue()
    endif()
    math(EXPR unit "${count} / ${POSENC_UNITS}")
    math(EXPR count "${count} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${unit})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # GCC takes what a unit includes for a header, where such a field would be a fault.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# posenc_headers(<target>): there, what most sources read of the standard library is compiled once for the target. None of
# it is of this tree: tests/CMakeLists.txt says why. A source with options of its own reads the headers themselves.
function(posenc_headers target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cc$")
  if(POSENC_UNITS LESS_EQUAL 1 OR NOT sources)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <bit> <cmath> <functional> <memory> <optional> <span> <string> <utility> <variant> <vector>)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:posenc_precompiled>)
endfunction()
