// SPDX-License-Identifier: Apache-2.0
// Beam search of one sequence: which hypotheses go on, which have ended, and when it is over.
#pragma once

#include <posenc/transformer/decoding.h>

namespace posenc {

/// What a sequence holds between steps. decoding.h says what each step does.
class Beams {
 public:
  explicit Beams(const DecodingOptions& options) : options_(options), live_(1) {}

  struct Live {
    std::vector<std::int64_t> ids;  // made
    double sum = 0;
    std::int64_t parent = 0;  // its number among the live ones of the step before
  };

  /// Best first; empty when nothing can go on.
  const std::vector<Live>& live() const { return live_; }
  bool over() const { return over_; }
  /// One step: row j of `logits`, `stride` apart, is what the model says after live hypothesis j; they are written to.
  void step(float* logits, std::int64_t stride, std::int64_t vocabulary);
  Decoded result() const;

 private:
  struct Candidate {
    double sum;
    std::int64_t parent, id;
  };
  std::vector<Candidate> best(float* logits, std::int64_t stride, std::int64_t vocabulary) const;
  void suppress(float* row) const;
  double score(double sum, std::int64_t made) const;
  bool decided() const;

  const DecodingOptions& options_;
  std::vector<Live> live_;
  std::optional<Live> ended_;  // the best; its ids do not hold the end token
  double ended_score_ = 0;
  std::int64_t made_ = 0;
  bool over_ = false;
};

}  // namespace posenc
