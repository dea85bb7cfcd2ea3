// SPDX-License-Identifier: Apache-2.0
// The element types that typed tests run over.
#pragma once

#include <gtest/gtest.h>
#include <posenc/core.h>

namespace posenc::test {

using TableTypes = testing::Types<float, double, half, bfloat16>;
using RotatedTypes = testing::Types<float, half, bfloat16>;

}  // namespace posenc::test
