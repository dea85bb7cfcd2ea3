// SPDX-License-Identifier: Apache-2.0
// The parts of the derivation in bound.h, summed.
#include "src/referee/bound.h"

#include <posenc/operation.h>

#include "src/referee/logarithm.h"

namespace posenc::referee {
namespace {

// The error of arithmetic in f32 before an entry is stored, and how often it is rounded to its storage.
struct Arithmetic {
  double relative, absolute;
  int roundings;
};
Arithmetic arithmetic_of(EntryKind kind, double right) {
  constexpr double u = half_unit_of_f32;
  switch (kind) {
    case EntryKind::slopes: return {16 * u, 0, 1};
    case EntryKind::biases: return {17 * u, 0, 2};
    case EntryKind::factors: return {8 * u, 0, 1};
    case EntryKind::coordinates: return {6 * u, u, 1};
    case EntryKind::frequencies: return {listed_frequency_error(right), 0, 1};
    case EntryKind::quotients: return {listed_frequency_error(right), 0, 2};
    default: return {0, 0, 0};
  }
}

}  // namespace

EntryKind entry_kind_of(const Convention& convention) {
  const Operation& operation = operation_of(convention);
  if (operation.elements == ElementKind::whole) return EntryKind::classes;
  switch (operation.use) {
    case ConventionUse::slopes: return EntryKind::biases;
    case ConventionUse::query_scales: return EntryKind::factors;
    case ConventionUse::log_coordinates: return EntryKind::coordinates;
    default: return EntryKind::frequencies;
  }
}

double frequency_error(double frequency) {
  constexpr double roundings_of_exponent = 3, further = 8;
  if (frequency == 0) return 0;
  return (roundings_of_exponent * std::abs(log_of(std::abs(frequency))) + further) * half_unit_of_f32;
}

double listed_frequency_error(double frequency) {
  return frequency == 0 ? 0 : frequency_error(frequency) + 16 * half_unit_of_f32;
}

EntryBound bound_of(EntryKind kind, DType storage, double right) {
  const Arithmetic made = arithmetic_of(kind, right);
  const HalfUnit half = half_unit_of(storage);
  return {made.relative + made.roundings * half.relative, made.absolute + made.roundings * half.least};
}

}  // namespace posenc::referee
