// SPDX-License-Identifier: Apache-2.0
// What a rotation does to a row, read from its fields alone: which columns turn together, by which coefficients, from
// MPFR. It shares no code with the library, but for the structs that state the fields.
#pragma once

#include <posenc/rotary.h>

#include "tests/encodings/true_values.h"
#include "tests/reference/rotation.h"

namespace posenc::test {

/// The pairs of r columns in their order; under a sum over axes there are r / 2, each of every axis.
inline std::vector<TruePair> true_turns(const Rotary& rotary, std::int64_t r) {
  if (rotary.rungs != Rungs::summed) return true_pairs(rotary, r);
  std::vector<TruePair> pairs;
  for (std::int64_t k = 0; k < r / 2; ++k) pairs.push_back({std::nullopt, k, r / 2, r});
  return pairs;
}

/// A rotary convention for heads of a width, of which it turns an even number of columns.
class TrueRotation {
 public:
  TrueRotation(const Rotary& rotary, std::int64_t head, const Context& context)
      : rotary_(rotary),
        turned_(true_rotated(rotary, head)),
        first_(rotary.where == HeadEnd::last ? head - turned_ : 0),
        pairs_(true_turns(rotary, turned_)),
        magnitude_(std::visit(TrueMagnitude(), rotary.magnitude)),
        context_(context) {
    for (const TruePair& pair : pairs_) {
      std::vector<Value>& own = w_.emplace_back();
      for (std::size_t a = 0; a < rotary.axes.size(); ++a) {
        const Ladder& ladder = rotary.ladders[rotary.ladders.size() == 1 ? 0 : a];
        const bool turns = rotary.rungs == Rungs::summed || pair.axis == a;
        own.push_back(turns ? frequency_of(ladder, pair.d, pair.n, pair.k, 0, context.length) : Value(0));
      }
    }
  }

  std::int64_t turned() const { return turned_; }

  /// What is read, written and by which coefficients, each a real number rounded once to f32, at a place.
  std::vector<reference::Turned> at(const std::vector<double>& place, RotatedSide side, Direction direction) const {
    std::vector<reference::Turned> all;
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      const Columns read = columns_read(k), written = columns_written(k);
      const Wave u = wave(rotary_.angles == AnglesBy::column ? by_column(read[0]) : k, k, place, side);
      const Wave v = rotary_.angles == AnglesBy::column ? wave(by_column(read[1]), k, place, side) : u;
      const auto at = [&](std::size_t c) { return static_cast<std::size_t>(first_) + c; };
      if (direction == Direction::forward) {
        all.push_back(
            {{at(read[0]), at(read[1])}, {at(written[0]), at(written[1])}, u.cosine, u.sine, v.sine, v.cosine});
      } else {
        all.push_back(
            {{at(written[0]), at(written[1])}, {at(read[0]), at(read[1])}, u.cosine, -v.sine, -u.sine, v.cosine});
      }
    }
    return all;
  }

 private:
  using Columns = std::array<std::size_t, 2>;
  struct Wave {
    float cosine, sine;
  };

  // Pairs before the run of pair k, and those of the run.
  struct Run {
    std::size_t start, pairs;
  };
  Run run_of(std::size_t k) const {
    if (rotary_.rungs != Rungs::own || rotary_.axes.size() == 1) return {0, pairs_.size()};
    std::size_t start = 0;
    for (const std::int64_t section : true_sections(rotary_, turned_)) {
      const auto pairs = static_cast<std::size_t>(section);
      if (k < start + pairs) return {start, pairs};
      start += pairs;
    }
    return {start, 0};
  }

  Columns columns_read(std::size_t k) const {
    if (rotary_.pairing == Pairing::adjacent) return {2 * k, 2 * k + 1};
    const Run run = rotary_.pairing_scope == PairingScope::run ? run_of(k) : Run{0, pairs_.size()};
    return {k + run.start, k + run.start + run.pairs};
  }
  Columns columns_written(std::size_t k) const {
    return rotary_.written == Written::split_half ? Columns{k, k + pairs_.size()} : columns_read(k);
  }
  // The pair whose angle column c has where a run's angles stand twice, one after the other.
  std::size_t by_column(std::size_t c) const {
    const Run run = run_of(c / 2);
    return run.start + (c - 2 * run.start) % run.pairs;
  }

  // z^(+-(p - centre) / period), z = (2k / r + floor) / (1 + floor)
  Value decay(std::size_t k, double p, RotatedSide side) const {
    const auto* by = std::get_if<PairDecay>(&rotary_.decay);
    if (by == nullptr) return 1;
    const Value z =
        (of_count(static_cast<std::int64_t>(2 * k)) / of_count(turned_) + by->floor) / (Value(1) + by->floor);
    const Value exponent = (Value(p) - *context_.centre) / by->period;
    return pow(z, side == RotatedSide::key ? Value(0) - exponent : exponent);
  }

  Wave wave(std::size_t angle_of, std::size_t k, const std::vector<double>& place, RotatedSide side) const {
    oracle::Number angle(precise), term(precise), sine(precise), cosine(precise);
    mpfr_set_zero(angle.get(), 1);
    for (std::size_t a = 0; a < place.size(); ++a) {
      mpfr_mul_d(term.get(), w_[angle_of][a].get(), place[a], MPFR_RNDN);
      mpfr_add(angle.get(), angle.get(), term.get(), MPFR_RNDN);
    }
    mpfr_sin_cos(sine.get(), cosine.get(), angle.get(), MPFR_RNDN);
    const Value size = magnitude_ * decay(k, place[0], side);
    mpfr_mul(sine.get(), sine.get(), size.get(), MPFR_RNDN);
    mpfr_mul(cosine.get(), cosine.get(), size.get(), MPFR_RNDN);
    const auto nearest = [](const oracle::Number& x) { return static_cast<float>(oracle::rounded(x, oracle::f32)); };
    const float s = nearest(sine);
    return {nearest(cosine), rotary_.turn == TurnTo::backward ? -s : s};
  }

  // Angles of up to 2^53 turns leave 400 bits more than f32 has.
  static constexpr mpfr_prec_t precise = 512;

  const Rotary rotary_;
  std::int64_t turned_, first_;
  std::vector<TruePair> pairs_;
  Value magnitude_;
  std::vector<std::vector<Value>> w_;  // of each pair by axis: 0 but for its own, or for every axis of a sum
  Context context_;
};

}  // namespace posenc::test
