// SPDX-License-Identifier: Apache-2.0
// What posenc encode is asked for.
#pragma once

#include "apps/posenc/encode/encoded.h"
#include "apps/posenc/encode/inputs.h"
#include "apps/posenc/encode/tokens.h"

namespace posenc::tool {

/// More tokens than --max-length.
enum class TooLong : std::uint8_t { refused = 1, cut };
/// One sequence a text, or one a line of every text.
enum class Sequences : std::uint8_t { texts = 1, lines };

struct EncodeRequest {
  Stage stage;
  std::vector<Input> inputs;
  TokensRequest tokens;
  Sequences sequences = Sequences::texts;
  std::optional<std::int64_t> max_length;
  TooLong too_long = TooLong::refused;
  /// How many tokens of a text, or line, are looked at.
  std::size_t most_tokens() const {
    return too_long == TooLong::cut ? static_cast<std::size_t>(*max_length) : io::no_limit;
  }
  Targets targets;
  bool show = false, json = false;
  int threads = 1;

  /// Whether means and norms are asked for: they are printed, or reported.
  bool measured() const { return !targets.out || json; }
};

EncodeRequest read_encode_request(const Arguments& arguments);

/// What dropout and its masks are told: they count tokens from the first position on, so that pieces of a text give the
/// bits of the whole.
EncodeOptions dropout_options(const Stage& stage);

}  // namespace posenc::tool
