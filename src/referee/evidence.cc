// SPDX-License-Identifier: Apache-2.0
// Entries on one side, free numbers on the other, both in bits.
#include "src/referee/evidence.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "src/referee/logarithm.h"

namespace posenc::referee {
namespace {

double log2_of(double x) {
  constexpr double log_of_2 = 0.6931471805599453;
  return log_of(x) / log_of_2;
}

// "10000" is said in the bits of 1 and of 4 zeros, "sqrt 512" in those of 512.
double bits_of_text(std::string_view text) {
  double digits = 0, zeros = 0;
  for (const char c : text) {
    if (c == '0') ++zeros;
    if (c >= '1' && c <= '9') digits += zeros + 1, zeros = 0;
  }
  constexpr double per_digit = 3.32, form = 4;
  return form + per_digit * digits + (zeros > 0 ? 2 : 0);
}

// The hypothesis with the same ladder without its scaling; nothing where the convention has none.
std::optional<Hypothesis> without_scaling(const Hypothesis& scaled) {
  const Signal& signal = scaled.signal;
  const FieldChange none[] = {{"ladder.scaling", "none"}};
  if (check_changes(signal.convention, none)) return std::nullopt;
  auto plain = signal_of(*signal.preset, detail::changed(signal.convention, none), signal.given, signal.form);
  if (!plain) return std::nullopt;
  return Hypothesis{std::move(*plain), scaled.extent_of, scaled.coordinates};
}

// Counts the bits that the entries of a few rows say of the hypothesis: each number once, to the digits that its
// tolerance leaves; 0, the scale and their negatives say nothing, nor do whole numbers where there are no waves, nor
// entries that the `other` hypothesis predicts as well.
double bits_of_entries(const Reading& reading, const Hypothesis& hypothesis, const Tolerance& tolerance,
                       const std::optional<Hypothesis>& other) {
  const Signal& signal = hypothesis.signal;
  const bool listed = signal.form == frequency_form;
  double bits = 0;
  std::set<double> said;
  std::vector<char> again(signal.plan->columns.size());  // a cosine whose sine stands beside: both say one angle
  for (const WaveColumns& wave : waves_of(signal.plan->columns)) {
    if (wave.pair()) again[static_cast<std::size_t>(wave.cosine)] = 1;
  }
  const bool no_waves = waves_of(signal.plan->columns).empty();
  const std::vector<std::int64_t> all = probes(reading.places());
  for (const std::int64_t place : all) {
    const std::vector<std::int64_t> index = reading.index(place);
    for (std::int64_t c = 0; c < reading.width; ++c) {
      const plan::Column& column = signal.plan->columns[static_cast<std::size_t>(c)];
      const bool wave = column.kind == plan::Kind::wave;
      // Numbers on a line say one of them.
      if (!wave && (column.kind == plan::Kind::constant || place != all.back())) continue;
      if (again[static_cast<std::size_t>(c)] != 0) continue;
      const double size = wave ? std::abs(signal.scale) : 1, value = std::abs(reading.at(place, c)) / size;
      const double off = may_be_off(hypothesis, index, column, tolerance);
      const auto angle = [&](const Hypothesis& of) { return angle_at(of, index, column.axis, column.frequency); };
      if (other && std::abs(angle(hypothesis) - angle(*other)) <= off) continue;
      if (value <= off || (wave && std::abs(value - 1) <= off)) continue;
      // Whole numbers without waves are positions as well; a list of frequencies begins with 1.
      if (listed ? value == 1 : no_waves && value == std::rint(value)) continue;
      if (!said.insert(value).second) continue;
      bits += std::max(0.0, log2_of((wave ? 1 : value) / off) - 1);
    }
  }
  return bits;
}

}  // namespace

double bits_of(const Fitted& number) {
  constexpr double furthest = 0x1p23, steps = 0x1p10, most = 60;
  const double width = number.high - number.low, size = std::abs(number.value);
  const bool first = number.name.starts_with("first"), step = number.name.starts_with("step");
  const double range = first ? furthest : step ? std::max(steps, size) : 16 * size;
  const double by_interval = width > 0 ? std::clamp(log2_of(range / width), 0.0, most) : most;
  if (first && number.value == std::rint(number.value)) return std::min(by_interval, 2 + 2 * log2_of(size + 1));
  return number.simple.empty() ? by_interval : std::min(by_interval, bits_of_text(number.simple));
}

bool tells(const Reading& reading, const Held& held, std::size_t differences, const Tolerance& tolerance) {
  // Some hundred fits are tried that differ in choices of which no bits are counted: the signal, the pairs that a ramp
  // joins, and for a list the lengths and turns that put it there. Chance is left 2^-12 for tables, whose entries hold
  // hundreds of bits where they hold any, and 2^-24 for lists, of which a few numbers may be all.
  constexpr double per_field = 6, margin_of_tables = 12, margin_of_lists = 24;
  const Hypothesis& hypothesis = held.hypothesis;
  const double margin = hypothesis.signal.form == frequency_form ? margin_of_lists : margin_of_tables;
  double free = margin + per_field * static_cast<double>(differences), of_base = 0;
  for (const Fitted& number : held.fitted) {
    free += bits_of(number);
    if (number.name == "base") of_base = per_field + bits_of(number);
  }
  constexpr double least = 6;  // of a row as it stands: one number in bf16
  const bool is_fitted = free > margin;
  if (bits_of_entries(reading, hypothesis, tolerance, {}) < (is_fitted ? free : least)) return false;
  // A ramp leaves the first entries to the ladder, which they may tell alone: the others must tell the scaling.
  const bool is_scaled = std::ranges::find(held.fitted, "factor", &Fitted::name) != held.fitted.end();
  const auto plain = is_scaled ? without_scaling(hypothesis) : std::nullopt;
  return !plain || bits_of_entries(reading, hypothesis, tolerance, plain) >= free - of_base;
}

}  // namespace posenc::referee
