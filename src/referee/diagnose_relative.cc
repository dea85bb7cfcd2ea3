// SPDX-License-Identifier: Apache-2.0
// Slopes, biases, classes, factors and coordinates of pairs: what a convention gives for every entry, then the same
// under the changes that ports make.
#include "src/referee/diagnose_relative.h"

#include <posenc/bias.h>
#include <posenc/buckets.h>
#include <posenc/log_coordinates.h>
#include <posenc/query_scale.h>

#include <algorithm>
#include <cmath>

#include "src/base/to_text.h"
#include "src/conventions/lower.h"
#include "src/numerics/evaluate.h"
#include "src/referee/compared_places.h"
#include "src/referee/diagnose_words.h"
#include "src/referee/identify_relative.h"
#include "src/referee/identify_table.h"
#include "src/referee/logarithm.h"
#include "src/referee/reading.h"
#include "src/referee/storage.h"

namespace posenc::referee {
namespace {

bool asks(Use use, const Convention& convention) { return !check_use("diagnose", use, convention); }
Problem shape_problem(std::string rule, const ConstView& tensor) {
  return {"diagnose", std::move(rule), shape_text(tensor)};
}

// Without its axes of size 1, but for as many as a kind needs at the end.
ConstView without_ones(const ConstView& tensor, int least) {
  ConstView view = without_front(tensor, least);
  for (int axis = view.rank - 1; axis > 0 && view.rank > least; --axis) {
    if (view.size(axis) != 1) continue;
    for (int next = axis; next + 1 < view.rank; ++next) {
      view.shape[static_cast<std::size_t>(next)] = view.size(next + 1);
      view.strides[static_cast<std::size_t>(next)] = view.stride(next + 1);
    }
    --view.rank;
  }
  return view;
}

// What a convention gives for every entry of a tensor.
struct Expected {
  std::string how;          ///< what was taken that the call does not say: ", queries from 28 on"; for words
  std::vector<double> all;  ///< row-major
};

// The widths of a head that may scale slopes: the one that is asked, else any usual one; one where none does.
std::vector<std::int64_t> heads_widths(const Convention& convention, const DiagnoseOptions& options) {
  if (!check_lower(convention, {.heads = 1})) return {0};
  if (options.dim > 0) return {options.dim};
  return {64, 128, 80, 96, 32, 48, 72, 112, 160, 192, 256, 16, 8, 4, 2, 1};
}

struct QueriesAndKeys {
  Positions queries, keys;
  std::string how;
};
// Queries and keys from 0 on; or the queries are the last of the keys.
std::vector<QueriesAndKeys> pairs_of(std::int64_t queries, std::int64_t keys, const DiagnoseOptions& options) {
  const std::vector<Positions>& asked = options.identify.positions;
  if (asked.size() == 2) return {{asked[0], asked[1], ""}};
  if (asked.size() == 1) return {{asked[0], asked[0], ""}};
  std::vector<QueriesAndKeys> all = {{Positions::range(0, queries), Positions::range(0, keys), ""}};
  if (queries != keys) {
    all.push_back({Positions::range(keys - queries, queries), Positions::range(0, keys),
                   "queries from position " + std::to_string(keys - queries) + " on"});
  }
  return all;
}

void add_biases(const Convention& convention, const ConstView& view, const DiagnoseOptions& options,
                std::vector<Expected>& all) {
  // [H, L, S], or [H, S] of one query.
  const std::int64_t heads = view.size(0), queries = view.rank == 3 ? view.size(1) : 1, keys = view.size(-1);
  for (const std::int64_t head : heads_widths(convention, options)) {
    for (const QueriesAndKeys& pairs : pairs_of(queries, keys, options)) {
      const LoweredFor given = {.width = head, .heads = heads};
      if (check_lower(convention, given)) continue;
      std::vector<std::int64_t> present;
      if (lower_heads(convention, given).keys == plan::Keys::present) present.assign(static_cast<std::size_t>(keys), 1);
      BiasContext context = {.head = head, .present = {}};
      if (!present.empty()) context.present = posenc::view(present.data(), {keys});
      Expected expected = {pairs.how, std::vector<double>(static_cast<std::size_t>(heads * queries * keys))};
      if (head != 0 && options.dim == 0)
        expected.how += (expected.how.empty() ? "heads of " : ", heads of ") + std::to_string(head);
      const View out = posenc::view(expected.all.data(), {heads, queries, keys});
      if (check_bias(convention, pairs.queries, pairs.keys, context, out)) continue;
      if (!detail::bias(convention, pairs.queries, pairs.keys, context, out, options.identify.executor)) {
        all.push_back(std::move(expected));
      }
    }
  }
}

std::vector<double> reals(const std::vector<std::int64_t>& whole) { return {whole.begin(), whole.end()}; }

void add_classes(const Convention& convention, const ConstView& view, const DiagnoseOptions& options,
                 std::vector<Expected>& all) {
  const std::int64_t queries = view.size(0), keys = view.size(1);
  std::vector<std::int64_t> whole(static_cast<std::size_t>(queries * keys));
  const View out = posenc::view(whole.data(), {queries, keys});
  for (const QueriesAndKeys& pairs : pairs_of(queries, keys, options)) {
    if (check_buckets(convention, pairs.queries, pairs.keys, out)) continue;
    detail::buckets(convention, pairs.queries, pairs.keys, out, options.identify.executor);
    all.push_back({pairs.how, reals(whole)});
  }
}

void add_windows(const Convention& convention, const ConstView& view, const DiagnoseOptions& options,
                 std::vector<Expected>& all) {
  std::vector<std::int64_t> whole(static_cast<std::size_t>(view.count()));
  const View out = posenc::view(whole.data(), {view.size(0), view.size(1)});
  for (std::int64_t height = 1; height <= view.size(0); ++height) {
    if (view.size(0) / height * height != view.size(0) && (view.size(0) - 1) % height != 0) continue;
    for (const std::int64_t cells : {view.size(0), view.size(0) - 1}) {
      const Window window = {height, cells / height};
      if (cells < 1 || cells % height != 0 || check_window_buckets(convention, window, out)) continue;
      detail::window_buckets(convention, window, out, options.identify.executor);
      all.push_back({"a window of " + std::to_string(height) + " x " + std::to_string(window.width), reals(whole)});
    }
  }
}

// Frequencies of a rotation, as a list: what others call inv_freq.
bool is_list(const ConstView& tensor) { return is_real(tensor.dtype) && tensor.rank == 1; }

void add_frequencies(const Convention& rotary, std::int64_t pairs, const DiagnoseOptions& options,
                     std::vector<Expected>& all) {
  LoweredFor given = {.context = options.context};
  if (given.context.length == 0) given.context.length = 1;
  if (!given.context.centre) given.context.centre = 0;
  for (const std::int64_t parts : {1, 2, 4, 3, 8}) {
    given.width = options.dim > 0 ? options.dim : 2 * pairs * parts;
    if (check_lower(rotary, given)) continue;
    const plan::PairPlan plan = lower_pairs(rotary, given);
    std::vector<double> frequencies;
    for (const plan::Pair& pair : plan.pairs) {
      double sum = 0;
      for (const numerics::Real& w : plan::frequencies(plan.ladders, pair.angles[0])) {
        sum += numerics::rounded<double>(w).value_or(0);
      }
      frequencies.push_back(sum);
    }
    // QueriesAndKeys behind those that turn may be left out.
    const bool rest_stands = std::all_of(frequencies.begin() + std::min(pairs, std::ssize(frequencies)),
                                         frequencies.end(), [](double w) { return w == 0; });
    if (std::ssize(frequencies) < pairs || !rest_stands) continue;
    frequencies.resize(static_cast<std::size_t>(pairs));
    all.push_back({"", std::move(frequencies)});
    return;
  }
}

// The ways in which a tensor may be what is asked; none where its shape is another.
std::vector<Expected> all_expected(const ConstView& tensor, const Convention& convention,
                                   const DiagnoseOptions& options) {
  std::vector<Expected> all;
  const auto made = [&](const ConstView& view, const auto& call) {
    Expected expected = {"", std::vector<double>(static_cast<std::size_t>(view.count()))};
    const auto shape = std::span(view.shape).first(static_cast<std::size_t>(view.rank));
    if (call(posenc::view(expected.all.data(), shape))) all.push_back(std::move(expected));
  };
  if (asks(Use::rotations, convention) && is_list(tensor)) {
    add_frequencies(convention, tensor.size(0), options, all);
  }
  if (asks(Use::slopes, convention)) {
    const ConstView view = without_ones(tensor, 1);
    if (view.rank == 1) {
      for (const std::int64_t head : heads_widths(convention, options)) {
        std::vector<double> slopes = slopes_of(convention, view.size(0), head);
        if (!slopes.empty())
          all.push_back({head == 0 || options.dim > 0 ? "" : "heads of " + std::to_string(head), slopes});
      }
    }
    if (view.rank == 2 || view.rank == 3) add_biases(convention, view, options, all);
  }
  if (asks(Use::classes, convention) && tensor.rank >= 2) {
    const ConstView view = without_front(tensor, 2);
    if (view.rank == 2) add_classes(convention, view, options, all);
  }
  if (asks(Use::windows, convention) && tensor.rank >= 2) {
    const ConstView view = without_front(tensor, 2);
    if (view.rank == 2 && view.size(0) == view.size(1)) add_windows(convention, view, options, all);
  }
  if (asks(Use::query_scales, convention)) {
    const ConstView view = without_ones(tensor, 1);
    const std::vector<Positions>& asked = options.identify.positions;
    const Positions positions = asked.empty() ? Positions::range(0, view.size(0)) : asked[0];
    if (view.rank == 1) {
      made(view, [&](const View& out) {
        return !check_query_scale(convention, positions, out) &&
               !detail::query_scale(convention, positions, out, options.identify.executor);
      });
    }
  }
  if (asks(Use::log_coordinates, convention) && tensor.rank >= 3) {
    const ConstView view = without_front(tensor, 3);
    made(view, [&](const View& out) {
      return !check_log_coordinates(convention, out) &&
             !detail::log_coordinates(convention, out, options.identify.executor);
    });
  }
  return all;
}

// ---- entries -------------------------------------------------------------------------------------

// How far an entry may be off: powers, logarithms and products in f32, then the rounding to storage, twice.
double relative_error(DType storage) {
  switch (storage) {
    case DType::bf16: return 0x1p-7;
    case DType::f16: return 0x1p-10;
    default: return 0x1p-20;
  }
}

enum class EntryKind : std::uint8_t { entries = 1, classes, frequencies };

struct Entries {
  std::vector<double> all;  ///< row-major
  std::vector<std::int64_t> shape;
  DType storage;
  EntryKind kind;

  // How far an entry may be off that is `right`. verdict.h has the bound of a frequency.
  double off(double right) const {
    if (kind == EntryKind::classes) return 0;
    const double size = std::abs(right), least = storage == DType::f16 ? 0x1p-24 : 0;
    const double ladder = kind == EntryKind::frequencies ? 0x1p-24 * (3 * std::abs(log_of(size)) + 8) : 0;
    return (relative_error(storage) + ladder) * size + least;
  }

  std::vector<std::int64_t> index(std::size_t i) const {
    std::vector<std::int64_t> of(shape.size());
    auto rest = static_cast<std::int64_t>(i);
    for (std::size_t a = shape.size(); a-- > 0; rest /= shape[a]) of[a] = rest % shape[a];
    return of;
  }
};
Entries entries_of(const ConstView& tensor, const Convention& convention) {
  const bool whole = is_integer(tensor.dtype);
  Entries entries = {{},
                     {},
                     whole ? tensor.dtype : storages_of(tensor).back(),
                     whole                              ? EntryKind::classes
                     : asks(Use::rotations, convention) ? EntryKind::frequencies
                                                        : EntryKind::entries};
  for (int axis = 0; axis < tensor.rank; ++axis) entries.shape.push_back(tensor.size(axis));
  const std::int64_t count = tensor.count();
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i, offset = 0;
    for (int axis = tensor.rank - 1; axis >= 0; rest /= tensor.size(axis), --axis) {
      offset += rest % tensor.size(axis) * tensor.stride(axis);
    }
    entries.all.push_back(whole ? static_cast<double>(integer_at(tensor, offset)) : real_at(tensor, offset));
  }
  return entries;
}

// Keys that a mask hides: minus infinity, or the least number of a type.
bool hidden(double x) { return x <= -65504; }

struct Tallied {
  std::int64_t entries = 0, wrong = 0;
  std::vector<std::int64_t> first;
  double share() const {
    return entries == 0 ? 0 : static_cast<double>(entries - wrong) / static_cast<double>(entries);
  }
};
// `factor`: of every entry that is expected.
Tallied tallied(const Entries& got, const std::vector<double>& expected, double factor) {
  Tallied tally;
  if (expected.size() != got.all.size()) return tally;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double right = factor * expected[i];
    if (hidden(got.all[i]) && right > -65504) continue;
    ++tally.entries;
    if (std::abs(got.all[i] - right) <= got.off(right)) continue;
    if (tally.wrong++ == 0) tally.first = got.index(i);
  }
  return tally;
}

// The factor by which all entries are others; nothing where there is none but 1.
std::optional<double> factor_of(const Entries& got, const std::vector<double>& expected) {
  double both = 0, squares = 0;
  for (std::size_t i = 0; i < expected.size() && i < got.all.size(); ++i) {
    if (hidden(got.all[i])) continue;
    both += got.all[i] * expected[i], squares += expected[i] * expected[i];
  }
  if (got.kind == EntryKind::classes || squares == 0 || both == 0 || !(std::abs(both / squares) < 0x1p100))
    return std::nullopt;
  const double factor = both / squares;
  constexpr double one = 1e-3;
  if (std::abs(factor - 1) < one || tallied(got, expected, factor).wrong > 0) return std::nullopt;
  return factor;
}

std::string factor_words(double factor) {
  constexpr double one = 1e-3;
  if (std::abs(factor + 1) < one) return "all entries have the other sign: negate";
  const double square = 1 / (factor * factor), n = std::rint(square);
  const bool root = factor > 0 && n >= 2 && std::abs(square - n) < one * n;
  return "scaled by " + to_text(std::rint(factor * 1e6) / 1e6) + (root ? " = 1 / sqrt " + to_text(n) : "") +
         ": divide by it";
}

// Classes of the transpose are those of the other sign of distances.
std::vector<double> transposed(const Entries& got) {
  std::vector<double> all(got.all.size());
  const auto rows = static_cast<std::size_t>(got.shape[got.shape.size() - 2]),
             columns = static_cast<std::size_t>(got.shape.back());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) all[j * rows + i] = got.all[i * columns + j];
  }
  return all;
}

// ---- trials --------------------------------------------------------------------------------------

void add_change(const Convention& asked, std::initializer_list<FieldChange> changes, std::vector<Convention>& all) {
  if (check_changes(asked, std::span(changes.begin(), changes.size()))) return;
  Convention changed = detail::changed(asked, std::span(changes.begin(), changes.size()));
  if (changed != asked) all.push_back(std::move(changed));
}

// What ports change, then the rows of presets, then what the tensor is identified as.
std::vector<Convention> other_conventions(const ConstView& tensor, const Convention& asked,
                                          const DiagnoseOptions& options) {
  std::vector<Convention> all;
  for (const std::string_view rounding : {"none", "bf16"}) add_change(asked, {{"slope_rounding", rounding}}, all);
  for (const std::string_view value : {"minus_distance", "key", "key_from_last", "causal"}) {
    add_change(asked, {{"value", value}}, all);
  }
  add_change(asked, {{"scale", 1}}, all);
  add_change(asked, {{"scale", "one_over_sqrt_head"}}, all);
  for (const double octaves : {4, 8, 16}) add_change(asked, {{"octaves", octaves}}, all);
  for (const std::string_view sign : {"key_minus_query", "query_minus_key"}) {
    add_change(asked, {{"classes.sign", sign}}, all);
  }
  for (const std::string_view sides : {"one", "both"}) add_change(asked, {{"classes.sides", sides}}, all);
  for (std::int64_t reach = 32; reach <= 1024; reach *= 2) add_change(asked, {{"classes.reach", reach}}, all);
  for (std::int64_t count = 16; count <= 512; count *= 2) add_change(asked, {{"classes.count", count}}, all);
  add_change(asked, {{"coordinates.pretrained", "none"}}, all);
  for (const std::string_view side : {"7,7", "8,8", "12,12", "16,16", "24,24"}) {
    add_change(asked, {{"coordinates.pretrained", side}}, all);
  }
  add_change(asked, {{"ladder.scaling", "none"}, {"magnitude", 1}}, all);
  add_change(asked, {{"ladder.scaling", "none"}}, all);
  for (const std::string_view truncate : {"none", "whole"}) {
    add_change(asked, {{"ladder.scaling.truncate", truncate}}, all);
  }
  for (std::int64_t length = 1024; length <= 1 << 18; length *= 2) {
    add_change(asked, {{"ladder.scaling.length", length}}, all);
  }
  for (const double factor : {1, 2, 4, 8, 16, 32, 40, 64}) {
    add_change(asked, {{"ladder.scaling.factor", factor}}, all);
  }
  for (const double base : {1e4, 1e5, 1.5e5, 5e5, 1e6, 5e6, 1e7}) add_change(asked, {{"ladder.base", base}}, all);
  std::vector<Convention> known;
  if (!asks(Use::rotations, asked)) {
    for (const Candidate& each : conventions_of(tensor, options.identify).candidates) {
      known.push_back(each.convention);
    }
  }
  for (const Preset& each : presets()) known.push_back(each.convention);
  constexpr Use uses[] = {Use::slopes,          Use::classes,      Use::windows,
                          Use::log_coordinates, Use::query_scales, Use::rotations};
  std::erase_if(known, [&](const Convention& each) {
    return each == asked || std::ranges::none_of(uses, [&](Use use) { return asks(use, each) && asks(use, asked); });
  });
  std::ranges::stable_sort(known, {}, [&](const Convention& each) { return differences(each, asked).size(); });
  all.insert(all.end(), known.begin(), known.end());
  return all;
}

std::string entry_words(const std::vector<std::int64_t>& index) { return to_text(std::span(index)); }

std::vector<std::string> fault_words(const ConstView& tensor, const Convention& convention,
                                     const DiagnoseOptions& options, const Entries& got,
                                     const std::vector<Expected>& asked, double& explained) {
  explained = 1;
  for (const Expected& each : asked) {
    if (const auto factor = factor_of(got, each.all)) return {factor_words(*factor)};
  }
  for (const Convention& other : other_conventions(tensor, convention, options)) {
    for (const Expected& each : all_expected(tensor, other, options)) {
      if (tallied(got, each.all, 1).wrong > 0) continue;
      std::vector<std::string> words = words_of_fields(other, convention);
      if (!each.how.empty()) words.push_back("as " + each.how);
      return words;
    }
  }
  if (got.shape.size() >= 2 && got.shape.back() == got.shape[got.shape.size() - 2]) {
    Entries turned = got;
    turned.all = transposed(got);
    for (const Expected& each : asked) {
      if (turned.all.size() == each.all.size() && got.shape.size() == 2 && tallied(turned, each.all, 1).wrong == 0) {
        return {"queries and keys are exchanged: transpose"};
      }
    }
  }
  explained = 0;
  return {};
}

}  // namespace

bool is_relative(const ConstView& tensor, const Convention& convention) {
  if (asks(Use::coordinates, convention)) return false;
  return !asks(Use::rotations, convention) || is_list(tensor);
}

std::optional<Problem> check_relative(const ConstView& tensor, const Convention& convention,
                                      const DiagnoseOptions& options) {
  constexpr Use uses[] = {Use::slopes,          Use::classes,      Use::windows,
                          Use::log_coordinates, Use::query_scales, Use::rotations};
  if (std::ranges::none_of(uses, [&](Use use) { return asks(use, convention); })) {
    return Problem{"diagnose", "the convention must be of more than rows of a stored table",
                   std::string(family(convention))};
  }
  const bool classes = asks(Use::classes, convention) || asks(Use::windows, convention);
  if (classes != is_integer(tensor.dtype)) {
    return Problem{"diagnose", classes ? "classes must be whole numbers" : "entries must be real numbers",
                   std::string(to_string(tensor.dtype))};
  }
  constexpr std::int64_t most = std::int64_t{1} << 28;
  if (tensor.count() > most) return shape_problem("there must be at most 2^28 entries", tensor);
  if (all_expected(tensor, convention, options).empty()) {
    return shape_problem("the tensor must have a shape of the convention's " + std::string(family(convention)) +
                             ", and positions as many as its queries and keys",
                         tensor);
  }
  return std::nullopt;
}

Diagnosis diagnose_relative(const ConstView& tensor, const Convention& convention, const DiagnoseOptions& options) {
  const Entries got = entries_of(tensor, convention);
  const std::vector<Expected> asked = all_expected(tensor, convention, options);
  Diagnosis diagnosis;
  Tallied best;
  for (const Expected& each : asked) {
    Tallied tally = tallied(got, each.all, 1);
    if (best.entries > 0 && tally.share() <= best.share()) continue;
    best = std::move(tally);
  }
  diagnosis.entries = best.entries, diagnosis.wrong = best.wrong, diagnosis.first = best.first;
  diagnosis.right = best.entries > 0 && best.wrong == 0;
  if (diagnosis.right) {
    diagnosis.explained = 1;
    return diagnosis;
  }
  diagnosis.findings = fault_words(tensor, convention, options, got, asked, diagnosis.explained);
  if (diagnosis.findings.empty()) diagnosis.findings.emplace_back("no known fault explains these entries");
  if (diagnosis.explained == 0 && !best.first.empty()) {
    diagnosis.findings.push_back("first wrong at " + entry_words(best.first));
  }
  return diagnosis;
}

}  // namespace posenc::referee
