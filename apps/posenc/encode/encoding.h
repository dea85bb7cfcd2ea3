// SPDX-License-Identifier: Apache-2.0
// Ids to rows to the target: a text as it is read, or a batch; and what is told of it afterwards.
#pragma once

#include "apps/posenc/cli/output.h"
#include "apps/posenc/encode/batch.h"
#include "apps/posenc/encode/meter.h"
#include "apps/posenc/picture/picture.h"

namespace posenc::tool {

/// How much of a result is kept to be told: of texts and of the rows of one for people, of texts and of ids for the
/// report.
inline constexpr std::int64_t told_texts = 6, told_rows = 24, reported_texts = 4096, told_ids = 65536;
/// Columns of --show.
inline constexpr std::int64_t shown_columns = 64;

/// The beginning of one row, and evenly spaced values of it.
struct ToldRow {
  std::vector<double> first, spread;
};

struct ToldSequence {
  SequenceName name;
  std::vector<std::int32_t> ids = {};  ///< the first ones
  std::vector<ToldRow> rows = {};      ///< the first ones
};

struct Result {
  std::vector<std::int64_t> shape;
  DType type;  ///< as stored
  std::int64_t length;
  double factor;                        ///< the scale as used
  std::vector<ToldSequence> sequences;  ///< the first ones
  std::vector<std::int64_t> ends;       ///< of every sequence, in tokens from the first one's first
  std::optional<double> mean;
  std::optional<Norms> norms;
  UnknownTokens unknowns;
  std::vector<std::int32_t> alike = {};  ///< tokens of the built-in vocabulary that have one row

  std::int64_t length_of(std::size_t b) const { return ends[b] - (b == 0 ? 0 : ends[b - 1]); }
};

/// One text, read and encoded chunk by chunk; memory does not grow with it, but for the ids that .safetensors holds.
/// The tensor and the other files of the call take their names at the end.
Result encode_stream(const EncodeRequest& request, const io::Tokenizer& tokenizer, const Weights& weights,
                     const Files& others);

/// A batch, chunk by chunk; under dropout, batch first, whole. Files as above.
Result encode_batch(const EncodeRequest& request, const Batch& batch, const Weights& weights, const Files& others);

/// A picture of the first texts of a batch.
std::string draw_batch(const EncodeRequest& request, const Batch& batch, const io::Tokenizer& tokenizer,
                       const Weights& weights);

}  // namespace posenc::tool
