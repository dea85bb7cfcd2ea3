# SPDX-License-Identifier: Apache-2.0
# Headers alone.
if(TARGET nlohmann_json::nlohmann_json) # found before
  return()
endif()
add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
target_include_directories(nlohmann_json::nlohmann_json SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/headers)
