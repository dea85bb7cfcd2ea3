// SPDX-License-Identifier: Apache-2.0
// The version, in this one place; CMake reads it from here. A changed output bit is a major version.
#pragma once

#define POSENC_VERSION_MAJOR 0
#define POSENC_VERSION_MINOR 3
#define POSENC_VERSION_PATCH 0
