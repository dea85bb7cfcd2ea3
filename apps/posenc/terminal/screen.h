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

}  // namespace posenc::tool
