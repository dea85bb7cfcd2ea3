// SPDX-License-Identifier: Apache-2.0
// The two texts that the demo reads, about a page each: why positions matter.
#pragma once

#include <string_view>

namespace posenc::tool {

std::string_view english_sample();
std::string_view chinese_sample();

}  // namespace posenc::tool
