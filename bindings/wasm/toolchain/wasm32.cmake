# SPDX-License-Identifier: Apache-2.0
# WebAssembly by Debian's clang-22 and wasi-libc. There is one instruction set, so Highway is headers alone: those of the
# machine that builds, seen through links, since the rest of its /usr/include is another machine's.
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CXX_COMPILER clang++-22)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CXX_FLAGS_INIT -Wno-deprecated)  # clang-22 would rather be told wasm32-wasip1, which wasi-libc of Debian is not
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})

foreach(library hwy nlohmann)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/headers)
  file(CREATE_LINK /usr/include/${library} ${CMAKE_BINARY_DIR}/headers/${library} SYMBOLIC)
endforeach()
set(hwy_DIR ${CMAKE_CURRENT_LIST_DIR})
set(nlohmann_json_DIR ${CMAKE_CURRENT_LIST_DIR})
