# SPDX-License-Identifier: Apache-2.0
# posenc_embed(<target> <name> <file> [<bytes>]): in the target, std::string_view posenc::tool::name() is the content of
# the file, or its first bytes.
function(posenc_embed target name file)
  cmake_path(ABSOLUTE_PATH file)
  set(part "${ARGN}")
  if(part)
    set(part ", 0, ${part}")
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/embedded.cc.in ${source} @ONLY)
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${file})
  target_sources(${target} PRIVATE ${source})
endfunction()
