// SPDX-License-Identifier: Apache-2.0
// The input stage of a Transformer: token ids -> embedding rows -> x scale -> + signal -> dropout.
#pragma once

#include <posenc/dropout.h>
#include <posenc/embedding.h>
#include <posenc/rows.h>
#include <posenc/scale.h>

namespace posenc {

/// evaluate: dropout is the identity. train: it is applied.
enum class StageMode : std::uint8_t { evaluate = 1, train };

struct StageOptions {
  Scale scale;
  double dropout = 0;
  std::uint64_t seed = 0;
  std::optional<std::int64_t> padding_id = {};  ///< its embedding row reads as zeros; the signal is still added
  Recipe recipe = exact();
  Context context = {};  ///< what the convention depends on
};

struct EncodeOptions {
  StageMode mode = StageMode::evaluate;
  std::uint32_t call = 0;   ///< of the dropout mask
  std::uint32_t first = 0;  ///< index along the sequence axis of the first token, for the dropout mask of a chunk
  Executor executor = serial;
  Reading reading = Reading::by_size;
};

/// An embedding, a signal, a scale and a dropout probability. Immutable; const use from many threads is safe. The
/// caller keeps rows (and a table) alive.
///
/// Formula: out[b, t, :] = RN(RN(row[id] x s) + RN(signal[p])), then RN(out x keep) under dropout. f32 and f64: RN is
/// one rounding to nearest even. bf16 and f16: each operation is done in f32 and rounded to storage, as frameworks do.
/// s = sqrt d rounded to f32 (f64 for f64) unless stated. Shapes: ids [B, L], or [L]; positions [L] for all sequences,
/// or [B, L]; out = ids.shape + [d]. Sequence first is ids.transposed(0, 1) and out.transposed(0, 1). Types: ids i32 or
/// i64; out has the type of rows (f32, f64, bf16, f16). Accuracy: the signal is correctly rounded (or the recipe's);
/// the sum is as written. A whole sequence, chunks of it and single steps give the same bits. Errors: an id outside the
/// vocabulary, with its [b, t]; shapes and types that break their rules. Source: Vaswani et al. 2017, sections 3.4
/// and 3.5.
class InputStage {
 public:
  InputStage(const ConstView& rows, const Convention& convention, const StageOptions& options)
      : InputStage((require(check(rows, convention, options)), rows), convention, options, Checked{}) {}
  /// The signal is that of rows that were made ready before, of width d: no ladder is made. Recipe and context are
  /// theirs; those of `options` say nothing.
  InputStage(const ConstView& rows, const Rows& signal, const StageOptions& options)
      : InputStage((require(check(rows, signal, options)), rows), signal, options, Checked{}) {}
  /// The signal is row p of `table` [n, d], used to the bit: a learned or stored table. Positions are integers in [0,
  /// n).
  InputStage(const ConstView& rows, const ConstView& table, const StageOptions& options)
      : InputStage((require(check(rows, table, options)), rows), table, options, Checked{}) {}

  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check(const ConstView& rows, const Convention& convention,
                                                                  const StageOptions& options);
  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check(const ConstView& rows, const Rows& signal,
                                                                  const StageOptions& options);
  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check(const ConstView& rows, const ConstView& table,
                                                                  const StageOptions& options);

  void encode(const ConstView& ids, const Positions& positions, const View& out,
              const EncodeOptions& options = {}) const {
    require(check_encode(ids, positions, out, options));
    require(encode_checked(ids, positions, out, options));
  }
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_encode(const ConstView& ids, const Positions& positions,
                                                                  const View& out,
                                                                  const EncodeOptions& options = {}) const;
  /// For callers that have called the check. The problem that core.h excepts, or nothing.
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> encode_checked(const ConstView& ids, const Positions& positions,
                                                                    const View& out,
                                                                    const EncodeOptions& options) const;

  std::int64_t width() const { return embedding_.rows.size(-1); }
  /// The factor as used: rounded as the scale says, then to f32 (f64 for f64 rows).
  double factor() const { return factor_; }
  const Embedding& embedding() const { return embedding_; }
  /// The rows of a table, which are all positions there are; nothing for a convention, which has them all.
  std::optional<std::int64_t> positions() const { return signal_ ? std::nullopt : std::optional(table_.size(0)); }
  const StageOptions& options() const { return options_; }

 private:
  struct Checked {};
  POSENC_EXPORT InputStage(const ConstView& rows, const Convention& convention, const StageOptions& options, Checked);
  POSENC_EXPORT InputStage(const ConstView& rows, const Rows& signal, const StageOptions& options, Checked);
  POSENC_EXPORT InputStage(const ConstView& rows, const ConstView& table, const StageOptions& options, Checked);
  std::optional<Problem> check_read(const Positions& positions, const View& out) const;
  bool encode_step(std::int64_t id, const Positions& positions, const View& out) const;
  bool encode_shared(const ConstView& ids, const Positions& positions, const View& out,
                     const EncodeOptions& options) const;

  Embedding embedding_;
  std::optional<Rows> signal_;                      // either these rows
  ConstView table_ = {};                            // or this table
  detail::Extent rows_extent_, table_extent_ = {};  // kept, since finding them takes a fifth of a step from a table
  StageOptions options_;
  double factor_;
};

}  // namespace posenc
