// SPDX-License-Identifier: Apache-2.0
// Charts in a terminal: blocks of colour, or signs where there are no colours.
#pragma once

#include "apps/posenc/picture/chart.h"

namespace posenc::tool {

/// The charts below each other, as wide as the terminal. Where curves meet they take turns along the axis.
std::string terminal_charts(const std::string& title, std::span<const Chart> charts);

}  // namespace posenc::tool
