# SPDX-License-Identifier: Apache-2.0
# Disables the targets of Highway that POSENC_INSTRUCTION_SETS does not name. The list is a definition of posenc_flags, the
# same for all libraries, since a program links objects of several.

set(sets ${POSENC_INSTRUCTION_SETS})
if(sets STREQUAL "native")
  if(CMAKE_CROSSCOMPILING)
    message(FATAL_ERROR "[posenc] POSENC_INSTRUCTION_SETS must name targets where another machine is compiled for, got native")
  endif()
  find_package(hwy REQUIRED)
  try_run(ran compiled ${PROJECT_BINARY_DIR}/best_target ${PROJECT_SOURCE_DIR}/cmake/best_target.cc
    LINK_LIBRARIES hwy::hwy CXX_STANDARD 20 RUN_OUTPUT_VARIABLE sets)
  if(NOT compiled OR NOT ran EQUAL 0)
    message(FATAL_ERROR "[posenc] POSENC_INSTRUCTION_SETS: cmake/best_target.cc, which asks Highway for this machine's, failed")
  endif()
  string(STRIP "${sets}" sets)
  message(STATUS "[posenc] instruction sets: the lowest and ${sets}")
endif()

if(CMAKE_CXX_BYTE_ORDER STREQUAL "BIG_ENDIAN")
  # Kernels join elements to words whose lower half is the even lane.
  target_compile_definitions(posenc_flags INTERFACE HWY_COMPILE_ONLY_SCALAR)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  # Kernels keep vectors in structs, which SVE's sizeless types forbid; NEON serves there.
  target_compile_definitions(posenc_flags INTERFACE "HWY_DISABLED_TARGETS=(HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)")
elseif(sets)
  list(TRANSFORM sets PREPEND "|HWY_")
  list(JOIN sets "" sets)
  target_compile_definitions(posenc_flags INTERFACE "HWY_DISABLED_TARGETS=(~(HWY_BASELINE_TARGETS${sets}))")
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # A fifth of the code of kernels, for processors of before 2009: those take the lowest instruction set.
  target_compile_definitions(posenc_flags INTERFACE "HWY_DISABLED_TARGETS=HWY_SSSE3")
endif()
