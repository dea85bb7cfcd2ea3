// SPDX-License-Identifier: Apache-2.0
// The biases of one head by lines: many keys of one query, or many queries of one key. A kernel multiplies where f64
// holds every position; what that leaves in doubt, and all else, is made pair by pair.
#pragma once

#include "src/conventions/slope.h"
#include "src/encodings/pair_rows.h"
#include "src/engine/biases/inclines.h"
#include "src/plan/head_plan.h"

namespace posenc {

/// Positions of queries and keys in f64, room behind them for whole vectors.
struct PairNumbers {
  std::vector<double> queries, keys;
  int end, begin;  ///< differences are below 2^end in size and multiples of 2^begin; all are 0: both are 0
};
/// Nothing where f64 does not hold one of them.
std::optional<PairNumbers> pair_numbers(const Positions& queries, const Positions& keys);

/// Of queries and keys whose rules were checked.
class HeadLines {
 public:
  HeadLines(const Slope& slope, plan::Distance distance, const Positions& queries, const Positions& keys,
            const std::optional<PairNumbers>& numbers);

  /// out[j - begin] of the query and keys begin to end - 1: false where some entry is not settled.
  template <class T>
  bool of_query(std::int64_t query, std::int64_t begin, std::int64_t end, T* out) const;
  /// out[m - begin] of key 0 and the queries last - m, m = begin to end - 1.
  template <class T>
  bool of_first_key(std::int64_t begin, std::int64_t end, T* out) const;

  /// Do biases depend on keys alone?
  bool by_key() const { return distance_ == plan::Distance::key || distance_ == plan::Distance::key_from_last; }

 private:
  template <class T>
  std::optional<T> at(PairAt pair) const;
  template <class T, class Pair>
  bool write(const engine::Incline& incline, const double* numbers, std::int64_t count, T* out, const Pair& pair) const;
  template <class T>
  engine::Incline from(double number) const;
  template <class T>
  engine::Products products() const;

  const Slope& slope_;
  plan::Distance distance_;
  const Positions &queries_, &keys_;
  const PairNumbers* numbers_;  // null: no kernel is asked
};

}  // namespace posenc
