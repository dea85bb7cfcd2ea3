// SPDX-License-Identifier: Apache-2.0
// The reader of the embedded file; its layout is in default.h.
#include "apps/posenc/default/default.h"

#include <bit>

#include "apps/posenc/default/default_reader.h"
#include "apps/posenc/default/default_tokens.h"
#include "apps/posenc/default/embedded.h"

namespace posenc::tool {
namespace {

std::vector<float> read_rows(DefaultReader& reader, std::size_t count) {
  const std::size_t start = reader.at;
  const std::vector<std::uint32_t> scales = reader.take_words(count);
  std::vector<float> rows;
  for (std::size_t row = 0; row < count; ++row) {
    const float scale = std::bit_cast<float>(scales[row]);
    if (!(scale > 0 && scale < 1))
      refuse_default("a row's scale must be in (0, 1)", std::to_string(scale), start + 4 * row);
    for (const char entry : reader.take(default_width)) {
      rows.push_back(static_cast<float>(static_cast<std::int8_t>(entry)) * scale);
    }
  }
  return rows;
}

}  // namespace

Default read_default(std::string_view file) {
  DefaultTokens tokens = read_default_tokens(file);
  DefaultReader reader{file, tokens.end};
  std::vector<float> rows = read_rows(reader, tokens.original_ids.size());
  if (reader.at != file.size()) {
    refuse_default("the file must end here", std::to_string(file.size()) + " bytes", reader.at);
  }
  return {std::move(tokens.bpe), std::move(rows), std::move(tokens.original_ids), embedded_licence()};
}

Default load_default() { return read_default(embedded_default()); }

}  // namespace posenc::tool
