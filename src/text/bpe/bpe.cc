// SPDX-License-Identifier: Apache-2.0
// Byte-level BPE: tokens and what ids stand for.
#include <posenc/text/bpe.h>

#include "src/text/bpe/bpe_model.h"
#include "src/text/vocabulary/check_id.h"

#include <algorithm>

namespace posenc::io {

std::int32_t Bpe::size() const { return model_->size; }

std::optional<std::int32_t> Bpe::unknown() const {
  const Parts& parts = model_->parts;
  return parts.unknown_bytes == UnknownBytes::refused ? std::nullopt : std::optional(parts.unknown_id);
}

std::span<const Bpe::Merge> Bpe::merges() const { return model_->parts.merges; }

std::optional<Problem> Bpe::check_decode(std::span<const std::int32_t> ids) const {
  return check_ids("bpe_decode", ids, size());
}

std::string Bpe::decode(std::span<const std::int32_t> ids) const {
  require(check_decode(ids));
  std::string text;
  for (const std::int32_t id : ids) text += token(id);
  return text;
}

std::optional<Problem> Bpe::check_token(std::int32_t id) const { return check_id("bpe_token", id, size()); }

std::string Bpe::token(std::int32_t id) const {
  require(check_token(id));
  const std::vector<std::string>& tokens = model_->parts.tokens;
  if (static_cast<std::size_t>(id) < tokens.size() && !tokens[static_cast<std::size_t>(id)].empty()) {
    return tokens[static_cast<std::size_t>(id)];
  }
  const auto added = std::ranges::lower_bound(model_->added_by_id, id, {}, &AddedToken::id);
  return added != model_->added_by_id.end() && added->id == id ? added->text : std::string();
}

}  // namespace posenc::io
