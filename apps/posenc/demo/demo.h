// SPDX-License-Identifier: Apache-2.0
// What posenc demo finds out, and how it tells it.
#pragma once

#include <array>

#include "apps/posenc/encode/encoded.h"

namespace posenc::tool {

/// Rows i of one text and j of another that are the same to the bit.
using EqualRows = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// What the demo computes before it says or writes anything.
struct DemoFindings {
  std::vector<std::string> sentences = {"我爱你", "你爱我"};
  std::vector<std::array<std::string_view, 3>> glosses = {{"I", "love", "you"}, {"you", "love", "me"}};
  Encoded pair;                      ///< both sentences, [2, 3, 512]
  std::vector<float> bare;           ///< the same without positions
  EqualRows equal_bare, equal_pair;  ///< of the two sentences
  Encoded english, chinese;
};

/// The sentences without positions and with them, and what was added, as PNG.
std::string demo_picture(const Default& vocabulary, const DemoFindings& findings);

/// `files`: what was written.
std::string demo_screen(const Default& vocabulary, const DemoFindings& findings, std::span<const std::string> files);
std::string demo_json(const DemoFindings& findings, std::span<const std::string> files);

}  // namespace posenc::tool
