// SPDX-License-Identifier: Apache-2.0
// The input stage and dropout on any parts of a sequence: the bits of the whole.
#include <gtest/gtest.h>
#include <posenc/input_stage.h>

#include "tests/properties/random_rows.h"

namespace posenc {
namespace {

using properties::Bits;

constexpr std::int64_t vocabulary = 11;

struct Sequences {
  std::int64_t batch = *rc::gen::inRange<std::int64_t>(1, 4);
  std::int64_t length = *rc::gen::inRange<std::int64_t>(1, 40);
  std::int64_t width = 2 * *rc::gen::inRange<std::int64_t>(1, 20);
  DType type = properties::random_real();
  bool sequence_first = *rc::gen::arbitrary<bool>();
  std::vector<std::int32_t> ids = *rc::gen::container<std::vector<std::int32_t>>(
      static_cast<std::size_t>(batch * length), rc::gen::inRange<std::int32_t>(0, vocabulary));
  std::uint32_t first = *rc::gen::inRange<std::uint32_t>(0, 1000000);

  /// Tokens `from` to `to` of every sequence, [B, L].
  ConstView part_of_ids(std::int64_t from, std::int64_t to) const {
    return {ids.data() + from, DType::i32, 2, {batch, to - from}, {length, 1}};
  }
  Bits output() const {
    return sequence_first ? Bits(type, {length, batch, width}) : Bits(type, {batch, length, width});
  }
  /// The same of an output, as [B, L, d].
  View part_of(Bits& out, std::int64_t from, std::int64_t to) const {
    const View part = out.part(sequence_first ? 0 : 1, from, to - from);
    return sequence_first ? part.transposed(0, 1) : part;
  }
};

template <class T>
void convert(const std::vector<float>& from, Bits& to) {
  for (std::size_t i = 0; i < from.size(); ++i) static_cast<T*>(to.view.data)[i] = T(from[i]);
}

Bits random_rows_of(DType type, std::int64_t width) {
  std::vector<float> values(static_cast<std::size_t>(vocabulary * width));
  seeded_rows(view(values.data(), {vocabulary, width}), *rc::gen::arbitrary<std::uint64_t>(), 0, RowInit::normal);
  Bits rows(type, {vocabulary, width});
  if (type == DType::f32) convert<float>(values, rows);
  if (type == DType::f64) convert<double>(values, rows);
  if (type == DType::f16) convert<half>(values, rows);
  if (type == DType::bf16) convert<bfloat16>(values, rows);
  return rows;
}

StageOptions random_options() {
  StageOptions options{.scale = *rc::gen::element(Scale::none, Scale::sqrt_dim, Scale::of(0.37))};
  options.dropout = *rc::gen::element(0.0, 0.1, 0.5, 0.999);
  options.seed = *rc::gen::arbitrary<std::uint64_t>();
  if (*rc::gen::arbitrary<bool>()) options.padding_id = *rc::gen::inRange<std::int64_t>(0, vocabulary);
  return options;
}

/// Encodes token by token group, in any order of the groups.
void encode_parts(const InputStage& stage, const Sequences& given, std::int64_t start, EncodeOptions options,
                  Bits& out) {
  const std::vector<std::int64_t> cuts = properties::random_cuts(given.length);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
    order.insert(*rc::gen::arbitrary<bool>() ? order.begin() : order.end(), i);
  const std::uint32_t first = options.first;
  for (const std::size_t i : order) {
    options.first = first + static_cast<std::uint32_t>(cuts[i]);
    stage.encode(given.part_of_ids(cuts[i], cuts[i + 1]), Positions::range(start + cuts[i], cuts[i + 1] - cuts[i]),
                 given.part_of(out, cuts[i], cuts[i + 1]), options);
  }
}

RC_GTEST_PROP(Chunks, OfAnInputStageHaveTheBitsOfTheWhole, ()) {
  const Sequences given;
  const Bits rows = random_rows_of(given.type, given.width);
  const InputStage stage(rows.view, preset("transformer").convention, random_options());
  const auto start = *rc::gen::inRange<std::int64_t>(-1000, std::int64_t{1} << 40);
  const EncodeOptions options{.mode = *rc::gen::element(StageMode::train, StageMode::evaluate),
                              .call = *rc::gen::arbitrary<std::uint32_t>(),
                              .first = given.first};
  Bits whole = given.output(), parts = given.output();
  stage.encode(given.part_of_ids(0, given.length), Positions::range(start, given.length),
               given.part_of(whole, 0, given.length), options);
  encode_parts(stage, given, start, options, parts);
  RC_ASSERT(parts == whole);
}

RC_GTEST_PROP(Chunks, OfAStoredTableHaveTheBitsOfTheWhole, ()) {
  const Sequences given;
  const Bits rows = random_rows_of(given.type, given.width), table = random_rows_of(given.type, given.width);
  RC_PRE(given.length <= vocabulary);  // a table of so many positions
  const InputStage stage(rows.view, table.view, random_options());
  const EncodeOptions options{.mode = StageMode::train, .call = 1, .first = given.first};
  Bits whole = given.output(), parts = given.output();
  stage.encode(given.part_of_ids(0, given.length), Positions::range(0, given.length),
               given.part_of(whole, 0, given.length), options);
  encode_parts(stage, given, 0, options, parts);
  RC_ASSERT(parts == whole);
}

}  // namespace
}  // namespace posenc
