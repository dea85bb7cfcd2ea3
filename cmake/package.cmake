# SPDX-License-Identifier: Apache-2.0
# What `cpack` makes of a build: Debian packages, one a component of install.cmake, and an archive of everything.

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME posenc)
set(CPACK_PACKAGE_VENDOR "posenc")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "position encodings of Transformers, exact and by name")
set(CPACK_PACKAGE_DESCRIPTION "${PROJECT_DESCRIPTION}.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
# Whoever hands packages on puts an address here; .invalid is nobody's.
set(CPACK_PACKAGE_CONTACT "posenc maintainers <maintainers@posenc.invalid>" CACHE STRING "Maintainer of the packages")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
string(TOLOWER ${CMAKE_SYSTEM_NAME} system)
set(CPACK_PACKAGE_FILE_NAME posenc-${PROJECT_VERSION}-${system}-${CMAKE_SYSTEM_PROCESSOR})

# Components of others, as of a wheel, are not packaged.
get_cmake_property(built COMPONENTS)
set(CPACK_COMPONENTS_ALL)
foreach(component tool libraries development)
  if(component IN_LIST built)
    list(APPEND CPACK_COMPONENTS_ALL ${component})
  endif()
endforeach()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY "=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src)  # our own shared libraries

set(CPACK_COMPONENT_TOOL_DESCRIPTION "The command-line tool posenc: tables, grids, encoded texts, configurations of models.")
set(CPACK_DEBIAN_TOOL_PACKAGE_NAME posenc)
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TOOL_PACKAGE_RECOMMENDS fonts-wqy-microhei)  # pictures name Chinese tokens
if(BUILD_SHARED_LIBS)
  set(CPACK_DEBIAN_TOOL_PACKAGE_DEPENDS "libposenc (= ${PROJECT_VERSION})")
endif()

set(CPACK_COMPONENT_LIBRARIES_DESCRIPTION "The shared libraries.")
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_NAME libposenc)
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_SECTION libs)

set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers of C++20, libraries, CMake package and pkg-config files.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libposenc-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
# What its CMake package and pkg-config files find.
set(needed)
if(NOT BUILD_SHARED_LIBS)
  list(APPEND needed libhwy-dev)
  if(POSENC_TRANSFORMER)
    list(APPEND needed libdnnl-dev)
  endif()
  if(POSENC_IO)
    list(APPEND needed zlib1g-dev)
  endif()
  if(POSENC_TEXT)
    list(APPEND needed libutf8proc-dev libsentencepiece-dev pkg-config)
  endif()
endif()
if(libraries IN_LIST CPACK_COMPONENTS_ALL)
  list(APPEND needed "libposenc (= ${PROJECT_VERSION})")
endif()
list(JOIN needed ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)

include(CPack)
