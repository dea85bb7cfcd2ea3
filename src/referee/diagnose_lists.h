// SPDX-License-Identifier: Apache-2.0
// What is wrong with a list of frequencies, each in words; none where that is not what is wrong, or of other entries.
#pragma once

#include "src/referee/expected.h"

namespace posenc::referee {

/// They are those of the unscaled ladder, or these divided by one number: linear scaling. `got` is read as `form` says.
std::vector<std::string> scaling_words(const ConstView& tensor, const Entries& got, std::string_view form,
                                       const Convention& asked, const DiagnoseOptions& options);
/// The last pairs stand, and the others are a ladder of their own columns, not of the whole head.
std::vector<std::string> part_words(const Entries& got, const Convention& asked, const DiagnoseOptions& options);
/// The list was cut: of the width that is asked, or of a usual one.
std::vector<std::string> cut_words(const Entries& got, const Convention& convention, const DiagnoseOptions& options);
/// A few entries are others, or all changed places.
std::vector<std::string> list_words(const Entries& got, const std::vector<double>& expected);

}  // namespace posenc::referee
