// SPDX-License-Identifier: Apache-2.0
// Classes of pairs: every row of presets at the offsets of queries and keys that people use, and windows.
#include <posenc/buckets.h>

#include <algorithm>
#include <set>

#include "src/conventions/lower.h"
#include "src/referee/class_fit.h"
#include "src/referee/identify_relative.h"
#include "src/referee/reading.h"

namespace posenc::referee {
namespace {

std::int64_t class_at(const ConstView& classes, std::int64_t i, std::int64_t j) {
  return integer_at(classes, i * classes.stride(0) + j * classes.stride(1));
}

// Nothing where a diagonal has two classes.
std::optional<Diagonals> diagonals_of(const ConstView& classes) {
  Diagonals all = {classes.size(0), classes.size(1), {}};
  for (std::int64_t i = all.queries - 1; i >= 0; --i) all.classes.push_back(class_at(classes, i, 0));
  for (std::int64_t j = 1; j < all.keys; ++j) all.classes.push_back(class_at(classes, 0, j));
  for (std::int64_t i = 0; i < all.queries; ++i) {
    for (std::int64_t j = 0; j < all.keys; ++j) {
      if (class_at(classes, i, j) != all.classes[static_cast<std::size_t>(j - i + all.queries - 1)])
        return std::nullopt;
    }
  }
  return all;
}

// How many classes there are, and whether they go on by one step throughout: then every offset would do.
struct Shape {
  std::size_t different;
  bool straight;
  bool tells_offsets() const { return !straight && different >= 4; }
};
Shape shape_of(const std::vector<std::int64_t>& classes) {
  bool straight = true;
  for (std::size_t m = 2; m < classes.size(); ++m) {
    straight &= classes[m] - classes[m - 1] == classes[1] - classes[0];
  }
  return {std::set(classes.begin(), classes.end()).size(), straight};
}

constexpr std::int64_t furthest_offset = 1 << 13;

bool has_plan(const plan::ClassPlan& plan, const Diagonals& diagonals, std::int64_t apart) {
  for (std::size_t m = 0; m < diagonals.classes.size(); ++m) {
    if (plan.at(diagonals.distance(m, apart)) != diagonals.classes[m]) return false;
  }
  return true;
}

// The usual ones; and those under which a class 0 beside others, or the middle one, is of distance 0.
std::vector<std::int64_t> likely_offsets(const Diagonals& diagonals, const Shape& shape) {
  const std::vector<std::int64_t>& classes = diagonals.classes;
  std::vector<std::int64_t> all = {0, diagonals.queries - diagonals.keys};
  if (!shape.tells_offsets()) return all;
  const std::int64_t most = std::ranges::max(classes);
  constexpr std::size_t enough = 5;
  for (std::size_t m = 0; m < classes.size() && all.size() < enough; ++m) {
    const bool begins = m > 0 && classes[m - 1] != 0, ends = m + 1 < classes.size() && classes[m + 1] != 0;
    const std::int64_t apart = -diagonals.distance(m, 0);
    const bool likely = (classes[m] == 0 && (begins || ends)) || (most % 2 == 0 && classes[m] == most / 2);
    if (likely && std::ranges::find(all, apart) == all.end()) all.push_back(apart);
  }
  return all;
}

// Which offsets are tried: the first query and key stand together, or the last ones do; or others, where classes tell.
enum class Offsets : std::uint8_t { usual = 1, others };

std::optional<std::int64_t> offset_of(const plan::ClassPlan& plan, const Diagonals& diagonals, Offsets offsets) {
  if (offsets == Offsets::usual) {
    for (const std::int64_t apart : {std::int64_t{0}, diagonals.queries - diagonals.keys}) {
      if (has_plan(plan, diagonals, apart)) return apart;
    }
    return std::nullopt;
  }
  for (std::int64_t size = 1; size <= furthest_offset; ++size) {
    for (const std::int64_t apart : {-size, size}) {
      if (has_plan(plan, diagonals, apart)) return apart;
    }
  }
  return std::nullopt;
}

Candidate whole_candidate(const ConstView& classes, std::string form, const Convention& convention) {
  Candidate candidate;
  candidate.convention = convention;
  candidate.form = std::move(form);
  candidate.reading = "[L, S]";
  candidate.storage = classes.dtype;
  candidate.exact.entries = candidate.exact.equal = classes.size(0) * classes.size(1);
  candidate.by_recipe = candidate.exact;
  return candidate;
}

// Distances of the likely offsets, and of all that are tried: classes of far ones take long.
std::int64_t near_of(const Diagonals& diagonals) { return 2 * (diagonals.queries + diagonals.keys); }
std::int64_t furthest_of(const Diagonals& diagonals) { return diagonals.queries + diagonals.keys + furthest_offset; }

class ClassCandidates {
 public:
  ClassCandidates(const ConstView& classes, const Diagonals& diagonals)
      : classes_(classes), diagonals_(diagonals), shape_(shape_of(diagonals.classes)) {}

  bool tell() const { return shape_.different >= 3; }

  void add(const Preset& preset, Offsets offsets) {
    if (offsets == Offsets::others && !shape_.tells_offsets()) return;
    const std::int64_t furthest = offsets == Offsets::usual ? near_of(diagonals_) : furthest_of(diagonals_);
    const plan::ClassPlan plan = lower_classes(preset.convention, furthest);
    if (const auto apart = offset_of(plan, diagonals_, offsets)) add(preset, preset.convention, *apart, {});
  }
  // Of distances of the other sign: as many classes transposed are.
  void add_other_sign(const Preset& preset) {
    if (!shape_.tells_offsets()) return;
    for (const std::string_view sign : {"key_minus_query", "query_minus_key"}) {
      const FieldChange change[] = {{"classes.sign", sign}};
      if (check_changes(preset.convention, change)) continue;
      const Convention other = detail::changed(preset.convention, change);
      if (other == preset.convention) continue;
      const plan::ClassPlan plan = lower_classes(other, near_of(diagonals_));
      if (const auto apart = offset_of(plan, diagonals_, Offsets::usual)) add(preset, other, *apart, {});
    }
  }
  void add_fits(const Preset& preset) {
    constexpr std::size_t least = 8;  // diagonals, that chance has no part in it
    // One row that goes on by one is a list of positions as well.
    if (diagonals_.classes.size() < least || (diagonals_.queries == 1 && shape_.straight)) return;
    for (const std::int64_t apart : likely_offsets(diagonals_, shape_)) {
      for (const ClassFit& fit : class_fits(diagonals_, apart, preset.convention)) {
        if (!has_plan(lower_classes(fit.convention, near_of(diagonals_)), diagonals_, apart)) continue;
        add(preset, fit.convention, apart, fit.fitted);
        break;
      }
    }
  }
  std::vector<Candidate> all;

 private:
  void add(const Preset& preset, const Convention& convention, std::int64_t apart, const std::vector<Fitted>& fitted) {
    const std::string name(preset.name);
    const plan::ClassPlan plan = lower_classes(convention, furthest_of(diagonals_));
    std::vector<std::string> differ = differences(convention, preset.convention);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (plans_[i] != plan || aparts_[i] != apart) continue;
      // The nearest row comes first.
      const bool nearer = differ.size() < all[i].differences.size();
      if (std::ranges::find(all[i].presets, name) != all[i].presets.end()) return;
      all[i].presets.insert(nearer ? all[i].presets.begin() : all[i].presets.end(), name);
      if (nearer) all[i].differences = std::move(differ), all[i].convention = convention;
      return;
    }
    Candidate candidate = whole_candidate(classes_, "classes", convention);
    candidate.presets = {name};
    candidate.differences = std::move(differ);
    candidate.extents = {diagonals_.queries, diagonals_.keys};
    candidate.places = {{"query", static_cast<double>(std::max<std::int64_t>(-apart, 0)), 1},
                        {"key", static_cast<double>(std::max<std::int64_t>(apart, 0)), 1}};
    candidate.fitted = fitted;
    all.push_back(std::move(candidate));
    plans_.push_back(plan), aparts_.push_back(apart);
  }

  const ConstView& classes_;
  const Diagonals& diagonals_;
  Shape shape_;
  std::vector<plan::ClassPlan> plans_;
  std::vector<std::int64_t> aparts_;
};

bool has_window(const ConstView& classes, const Convention& convention, const GridSize& window) {
  const std::int64_t n = classes.size(0);
  std::vector<std::int64_t> known(static_cast<std::size_t>(n * n));
  const View out = view(known.data(), {n, n});
  if (check_window_buckets(convention, window, out)) return false;
  detail::window_buckets(convention, window, out, serial);
  for (std::int64_t i = 0; i < n * n; ++i) {
    if (class_at(classes, i / n, i % n) != known[static_cast<std::size_t>(i)]) return false;
  }
  return true;
}

void add_windows(const ConstView& classes, const Preset& preset, std::vector<Candidate>& all) {
  const std::int64_t n = classes.size(0), extra = extra_classes(preset.convention);
  const std::int64_t cells = n - (extra > 0 ? 1 : 0);
  if (n != classes.size(1) || cells < 2) return;
  std::int64_t most = 0;
  for (std::int64_t i = 0; i < n * n; ++i) most = std::max(most, class_at(classes, i / n, i % n));
  for (std::int64_t height = 1; height <= cells; ++height) {
    if (cells % height != 0) continue;
    const GridSize window = {height, cells / height};
    const bool as_many = most == (2 * window.height - 1) * (2 * window.width - 1) + extra - 1;
    if (!as_many || !has_window(classes, preset.convention, window)) continue;
    Candidate candidate = whole_candidate(classes, "windows", preset.convention);
    candidate.presets = {std::string(preset.name)};
    candidate.reading = "[H W, H W]";
    candidate.extra = n - cells;
    candidate.extents = {window.height, window.width};
    all.push_back(std::move(candidate));
  }
}

}  // namespace

std::vector<Candidate> class_candidates(const ConstView& tensor) {
  const ConstView classes = without_front(tensor, 2);
  std::vector<Candidate> all;
  if (classes.rank != 2) return all;
  for (const Preset& preset : presets()) {
    if (!check_use("identify", ConventionUse::windows, preset.convention)) add_windows(classes, preset, all);
  }
  const auto diagonals = diagonals_of(classes);
  if (!diagonals) return all;
  ClassCandidates of_distances(classes, *diagonals);
  if (!of_distances.tell()) return all;
  std::vector<const Preset*> rows;
  for (const Preset& preset : presets()) {
    if (!check_use("identify", ConventionUse::classes, preset.convention)) rows.push_back(&preset);
  }
  for (const Preset* preset : rows) of_distances.add(*preset, Offsets::usual);
  const auto none_yet = [&] { return of_distances.all.empty() && all.empty(); };
  if (none_yet()) {
    for (const Preset* preset : rows) of_distances.add(*preset, Offsets::others);
  }
  if (none_yet()) {
    for (const Preset* preset : rows) of_distances.add_other_sign(*preset);
  }
  for (const Preset* preset : rows) of_distances.add_fits(*preset);
  std::ranges::move(of_distances.all, std::back_inserter(all));
  return all;
}

}  // namespace posenc::referee
