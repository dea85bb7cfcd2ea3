// SPDX-License-Identifier: Apache-2.0
// Diagnoses: the convention as asked, then faults, then elsewhere, with a field changed, and by any other name.
#include <posenc/referee/diagnose.h>

#include <algorithm>

#include "src/base/environment.h"
#include "src/base/to_text.h"
#include "src/referee/compared_places.h"
#include "src/referee/copies.h"
#include "src/referee/diagnose_relative.h"
#include "src/referee/diagnose_trials.h"
#include "src/referee/drift.h"
#include "src/referee/faults.h"
#include "src/referee/identify_frequencies.h"
#include "src/referee/identify_table.h"
#include "src/referee/known_faults.h"
#include "src/referee/known_share.h"
#include "src/referee/mapped_entries.h"
#include "src/referee/not_identified.h"
#include "src/referee/pair_places.h"
#include "src/referee/row_order.h"
#include "src/referee/short_text.h"
#include "src/referee/storage.h"
#include "src/referee/values.h"

namespace posenc {

std::optional<Problem> check_diagnose(const ConstView& tensor, const Convention& convention,
                                      const DiagnoseOptions& options) {
  const DefaultEnvironment environment;
  using namespace referee;
  if (auto problem = check_entries(tensor, options.identify)) return problem;
  if (auto problem = check_convention(convention)) return problem;
  if (auto problem = check_context(options.context)) return problem;
  if (options.dim < 0) return Problem{"diagnose", "dim must be 0 or the width asked for", std::to_string(options.dim)};
  if (options.places) {
    if (auto problem = check_places(*options.places)) return problem;
  }
  if (auto problem = check_pair_places(options)) return problem;
  if (is_relative(tensor, convention)) {
    return check_relative(tensor, convention, options);
  }
  if (states_pairs(options)) {
    return Problem{"diagnose", "queries and keys must be of biases or classes of distances",
                   std::string(family(convention))};
  }
  const std::size_t axes = axes_of(convention).size(), lists = options.identify.positions.size();
  if (lists > 1 && lists != axes) {
    return Problem{"diagnose", "positions must be a list for each of " + std::to_string(axes) + " axes, or one for all",
                   std::to_string(lists)};
  }
  for (const Positions& positions : options.identify.positions) {
    const auto sizes = std::span(tensor.shape).first(static_cast<std::size_t>(tensor.rank));
    const bool of_cells = axes > 1 && positions.count_ > 0 && tensor.count() % positions.count_ == 0;
    if (of_cells || std::ranges::find(sizes, positions.count_) != sizes.end()) continue;
    return Problem{"diagnose", "positions must be as many as an axis has, " + to_text(sizes),
                   std::to_string(positions.count_)};
  }
  return options.dim > 0 ? check_width(convention, options.dim) : std::nullopt;
}

namespace referee {
namespace {

std::optional<Fault> fault_of(const Asked& asked, const Beyond& beyond, DType storage) {
  if (auto found = scale_fault(asked.reading, asked.hypothesis, storage)) return found;
  return fault_of_rows(asked.reading, asked.hypothesis, storage, beyond);
}

Diagnosis wrong_by(Fault fault) {
  Diagnosis diagnosis = wrong_as(std::move(fault.words));
  diagnosis.explained = fault.explained;
  return diagnosis;
}

// What is asked, as the tensor comes nearest to it.
struct Nearest {
  const Asked* asked = nullptr;
  Verdict verdict;
};

// The way of reading that is right, else the one of which the most entries are.
Nearest nearest_of(const std::vector<Asked>& all, std::span<const DType> storages, const Executor& executor) {
  std::vector<std::pair<double, const Asked*>> ways;
  for (const Asked& asked : all) {
    if (asked.reading.extra > 0 || !usual(asked.reading)) continue;
    const double share = sampled_share(asked.reading, asked.hypothesis, storages.back(), executor);
    ways.push_back({share + (share < 1 ? sampled_likeness(asked.reading, asked.hypothesis) : 1), &asked});
  }
  std::ranges::stable_sort(ways, {}, [](const auto& each) { return -each.first; });
  Nearest nearest;
  constexpr std::size_t most = 2;
  for (std::size_t i = 0; i < std::min(most, ways.size()); ++i) {
    Verdict found = verdict(ways[i].second->reading, ways[i].second->hypothesis, storages, executor);
    if (nearest.asked != nullptr && !found.right && found.beyond.share() <= nearest.verdict.beyond.share()) continue;
    nearest = {ways[i].second, std::move(found)};
    if (nearest.verdict.right) break;
  }
  return nearest;
}

Candidate right_candidate(const Asked& asked, const Verdict& found, const Convention& convention,
                          std::span<const DType> storages, const DiagnoseOptions& options) {
  if (auto candidate = judge(asked.reading, {asked.hypothesis, {}}, convention, storages, options)) return *candidate;
  // Further off than identify admits, as entries of a recipe are that loses more than others.
  Candidate candidate;
  candidate.convention = convention;
  candidate.form = asked.hypothesis.signal.form, candidate.reading = asked.reading.name;
  candidate.extents = asked.reading.extents, candidate.width = asked.hypothesis.signal.given.width;
  candidate.context = asked.hypothesis.signal.given.context;
  candidate.storage = found.storage, candidate.recipe = found.recipe;
  const auto agreement = [&](const Recipe& by) {
    return match(asked.reading, asked.hypothesis, by, found.storage, {}, options.identify.executor)
        .value_or(Agreement{});
  };
  candidate.exact = candidate.by_recipe = agreement(exact());
  if (found.recipe != "exact") candidate.by_recipe = agreement(recipe(found.recipe));
  candidate.known_share = known_share(candidate.recipe, candidate.storage);
  return candidate;
}

// Right but for rows in front, as of a class token and of registers; the first rows behind so many are tried alone.
std::optional<Diagnosis> behind_front_rows(const Convention& convention, const DiagnoseOptions& options,
                                           const Nearest& nearest, std::span<const DType> storages) {
  constexpr std::int64_t most = 16, few = 64;
  if (nearest.asked == nullptr || !options.identify.positions.empty()) return std::nullopt;
  const auto is_right = [&](const ConstView& rows) {
    const std::vector<Asked> all = all_asked(rows, convention, options, Ways::usual);
    const Nearest behind = nearest_of(all, storages, options.identify.executor);
    return behind.asked != nullptr && behind.verdict.right;
  };
  const bool flat = nearest.asked->reading.extents.size() == 1;
  for (std::int64_t count = 1; count <= most; ++count) {
    const auto rest = without_rows(nearest.asked->reading, count);
    if (!rest) return std::nullopt;
    ConstView some = *rest;
    some.shape[0] = std::min(some.size(0), few);
    if (flat && axes_of(convention).size() == 1 && !is_right(some)) continue;
    const std::vector<Asked> all = all_asked(*rest, convention, options, Ways::usual);
    const Nearest behind = nearest_of(all, storages, options.identify.executor);
    if (behind.asked == nullptr || !behind.verdict.right) continue;
    Diagnosis diagnosis = wrong_as({count == 1 ? "1 row in front belongs to no position"
                                               : std::to_string(count) + " rows in front belong to no position"});
    diagnosis.found = right_candidate(*behind.asked, behind.verdict, convention, storages, options);
    put_behind(*diagnosis.found, count);
    diagnosis.explained = 1;
    return diagnosis;
  }
  return std::nullopt;
}

// Right but for columns of zeros behind.
std::optional<Diagnosis> before_zero_columns(const ConstView& tensor, const Convention& convention,
                                             const DiagnoseOptions& options, std::span<const DType> storages) {
  const auto padded = without_zero_columns(tensor);
  if (!padded) return std::nullopt;
  const std::vector<Asked> all = all_asked(padded->rest, convention, options, Ways::usual);
  const Nearest before = nearest_of(all, storages, options.identify.executor);
  if (before.asked == nullptr || !before.verdict.right) return std::nullopt;
  Diagnosis diagnosis = wrong_as({counted("column", padded->zeros) + "zero: padding"});
  diagnosis.found = right_candidate(*before.asked, before.verdict, convention, storages, options);
  diagnosis.explained = 1;
  return diagnosis;
}

// Rows that were not filled, behind others whose fault, if there is one, is told too.
std::optional<Diagnosis> before_zero_rows(const ConstView& tensor, const Convention& convention,
                                          const DiagnoseOptions& options) {
  const auto filled = options.identify.positions.empty() ? without_zero_rows(tensor) : std::nullopt;
  if (!filled) return std::nullopt;
  Diagnosis diagnosis = detail::diagnose(filled->rest, convention, options);
  if (!diagnosis.right && diagnosis.explained < 1) return std::nullopt;
  diagnosis.right = false, diagnosis.explained = 1;
  diagnosis.findings.insert(diagnosis.findings.begin(), filled->words);
  return diagnosis;
}

// Permutations of the cells of a grid that its rows may hold: y and x exchanged, columns before rows.
enum class OtherCells : std::uint8_t { exchanged = 1, column_major };

// Coordinates of every row, a list for each axis, of h x w cells.
std::vector<std::vector<double>> coordinates_of(OtherCells other, const Asked& asked, std::size_t row_axis) {
  const std::int64_t h = asked.reading.extents[0], w = asked.reading.extents[1];
  const std::vector<Coordinates>& along = asked.hypothesis.coordinates;
  std::vector<std::vector<double>> lists(2);
  for (std::int64_t i = 0; i < h * w; ++i) {
    const bool is_exchanged = other == OtherCells::exchanged;
    const std::int64_t row = is_exchanged ? i / w : i % h, column = is_exchanged ? i % w : i / h;
    const std::size_t of_rows = is_exchanged ? 1 - row_axis : row_axis;
    lists[of_rows].push_back(along[of_rows].at(row)), lists[1 - of_rows].push_back(along[1 - of_rows].at(column));
  }
  return lists;
}

// Two axes of cells as one, which lists of positions count along.
ConstView with_cells_in_a_row(const ConstView& tensor, const std::vector<std::int64_t>& extents) {
  ConstView flat = tensor;
  for (int a = 0; a + 1 < tensor.rank; ++a) {
    const auto i = static_cast<std::size_t>(a);
    if (tensor.shape[i] != extents[0] || tensor.shape[i + 1] != extents[1]) continue;
    if (tensor.strides[i] != extents[1] * tensor.strides[i + 1]) continue;
    flat.shape[i] = extents[0] * extents[1], flat.strides[i] = tensor.strides[i + 1];
    for (std::size_t next = i + 1; next + 1 < static_cast<std::size_t>(tensor.rank); ++next) {
      flat.shape[next] = tensor.shape[next + 1], flat.strides[next] = tensor.strides[next + 1];
    }
    --flat.rank;
    break;
  }
  return flat;
}

// Drops a single list of positions 0, 1, .. if the convention has several axes: the list counts rows, not coordinates.
DiagnoseOptions without_count(const Convention& convention, const DiagnoseOptions& options) {
  DiagnoseOptions without = options;
  if (options.identify.positions.size() != 1 || axes_of(convention).size() < 2) return without;
  const std::vector<double> list = listed_places(options)[0].list;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] != static_cast<double>(i)) return without;
  }
  without.identify.positions.clear();
  return without;
}

// Right, but for which cell a row holds; a list for each axis says it of every convention alike.
std::optional<Diagnosis> at_other_cells(const ConstView& tensor, const Convention& convention,
                                        const DiagnoseOptions& stated_options, std::span<const DType> storages) {
  const std::vector<std::string> axes = axes_of(convention), order = cell_axes(convention);
  const DiagnoseOptions options = without_count(convention, stated_options);
  if (axes.size() != 2 || order.size() != 2 || !options.identify.positions.empty()) return std::nullopt;
  const std::size_t row_axis = axes[0] == order[0] ? 0 : 1;
  std::vector<std::vector<std::int64_t>> tried;
  for (const Asked& asked : all_asked(tensor, convention, options, Ways::usual)) {
    const std::vector<std::int64_t>& extents = asked.reading.extents;
    if (extents.size() != 2) continue;
    if (std::ranges::find(tried, extents) != tried.end()) continue;
    tried.push_back(extents);
    for (const OtherCells other : {OtherCells::exchanged, OtherCells::column_major}) {
      const std::vector<std::vector<double>> lists = coordinates_of(other, asked, row_axis);
      DiagnoseOptions stated = options;
      for (const std::vector<double>& list : lists) {
        stated.identify.positions.push_back(Positions::list(view(list.data(), {std::ssize(list)})));
      }
      const std::vector<Asked> listed =
          all_asked(with_cells_in_a_row(tensor, extents), convention, stated, Ways::usual);
      const Nearest nearest = nearest_of(listed, storages, options.identify.executor);
      if (nearest.asked == nullptr || !nearest.verdict.right) continue;
      const std::string cells = std::to_string(extents[0]) + " x " + std::to_string(extents[1]) + " cells";
      Diagnosis diagnosis = wrong_as({other == OtherCells::exchanged
                                          ? order[1] + " and " + order[0] + " swapped: of " + cells
                                          : cells + " stand column by column: exchange the two axes of cells"});
      diagnosis.found = right_candidate(*nearest.asked, nearest.verdict, convention, storages, stated);
      diagnosis.explained = 1;
      return diagnosis;
    }
  }
  return std::nullopt;
}

// One list of positions for every axis, of entries that are those of cells.
std::optional<Diagnosis> right_without_positions(const ConstView& tensor, const Convention& convention,
                                                 const DiagnoseOptions& options) {
  if (options.identify.positions.size() != 1 || axes_of(convention).size() < 2) return std::nullopt;
  DiagnoseOptions unstated = options;
  unstated.identify.positions.clear();
  Diagnosis diagnosis = detail::diagnose(tensor, convention, unstated);
  return diagnosis.right ? std::optional(std::move(diagnosis)) : std::nullopt;
}
std::optional<Diagnosis> as_counted_cells(const ConstView& tensor, const Convention& convention,
                                          const DiagnoseOptions& options) {
  if (!without_count(convention, options).identify.positions.empty()) return std::nullopt;
  auto diagnosis = right_without_positions(tensor, convention, options);
  if (diagnosis) diagnosis->findings = {"positions count the cells, and each axis has places of its own"};
  return diagnosis;
}
std::optional<Diagnosis> as_cells(const ConstView& tensor, const Convention& convention,
                                  const DiagnoseOptions& options) {
  if (without_count(convention, options).identify.positions.empty()) return std::nullopt;
  auto diagnosis = right_without_positions(tensor, convention, options);
  if (!diagnosis) return std::nullopt;
  diagnosis->right = false;
  diagnosis->findings = {
      "right as cells without positions: one list stands for every axis; state none, or one for each"};
  return diagnosis;
}

// Words for a wrong width. A reader sees how many columns turn, not the width of a head that turns only partly.
std::string words_of_width(const Convention& convention, const LoweredFor& found, std::int64_t asked) {
  LoweredFor whole = found;
  whole.width = asked;
  std::optional<std::int64_t> is, wanted;
  if (gives(ConventionUse::rotations, convention)) {
    is = turned_columns(convention, found), wanted = turned_columns(convention, whole);
  }
  const std::string width = std::to_string(found.width);
  if (!is || !wanted || *wanted == asked) return "the width is " + width + ", not " + std::to_string(asked);
  const std::string columns = std::to_string(*is) + " columns turn, " + std::to_string(*wanted) + " asked: ";
  if (*wanted == found.width) {
    return columns + "the part was taken twice, of " + std::to_string(asked) + " and of the " + width +
           " that it leaves";
  }
  return columns + "those of a head of " + width + ", not of " + std::to_string(asked);
}

// Right, but of another width than is asked.
std::optional<Diagnosis> of_another_width(const ConstView& tensor, const Convention& convention,
                                          const DiagnoseOptions& options, std::span<const DType> storages) {
  if (options.dim == 0) return std::nullopt;
  DiagnoseOptions any = options;
  any.dim = 0;
  const std::vector<Asked> all = all_asked(tensor, convention, any, Ways::usual);
  const Nearest nearest = nearest_of(all, storages, options.identify.executor);
  if (nearest.asked == nullptr || !nearest.verdict.right) return std::nullopt;
  const LoweredFor& given = nearest.asked->hypothesis.signal.given;
  Diagnosis diagnosis = wrong_as({words_of_width(convention, given, options.dim)});
  diagnosis.found = right_candidate(*nearest.asked, nearest.verdict, convention, storages, any);
  diagnosis.explained = 1;
  return diagnosis;
}

// What is wrong, in the order in which faults are looked for: what is quick to tell, then what needs a search.
Diagnosis fault_found(const ConstView& tensor, const Convention& convention, const DiagnoseOptions& options,
                      const std::vector<Asked>& all, const Nearest& nearest, std::span<const DType> storages) {
  if (const auto unequal = nearly_copies(tensor)) return wrong_as({words_of(tensor, *unequal)});
  if (all.empty()) {
    if (auto found = of_another_width(tensor, convention, options, storages)) return *found;
  }
  const Trial plain = {convention, options, {}};
  std::vector<Trial> louder;
  add_changed(plain, {{"magnitude", 1}}, louder);
  for (const Trial& trial : louder) {
    const auto found = elsewhere(tensor, trial, storages, nullptr);
    if (found && !stretched(*found, all) && found->found->fitted.empty()) return *found;
  }
  if (nearest.asked != nullptr) {
    if (auto found = fault_of(*nearest.asked, nearest.verdict.beyond, storages.back())) return wrong_by(*found);
  }
  if (auto found = before_zero_rows(tensor, convention, options)) return *found;
  if (auto found = as_cells(tensor, convention, options)) return *found;
  if (auto found = as_preset(tensor, plain, storages, {}, PresetRows::of_other_places)) return *found;
  // A linear scaling that was forgotten looks like positions in other steps, which few programs have.
  auto moved = elsewhere(tensor, plain, storages, nullptr);
  if (moved && !stretched(*moved, all)) return *moved;
  if (auto found = behind_front_rows(convention, options, nearest, storages)) return *found;
  if (auto found = before_zero_columns(tensor, convention, options, storages)) return *found;
  const MeasuredTurns measured = measured_of(nearest.asked, storages.back());
  Trial as_numbered = plain;  // another convention has numbers of its own, or none
  if (options.identify.positions.empty()) as_numbered.options.places = numberings_of(convention, options).front();
  const std::vector<Trial> trials = trials_of(as_numbered);
  for (const Trial& trial : trials) {
    const auto found = elsewhere(tensor, trial, storages, &measured);
    if (found && !stretched(*found, all)) return *found;
  }
  if (const auto trial = with_shown_ramp(as_numbered, measured)) {
    const auto found = elsewhere(tensor, *trial, storages, &measured);
    if (found && !stretched(*found, all)) return *found;
  }
  if (auto found = as_preset(tensor, plain, storages, measured, PresetRows::all)) return *found;
  if (auto found = at_other_cells(tensor, convention, options, storages)) return *found;
  if (moved) {
    if (const auto trial = another_first(plain, *moved, all)) {
      const auto found = elsewhere(tensor, *trial, storages, nullptr);
      if (found && !stretched(*found, all)) return *found;
    }
    return *moved;
  }
  std::optional<Fault> partly;
  // Damaged columns explain a table only if at least half of its entries match; else its layout may be another one.
  const Beyond& beyond = nearest.verdict.beyond;
  if (nearest.asked != nullptr) {
    partly = damaged_columns(nearest.asked->reading, nearest.asked->hypothesis, storages.back());
    if (partly && partly->explained == 1 && 2 * beyond.wrong <= beyond.entries) return wrong_by(*partly);
    auto noise =
        partly ? std::nullopt : noisy_entries(nearest.asked->reading, nearest.asked->hypothesis, storages.back());
    if (noise) return wrong_by(*noise);
  }
  if (auto found = as_neighbour(tensor, plain, trials, storages, measured)) return *found;
  const auto named = identified(tensor, convention, options);
  const bool other_family = named && rank(named->findings).first;
  if (named && !other_family) return *named;
  if (auto found = refitted(tensor, convention, plain, storages)) return *found;
  // Candidates that explain every entry rank before those that only measure residuals.
  for (const Trial& trial : trials) {
    if (auto found = beside_trial(tensor, trial, storages, measured)) return *found;
  }
  const auto alike = beside_another(told_of(tensor, options.identify, &convention), convention);
  if (alike && !rank(alike->findings).first) return *alike;
  if (partly) return wrong_by(*partly);
  if (named) return *named;
  const Told told = told_of(tensor, options.identify);
  const auto beside = beside_another(told, convention);
  if (nearest.asked != nullptr && !beside && !rows_are_equal(nearest.asked->reading)) {
    const Asked& asked = *nearest.asked;
    if (auto found = another_part(asked.reading, asked.hypothesis, storages.back())) return wrong_by(*found);
    if (auto found = drifted_columns(asked.reading, asked.hypothesis, storages.back())) return wrong_by(*found);
  }
  const std::string_view none = all.empty() ? "no axis of the tensor has the width of the convention's rows"
                                            : "no known fault explains these entries";
  return wrong_as({std::string(none), words_of_kind(told)});
}

bool has(const std::vector<FieldText>& fields, std::string_view name, std::string_view value) {
  const auto found = std::ranges::find(fields, name, &FieldText::name);
  return found != fields.end() && found->value == value;
}

// The row of an absent position, which the convention makes zero: that of the padding id in a table of positions.
std::optional<std::int64_t> absent_row(const Convention& convention, const Nearest& nearest) {
  if (nearest.asked == nullptr || nearest.verdict.beyond.wrong_rows != 1) return std::nullopt;
  if (!has(fields_of(convention), "absent", "zero_row")) return std::nullopt;
  const Reading& reading = nearest.asked->reading;
  const std::int64_t row = nearest.verdict.beyond.rows[0];
  for (std::int64_t c = 0; c < reading.width; ++c) {
    if (reading.at(row, c) != 0) return std::nullopt;
  }
  return row;
}

// Columns that stand twice, in the other order than a field of the convention wants them.
struct OtherOrder {
  std::string_view field, value, form, words;
};
// Than the original stores them: what the wrong pairing makes of a cache.
constexpr OtherOrder other_stored[] = {
    {"stored", "halves_twice", "[a a b b",
     "columns are [a a b b ..], [a | a] asked: those of adjacent pairs, not of halves; take every second one, twice"},
    {"stored", "pairs_twice", "[a | a]",
     "columns are [a | a], [a a b b ..] asked: those of halves, not of adjacent pairs; repeat each one"}};
// Where nothing says how they are stored; which pairing reads them, the tensor does not show.
constexpr OtherOrder other_pairing[] = {
    {"pairing", "split_half", "[a a b b",
     "columns are [a a b b ..], as a program reads them that turns adjacent pairs; the convention turns halves"},
    {"pairing", "adjacent", "[a | a]",
     "columns are [a | a], as a program reads them that turns halves; the convention turns adjacent pairs"}};
std::optional<std::string> words_of_order(std::span<const OtherOrder> others, const Convention& convention,
                                          std::string_view form) {
  const std::vector<FieldText> fields = fields_of(convention);
  const auto found = std::ranges::find_if(others, [&](const OtherOrder& each) {
    return has(fields, each.field, each.value) && form.find(each.form) != form.npos;
  });
  return found == others.end() ? std::nullopt : std::optional<std::string>(found->words);
}

// The first rows of a large table of one axis: what they show is looked for there, since a search reads them many
// times.
struct Front {
  ConstView tensor;
  DiagnoseOptions options;
  std::vector<double> memory;
};
std::optional<Front> front_of(const ConstView& tensor, const Convention& convention, const DiagnoseOptions& options,
                              const Nearest& nearest) {
  constexpr std::int64_t large = std::int64_t{1} << 21, entries = std::int64_t{1} << 19;
  if (nearest.asked == nullptr || axes_of(convention).size() != 1 || tensor.count() < large) return std::nullopt;
  const Reading& reading = nearest.asked->reading;
  if (rows_are_equal(reading)) return std::nullopt;  // a search reads one of them
  const std::int64_t places = reading.extents[0], kept = std::max<std::int64_t>(entries / reading.width, 64);
  const auto sizes = std::span(tensor.shape).first(static_cast<std::size_t>(tensor.rank));
  const auto axis = std::ranges::find(sizes, places);
  if (kept >= places || axis == sizes.end()) return std::nullopt;
  Front front = {tensor, options, {}};
  front.tensor.shape[static_cast<std::size_t>(axis - sizes.begin())] = kept;
  if (front.options.context.length == 0) front.options.context.length = places;
  for (Positions& positions : front.options.identify.positions) {
    positions = slice(positions, 0, std::min(kept, positions.count_), front.memory);
  }
  return front;
}
Diagnosis fault_of_front(const Front& front, const Convention& convention, const Nearest& nearest,
                         std::span<const DType> storages) {
  if (auto found = fault_of(*nearest.asked, nearest.verdict.beyond, storages.back())) return wrong_by(*found);
  const std::vector<Asked> all = all_asked(front.tensor, convention, front.options);
  return fault_found(front.tensor, convention, front.options, all,
                     nearest_of(all, storages, front.options.identify.executor), storages);
}

// A list of frequencies that stands along one axis of several, where that is right: else it is a row of a table.
std::optional<Diagnosis> as_right_list(const ConstView& tensor, const Convention& convention,
                                       const DiagnoseOptions& options) {
  constexpr std::int64_t fewest = 4;  // as identify has it
  const auto row = is_real(tensor.dtype) && options.identify.positions.empty() ? as_row(tensor) : std::nullopt;
  if (!row || row->width < fewest || check_relative(row->tensor, convention, options)) return std::nullopt;
  Diagnosis diagnosis = diagnose_relative(row->tensor, convention, options);
  return diagnosis.right ? std::optional(std::move(diagnosis)) : std::nullopt;
}

// Entries that say by themselves that they are no signal.
std::optional<Diagnosis> of_no_signal(const ConstView& tensor, std::int64_t wrong) {
  if (const auto none = not_finite(tensor)) {
    Diagnosis diagnosis = wrong_as({none->words});
    diagnosis.entries = tensor.count(), diagnosis.wrong = none->count;  // of no width too
    diagnosis.explained = static_cast<double>(none->count) / static_cast<double>(std::max(wrong, none->count));
    return diagnosis;
  }
  const auto plain = is_constant(tensor) ? plain_values(tensor) : std::nullopt;
  if (!plain) return std::nullopt;
  Diagnosis diagnosis = wrong_as({*plain});
  diagnosis.explained = 1;
  return diagnosis;
}

// Equal rows count as many rows at one position, not as copies of one row, unless the call states positions.
Copies copies_of_rows(const ConstView& tensor, const IdentifyOptions& options) {
  Copies copies = without_copies(tensor, options);
  if (tensor.rank < 2 || !options.positions.empty() || copies.once.count() > tensor.size(-1)) return copies;
  const auto rows = static_cast<std::size_t>(tensor.rank - 2);
  copies.once.shape[rows] = tensor.shape[rows];
  copies.count /= tensor.shape[rows];
  return copies;
}

// Rejects copies that are cells: neighbours along a slow axis can be equal in a narrow type.
Copies cells_or(Copies copies, const ConstView& tensor, const Convention& convention, const DiagnoseOptions& options,
                std::span<const DType> storages) {
  if (copies.count == 1 || axes_of(convention).size() < 2) return copies;
  const std::vector<Asked> whole = all_asked(tensor, convention, options, Ways::usual);
  const Nearest nearest = nearest_of(whole, storages, options.identify.executor);
  return nearest.asked != nullptr && nearest.verdict.right ? Copies{tensor, 1} : copies;
}

}  // namespace
}  // namespace referee

Diagnosis detail::diagnose(const ConstView& all_copies, const Convention& convention, const DiagnoseOptions& options) {
  const DefaultEnvironment environment;
  using namespace referee;
  if (is_relative(all_copies, convention)) {
    return diagnose_relative(all_copies, convention, options);
  }
  if (!is_real(all_copies.dtype)) return wrong_as({"the tensor holds whole numbers"});
  if (auto listed = as_right_list(all_copies, convention, options)) return *listed;
  const Copies equal = copies_of_rows(all_copies, options.identify);
  const std::vector<DType> storages = storages_of(equal.once, options.identify.executor);
  const Copies copies = cells_or(equal, all_copies, convention, options, storages);
  const ConstView& tensor = copies.once;
  const std::vector<Asked> all = all_asked(tensor, convention, options);
  const Nearest nearest = nearest_of(all, storages, options.identify.executor);
  Diagnosis diagnosis;
  if (nearest.asked != nullptr && nearest.verdict.right) {
    diagnosis.right = true, diagnosis.explained = 1;
    diagnosis.found = right_candidate(*nearest.asked, nearest.verdict, convention, storages, options);
    const std::string_view form = nearest.asked->hypothesis.signal.form;
    if (auto words = words_of_order(other_stored, convention, form)) {
      diagnosis.right = false, diagnosis.findings = {std::move(*words)};
    } else if (auto note = words_of_order(other_pairing, convention, form)) {
      diagnosis.findings = {std::move(*note)};
    }
  } else if (auto cells = as_counted_cells(all_copies, convention, options)) {
    return *cells;
  } else if (const auto absent = absent_row(convention, nearest)) {
    diagnosis.right = true, diagnosis.explained = 1;
    diagnosis.found = right_candidate(*nearest.asked, nearest.verdict, convention, storages, options);
    diagnosis.findings = {"row " + std::to_string(*absent) + " is zero, as that of an absent position is: padding"};
  } else if (auto plain = of_no_signal(all_copies, copies.count * nearest.verdict.beyond.wrong)) {
    diagnosis = std::move(*plain);
  } else if (const auto front = front_of(tensor, convention, options, nearest)) {
    diagnosis = fault_of_front(*front, convention, nearest, storages);
  } else {
    diagnosis = fault_found(tensor, convention, options, all, nearest, storages);
    if (diagnosis.found && diagnosis.found->width % 2 == 0) leave_out_odd(diagnosis.findings);
    if (diagnosis.found && diagnosis.explained == 0) diagnosis.explained = diagnosis.found->by_recipe.share();
  }
  if (diagnosis.found) diagnosis.found->copies *= copies.count;
  if (nearest.asked == nullptr) return diagnosis;
  diagnosis.assumed = nearest.asked->assumed;
  const Beyond& beyond = nearest.verdict.beyond;
  diagnosis.entries = copies.count * beyond.entries;
  if (diagnosis.right) return diagnosis;
  diagnosis.wrong = copies.count * beyond.wrong, diagnosis.first = beyond.first;
  if (nearest.verdict.right) return diagnosis;  // but for the order of its columns
  if (beyond.first.empty()) {
    diagnosis.findings.emplace_back(
        "angles are so large that only a known arithmetic could tell, and none has these entries");
  } else if (diagnosis.explained == 0) {
    diagnosis.findings.push_back("first wrong at " + place_words(nearest.asked->reading, nearest.asked->hypothesis,
                                                                 beyond.first[0], beyond.first[1]));
  }
  return diagnosis;
}

std::string to_string(const Diagnosis& diagnosis) {
  const DefaultEnvironment environment;
  std::string text = diagnosis.right ? "right\n" : "wrong\n";
  for (const std::string& each : diagnosis.findings) text += "  " + each + "\n";
  if (!diagnosis.right && diagnosis.wrong > 0) {
    text +=
        "  " + std::to_string(diagnosis.wrong) + " of " + std::to_string(diagnosis.entries) + " entries are wrong\n";
  }
  const auto said = [](const Assumed& each) { return each.name + " " + each.value; };
  if (!diagnosis.assumed.empty()) text += "  assumed: " + listed(diagnosis.assumed, said) + "\n";
  if (!diagnosis.found) return text;
  const Candidate& found = *diagnosis.found;
  text += "  form: " + found.form + ", stored as " + std::string(to_string(found.storage)) + "\n";
  text += "  exact: " + to_string(found.exact) + "\n";
  if (found.recipe != "exact") text += "  " + found.recipe + ": " + to_string(found.by_recipe) + "\n";
  return text;
}

}  // namespace posenc
