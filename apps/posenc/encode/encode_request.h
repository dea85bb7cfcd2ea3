// SPDX-License-Identifier: Apache-2.0
// What posenc encode is asked for.
#pragma once

#include "apps/posenc/cli/positions.h"
#include "apps/posenc/encode/encoded.h"
#include "apps/posenc/encode/texts.h"
#include "apps/posenc/encode/tokens.h"

namespace posenc::tool {

struct EncodeRequest {
  Stage stage;
  TextsRequest texts;
  TokensRequest tokens;
  std::optional<ParsedPositions> positions;  ///< of --positions, in place of those from the stage's start on
  Targets targets;
  io::Metadata about;  ///< what .safetensors says of the numbers
  bool show = false, json = false;
  int threads = 1;

  /// Whether means and norms are asked for: they are printed, or reported.
  bool measured() const { return !targets.out || json; }
  /// Of tokens first, ..., first + count - 1.
  PositionPart positions_of(std::int64_t first, std::int64_t count) const;
  /// That of token t, as text.
  std::string position_name(std::int64_t t) const;
};

/// Whose line of progress is drawn while the rows are written.
inline ProgressLine line_of(const EncodeRequest& request) {
  return request.targets.out ? line_beside(*request.targets.out) : ProgressLine::own;
}

EncodeRequest read_encode_request(const Arguments& arguments);

/// What dropout and its masks are told: they count tokens from the first position on, so that pieces of a text give the
/// bits of the whole.
EncodeOptions dropout_options(const Stage& stage);

}  // namespace posenc::tool
