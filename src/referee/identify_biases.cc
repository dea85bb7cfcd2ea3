// SPDX-License-Identifier: Apache-2.0
// Slopes, and biases that are linear in positions: what a slope multiplies and one slope a head are read off, then
// every row of presets is held against all entries.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "src/conventions/lower.h"
#include "src/plan/rounded_ladder.h"
#include "src/referee/bound.h"
#include "src/referee/distances.h"
#include "src/referee/identify_relative.h"
#include "src/referee/logarithm.h"
#include "src/referee/match_operation.h"
#include "src/referee/reading.h"
#include "src/referee/simple_number.h"
#include "src/referee/storage.h"

namespace posenc::referee {
namespace {

using plan::Distance;

// Relative tolerance of a slope that was estimated as the quotient of a bias and a distance.
double slope_off(DType storage) { return bound_of(EntryKind::biases, storage, 1).relative; }

// ---- slopes ------------------------------------------------------------------------------------------

bool depends_on_head(const Convention& convention) { return check_lower(convention, {.heads = 1}).has_value(); }

// A row of presets, or one with other octaves, whose slopes are those that were measured.
struct SlopeSuspect {
  std::string preset;
  std::vector<std::string> differences;
  Convention convention;
  std::int64_t head = 0;  // columns of a head; 0: of no effect
  std::vector<Fitted> fitted;
};

bool fit(const std::vector<double>& got, const std::vector<double>& known, DType storage) {
  return std::ranges::equal(got, known,
                            [&](double x, double y) { return std::abs(x - y) <= slope_off(storage) * std::abs(y); });
}

// Over which octaves the slopes fall, by the first and the last of a geometric progression.
std::optional<Fitted> octaves_of(const std::vector<double>& slopes, DType storage) {
  const std::size_t run = std::bit_floor(slopes.size());
  if (run < 2 || !(slopes[0] > 0) || !(slopes[run - 1] > 0)) return std::nullopt;
  const auto p = static_cast<double>(run);
  const double octaves = log_of(slopes[0] / slopes[run - 1]) / log_of(2) * p / (p - 1);
  const double off = 4 * slope_off(storage) * p / (p - 1);
  const auto simple = simple_number({octaves - off, octaves + off});
  // Two or three slopes are any progression's.
  if (!(octaves > off) || octaves > 1024 || (!simple && slopes.size() < 4)) return std::nullopt;
  return Fitted{"octaves", simple ? simple->value : octaves, octaves - off, octaves + off, simple ? simple->text : ""};
}

// Heads are multiples of this wide: with any width, every list that is halved from entry to entry would be slopes.
constexpr std::int64_t columns_of_heads = 4;

void add_suspect(const Preset& preset, const Convention& convention, const std::vector<double>& slopes, DType storage,
                 std::vector<Fitted> fitted, std::vector<SlopeSuspect>& all) {
  const auto heads = static_cast<std::int64_t>(slopes.size());
  std::int64_t head = 0;
  if (depends_on_head(convention)) {
    const std::vector<double> unscaled = slopes_of(convention, heads, 1);
    if (unscaled.empty() || !(slopes[0] > 0)) return;
    const double ratio = unscaled[0] / slopes[0];
    constexpr double most = 1 << 16;
    head = static_cast<std::int64_t>(std::rint(std::clamp(ratio * ratio, 1.0, most)));
    if (head != 1 && head % columns_of_heads != 0) return;
    const auto columns = static_cast<double>(head);
    fitted.push_back({"head", columns, columns, columns, std::to_string(head)});
  }
  if (!fit(slopes, slopes_of(convention, heads, head), storage)) return;
  all.push_back({std::string(preset.name), differences(convention, preset.convention), convention, head, fitted});
}

std::vector<SlopeSuspect> slope_suspects(const std::vector<double>& slopes, DType storage,
                                         const std::vector<const Preset*>& rows) {
  std::vector<SlopeSuspect> all;
  for (const Preset* preset : rows) add_suspect(*preset, preset->convention, slopes, storage, {}, all);
  if (!all.empty()) return all;
  const auto octaves = octaves_of(slopes, storage);
  if (!octaves) return all;
  const FieldChange change[] = {{"octaves", octaves->value}};
  for (const Preset* preset : rows) {
    // With a scale as well, any geometric progression would do: a list of frequencies.
    if (depends_on_head(preset->convention) || check_changes(preset->convention, change)) continue;
    add_suspect(*preset, posenc::detail::changed(preset->convention, change), slopes, storage, {*octaves}, all);
  }
  return all;
}

Candidate candidate_of(const SlopeSuspect& suspect, std::string form, std::int64_t heads, DType storage) {
  Candidate candidate;
  candidate.presets = {suspect.preset};
  candidate.differences = suspect.differences;
  candidate.convention = suspect.convention;
  candidate.form = std::move(form);
  candidate.width = heads;
  candidate.fitted = suspect.fitted;
  candidate.storage = storage;
  return candidate;
}

// Rows that have the same numbers as one candidate.
void add_named(Candidate candidate, std::vector<Candidate>& all) {
  const auto same = std::ranges::find_if(all, [&](const Candidate& each) {
    return each.exact == candidate.exact && each.form == candidate.form && each.fitted == candidate.fitted &&
           each.differences == candidate.differences && each.storage == candidate.storage &&
           each.places == candidate.places;
  });
  if (same == all.end()) return all.push_back(std::move(candidate));
  std::ranges::move(candidate.presets, std::back_inserter(same->presets));
}

std::vector<const Preset*> slope_rows_of() {
  std::vector<const Preset*> rows;
  for (const Preset& preset : presets()) {
    if (!check_use("identify", ConventionUse::slopes, preset.convention)) rows.push_back(&preset);
  }
  return rows;
}

// [H], of either sign.
std::vector<Candidate> lists_of_slopes(const ConstView& list) {
  std::vector<Candidate> all;
  const std::vector<DType> storages = storages_of(list);
  std::vector<double> slopes;
  for (std::int64_t h = 0; h < list.size(0); ++h) slopes.push_back(real_at(list, h * list.stride(0)));
  const double sign = slopes[0] < 0 ? -1 : 1;
  for (double& slope : slopes) slope *= sign;
  if (!std::ranges::all_of(slopes, [](double slope) { return slope > 0 && slope < 1e30; })) return all;
  for (SlopeSuspect& suspect : slope_suspects(slopes, storages.back(), slope_rows_of())) {
    const std::vector<double> known = slopes_of(suspect.convention, std::ssize(slopes), suspect.head);
    const EntryBound bound = bound_of(EntryKind::slopes, storages.back(), 1);
    if (!std::ranges::equal(slopes, known, [&](double got, double right) { return bound.holds(got, right); })) continue;
    if (sign < 0) suspect.fitted.push_back({"scale", -1, -1, -1, "-1"});
    const auto best = best_storage(storages, [&](DType storage) {
      Tally tally(0, storage);
      for (std::size_t h = 0; h < slopes.size(); ++h) {
        tally.add({static_cast<std::int64_t>(h)}, slopes[h], stored(known[h], storage));
      }
      return std::optional(tally.result());
    });
    Candidate candidate = candidate_of(suspect, "slopes", std::ssize(slopes), best->storage);
    candidate.reading = "[H]", candidate.extents = {std::ssize(slopes)};
    candidate.exact = candidate.by_recipe = best->agreement;
    add_named(std::move(candidate), all);
  }
  return all;
}

// ---- biases ------------------------------------------------------------------------------------------

// Scores of [heads, queries, keys].
struct Scores {
  ConstView view;  // of rank 3; a stride is 0 where the axis is none of the tensor's
  std::string name;

  double at(std::int64_t h, std::int64_t i, std::int64_t j) const {
    return real_at(view, h * view.stride(0) + i * view.stride(1) + j * view.stride(2));
  }
  std::int64_t heads() const { return view.size(0); }
  std::int64_t queries() const { return view.size(1); }
  std::int64_t keys() const { return view.size(2); }
};

ConstView with_axis(const ConstView& tensor, int axis) {
  ConstView view = tensor;
  for (int next = view.rank; next > axis; --next) {
    view.shape[static_cast<std::size_t>(next)] = view.shape[static_cast<std::size_t>(next - 1)];
    view.strides[static_cast<std::size_t>(next)] = view.strides[static_cast<std::size_t>(next - 1)];
  }
  view.shape[static_cast<std::size_t>(axis)] = 1, view.strides[static_cast<std::size_t>(axis)] = 0;
  ++view.rank;
  return view;
}

std::vector<Scores> scores_of(const ConstView& tensor) {
  const ConstView view = without_front(tensor, tensor.rank > 3 ? 3 : tensor.rank);
  if (view.rank == 3) return {{view, "[H, L, S]"}};
  if (view.rank == 2) return {{with_axis(view, 1), "[H, S]"}, {with_axis(view, 0), "[L, S]"}};
  return {};
}

// The numbers of the first query and key, and what a slope multiplies.
struct Setting {
  Distance distance;
  std::int64_t query, key;

  double factor(std::int64_t i, std::int64_t j, std::int64_t keys) const {
    const std::int64_t q = query + i, k = key + j;
    switch (distance) {
      case Distance::key: return static_cast<double>(k);
      case Distance::key_from_last: return static_cast<double>(j - (keys - 1));
      case Distance::causal: return static_cast<double>(k - q);
      default: return -static_cast<double>(q > k ? q - k : k - q);
    }
  }
};

// The slopes under a setting; none where an entry is no multiple of its head's. Hidden entries are left out.
std::vector<double> slopes_under(const Scores& scores, const Setting& setting, DType storage) {
  std::vector<double> slopes;
  for (std::int64_t h = 0; h < scores.heads(); ++h) {
    double slope = 0, most = 0;
    for (const std::int64_t i : {std::int64_t{0}, scores.queries() - 1}) {
      for (const std::int64_t j : {std::int64_t{0}, scores.keys() - 1}) {
        const double factor = setting.factor(i, j, scores.keys()), score = scores.at(h, i, j);
        if (std::abs(factor) > most && !hides(score)) most = std::abs(factor), slope = score / factor;
      }
    }
    if (!(slope > 0) || !(slope < 1e30)) return {};
    for (std::int64_t i = 0; i < scores.queries(); ++i) {
      for (std::int64_t j = 0; j < scores.keys(); ++j) {
        const double score = scores.at(h, i, j), known = slope * setting.factor(i, j, scores.keys());
        const double off = 2 * bound_of(EntryKind::biases, storage, known).at(known);
        if (!hides(score) && !(std::abs(score - known) <= off)) return {};
      }
    }
    slopes.push_back(slope);
  }
  return slopes;
}

std::vector<Setting> settings_of(const Scores& scores) {
  const std::int64_t ends = scores.queries() - scores.keys();  // queries are the last of as many keys
  std::vector<Setting> all = {{Distance::key_from_last, 0, 0}, {Distance::key, 0, 0}};
  const double first = scores.at(0, 0, 0);
  constexpr double furthest = 1 << 24;
  std::vector<std::int64_t> aparts = {0, ends};
  if (scores.keys() > 1) {
    const double step = scores.at(0, 0, 1) - first, steps = step != 0 ? std::rint(first / step) : 0;
    if (std::abs(steps) <= furthest) {
      if (steps > 0) all.push_back({Distance::key, 0, static_cast<std::int64_t>(steps)});
      aparts.push_back(static_cast<std::int64_t>(steps));
    }
  }
  for (std::int64_t j = 0; j < scores.keys(); ++j) {
    if (scores.at(0, 0, j) == 0) {
      aparts.push_back(-j);
      break;
    }
  }
  std::ranges::sort(aparts);
  aparts.erase(std::unique(aparts.begin(), aparts.end()), aparts.end());
  for (const std::int64_t apart : aparts) {
    const std::int64_t query = std::max<std::int64_t>(-apart, 0), key = std::max<std::int64_t>(apart, 0);
    all.push_back({Distance::minus_distance, query, key});
    all.push_back({Distance::causal, query, key});
  }
  return all;
}

void add_biases(const Scores& scores, const std::vector<DType>& storages, const Executor& executor,
                std::vector<Candidate>& all) {
  for (const Setting& setting : settings_of(scores)) {
    const std::vector<double> slopes = slopes_under(scores, setting, storages.back());
    if (slopes.empty()) continue;
    std::vector<const Preset*> rows;
    for (const Preset* preset : slope_rows_of()) {
      const LoweredFor given = {.width = 1, .heads = 1};
      if (lower_heads(preset->convention, given).distance == setting.distance) rows.push_back(preset);
    }
    for (const SlopeSuspect& suspect : slope_suspects(slopes, storages.back(), rows)) {
      const Positions lists[] = {Positions::range(setting.query, scores.queries()),
                                 Positions::range(setting.key, scores.keys())};
      OperationInputs inputs = {.dim = scores.heads(), .lists = lists, .window = {}, .options = {}};
      inputs.options = {.executor = executor, .context = {.head = suspect.head, .present = {}}};
      const auto match = match_operation(scores.view, suspect.convention, inputs, storages);
      if (!match) continue;
      Candidate found = candidate_of(suspect, "bias", scores.heads(), match->storage);
      found.reading = scores.name + (match->agreement.entries < scores.view.count() ? ", hidden entries left out" : "");
      found.extents = {scores.heads(), scores.queries(), scores.keys()};
      found.places = {{"query", static_cast<double>(setting.query), 1}, {"key", static_cast<double>(setting.key), 1}};
      found.exact = found.by_recipe = match->agreement;
      add_named(std::move(found), all);
    }
  }
}

}  // namespace

std::vector<double> slopes_of(const Convention& convention, std::int64_t heads, std::int64_t head) {
  const LoweredFor given = {.width = head, .heads = heads};
  std::vector<double> all;
  if (check_lower(convention, given)) return all;
  const plan::HeadPlan plan = lower_heads(convention, given);
  for (const plan::Ladder& slopes : {plan.slopes, plan.beyond}) (void)plan::append_rounded(slopes, all);
  return all;
}

std::vector<Candidate> bias_candidates(const ConstView& tensor, const IdentifyOptions& options) {
  std::vector<Candidate> all;
  if (const auto list = as_list(tensor)) all = lists_of_slopes(*list);
  if (!all.empty()) return indistinct(std::move(all));
  const std::vector<DType> storages = storages_of(tensor, options.executor);
  for (const Scores& scores : scores_of(tensor)) {
    if (scores.heads() == 1 && scores.name == "[H, S]") continue;
    add_biases(scores, storages, options.executor, all);
    if (!all.empty()) break;
  }
  return indistinct(std::move(all));
}

}  // namespace posenc::referee
