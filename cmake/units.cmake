# SPDX-License-Identifier: Apache-2.0
# posenc_units(<target>): where CMAKE_UNITY_BUILD is on, up to eight sources of a folder are compiled as one, which takes
# about half the time of one by one; what Highway compiles once for each instruction set, alone. So names of a folder's
# unnamed namespaces differ.
function(posenc_units target)
  set(most 8)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^${PROJECT_SOURCE_DIR}/.*\\.cc$")
  foreach(source IN LISTS sources)
    file(STRINGS ${source} kernel REGEX "foreach_target\\.h" LIMIT_COUNT 1)
    if(kernel)
      continue()
    endif()
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    if(NOT DEFINED count_${folder})
      set(count_${folder} 0)
    endif()
    math(EXPR unit "${count_${folder}} / ${most}")
    math(EXPR count_${folder} "${count_${folder}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${unit})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  if(CMAKE_UNITY_BUILD)  # GCC takes what a unit includes for a header, where such a field would be a fault
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()
