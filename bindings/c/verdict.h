// SPDX-License-Identifier: Apache-2.0
// What was found, as a handle of its texts.
#pragma once

#include <posenc.h>

#include <string>
#include <vector>

struct posenc_verdict {
  bool holds;
  std::string json, text;
  std::vector<std::string> presets;
};
