# SPDX-License-Identifier: Apache-2.0
if(TARGET hwy::hwy) # found before
  return()
endif()
# Lanes of 128 bits: WASM's own have f64 from Highway 1.0.6 on; before it, those that clang makes vectors of.
file(STRINGS ${CMAKE_BINARY_DIR}/headers/hwy/base.h version_lines REGEX "define HWY_(MAJOR|MINOR|PATCH) ")
file(STRINGS ${CMAKE_BINARY_DIR}/headers/hwy/highway.h more_lines REGEX "define HWY_(MAJOR|MINOR|PATCH) ")
string(REGEX REPLACE ".*MAJOR ([0-9]+).*MINOR ([0-9]+).*PATCH ([0-9]+).*" "\\1.\\2.\\3" version "${version_lines};${more_lines}")
add_library(hwy::hwy INTERFACE IMPORTED)
target_include_directories(hwy::hwy SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/headers)
target_compile_options(hwy::hwy INTERFACE -msimd128)
target_compile_definitions(hwy::hwy INTERFACE HWY_STATIC_DEFINE)
if(version VERSION_LESS 1.0.6)
  target_compile_definitions(hwy::hwy INTERFACE HWY_COMPILE_ONLY_EMU128)
endif()
