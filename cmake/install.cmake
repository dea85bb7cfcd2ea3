# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` lays down, by component: `tool`, the program with its manual and completions; `development`,
# headers, static libraries, CMake package, pkg-config files; `libraries`, what programs load, where there are shared ones.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/posenc)
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH posenc_prefix_from_pc /prefix/${pc_dir} /prefix)
string(REGEX REPLACE "/$" "" posenc_prefix_from_pc "${posenc_prefix_from_pc}")

# posenc_install_headers(<folder>): include/posenc/<folder>, the headers of the library of that name.
function(posenc_install_headers folder)
  install(DIRECTORY include/posenc/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/posenc COMPONENT development)
endfunction()

# posenc_install_library(<target> <targets> REQUIRES <module>... [LINKS <flag>...]): the library, its targets file
# <targets>.cmake, and its pkg-config file, which is called like the target with a dash. What REQUIRES and LINKS name of
# others is handed on by a static library alone: a shared one has found it already.
function(posenc_install_library target targets)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "REQUIRES;LINKS")
  set_target_properties(${target} PROPERTIES INSTALL_RPATH $ORIGIN)
  install(TARGETS ${target} EXPORT ${targets}
    LIBRARY COMPONENT libraries NAMELINK_COMPONENT development
    ARCHIVE COMPONENT development
    RUNTIME COMPONENT libraries
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT ${targets} NAMESPACE posenc:: DESTINATION ${package_dir} COMPONENT development)

  string(REPLACE "_" "-" module ${target})
  if(BUILD_SHARED_LIBS)
    list(FILTER arg_REQUIRES INCLUDE REGEX "^posenc")
    set(arg_LINKS)
  endif()
  list(JOIN arg_REQUIRES ", " pc_requires)
  list(JOIN arg_LINKS " " pc_links)
  configure_file(cmake/posenc.pc.in ${module}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${module}.pc DESTINATION ${pc_dir} COMPONENT development)
endfunction()

posenc_install_library(posenc posencTargets REQUIRES libhwy)
file(GLOB headers CONFIGURE_DEPENDS include/posenc/*.h)
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/posenc COMPONENT development)

configure_package_config_file(cmake/posencConfig.cmake.in posencConfig.cmake INSTALL_DESTINATION ${package_dir})
# include/posenc/version.h: below 1.0 a minor version may change declarations.
set(compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
endif()
write_basic_package_version_file(posencConfigVersion.cmake COMPATIBILITY ${compatibility})
install(FILES ${PROJECT_BINARY_DIR}/posencConfig.cmake ${PROJECT_BINARY_DIR}/posencConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)

if(POSENC_POOL)
  posenc_install_library(posenc_pool posencPoolTargets REQUIRES posenc LINKS -pthread)
  posenc_install_headers(pool)
endif()

if(POSENC_TRANSFORMER)
  posenc_install_library(posenc_transformer posencTransformerTargets REQUIRES posenc LINKS -ldnnl ${OpenMP_CXX_FLAGS})
endif()
if(POSENC_TRANSFORMER OR POSENC_IO)  # models on disk are values of these headers, whether that library is there or not
  posenc_install_headers(transformer)
endif()

if(POSENC_SPEC)
  posenc_install_library(posenc_spec posencSpecTargets REQUIRES posenc)
  posenc_install_headers(spec)
endif()

if(POSENC_REFEREE)
  posenc_install_library(posenc_referee posencRefereeTargets REQUIRES posenc-spec)
  posenc_install_headers(referee)
endif()

if(POSENC_IO)
  posenc_install_library(posenc_io posencIoTargets REQUIRES posenc-${posenc_below_io} zlib)
  posenc_install_headers(io)
endif()

if(POSENC_TEXT)
  posenc_install_library(posenc_text posencTextTargets REQUIRES posenc-io libutf8proc sentencepiece)
  posenc_install_headers(text)
endif()

if(POSENC_TOOL)
  file(RELATIVE_PATH libdir_from_bin /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
  set_target_properties(posenc_tool PROPERTIES INSTALL_RPATH $ORIGIN/${libdir_from_bin})
  install(TARGETS posenc_tool COMPONENT tool)
  install(FILES apps/posenc/default/LICENSE.whisper DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tool)
  # Under Debian's name, since a package of the tool alone has no other.
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT tool)
  if(TARGET posenc_manual)
    install(FILES ${PROJECT_BINARY_DIR}/apps/posenc/posenc.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tool)
  endif()

  set(completion ${PROJECT_SOURCE_DIR}/apps/posenc/completion)
  set(data ${CMAKE_INSTALL_DATADIR})
  install(FILES ${completion}/posenc.bash DESTINATION ${data}/bash-completion/completions RENAME posenc COMPONENT tool)
  install(FILES ${completion}/posenc.fish DESTINATION ${data}/fish/vendor_completions.d COMPONENT tool)
  # Debian's zsh looks into site-functions of /usr/local, and of /usr into vendor-completions alone. The prefix of a
  # package is known when it is made.
  install(CODE "
    set(folder site-functions)
    if(CMAKE_INSTALL_PREFIX MATCHES [[/usr$]] AND EXISTS /etc/debian_version)
      set(folder vendor-completions)
    endif()
    file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${data}/zsh/\${folder}\" TYPE FILE RENAME _posenc
      FILES \"${completion}/posenc.zsh\")"
    COMPONENT tool)
endif()

if(POSENC_C)
  posenc_install_library(posenc_c posencCTargets)
  install(FILES bindings/c/posenc.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
endif()
