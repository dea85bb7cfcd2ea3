# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` lays down: libraries, headers, CMake package, pkg-config file, tool, licences.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/posenc)

# posenc_install_headers(<target> <word>...): one word names a source and its public header; further words have no source.
function(posenc_install_headers target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources ARGN)
    cmake_path(GET source STEM word)
    if(EXISTS ${PROJECT_SOURCE_DIR}/include/posenc/${word}.h)
      install(FILES include/posenc/${word}.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/posenc)
    endif()
  endforeach()
endfunction()

install(TARGETS posenc EXPORT posencTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT posencTargets NAMESPACE posenc:: DESTINATION ${package_dir})
posenc_install_headers(posenc_objects scale version)

configure_package_config_file(cmake/posencConfig.cmake.in posencConfig.cmake INSTALL_DESTINATION ${package_dir})
# docs/version.md: below 1.0 a minor version may change declarations.
set(compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
endif()
write_basic_package_version_file(posencConfigVersion.cmake COMPATIBILITY ${compatibility})
install(FILES ${PROJECT_BINARY_DIR}/posencConfig.cmake ${PROJECT_BINARY_DIR}/posencConfigVersion.cmake
  DESTINATION ${package_dir})

set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH posenc_prefix_from_pc /prefix/${pc_dir} /prefix)
string(REGEX REPLACE "/$" "" posenc_prefix_from_pc "${posenc_prefix_from_pc}")
configure_file(cmake/posenc.pc.in posenc.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/posenc.pc DESTINATION ${pc_dir})

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(POSENC_POOL)
  set_target_properties(posenc_pool PROPERTIES INSTALL_RPATH $ORIGIN)
  install(TARGETS posenc_pool EXPORT posencPoolTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT posencPoolTargets NAMESPACE posenc:: DESTINATION ${package_dir})
  posenc_install_headers(posenc_pool)
endif()

if(POSENC_TRANSFORMER)
  set_target_properties(posenc_transformer PROPERTIES INSTALL_RPATH $ORIGIN)
  install(TARGETS posenc_transformer EXPORT posencTransformerTargets
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT posencTransformerTargets NAMESPACE posenc:: DESTINATION ${package_dir})
  posenc_install_headers(posenc_transformer_objects)
endif()

if(TARGET posenc_spec)
  set_target_properties(posenc_spec PROPERTIES INSTALL_RPATH $ORIGIN)
  install(TARGETS posenc_spec EXPORT posencSpecTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT posencSpecTargets NAMESPACE posenc:: DESTINATION ${package_dir})
  posenc_install_headers(posenc_spec)
endif()

if(POSENC_IO)
  set_target_properties(posenc_io PROPERTIES INSTALL_RPATH $ORIGIN)
  install(TARGETS posenc_io EXPORT posencIoTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT posencIoTargets NAMESPACE posenc:: DESTINATION ${package_dir})
  # Models are values of the transformer's headers, which are there whether its library is or not.
  posenc_install_headers(posenc_io attention decoder encoder feed_forward features linear multi_head norm transformer)
endif()

if(POSENC_TOOL)
  file(RELATIVE_PATH libdir_from_bin /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
  set_target_properties(posenc_tool PROPERTIES INSTALL_RPATH $ORIGIN/${libdir_from_bin})
  install(TARGETS posenc_tool)
  install(FILES apps/posenc/default/LICENSE.whisper DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()

if(POSENC_C)
  set_target_properties(posenc_c PROPERTIES INSTALL_RPATH $ORIGIN)
  install(TARGETS posenc_c EXPORT posencCTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT posencCTargets NAMESPACE posenc:: DESTINATION ${package_dir})
  install(FILES bindings/c/posenc.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  configure_file(cmake/posenc_c.pc.in posenc_c.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/posenc_c.pc DESTINATION ${pc_dir})
endif()
