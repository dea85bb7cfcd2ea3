// SPDX-License-Identifier: Apache-2.0
// Foreign bytes made fit for the screen.
#pragma once

#include <string>
#include <string_view>

namespace posenc::tool {

/// The text with control characters, Unicode's line separators and turns of direction, and what is no UTF-8 as \xNN, so
/// that it stays one line and reads as it is.
std::string printable(std::string_view text);
/// The same in quotes, and at most 64 bytes of what is shown, for messages.
std::string quote(std::string_view text);
/// A token in a line: all of what is shown, in quotes.
std::string token_words(std::string_view token);
/// A token beside a row of a picture: its blanks are open boxes (U+2423).
std::string token_label(std::string_view token);

}  // namespace posenc::tool
