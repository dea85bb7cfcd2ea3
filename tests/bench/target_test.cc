// SPDX-License-Identifier: Apache-2.0
// A benchmark measures the instruction set that was asked for.
#include "bench/target.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include "src/engine/tables/sincos_kernel.h"

namespace posenc::bench {
namespace {

TEST(Target, TheFirstIsWhatIsUsedUnasked) {
  ASSERT_FALSE(targets().empty());
  EXPECT_EQ(targets().front(), engine::kernel_target());
}

TEST(Target, EachCanBeUsed) {
  for (const std::string& name : targets()) {
    use_target(name);
    EXPECT_EQ(engine::kernel_target(), name);
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(Target, AWrongNameIsAnErrorThatListsThem) {
  try {
    use_target("AVX9");
    FAIL() << "used AVX9";
  } catch (const std::runtime_error& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.rfind("no target AVX9; this machine has ", 0), 0u) << message;
    for (const std::string& name : targets()) EXPECT_NE(message.find(name), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace posenc::bench
