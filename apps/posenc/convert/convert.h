// SPDX-License-Identifier: Apache-2.0
// The two things that posenc convert does.
#pragma once

#include "apps/posenc/cli/cli.h"

namespace posenc::tool {

/// The words of --pairing and of --layout.
inline constexpr std::string_view pairings[] = {"adjacent", "split_half"};
inline constexpr std::string_view layouts[] = {"interleaved", "sine_first", "cosine_first"};

/// "adjacent:split_half" of an option: from, to.
struct FromTo {
  std::string from, to;
};
/// Refuses other words than the two, and the same twice.
FromTo read_from_to(const Arguments& arguments, std::string_view option, std::span<const std::string_view> words);

/// IN and OUT.
struct InOut {
  std::string in, out;
};
InOut read_in_out(const Arguments& arguments);

/// Rows of query and key projections, --pairing.
Said convert_pairing(const Arguments& arguments);
/// A table of rows, --layout, --first and --rows.
Said convert_table(const Arguments& arguments);

}  // namespace posenc::tool
