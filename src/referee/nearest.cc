// SPDX-License-Identifier: Apache-2.0
// Every row of presets beside a few rows of a tensor: by their entries, by entries without their order, and by the
// coordinates that rows show one by one.
#include "src/referee/nearest.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "src/referee/mapped_entries.h"
#include "src/referee/near_rows.h"
#include "src/referee/simple_number.h"

namespace posenc::referee {
namespace {

// Rows of a reading: the first ones, and others that are spread evenly behind them.
struct SampledRows {
  std::vector<std::int64_t> places;
  std::vector<double> entries;  // not finite ones among them
  std::int64_t width;
  std::span<const double> row(std::size_t i) const {
    return std::span(entries).subspan(i * static_cast<std::size_t>(width), static_cast<std::size_t>(width));
  }
};
SampledRows sampled(const Reading& reading, std::int64_t most_entries) {
  constexpr std::int64_t fewest = 6, most = 64;
  const std::int64_t places = reading.places();
  const std::int64_t rows = std::min(places, std::clamp(most_entries / reading.width, fewest, most));
  SampledRows sample = {{}, {}, reading.width};
  const std::int64_t front = rows == places ? rows : (rows + 1) / 2, behind = rows - front;
  for (std::int64_t i = 0; i < front; ++i) sample.places.push_back(i);
  for (std::int64_t i = 1; i <= behind; ++i) sample.places.push_back(front - 1 + i * (places - front) / behind);
  for (const std::int64_t place : sample.places) {
    for (std::int64_t c = 0; c < reading.width; ++c) sample.entries.push_back(reading.at(place, c));
  }
  return sample;
}

// ---- likeness --------------------------------------------------------------------------------------

// Sums over entries less the mean of their column; what is 4 times as large as all others are counts as that.
struct LikenessSums {
  double both = 0, of_got = 0, of_known = 0;
  double likeness() const { return of_got > 0 && of_known > 0 ? both / std::sqrt(of_got * of_known) : 0; }
};
double usual_size(const SampledRows& sample) {
  std::vector<double> sizes;
  for (const double x : sample.entries) {
    if (std::isfinite(x)) sizes.push_back(std::abs(x));
  }
  if (sizes.empty()) return 0;
  const auto high = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() * 9 / 10);
  std::ranges::nth_element(sizes, high);
  return *high;
}
LikenessSums sums_of(const SampledRows& sample, double largest, std::span<const float> known) {
  LikenessSums sums;
  const auto width = static_cast<std::size_t>(sample.width);
  for (std::size_t c = 0; c < width; ++c) {
    double sum_got = 0, sum_known = 0, both = 0, of_got = 0, of_known = 0, count = 0;
    for (std::size_t at = c; at < sample.entries.size(); at += width) {
      if (!std::isfinite(sample.entries[at]) || std::isnan(known[at])) continue;
      const double got = std::clamp(sample.entries[at], -largest, largest), right = static_cast<double>(known[at]);
      sum_got += got, sum_known += right, both += got * right, of_got += got * got, of_known += right * right;
      count += 1;
    }
    if (count == 0) continue;
    sums.both += both - sum_got * sum_known / count;
    sums.of_got += of_got - sum_got * sum_got / count;
    sums.of_known += of_known - sum_known * sum_known / count;
  }
  return sums;
}

// The middle of the quotients of entries that are not small; 1 where there are none. A few damaged columns do not move
// it, as they do a factor of least squares.
double factor_of(const SampledRows& sample, std::span<const float> known, double scale) {
  std::vector<double> quotients;
  constexpr double not_small = 0.5;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const double right = static_cast<double>(known[i]);
    if (std::abs(right) >= not_small * scale && std::isfinite(sample.entries[i])) {
      quotients.push_back(sample.entries[i] / right);
    }
  }
  if (quotients.empty()) return 1;
  const auto middle = quotients.begin() + std::ssize(quotients) / 2;
  std::ranges::nth_element(quotients, middle);
  return *middle;
}

// The entries of each row in order; none of a row with one that is not finite.
std::vector<std::vector<double>> sorted_rows(const SampledRows& sample) {
  std::vector<std::vector<double>> all;
  for (std::size_t i = 0; i < sample.places.size(); ++i) {
    std::vector<double>& row = all.emplace_back(sample.row(i).begin(), sample.row(i).end());
    if (!std::ranges::all_of(row, [](double x) { return std::isfinite(x); })) row.clear();
    std::ranges::sort(row);
  }
  return all;
}

// Do three rows in four hold these entries in any order?
bool in_any_order(const std::vector<std::vector<double>>& rows, std::span<const float> known, double off) {
  std::size_t others = 0;
  std::vector<float> right;
  const std::size_t width = known.size() / rows.size();
  for (std::size_t i = 0; i < rows.size() && 4 * others <= rows.size(); ++i) {
    const auto row = known.subspan(i * width, width);
    right.assign(row.begin(), row.end());
    std::ranges::sort(right);
    others += !std::ranges::equal(rows[i], right,
                                  [&](double a, float b) { return std::abs(a - static_cast<double>(b)) <= off; });
  }
  return 4 * others <= rows.size();
}

// Forms of caches have each wave twice: are these columns alike, or does nearly every entry stand in its row twice?
// Most entries are, of what has such a form and was damaged, moved or made noisy; all others need no further look.
bool may_stand_twice(const SampledRows& sample, const std::vector<std::vector<double>>& sorted, double largest,
                     const std::vector<plan::Column>& columns) {
  const std::vector<std::pair<std::size_t, std::size_t>> twice = standing_twice(columns);
  if (twice.empty()) return true;
  constexpr double least_likeness_of_copies = 0.25;
  LikenessSums sums;
  for (std::size_t i = 0; i < sample.places.size(); ++i) {
    const auto entry = [&](std::size_t column) { return std::clamp(sample.row(i)[column], -largest, largest); };
    for (const auto& [one, other] : twice) {
      const double a = entry(one), b = entry(other);
      if (!std::isfinite(a) || !std::isfinite(b)) continue;
      sums.both += a * b, sums.of_got += a * a, sums.of_known += b * b;
    }
  }
  if (std::abs(sums.likeness()) >= least_likeness_of_copies) return true;
  std::size_t equal = 0, pairs = 0;
  for (const std::vector<double>& row : sorted) {
    for (std::size_t k = 0; k + 1 < row.size(); k += 2) equal += row[k] == row[k + 1], ++pairs;
  }
  return 4 * equal >= 3 * pairs && pairs > 0;
}

// What the same entries count in another order.
constexpr double in_another_order = 0.75;

// ---- the search ------------------------------------------------------------------------------------

bool gives_rotations(const Convention& convention) {
  return !check_use("identify", ConventionUse::rotations, convention);
}

bool has_plain_axis(const Signal& signal) {
  return signal.axes() == 1 && signal.plan->axes[0] == plan::Axis{} && signal.form != frequency_form;
}

// What a few rows show of their coordinates, one by one.
struct ShownPlaces {
  std::optional<double> first;  // of the first place, where most rows say the same
  bool one_by_one = false;      // three rows in four are those of the coordinates that they show, in any order
};
ShownPlaces shown_places(const Reading& reading, const Signal& signal, const SampledRows& sample,
                         const Tolerance& tolerance) {
  constexpr std::size_t fewest_waves = 4, most_rows = 12;
  constexpr double near_zero = 0x1p13;  // further out angles are off by so much that any entry would do
  if (!has_plain_axis(signal) || waves_of(signal.plan->columns).size() < fewest_waves) return {};
  const auto places = std::span(sample.places).first(std::min(most_rows, sample.places.size()));
  Coordinates along;
  std::vector<std::size_t> rows;
  std::vector<double> firsts;
  const auto look = [&](std::size_t from, std::size_t to) {
    const auto shown = coordinates_shown(reading, signal, 0, places.subspan(from, to - from), tolerance);
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (shown[i].empty()) continue;
      rows.push_back(from + i), along.list.push_back(whole_if_near(shown[i][0]));
      firsts.push_back(along.list.back() - static_cast<double>(places[from + i]));
    }
  };
  const std::size_t some = std::min<std::size_t>(4, places.size());
  look(0, some);
  if (rows.size() < some / 2) return {};
  look(some, places.size());
  ShownPlaces shown;
  std::ranges::sort(firsts);
  const double middle = firsts.empty() ? 0 : firsts[firsts.size() / 2];
  if (2 * static_cast<std::size_t>(std::ranges::count(firsts, middle)) > places.size()) shown.first = middle;
  if (4 * rows.size() < 3 * places.size()) return shown;
  Reading of_list = reading;
  of_list.extents = {std::ssize(along.list)};
  std::vector<std::int64_t> numbers(along.list.size());
  std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
  const std::vector<float> known = near_rows(of_list, {signal, {0}, {along}}, numbers);
  std::size_t same = 0;
  for (std::size_t i = 0; i < rows.size() && !known.empty(); ++i) {
    bool near = std::abs(along.list[i]) <= std::max(near_zero, 2 * static_cast<double>(reading.places()));
    const double angle = tolerance.drift * std::abs(along.list[i]);
    const double off = std::abs(signal.scale) * (2 * tolerance.noise + 0x1p-19 + angle);
    for (std::size_t c = 0; near && c < static_cast<std::size_t>(sample.width); ++c) {
      const double right = static_cast<double>(known[i * static_cast<std::size_t>(sample.width) + c]);
      near = std::isnan(right) || std::abs(sample.row(rows[i])[c] - right) <= off;
    }
    same += near;
  }
  shown.one_by_one = 4 * same >= 3 * places.size();
  return shown;
}

// One reading of the tensor, and what is most alike so far.
class NearestSearch {
 public:
  NearestSearch(const Reading& reading, const std::vector<Coordinates>& known, DType storage, const Convention* like)
      : reading_(reading),
        known_(known),
        like_(like),
        tolerance_(tolerance_of(storage)),
        few_(sampled(reading, std::int64_t{1} << 11)),
        many_(sampled(reading, std::int64_t{1} << 14)),
        sorted_(sorted_rows(few_)),
        largest_(4 * usual_size(few_)) {
    std::ranges::merge(few_.places, many_.places, std::back_inserter(looked_at_));
  }

  void look(Catalogue& catalogue, std::optional<Alike>& best) {
    if (largest_ == 0) return;
    const auto may_be = [&](const std::vector<plan::Column>& columns) {
      return may_stand_twice(few_, sorted_, largest_, columns);
    };
    for (const Named& named : catalogue.signals(may_be)) look(named);
    settle(best);
  }
  void look(const std::vector<Named>& signals, std::optional<Alike>& best) {
    for (const Named& named : signals) look(named);
    settle(best);
  }

 private:
  struct TriedRow {
    Hypothesis hypothesis;
    std::vector<std::string> presets;
    std::vector<Fitted> fitted;
    double likeness;
  };

  void settle(std::optional<Alike>& best) {
    std::ranges::stable_sort(found_, {}, [](const TriedRow& each) { return -each.likeness; });
    constexpr std::size_t finalists = 6;
    if (found_.size() > finalists) found_.resize(finalists);
    for (TriedRow& each : found_) finish(each);
    std::ranges::stable_sort(found_, {}, [](const TriedRow& each) { return -each.likeness; });
    const double few_columns = reading_.width < 16 ? std::sqrt(2.0) : 1;
    if (found_.empty() || found_[0].likeness < few_columns * least_likeness) return;
    TriedRow& first = found_[0];
    if (best && best->likeness >= first.likeness) return;
    if (auto stated = stated_places(reading_, first.hypothesis.signal, first.hypothesis.extent_of);
        stated && known_.empty())
      first.hypothesis.coordinates = std::move(*stated);
    best = Alike{
        reading_, {std::move(first.hypothesis), std::move(first.fitted)}, std::move(first.presets), first.likeness};
  }

  void look(const Named& named) {
    if (like_ != nullptr && gives_rotations(named.signal.convention) != gives_rotations(*like_)) return;
    const auto extent_of = extents_of(reading_, named.signal);
    if (!extent_of) return;
    const std::size_t axes = named.signal.axes();
    if (known_.size() > 1 && known_.size() != axes) return;
    const bool diagonal = reading_.extents.size() < axes;
    if (diagonal && named.signal.form == table_form && known_.size() != axes) return;
    TriedRow best = {{named.signal, *extent_of, {}}, named.names(), {}, 0};
    const ShownPlaces shown = known_.empty() ? shown_places(reading_, named.signal, few_, tolerance_) : ShownPlaces{};
    for (auto& coordinates : starts(best.hypothesis.signal, *extent_of, shown)) {
      Hypothesis at = {best.hypothesis.signal, *extent_of, std::move(coordinates)};
      const double likeness = likeness_of(at);
      if (likeness <= best.likeness && !best.hypothesis.coordinates.empty()) continue;
      best.hypothesis = std::move(at), best.likeness = likeness;
    }
    if (shown.one_by_one) best.likeness = std::max(best.likeness, in_another_order);
    found_.push_back(std::move(best));
  }

  std::vector<std::vector<Coordinates>> starts(const Signal& signal, const std::vector<std::size_t>& extent_of,
                                               const ShownPlaces& shown) const {
    if (known_.size() == 1) return {std::vector<Coordinates>(signal.axes(), known_[0])};
    if (!known_.empty()) return {known_};
    if (auto stated = stated_places(reading_, signal, extent_of, looked_at_)) return {std::move(*stated)};
    std::vector<std::vector<Coordinates>> all = {std::vector<Coordinates>(signal.axes())};
    if (!has_plain_axis(signal)) return all;
    for (const double first : {1, 2}) all.push_back({{first, 1, {}}});
    if (shown.first && std::abs(*shown.first - 1) > 1) all.push_back({{*shown.first, 1, {}}});
    return all;
  }

  double likeness_of(const Hypothesis& hypothesis) const {
    const std::vector<float> known = near_rows(reading_, hypothesis, few_.places);
    if (known.empty()) return 0;
    const double scale = std::abs(hypothesis.signal.scale);
    const double likeness = std::abs(sums_of(few_, largest_, known).likeness());
    const double off = scale * (2 * tolerance_.noise + 0x1p-16);
    if (likeness >= in_another_order || !in_any_order(sorted_, known, off)) return likeness;
    return in_another_order;
  }

  // By more rows, and at the size of the tensor's entries.
  void finish(TriedRow& tried) const {
    complete(tried.hypothesis.signal);
    const std::vector<float> known = near_rows(reading_, tried.hypothesis, many_.places);
    if (known.empty()) return;
    const LikenessSums sums = sums_of(many_, largest_, known);
    const double likeness = std::abs(sums.likeness());
    constexpr double usual = 0.2;
    if (tried.likeness != in_another_order) tried.likeness = likeness;
    const double factor = std::abs(factor_of(many_, known, std::abs(tried.hypothesis.signal.scale)));
    if (tried.likeness == in_another_order || likeness < least_likeness) return;
    constexpr double less_plain = 0.01, little = 0.01;
    const Affine by = affine_of(many_.entries, std::vector<double>(known.begin(), known.end()));
    if (by.unexplained < little && std::abs(by.shift) > 2 * little * std::abs(by.factor)) {  // told with its shift
      tried.likeness -= std::abs(by.factor - 1) < usual ? 0 : less_plain;
      return;
    }
    if (std::abs(factor - 1) < usual) return;
    const double size = factor * std::abs(tried.hypothesis.signal.scale);
    // Noise takes nothing away, so that the factor is off by about its share of a sum of that many.
    const double off = size * std::max(0.002, std::sqrt((1 - likeness * likeness) / static_cast<double>(known.size())));
    const std::int64_t sizes[] = {reading_.width, 2 * reading_.width, reading_.width / 2};
    auto simple = simple_root({size - off, size + off}, sizes);
    if (!simple) simple = simple_number({size - off, size + off});
    const double scale = simple ? simple->value : size;
    auto signal = scaled_to(tried.hypothesis.signal, scale);
    if (!signal) return;
    tried.fitted.push_back({"scale", scale, size - off, size + off, simple ? simple->text : ""});
    tried.hypothesis.signal = std::move(*signal);
    tried.likeness -= less_plain;
  }

  const Reading& reading_;
  const std::vector<Coordinates>& known_;
  const Convention* like_;
  Tolerance tolerance_;
  SampledRows few_, many_;
  std::vector<std::vector<double>> sorted_;  // rows of the few
  double largest_;
  std::vector<std::int64_t> looked_at_;  // places of both
  std::vector<TriedRow> found_;
};

}  // namespace

std::optional<Alike> most_alike(const ConstView& tensor, const std::vector<Coordinates>& known, DType storage,
                                const Convention* like) {
  std::optional<Alike> best;
  const double noise = tolerance_of(storage).noise;
  const std::size_t stated = readings(tensor, Grids::stated).size();
  const std::vector<Reading> all = readings(tensor, Grids::factored, noise);
  constexpr std::int64_t fewest_entries = 32, widest = std::int64_t{1} << 13;
  std::map<std::int64_t, Catalogue> quick;  // by width
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Reading& reading = all[i];
    if (i == stated && best) break;
    if (i >= stated && reading.extra > 0 && !reading.separable) continue;  // a class token before a grid of sums
    if (reading.places() < 3 || reading.width < 2 || reading.width > widest) continue;
    if (reading.places() * reading.width < fewest_entries) continue;
    const bool listed = std::ranges::all_of(known, [&](const Coordinates& each) {
      return reading.extents.size() == 1 && std::ssize(each.list) == reading.extents[0];
    });
    if (!listed) continue;
    Catalogue& catalogue = quick.try_emplace(reading.width, reading.width, Ladders::quick).first->second;
    NearestSearch(reading, known, storage, like).look(catalogue, best);
  }
  if (!best) return best;
  // Scaled ladders, which take long to make, in the columns that were found.
  const Reading reading = best->reading;
  const std::vector<plan::Column> columns = best->held.hypothesis.signal.plan->columns;
  const auto found = [&](const std::vector<plan::Column>& each) { return each == columns; };
  NearestSearch(reading, known, storage, like).look(Catalogue(reading.width).signals(found), best);
  return best;
}

}  // namespace posenc::referee
