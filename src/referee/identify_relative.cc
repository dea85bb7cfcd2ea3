// SPDX-License-Identifier: Apache-2.0
// Which kind a tensor may be, by its type and shape.
#include "src/referee/identify_relative.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/referee/reading.h"

namespace posenc::referee {

ConstView without_front(const ConstView& tensor, int least) {
  ConstView view = tensor;
  while (view.rank > least && view.size(0) == 1) view = without_axis(view, 0);
  return view;
}

std::vector<Candidate> indistinct(std::vector<Candidate> candidates) {
  if (candidates.empty()) return candidates;
  std::ranges::stable_sort(candidates, {}, [](const Candidate& each) { return -each.exact.share(); });
  const Agreement best = candidates.front().exact;
  std::erase_if(candidates, [&](const Candidate& each) {
    if (each.exact.equal == each.exact.entries) return false;
    // Beyond chance, a right convention has more entries than a wrong one.
    constexpr double margin = 0.02;
    return best.equal == best.entries || each.exact.share() < best.share() - margin ||
           each.exact.difference > 4 * best.difference;
  });
  return candidates;
}

namespace {

// Classes that are stored as real numbers.
std::vector<Candidate> real_class_candidates(const ConstView& tensor) {
  const ConstView classes = without_front(tensor, 2);
  constexpr std::int64_t most = std::int64_t{1} << 24;
  if (classes.rank != 2 || classes.count() > most) return {};
  std::vector<std::int64_t> whole;
  for (std::int64_t i = 0; i < classes.size(0); ++i) {
    for (std::int64_t j = 0; j < classes.size(1); ++j) {
      constexpr double furthest = 0x1p31;
      const double x = real_at(classes, i * classes.stride(0) + j * classes.stride(1));
      if (!(x >= 0 && x < furthest) || x != std::rint(x)) return {};
      whole.push_back(static_cast<std::int64_t>(x));
    }
  }
  std::vector<Candidate> all = class_candidates(view(std::as_const(whole).data(), {classes.size(0), classes.size(1)}));
  for (Candidate& each : all) each.storage = tensor.dtype;
  return all;
}

}  // namespace

Identification identify_relative(const ConstView& tensor, const IdentifyOptions& options) {
  Identification identification;
  std::vector<Candidate>& all = identification.candidates;
  if (is_integer(tensor.dtype)) {
    all = class_candidates(tensor);
    return identification;
  }
  all = log_coordinate_candidates(tensor);
  if (all.empty()) all = query_scale_candidates(tensor, options);
  if (all.empty()) all = bias_candidates(tensor, options);
  if (all.empty()) all = real_class_candidates(tensor);
  return identification;
}

}  // namespace posenc::referee
