// SPDX-License-Identifier: Apache-2.0
// A JSON document as a tree, within the limits of spec.h.
#pragma once

#include <string>
#include <string_view>

#include "src/base/json_tree.h"

namespace posenc::io {

/// Whose messages they are: the operation, and the file, where there is one.
struct JsonSource {
  std::string_view operation;
  std::string_view name = {};

  [[noreturn]] void refuse(std::string rule, std::string value) const;
};

/// Whether Infinity, -Infinity and NaN are numbers of a document, as Python's json writes them.
enum class NonFinite : std::uint8_t { refused = 1, read };

/// The document. Errors: no JSON (RFC 8259 in UTF-8, no byte order mark, no comments), a limit, a key twice, a number
/// that is no double: 1e999, or 1e-999, which would be 0.
JsonTree parse_json(std::string_view text, const JsonSource& source, NonFinite non_finite = NonFinite::refused);

}  // namespace posenc::io
