// SPDX-License-Identifier: Apache-2.0
// Biases and slopes: numbers of heads that are powers of two and others, distances near and of 2^64.
#include <posenc/bias.h>
#include <posenc/preset.h>

#include "tests/proof/positions.h"
#include "tests/proof/works.h"

namespace posenc::proof {
namespace {

struct Scores {
  std::string name;
  Positions queries, keys;
};

std::vector<Scores> every_distance() {
  return {{"range", Positions::range(-5, 40), Positions::range(-11, 60)},
          {"step", Positions::at(two_to_53 + 5), Positions::range(two_to_53 - 60, 66)},
          {"integers", integers(), integers()},
          {"reals", reals(), reals()},
          {"mixed", Positions::range(0.1, 9, 0.3), integers()}};
}

template <class T>
void scores(const Surroundings& how, const std::string& name, const Convention& convention, std::int64_t heads,
            const Scores& between) {
  Threads threads(how.threads);
  const std::int64_t length = between.queries.count_;
  RowMemory<T> out(how, heads * length, between.keys.count_);
  Surroundings whole = how;  // of a real range, a part may be rounded elsewhere
  if (between.queries.kind_ == Positions::Kind::reals) whole.cut = 0;
  in_cuts(whole, length, [&](std::int64_t first, std::int64_t count) {
    View some = out.batch(heads);
    some.data = out.row(first);
    some.shape[1] = count;
    bias(convention, part(between.queries, first, count), between.keys, some, {.executor = threads.executor()});
  });
  out.put("bias/" + name);
}

void slopes(const std::string& name, const Convention& convention, std::initializer_list<std::int64_t> numbers) {
  for (const std::int64_t heads : numbers) put("slopes/" + name, bias_slopes(convention, heads));
}

}  // namespace

void write_biases(const Surroundings& how) {
  const Convention alibi = preset("alibi").convention;
  for (const Scores& between : every_distance()) {
    for_types([&]<class T>(T) {
      for (const std::int64_t heads : {1, 2, 8, 3, 6}) {
        const std::string number =
            std::has_single_bit(static_cast<unsigned>(heads)) ? "power-of-two/" : "other-number/";
        scores<T>(how, "alibi/" + number + between.name, alibi, heads, between);
      }
      scores<T>(how, "octaves-0.3", Bias{0.3}, 3, between);
      scores<T>(how, "octaves-1024", Bias{1024}, 3, between);
    });
  }
  slopes("alibi/power-of-two", alibi, {1, 2, 4, 8, 16, 32, 64});
  slopes("alibi/other-number", alibi, {3, 5, 6, 7, 11, 12, 20, 31, 33});
  slopes("octaves-0.3", Bias{0.3}, {1, 8, 13});
  slopes("octaves-1024", Bias{1024}, {1, 8, 13, 64});
}

}  // namespace posenc::proof
