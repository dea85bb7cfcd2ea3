// SPDX-License-Identifier: Apache-2.0
// Products over pairs of a few places. Rows are made in f64, so a sum of n products is off by n 2^-53 of their sizes.
#include "src/referee/compared_scores.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "src/encodings/decays.h"
#include "src/numerics/evaluate.h"

namespace posenc::referee {
namespace {

constexpr std::int64_t most_places = 64;

// The rows of the places, one after the other; nothing where one was not settled.
std::optional<std::vector<double>> rows_at(const ComparedNumbers& numbers, const std::vector<std::int64_t>& places) {
  std::vector<double> rows(places.size() * static_cast<std::size_t>(numbers.width));
  for (std::size_t i = 0; i < places.size(); ++i) {
    double* row = rows.data() + i * static_cast<std::size_t>(numbers.width);
    if (numbers.write(places[i], 1, view(row, {1, numbers.width}))) return std::nullopt;
  }
  return rows;
}

double product(const std::vector<double>& rows, std::int64_t width, std::size_t p, std::size_t q) {
  const auto n = static_cast<std::size_t>(width);
  double sum = 0;
  for (std::size_t c = 0; c < n; ++c) sum += rows[p * n + c] * rows[q * n + c];
  return sum;
}

// `off`: what rounding may make of the change.
void note(ScoreChange& change, double by, double off, const Places& places, std::int64_t p, std::int64_t q) {
  if (!(by > off) || !(by > change.largest)) return;
  change.largest = by, change.p = places.at(p), change.q = places.at(q);
}

// ---- rotations -----------------------------------------------------------------------------------

// The map of one pair: what the columns read become in the columns written.
struct Turn {
  double a, b, c, d;  // [a b; c d]
};
// P^T Q
Turn between(const Turn& p, const Turn& q) {
  return {p.a * q.a + p.c * q.c, p.a * q.b + p.c * q.d, p.b * q.a + p.d * q.c, p.b * q.b + p.d * q.d};
}
Turn minus(const Turn& x, const Turn& y) { return {x.a - y.a, x.b - y.b, x.c - y.c, x.d - y.d}; }
// The largest length that a unit vector gets.
double norm(const Turn& x) {
  const double turning = std::sqrt((x.a + x.d) * (x.a + x.d) + (x.c - x.b) * (x.c - x.b));
  const double mirroring = std::sqrt((x.a - x.d) * (x.a - x.d) + (x.b + x.c) * (x.b + x.c));
  return (turning + mirroring) / 2;
}

// The turns of one convention at a few places.
class Turns {
 public:
  Turns(const plan::PairPlan& plan, std::vector<double> waves, const Places& places,
        const std::vector<std::int64_t>& some)
      : plan_(plan), waves_(std::move(waves)) {
    magnitude_ = numerics::rounded<double>(plan.magnitude).value_or(1);
    waves_of_pair_ = plan::turns_by_one_angle(plan) ? 2 : 4;
    if (plan.decay) add_decays(places, some);
  }

  std::size_t pairs() const { return plan_.pairs.size(); }
  double magnitude() const { return magnitude_; }

  // Of pair k, from a query at place p to a key at place q.
  Turn between_places(std::size_t p, std::size_t q, std::size_t k) const {
    Turn turn = between(at(p, k), at(q, k));
    if (decays_.empty()) return turn;
    const double factor = decays_[p * pairs() + k] / decays_[q * pairs() + k];
    for (double* each : {&turn.a, &turn.b, &turn.c, &turn.d}) *each *= factor;
    return turn;
  }

 private:
  Turn at(std::size_t place, std::size_t k) const {
    const double* first = waves_.data() + place * pairs() * waves_of_pair_ + 2 * k;
    const double* second = waves_of_pair_ == 4 ? first + 2 * pairs() : first;
    return {first[0], -first[1], second[1], second[0]};
  }
  void add_decays(const Places& places, const std::vector<std::int64_t>& some) {
    std::vector<std::uint32_t> all(pairs());
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<std::uint32_t>(k);
    const Decays decays(plan_, all);
    for (const std::int64_t i : some) {
      std::vector<std::optional<numerics::Dyadic>> place;
      for (const double x : places.at(i)) place.emplace_back(numerics::dyadic(x));
      const numerics::Rational exponent = decays.exponent(place);
      for (std::size_t k = 0; k < all.size(); ++k) {
        decays_.push_back(numerics::rounded<double>(decays.power(k, exponent)).value_or(1));
      }
    }
  }

  const plan::PairPlan& plan_;
  std::vector<double> waves_, decays_;
  double magnitude_;
  std::size_t waves_of_pair_;
};

// Of every column: its pair, and which of the two it is; nothing turns others.
struct PairOf {
  std::int64_t pair = -1;
  int which = 0;
};
std::vector<PairOf> pairs_of_columns(const plan::PairPlan& plan, std::size_t columns) {
  std::vector<PairOf> of(columns);
  for (std::size_t k = 0; k < plan.pairs.size(); ++k) {
    for (const int which : {0, 1}) {
      of[plan.pairs[k].read[static_cast<std::size_t>(which)]] = {static_cast<std::int64_t>(k), which};
    }
  }
  return of;
}

bool same_columns(const plan::PairPlan& a, const plan::PairPlan& b) {
  return a.width == b.width && std::ranges::equal(a.pairs, b.pairs, {}, &plan::Pair::read, &plan::Pair::read);
}

// Two maps of the head that turn other columns together: the largest entry of their difference.
class SingleColumns {
 public:
  SingleColumns(const Turns& a, const Turns& b, const plan::PairPlan& plan_a, const plan::PairPlan& plan_b)
      : sides_{Side{a, plan_a, {}, std::vector<Turn>(a.pairs())}, Side{b, plan_b, {}, std::vector<Turn>(b.pairs())}},
        columns_(static_cast<std::size_t>(std::max(plan_a.width, plan_b.width))) {
    for (Side& side : sides_) side.of = pairs_of_columns(side.plan, columns_);
  }

  double largest(std::size_t p, std::size_t q) {
    for (Side& side : sides_) {
      for (std::size_t k = 0; k < side.now.size(); ++k) side.now[k] = side.turns.between_places(p, q, k);
    }
    double most = 0;
    for (std::size_t row = 0; row < columns_; ++row) {
      const auto see = [&](std::size_t column) {
        most = std::max(most, std::abs(sides_[0].entry(row, column) - sides_[1].entry(row, column)));
      };
      see(row);
      for (const Side& side : sides_) {
        if (side.of[row].pair < 0) continue;
        for (const std::uint32_t column : side.plan.pairs[static_cast<std::size_t>(side.of[row].pair)].read)
          see(column);
      }
    }
    return most;
  }

 private:
  struct Side {
    const Turns& turns;
    const plan::PairPlan& plan;
    std::vector<PairOf> of;
    std::vector<Turn> now;  // of each pair, between the two places

    double entry(std::size_t row, std::size_t column) const {
      const PairOf i = of[row], j = of[column];
      if (i.pair < 0) return row == column ? 1 : 0;
      if (i.pair != j.pair) return 0;
      const Turn& turn = now[static_cast<std::size_t>(i.pair)];
      const std::array<double, 4> entries = {turn.a, turn.b, turn.c, turn.d};
      return entries[static_cast<std::size_t>(2 * i.which + j.which)];
    }
  };
  std::array<Side, 2> sides_;
  std::size_t columns_;
};

}  // namespace

std::optional<ScoreChange> change_of_products(const ComparedNumbers& a, const ComparedNumbers& b,
                                              const Places& places) {
  const std::vector<std::int64_t> some = spread(places.count(), most_places);
  const auto rows_a = rows_at(a, some), rows_b = rows_at(b, some);
  if (!rows_a || !rows_b) return std::nullopt;
  ScoreChange change = {ScoreChange::Of::products, std::ssize(some), 0, {}, {}, 0};
  for (std::size_t p = 0; p < some.size(); ++p) {
    for (std::size_t q = p; q < some.size(); ++q) {
      const double of_a = product(*rows_a, a.width, p, q), of_b = product(*rows_b, b.width, p, q);
      change.greatest = std::max(change.greatest, std::abs(of_a));
      const double off = static_cast<double>(std::max(a.width, b.width)) * 0x1p-52 * change.greatest;
      note(change, std::abs(of_a - of_b), off, places, some[p], some[q]);
    }
  }
  return change;
}

std::optional<ScoreChange> change_of_turns(const plan::PairPlan& a, const plan::PairPlan& b,
                                           const ComparedNumbers& waves_a, const ComparedNumbers& waves_b,
                                           const Places& places) {
  const std::vector<std::int64_t> some = spread(places.count(), most_places);
  auto rows_a = rows_at(waves_a, some), rows_b = rows_at(waves_b, some);
  if (!rows_a || !rows_b) return std::nullopt;
  const Turns of_a(a, std::move(*rows_a), places, some), of_b(b, std::move(*rows_b), places, some);
  const bool same = same_columns(a, b);
  ScoreChange change = {same ? ScoreChange::Of::norm : ScoreChange::Of::single, std::ssize(some), 0, {}, {}, 0};
  change.greatest = of_a.magnitude() * of_a.magnitude();
  SingleColumns single(of_a, of_b, a, b);
  for (std::size_t p = 0; p < some.size(); ++p) {
    // Of a decay a query behind its key is another one than a query before it.
    for (std::size_t q = a.decay || b.decay ? 0 : p; q < some.size(); ++q) {
      double by = 0;
      for (std::size_t k = 0; same && k < of_a.pairs(); ++k) {
        by = std::max(by, norm(minus(of_a.between_places(p, q, k), of_b.between_places(p, q, k))));
      }
      if (!same) by = single.largest(p, q);
      note(change, by, 0x1p-50 * change.greatest, places, some[p], some[q]);
    }
  }
  return change;
}

}  // namespace posenc::referee
