// SPDX-License-Identifier: Apache-2.0
// Keeps what is told of a result while its rows pass by.
#pragma once

#include "apps/posenc/encode/encoding.h"

namespace posenc::tool {

class Recorder {
 public:
  /// Both outlive this value.
  Recorder(const EncodeRequest& request, const Weights& weights, double factor);

  /// The next sequence that is told of; the rows of those that never begin are measured alone.
  void begin_sequence(SequenceName name);
  /// The rows that follow are tokens first, ..., first + count - 1 of their sequences.
  void at(std::int64_t first, std::int64_t count);
  /// The row of token t, `id`, of sequence b.
  void row(std::int64_t b, std::int64_t t, std::int32_t id, const ConstView& output);
  void padding(std::int64_t rows);

  /// What was kept, with the shape and the length still to be told.
  Result result() &&;

 private:
  const EncodeRequest* request_;
  bool tells_rows_;
  std::int64_t first_ = 0, ids_left_ = told_ids;
  std::optional<Meter> meter_;
  const Weights* weights_;
  std::vector<std::uint8_t> met_;  // of the built-in rows, whether a token has been met
  std::vector<double> values_;
  Result result_;
};

}  // namespace posenc::tool
