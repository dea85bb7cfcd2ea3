// SPDX-License-Identifier: Apache-2.0
// Words of the command line in any case. Names of files and tensors are not among them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace posenc::tool {

/// The words among the values of an option, by its placeholder: "sqrt|none|NUMBER" has sqrt and none.
std::vector<std::string> placeholder_words(std::string_view placeholder);
/// Tells whether the option takes a file, by its placeholder: "FILE[:TENSOR]", "X.npy|-", "DIR".
bool takes_file(std::string_view placeholder);
/// `text` as the list writes it, where it differs by case alone from one of the words, or begins with one that ends
/// in a colon; else the text itself.
std::string in_listed_case(const std::string& text, std::span<const std::string> words);
/// PATH=VALUE in lower case, as fields and their words are written; of a list in brackets the path alone.
std::string setting_in_lower_case(const std::string& setting);
/// Tells whether a file of that name exists: it takes precedence over a listed word.
bool names_file(const std::string& text);

}  // namespace posenc::tool
