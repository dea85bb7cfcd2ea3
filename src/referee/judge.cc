// SPDX-License-Identifier: Apache-2.0
// Judging hypotheses that lie near enough: entry by entry beside exact ones, then beside those of recipes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "src/referee/best_match.h"
#include "src/referee/distances.h"
#include "src/referee/identify_table.h"
#include "src/referee/known_share.h"
#include "src/referee/simple_number.h"
#include "src/referee/spectrum.h"
#include "src/referee/storage.h"
#include "src/referee/verdict.h"

namespace posenc::referee {
namespace {

// The most that an entry may be off, both rounded: by a unit of the largest, and by what the largest angle is.
double largest_error(const Suspect& suspect, DType storage) {
  const Hypothesis& hypothesis = suspect.held.hypothesis;
  const Signal& signal = hypothesis.signal;
  const Tolerance tolerance = tolerance_of(storage);
  double angle = 0;
  for (std::size_t a = 0; a < signal.axes(); ++a) {
    const std::int64_t last = suspect.reading.extents[hypothesis.extent_of[a]] - 1;
    double furthest = std::max(std::abs(hypothesis.coordinates[a].at(0)), std::abs(hypothesis.coordinates[a].at(last)));
    for (const double x : hypothesis.coordinates[a].list) furthest = std::max(furthest, std::abs(x));
    double fastest = 0;
    for (const double w : signal.frequencies[a]) fastest = std::max(fastest, std::abs(w));
    angle += fastest * furthest;
  }
  for (const double phase : signal.phases) angle = std::max(angle, std::abs(phase));
  const bool raw = std::ranges::any_of(signal.plan->columns, [](const plan::Column& column) {
    return column.kind == plan::Kind::angle || column.kind == plan::Kind::coordinate;
  });
  // What may be off by more is not known at all.
  constexpr double most = 0.25;
  const double scale = std::abs(signal.scale), unit = unit_at(scale * (1 - 0x1p-20), storage);
  const double waves = unit + scale * std::min(most, 0x1p-21 + tolerance.drift * angle);
  return raw ? std::max(waves, (tolerance.noise + 0x1p-21) * std::max(angle, 1.0) * 4) : waves;
}

// Ranks storages by some entries, then matches all. Returns nothing where a few entries are too far off.
std::optional<StorageMatch> stored_match(const Suspect& suspect, std::span<const DType> storages,
                                         const Executor& executor) {
  constexpr std::int64_t few = 1 << 14;
  const auto match_of = [&](DType storage, std::int64_t most) {
    return referee::match(suspect.reading, suspect.held.hypothesis, exact(), storage, {most}, executor);
  };
  auto best = best_storage(storages, [&](DType storage) { return match_of(storage, few); });
  const auto lies_near = [&] { return best->agreement.difference <= largest_error(suspect, best->storage); };
  if (!best || !lies_near()) return std::nullopt;
  if (best->agreement.entries == suspect.reading.places() * suspect.reading.width) return best;
  const auto whole = match_of(best->storage, -1);
  if (!whole) return std::nullopt;
  best->agreement = *whole;
  return lies_near() ? best : std::nullopt;
}

// In half precision entries near 0 say what the others are too coarse for: known arithmetic loses a few of them, or is
// off by some units, frequencies that were rounded with a model's weights do both.
bool is_coarsely_wrong(const Candidate& candidate) {
  constexpr double many = 0.97, units = 32;
  const bool is_half = candidate.storage == DType::bf16 || candidate.storage == DType::f16;
  return is_half && candidate.by_recipe.share() < many && candidate.by_recipe.largest > units;
}

// Do two suspects of one reading have the same entries, once rounded?
bool same_entries(const Judged& a, const Judged& b, const Executor& executor) {
  if (a.reading.name != b.reading.name || a.reading.extents != b.reading.extents ||
      a.reading.extra != b.reading.extra || a.candidate.storage != b.candidate.storage) {
    return a.candidate.exact.equal == a.candidate.exact.entries && b.candidate.exact.equal == b.candidate.exact.entries;
  }
  return !parting(a.reading, a.held.hypothesis, b.held.hypothesis, a.candidate.storage, executor);
}

// All axes at one coordinate, as those of a rotation of text.
bool on_diagonal(const Candidate& candidate) {
  const std::vector<AxisPlaces>& places = candidate.places;
  return places.size() > 1 && candidate.extents.size() == 1 && std::ranges::all_of(places, [&](const AxisPlaces& each) {
           return each.first == places[0].first && each.step == places[0].step;
         });
}

// How much is said of a candidate beside the name of a row: what is long or odd counts more.
std::size_t words_of(const Fitted& number) {
  const std::string& text = number.simple;
  int exponent = 0;
  if (text.empty()) return 4;
  if (number.name == "length" && std::frexp(number.value, &exponent) == 0.5) return 1;
  if (text.find_first_not_of("-.0123456789") != text.npos) return 1;  // a root, a fraction, a power of two
  const int digits = digits_of(text);
  return digits <= 2 ? 1 : digits <= 4 ? 2 : 3;
}
// The number that says a ladder: its base, or the length of the sequence for which it was made.
std::vector<Fitted>::const_iterator number_of_ladder(const Candidate& candidate) {
  const auto of_ladder = [](const Fitted& each) { return each.name == "base" || each.name == "length"; };
  return std::ranges::find_if(candidate.fitted, of_ladder);
}
// How likely it is by chance: of every spacing but one it is chance.
double chance_of_ladder(const Candidate& candidate) {
  auto number = number_of_ladder(candidate);
  if (number == candidate.fitted.end()) number = std::ranges::find(candidate.fitted, "factor", &Fitted::name);
  return number == candidate.fitted.end() ? 1 : chance_of_digits({number->low, number->high}, number->simple);
}

// A rotation of several axes at one coordinate on all of them says no more than one of a single axis.
constexpr std::size_t words_of_diagonal = 4;
std::size_t words_of(const Candidate& candidate) {
  std::size_t words = 2 * apart(candidate.differences) + (on_diagonal(candidate) ? words_of_diagonal : 0);
  for (const Fitted& number : candidate.fitted) words += words_of(number);
  return words;
}

// Of another ladder than a row's own, the numbers do not count: a few coarse frequencies have one of every spacing.
bool is_fit(const Candidate& candidate) {
  return !candidate.differences.empty() || number_of_ladder(candidate) != candidate.fitted.end();
}
std::size_t plain_words_of(const Candidate& candidate) {
  if (!is_fit(candidate)) return words_of(candidate);
  // A length that says the ladder is as good as a base.
  const std::size_t apart_by = std::max<std::size_t>(apart(candidate.differences), 1);
  return 2 * apart_by + 1 + (on_diagonal(candidate) ? words_of_diagonal : 0);
}

double share_of(const Judged& each) { return each.candidate.by_recipe.share(); }
double best_share(const std::vector<Judged>& all) {
  double best = 0;
  for (const Judged& each : all) best = std::max(best, share_of(each));
  return best;
}
std::size_t fewest_words(const std::vector<Judged>& all) {
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const Judged& each : all) fewest = std::min(fewest, plain_words_of(each.candidate));
  return fewest;
}

// Has it fewer equal entries by so much, and fewer exact ones as well? Rows that differ by less than their originals'
// arithmetic loses are not told apart by what recipes they have.
bool worse(const Judged& each, const Judged& best, double by) {
  return share_of(each) < share_of(best) - by && each.candidate.exact.equal < best.candidate.exact.equal;
}

// So many more entries are equal that more words are worth it. Originals that round their coordinates lose up to this;
// where all are equal they have not done so.
constexpr double much_better = 0.3, best_of_all = 0.05;

// Of tables, or of rotations: every ladder is another one's at stretched positions, so that what needs the fewest words
// is meant; of those, what has as many entries as the best, but for chance.
std::vector<Judged> plainest(std::vector<Judged> all, const Executor& executor) {
  while (!all.empty()) {
    std::vector<Judged> plain;
    const std::size_t fewest = fewest_words(all);
    std::ranges::copy_if(all, std::back_inserter(plain),
                         [&](const Judged& each) { return plain_words_of(each.candidate) == fewest; });
    const double best_there_is = best_share(all);
    if (best_there_is > best_share(plain) + (best_there_is == 1 ? best_of_all : much_better)) {
      std::erase_if(all, [&](const Judged& each) { return plain_words_of(each.candidate) == fewest; });
      continue;
    }
    // Fits stand together, however their numbers were rounded: each spacing has a base of its own.
    std::ranges::stable_sort(plain, {}, [](const Judged& each) {
      return std::pair(is_fit(each.candidate) ? chance_of_ladder(each.candidate) : 0, -share_of(each));
    });
    const Judged first = plain.front();
    const Judged best = *std::ranges::max_element(plain, {}, share_of);
    std::erase_if(plain, [&](const Judged& each) {
      constexpr double seldom = 0.001;
      if (!is_fit(each.candidate)) return worse(each, first, 0.02) && !same_entries(first, each, executor);
      return worse(each, best, much_better) ||
             chance_of_ladder(first.candidate) < seldom * chance_of_ladder(each.candidate);
    });
    std::ranges::stable_sort(plain, {}, [](const Judged& each) { return words_of(each.candidate); });
    return plain;
  }
  return all;
}

// Linear scaling at every position says what a plain ladder says at positions that are stretched.
bool is_scaled_linearly(const Candidate& candidate) {
  const auto factor = std::ranges::find(candidate.fitted, "factor", &Fitted::name);
  if (factor == candidate.fitted.end()) return false;
  const FieldChange changes[] = {{"ladder.scaling", "linear"}, {"ladder.scaling.factor", factor->value}};
  if (check_changes(candidate.convention, changes)) return false;
  return differences(candidate.convention, detail::changed(candidate.convention, changes)).empty() &&
         std::ranges::all_of(candidate.places, [](const AxisPlaces& each) { return each.step == 1; });
}

// The base of a row, or a usual one, made longer: for a length or by a factor, which says the base.
bool has_longer_base(const Candidate& candidate) {
  constexpr std::size_t few = 2;
  const auto is_named = [&](std::string_view name) {
    return std::ranges::find(candidate.fitted, name, &Fitted::name) != candidate.fitted.end();
  };
  return apart(candidate.differences) <= few && !is_named("base") && (is_named("length") || is_named("factor"));
}

// What says the entries of another candidate in more words, but is what a package makes: a rotation of several axes at
// one coordinate on all of them, as in text, linear scaling, and a longer base. It stands behind.
bool stands_behind(const Candidate& candidate) {
  if (!is_fit(candidate)) return on_diagonal(candidate);
  return is_scaled_linearly(candidate) || has_longer_base(candidate);
}
void add_behind(const std::vector<Judged>& others, const Executor& executor, std::vector<Judged>& kept) {
  const std::vector<Judged> plain = kept;
  for (const Judged& each : others) {
    const auto is_it = [&](const Judged& other) { return other.candidate == each.candidate; };
    const std::size_t more = is_fit(each.candidate) ? 2 * words_of_diagonal : words_of_diagonal;
    const auto equals = [&](const Judged& other) {
      return words_of(each.candidate) <= words_of(other.candidate) + more && same_entries(other, each, executor);
    };
    if (std::ranges::none_of(plain, is_it) && std::ranges::any_of(plain, equals)) kept.push_back(each);
  }
}

}  // namespace

Candidate candidate_of(const Suspect& suspect, DType storage, const Agreement& match) {
  const Hypothesis& hypothesis = suspect.held.hypothesis;
  Candidate candidate;
  candidate.presets = suspect.presets;
  candidate.differences = suspect.differences;
  candidate.convention = hypothesis.signal.convention;
  candidate.form = hypothesis.signal.form;
  candidate.reading = suspect.reading.name;
  candidate.extra = suspect.reading.extra;
  candidate.extents = suspect.reading.extents;
  candidate.width = hypothesis.signal.given.width;
  candidate.context = hypothesis.signal.given.context;
  const std::vector<std::string> names = axes_of(candidate.convention);
  for (std::size_t a = 0; a < std::min(names.size(), hypothesis.coordinates.size()); ++a) {
    candidate.places.push_back(places_along(names[a], hypothesis.coordinates[a]));
  }
  candidate.fitted = suspect.held.fitted;
  candidate.storage = storage;
  candidate.exact = candidate.by_recipe = match;
  return candidate;
}

bool is_right(const Judged& each, const Executor& executor) {
  const Candidate& candidate = each.candidate;
  if (candidate.by_recipe.equal == candidate.by_recipe.entries) return true;
  const Verdict found =
      verdict(each.reading, each.held.hypothesis, storages_of(each.reading.tensor, executor), executor);
  // Numbers that were fitted are known to an interval: another one of it moves entries of many rows.
  constexpr std::int64_t one_in = 64, few = 2;
  const bool may_be_moved = found.beyond.wrong_rows > std::max(few, each.reading.places() / one_in);
  return found.right || (!candidate.fitted.empty() && may_be_moved);
}

std::vector<Judged> judged(std::vector<Suspect> suspects, std::span<const DType> storages,
                           const IdentifyOptions& options) {
  std::vector<Judged> all;
  for (const Suspect& suspect : suspects) {
    if (const auto match = stored_match(suspect, storages, options.executor)) {
      all.push_back({suspect.reading, suspect.held, candidate_of(suspect, match->storage, match->agreement)});
    }
  }
  if (all.empty()) return all;
  // What is exact to the last entry leaves others with the same entries alone.
  std::ranges::stable_sort(all, {}, [](const Judged& each) { return -each.candidate.exact.share(); });
  const Agreement best = all.front().candidate.exact;
  std::erase_if(all, [&](const Judged& each) {
    const Agreement& match = each.candidate.exact;
    if (match.equal == match.entries) return false;
    if (best.equal == best.entries) return true;
    // The first frequency is 10^4 times the last: one is as far off as another in its own units.
    const bool is_list = each.candidate.form == frequency_form;
    return is_list ? match.largest > 4 * best.largest : match.difference > 4 * best.difference;
  });
  for (Judged& each : all) {
    Candidate& candidate = each.candidate;
    if (candidate.exact.equal == candidate.exact.entries) continue;
    const auto match_of = [&](const Recipe& recipe, std::int64_t most) {
      return match(each.reading, each.held.hypothesis, recipe, candidate.storage, {most}, options.executor);
    };
    find_recipe(options.depth, match_of, candidate);
    candidate.known_share = known_share(candidate.recipe, candidate.storage);
  }
  std::erase_if(all, [](const Judged& each) { return is_coarsely_wrong(each.candidate); });
  if (all.empty()) return all;
  const auto rotations =
      std::ranges::stable_partition(all, [](const Judged& each) { return each.candidate.form == table_form; });
  std::vector<Judged> behind;
  std::ranges::copy_if(all, std::back_inserter(behind),
                       [](const Judged& each) { return stands_behind(each.candidate); });
  std::vector<Judged> tables = plainest({all.begin(), rotations.begin()}, options.executor);
  std::vector<Judged> turned = plainest({rotations.begin(), all.end()}, options.executor);
  // A table in many words that is a rotation in few, or the other way round, is no further answer.
  constexpr std::size_t many = 4;
  const auto contrived = [](const std::vector<Judged>& one, const std::vector<Judged>& other) {
    return !one.empty() && !other.empty() && fewest_words(one) >= fewest_words(other) + many &&
           best_share(one) <= best_share(other) + much_better;
  };
  const bool no_tables = contrived(tables, turned), no_rotations = contrived(turned, tables);
  std::vector<Judged> kept;
  if (!no_tables) kept = tables;
  if (!no_rotations) kept.insert(kept.end(), turned.begin(), turned.end());
  if (kept.empty()) return kept;
  const Judged best_kept = *std::ranges::max_element(kept, {}, share_of);
  const bool fits = std::ranges::all_of(kept, [](const Judged& each) { return is_fit(each.candidate); });
  std::erase_if(kept, [&](const Judged& each) { return !fits && worse(each, best_kept, much_better); });
  // Of one row with several numbers of an interval the simplest.
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const Candidate& first = kept[i].candidate;
    const auto again = [&](const Judged& each) {
      const Candidate& other = each.candidate;
      return is_fit(first) && other.presets == first.presets && other.form == first.form &&
             other.reading == first.reading && other.differences.size() == first.differences.size();
    };
    kept.erase(std::remove_if(kept.begin() + static_cast<std::ptrdiff_t>(i) + 1, kept.end(), again), kept.end());
  }
  add_behind(behind, options.executor, kept);
  // What is a row's own stands before what is fitted, whichever of a table and a rotation either is.
  std::ranges::stable_sort(kept, {}, [](const Judged& each) { return is_fit(each.candidate); });
  return kept;
}

}  // namespace posenc::referee
