// SPDX-License-Identifier: Apache-2.0
// The version, in this one place; CMake, pkg-config files, packages, sonames and `posenc --version` read it from here.
//
// major: a changed bit of any output, a better one too. From 1.0 on also a removed or changed declaration.
// minor: an addition; the C++ ABI (sonames hold major and minor); below 1.0 a removed or changed declaration.
// patch: everything else. The C ABI has a number of its own, POSENC_ABI of posenc.h.
#pragma once

#define POSENC_VERSION_MAJOR 0
#define POSENC_VERSION_MINOR 3
#define POSENC_VERSION_PATCH 0
