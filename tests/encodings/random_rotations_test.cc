// SPDX-License-Identifier: Apache-2.0
// Random rotations: presets and variants, contexts, shapes, strides, positions, directions, sides and types drawn at
// random, against the fields of the convention by MPFR and plain loops. A case is made from its own seed, which a
// failure names.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/rotary.h>

#include <random>

#include "tests/encodings/field.h"
#include "tests/encodings/rotations.h"
#include "tests/encodings/surroundings.h"
#include "tests/encodings/true_rotation.h"

namespace posenc {
namespace {

using Draw = std::mt19937_64;

std::int64_t drawn_between(Draw& random, std::int64_t least, std::int64_t most) {
  return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
}
template <class T>
const T& drawn_of(Draw& random, const std::vector<T>& all) {
  return all[random() % all.size()];
}

// ---- the convention -----------------------------------------------------------------------------

struct DrawnConvention {
  std::string name;
  Rotary rotary;
  std::int64_t head;
  Context context;
};

std::vector<const Preset*> rotary_presets() {
  std::vector<const Preset*> all;
  for (const Preset& preset : presets()) {
    if (std::holds_alternative<Rotary>(preset.convention)) all.push_back(&preset);
  }
  return all;
}

// The same, some of its fields others.
Rotary varied(Draw& random, Rotary rotary) {
  if (random() % 4 == 0) rotary.written = Written::split_half;
  if (random() % 4 == 0) rotary.turn = TurnTo::backward;
  if (random() % 4 == 0) rotary.where = HeadEnd::last;
  if (random() % 8 == 0) rotary.magnitude = 0.75;
  return rotary;
}

// The first head from a random one on that a convention takes and of which it turns an even number of columns: some
// take one width alone, and a variant none.
std::int64_t random_head(Draw& random, const Rotary& rotary, const Context& context) {
  std::int64_t head = drawn_between(random, 2, 72);
  for (int i = 0; i < 255; ++i, head = head == 256 ? 2 : head + 1) {
    if (test::true_rotated(rotary, head) % 2 == 0 && !RotaryRows::check(rotary, head, {.context = context}))
      return head;
  }
  return 0;
}

DrawnConvention random_convention(Draw& random) {
  static const std::vector<const Preset*> all = rotary_presets();
  const Preset& preset = *drawn_of(random, all);
  const Context context = {.length = drawn_between(random, 0, 1) == 0 ? 1000 : 100000,
                           .centre = static_cast<double>(drawn_between(random, -4, 900)) / 2,
                           .learned = {}};
  DrawnConvention made = {std::string(preset.name), std::get<Rotary>(preset.convention), 0, context};
  const Rotary other = varied(random, made.rotary);
  made.head = random_head(random, other, context);
  if (made.head > 0) {
    made.rotary = other;
  } else {
    made.head = random_head(random, made.rotary, context);
  }
  return made;
}

// ---- positions ----------------------------------------------------------------------------------

// Integers and fractions of every size: up to 2^53, or near a centre, where a decay's powers are numbers of f32.
double drawn_number(Draw& random, bool near) {
  const std::int64_t size = near ? 12 : drawn_between(random, 0, 53);
  const auto whole = static_cast<double>(random() >> (63 - size) >> 1);
  const double number = random() % 3 == 0 ? whole * 0x1p-20 : whole;
  return random() % 4 == 0 ? -number : number;
}

// A list for each axis, [L] or [B, L], and its numbers as they are.
struct DrawnLists {
  std::int64_t sequences, tokens;  // sequences: 0 for one list
  std::vector<std::vector<double>> numbers;
  std::vector<std::vector<std::int64_t>> whole = {};
  std::vector<Positions> all = {};

  std::vector<double> place(std::int64_t b, std::int64_t t) const {
    std::vector<double> place;
    for (const std::vector<double>& list : numbers) place.push_back(list[static_cast<std::size_t>(b * tokens + t)]);
    return place;
  }
};

template <class T>
Positions drawn_list(const DrawnLists& lists, const std::vector<T>& numbers) {
  return Positions::list(lists.sequences == 0 ? view(numbers.data(), {lists.tokens})
                                              : view(numbers.data(), {lists.sequences, lists.tokens}));
}

DrawnLists random_lists(Draw& random, std::size_t axes, std::int64_t sequences, std::int64_t tokens, bool near) {
  DrawnLists lists = {random() % 2 == 0 ? sequences : 0, tokens, {}};
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(1, lists.sequences) * tokens);
  lists.numbers.resize(axes), lists.whole.resize(axes);
  for (std::size_t a = 0; a < axes; ++a) {
    std::vector<double>& numbers = lists.numbers[a];
    const std::uint64_t kind = random() % 4;
    const std::int64_t start = drawn_between(random, -5000, 5000), step = drawn_between(random, -3, 3);
    if (lists.sequences == 0 && kind < 2) {  // a range, of integers or of reals
      const double from = static_cast<double>(start) * (kind == 0 ? 1 : 0x1p-6),
                   by = static_cast<double>(step) * (kind == 0 ? 1 : 0.3);
      for (std::int64_t t = 0; t < tokens; ++t) numbers.push_back(from + static_cast<double>(t) * by);
      lists.all.push_back(kind == 0 ? Positions::range(start, tokens, step) : Positions::range(from, tokens, by));
      continue;
    }
    while (numbers.size() < count) numbers.push_back(drawn_number(random, near));
    if (kind != 3) {
      lists.all.push_back(drawn_list(lists, numbers));
      continue;
    }
    for (double& number : numbers)
      number = std::trunc(number), lists.whole[a].push_back(static_cast<std::int64_t>(number));
    lists.all.push_back(drawn_list(lists, lists.whole[a]));
  }
  return lists;
}

// ---- the tensor ---------------------------------------------------------------------------------

// [B, .., L, d] or [B, .., L, H, d]: axes before the columns, of which one has the tokens.
struct DrawnShape {
  std::vector<std::int64_t> sizes;
  std::size_t tokens_at;
  TokenAxis axis;

  std::int64_t rows() const {
    std::int64_t count = 1;
    for (std::size_t a = 0; a + 1 < sizes.size(); ++a) count *= sizes[a];
    return count;
  }
  // The index along an axis of row number r.
  std::int64_t index(std::int64_t r, std::size_t axis_asked) const {
    for (std::size_t a = sizes.size() - 2; a > axis_asked; --a) r /= sizes[a];
    return r % sizes[axis_asked];
  }
};

DrawnShape random_shape(Draw& random, std::int64_t sequences, std::int64_t tokens, std::int64_t columns) {
  DrawnShape shape = {{sequences}, 0, TokenAxis::before_columns};
  const std::int64_t more = drawn_between(random, 0, 2);
  for (std::int64_t i = 0; i < more; ++i) shape.sizes.push_back(drawn_between(random, 1, 6));
  shape.tokens_at = shape.sizes.size();
  shape.sizes.push_back(tokens);
  if (random() % 3 == 0) {
    shape.axis = TokenAxis::before_heads;
    shape.sizes.push_back(drawn_between(random, 1, 6));
  }
  shape.sizes.push_back(columns);
  return shape;
}

template <class T>
std::vector<T> expected_tensor(const DrawnConvention& made, const DrawnShape& shape, const DrawnLists& lists,
                               RotatedSide side, Direction direction, const std::vector<T>& in) {
  const test::TrueRotation rotation(made.rotary, made.head, made.context);
  std::vector<std::vector<reference::Turned>> by;
  for (std::int64_t b = 0; b < std::max<std::int64_t>(1, lists.sequences); ++b) {
    for (std::int64_t t = 0; t < lists.tokens; ++t) by.push_back(rotation.at(lists.place(b, t), side, direction));
  }
  const std::int64_t width = shape.sizes.back();
  std::vector<T> out;
  for (std::int64_t r = 0; r < shape.rows(); ++r) {
    const std::int64_t b = lists.sequences == 0 ? 0 : shape.index(r, 0), t = shape.index(r, shape.tokens_at);
    const std::vector<float> row(in.begin() + r * width, in.begin() + (r + 1) * width);
    const auto& turned = by[static_cast<std::size_t>(b * lists.tokens + t)];
    for (const float x : reference::turned(row, turned, test::storage_of<T>())) out.push_back(T(x));
  }
  return out;
}

template <class T>
void expect_drawn_turned(Draw& random, const DrawnConvention& made) {
  const bool decays = std::holds_alternative<PairDecay>(made.rotary.decay);
  // A few tokens, or so many that a range is made by strips; few of a wide head.
  const std::int64_t tokens = random() % 8 == 0 ? drawn_between(random, 24, 60) : drawn_between(random, 1, 5);
  const std::int64_t sequences = drawn_between(random, 1, 3);
  const DrawnLists lists = random_lists(random, made.rotary.axes.size(), sequences, tokens, decays);
  const std::int64_t columns = made.head + drawn_between(random, 0, 1) * drawn_between(random, 0, 9);
  const DrawnShape shape = random_shape(random, sequences, tokens, columns);
  const auto memory = [&] { return test::memories[random() % std::size(test::memories)]; };
  const Direction direction = test::directions[random() % 2];
  const RotatedSide side = random() % 2 == 0 ? RotatedSide::query : RotatedSide::key;
  const Executor& executor = random() % 3 == 0 ? test::reversed : random() % 2 == 0 ? serial : test::two_threads;
  SCOPED_TRACE(testing::Message() << made.name << ", head " << made.head << ", shape "
                                  << testing::PrintToString(shape.sizes) << ", tokens on axis " << shape.tokens_at
                                  << (lists.sequences == 0 ? ", one list" : ", own lists")
                                  << (direction == Direction::forward ? ", forward" : ", back"));

  const std::vector<T> elements =
      test::random_elements<T>(static_cast<std::size_t>(shape.rows() * columns), static_cast<unsigned>(random()));
  test::Field<T> in(shape.sizes, memory()), apart(shape.sizes, memory());
  const bool in_place = random() % 2 == 0;
  test::Field<T>& out = in_place ? in : apart;
  in.fill(elements);
  const Rotated one[] = {{in.view(), out.view(), side, shape.axis}};
  RotaryRows(made.rotary, made.head, {.context = made.context}).rotate(lists.all, one, direction, executor);
  EXPECT_TRUE(test::same_bits(out.values(), expected_tensor(made, shape, lists, side, direction, elements)));
  EXPECT_TRUE(out.rest_is_untouched());
}

void expect_random_rotations_exact(std::uint64_t seed, std::uint64_t cases) {
  std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(seed + cases - 1));
  std::vector<std::string> names;
  for (std::uint64_t i = 0; i < cases && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE("seed " + std::to_string(seed + i));
    Draw random(seed + i);
    const DrawnConvention made = random_convention(random);
    ASSERT_GT(made.head, 0) << made.name;
    names.push_back(made.name);
    const std::uint64_t type = random() % 3;
    if (type == 0) expect_drawn_turned<float>(random, made);
    if (type == 1) expect_drawn_turned<half>(random, made);
    if (type == 2) expect_drawn_turned<bfloat16>(random, made);
  }
  std::ranges::sort(names);
  const auto distinct = std::unique(names.begin(), names.end()) - names.begin();
  EXPECT_EQ(distinct, std::ssize(rotary_presets()));  // each was drawn
}

TEST(RandomRotations, AreTheFieldsOfTheirConventions) { expect_random_rotations_exact(1600000, 1000); }
TEST(ExhaustiveRandomRotations, AreTheFieldsOfTheirConventions) { expect_random_rotations_exact(1700000, 30000); }

}  // namespace
}  // namespace posenc
