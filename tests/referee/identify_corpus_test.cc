// SPDX-License-Identifier: Apache-2.0
// Identify, beside what the packages of others made. Right is: the row that is true is among the candidates, or one
// that has the same numbers; of strangers: nothing is named.
#include <gtest/gtest.h>
#include <posenc/referee/referee.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "tests/referee/corpus.h"
#include "tests/referee/recorded.h"
#include "tests/referee/same_numbers.h"

namespace posenc {
namespace {

using test::Original;
using Json = nlohmann::json;

// ---- the question --------------------------------------------------------------------------------

// The coordinates that a caller knows, axis by axis.
std::vector<std::vector<double>> coordinates_of(const Json& truth) {
  std::vector<std::vector<double>> lists;
  for (const Json& place : truth["coordinates"]) {
    const Json all = place.is_array() ? place : Json::array({place});
    lists.resize(all.size());
    for (std::size_t a = 0; a < all.size(); ++a) lists[a].push_back(all[a].get<double>());
  }
  return lists;
}
std::vector<Positions> positions_of(const std::vector<std::vector<double>>& lists) {
  std::vector<Positions> all;
  for (const auto& list : lists) all.push_back(Positions::list(view(list.data(), {std::ssize(list)})));
  return all;
}

Identification answer(const Original& original, const std::map<std::string, const Original*>& by_name) {
  const Json& truth = original.truth;
  if (truth.contains("before")) {
    const ConstView before = by_name.at(truth["before"])->view(), after = by_name.at(truth["after"])->view();
    const Positions positions = Positions::range(truth.value("first", std::int64_t{0}), before.size(-2), 1);
    return identify_rotation(before, after, positions);
  }
  std::vector<std::vector<double>> lists;
  if (truth.contains("coordinates") && !truth.contains("grid")) lists = coordinates_of(truth);
  return identify(original.view(), {.positions = positions_of(lists)});
}

// ---- the answer ----------------------------------------------------------------------------------

enum class Answer : std::uint8_t { right = 1, silent, wrong };

// Of rows of one axis whose places are known: the same angles in the first row and in the last, however a factor of
// them is shared between ladder and positions.
bool is_of_rows(const Json& truth) {
  return truth.contains("first") && truth.contains("width") && !truth.contains("coordinates") &&
         !truth.contains("grid") && !truth.contains("before") && truth["kind"] != "inv_freq";
}
double number(const numerics::Rational& x) { return numerics::rounded<double>(numerics::Real(x)).value_or(NAN); }
bool has_angles(const Json& truth, const LoweredFor& given, const Candidate& candidate) {
  const Preset& row = preset(truth["preset"].get<std::string>());
  const auto known = referee::signal_of(row, test::convention_of(truth), given, candidate.form);
  const auto told = referee::signal_of(preset(candidate.presets.front()), candidate.convention,
                                       {.width = candidate.width, .context = candidate.context}, candidate.form);
  if (!known || !told || known->plan->columns != told->plan->columns || candidate.places.size() != 1) return false;
  const double first = truth["first"].get<double>(), step = truth.value("step", 1.0);
  const std::int64_t in_front = candidate.extra - truth.value("lead", std::int64_t{0});  // rows of places among them
  constexpr double least = 1e-6;  // of an angle: coordinates are told to as many digits
  const double off = std::max(least, test::off_of(candidate));
  for (const std::int64_t i : {std::int64_t{0}, candidate.extents[0] - 1}) {
    const auto at = [](const referee::Signal& signal, double position, std::size_t k) {
      const plan::Axis& axis = signal.plan->axes[0];
      return signal.frequencies[0][k] * (number(axis.step) * position + number(axis.start));
    };
    const double is = first + static_cast<double>(i + in_front) * step,
                 said = candidate.places[0].first + static_cast<double>(i) * candidate.places[0].step.value_or(0);
    for (std::size_t k = 0; k < known->frequencies[0].size(); ++k) {
      const double a = at(*known, is, k), b = at(*told, said, k);
      if (std::abs(a - b) > off * (1 + std::abs(a))) return false;
    }
  }
  return true;
}

// Rows times what the tensor was multiplied by.
bool is_scaled_so(const Original& original, const LoweredFor& given, const Candidate& candidate) {
  if (candidate.form != "table") return true;
  const Preset& row = preset(original.truth["preset"].get<std::string>());
  const auto known = referee::signal_of(row, test::convention_of(original.truth), given, candidate.form);
  const auto told = referee::signal_of(preset(candidate.presets.front()), candidate.convention,
                                       {.width = candidate.width, .context = candidate.context}, candidate.form);
  constexpr double in_bf16 = 0x1p-7;
  return !known || !told ||
         test::same_number(known->scale * original.truth["scale"].get<double>(), told->scale, in_bf16);
}

Answer judged(const Original& original, const Identification& said) {
  const std::vector<Candidate>& all = said.candidates;
  if (original.kind() == "none") return all.empty() ? Answer::right : Answer::wrong;
  if (all.empty()) return Answer::silent;
  const Json& truth = original.truth;
  Context context = {.length = truth.value("length", truth.value("first", std::int64_t{0}) + 1)};
  if (truth.contains("learned")) context.learned = truth["learned"].get<double>();
  const Preset& row = preset(truth["preset"].get<std::string>());
  const LoweredFor given = {.width = truth.value("width", std::int64_t{0}), .context = context};
  const bool has = std::ranges::any_of(all, [&](const Candidate& each) {
    // One step of a factor, at a position that nobody states, does not tell how often there are steps.
    const bool all_equal = each.exact.equal == each.exact.entries;
    if (original.kind() == "query_scale" && all_equal && std::ranges::count(each.presets, row.name) > 0) return true;
    if (!is_scaled_so(original, given, each)) return false;
    return is_of_rows(truth) ? has_angles(truth, given, each)
                             : test::is_it(row, test::convention_of(truth), given, each);
  });
  return has ? Answer::right : Answer::wrong;
}

struct Tally {
  int count = 0, right = 0, wrong = 0;
};

// Every `stride`-th of a part, by kind; `each` sees every answer.
template <class Each>
std::map<std::string, Tally> tallied(const std::string& part, std::size_t stride, const Each& each) {
  const std::vector<Original> all = test::originals(part);
  std::map<std::string, const Original*> by_name;
  for (const Original& original : all) by_name[original.name] = &original;
  std::map<std::string, Tally> tallies;
  for (std::size_t i = 0; i < all.size(); i += stride) {
    const Original& original = all[i];
    if (original.name.ends_with(".after")) continue;  // with its .before
    // identify_rotation takes one position for all axes.
    if (original.truth.contains("before") && original.truth.contains("coordinates")) continue;
    const Identification said = ::posenc::answer(original, by_name);
    const auto record = part == "held" ? test::expect_recorded_digest : test::expect_recorded;
    record(part + "/" + original.name + "/identify", to_json(said));
    const Answer answer = judged(original, said);
    Tally& tally = tallies[original.kind()];
    ++tally.count, tally.right += answer == Answer::right, tally.wrong += answer == Answer::wrong;
    each(original, answer);
  }
  for (const auto& [kind, tally] : tallies) {
    std::printf("%s, %s: %d right of %d, %d wrong\n", part.c_str(), kind.c_str(), tally.right, tally.count,
                tally.wrong);
  }
  return tallies;
}

// `silent`: those that are known to get no answer; `wrong`: to get another one.
void expect_right(const std::string& part, std::size_t stride, const std::set<std::string>& silent,
                  const std::set<std::string>& wrong = {}) {
  tallied(part, stride, [&](const Original& original, Answer answer) {
    EXPECT_EQ(answer == Answer::wrong, wrong.contains(original.name))
        << original.name << " " << original.truth["preset"] << " " << original.truth["call"];
    EXPECT_EQ(answer == Answer::silent, silent.contains(original.name))
        << original.name << " " << original.truth["preset"];
  });
}

// What gets no answer: divisors that are listed one by one, coordinates far from 0 of a ladder that no row has, and
// tensors that say too little.
const std::set<std::string> silent_of_open = {
    "t35500ce221",  // dynamic NTK, sines alone from position 5000 on
    "tb31dd1bf9f",  // ministral3-temperature before its first step: ones
    "tb9b8abeb84",  // the same
    "tcf0ed746ad",  // longrope in bf16: any divisors would do
    "tf30f28bbe5",  // t5-bucket-decoder
};

TEST(IdentifyCorpus, SomeOfTheOpenPart) { expect_right("open", 23, silent_of_open); }  // all take minutes
TEST(IdentifyCorpus, ExhaustiveOpenPart) { expect_right("open", 1, silent_of_open); }

const std::set<std::string> silent_of_seen_2 = {
    "t7347fa1507",  // sines alone of another base, far from position 0
};
// A fault that is known: a row that has all of the entries.
const std::set<std::string> wrong_of_seen_2 = {
    "t72adbe0b08",  // rope-proportional in f16, whose slow pairs turn as little in SmolLM3
};

TEST(IdentifyCorpus, SomeOfTheSeenPart) { expect_right("seen", 23, {}); }
TEST(IdentifyCorpus, ExhaustiveSeenPart) { expect_right("seen", 1, {}); }
TEST(IdentifyCorpus, ExhaustiveSeenPartOfTheSecondRound) {
  expect_right("seen-2", 1, silent_of_seen_2, wrong_of_seen_2);
}

// Nobody looks at these while writing: no name is printed.
TEST(IdentifyCorpus, ExhaustiveHeldPart) {
  Tally sum;
  for (const auto& [kind, tally] : tallied("held", 1, [](const Original&, Answer) {})) {
    sum.count += tally.count, sum.right += tally.right, sum.wrong += tally.wrong;
  }
  std::printf("held: %d right of %d, %d wrong\n", sum.right, sum.count, sum.wrong);
  EXPECT_EQ(sum.count, 187);
  EXPECT_EQ(sum.right, 187);
  EXPECT_EQ(sum.wrong, 0);
}

}  // namespace
}  // namespace posenc
