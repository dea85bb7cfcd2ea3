// SPDX-License-Identifier: Apache-2.0
// Tensors rotated in one call, of more runs of lines than are turned together, against a call for each.
#include <gtest/gtest.h>

#include <variant>

#include "tests/encodings/field.h"
#include "tests/encodings/rotations.h"
#include "tests/encodings/surroundings.h"

namespace posenc {
namespace {

using test::Field;
using test::Memory;
using test::same_bits;

constexpr std::int64_t sequence_length = 5, line_width = 10;

using Tensor = std::variant<Field<float>, Field<half>, Field<bfloat16>>;

// Shape [.., sequence_length, line_width], with other elements for every seed.
template <class T>
Tensor tensor(std::vector<std::int64_t> outer, Memory memory, unsigned seed) {
  outer.insert(outer.end(), {sequence_length, line_width});
  Field<T> field(outer, memory);
  field.fill(test::random_elements<T>(field.values().size(), seed));
  return field;
}

View view_of(Tensor& tensor) {
  return std::visit([](auto& field) { return field.view(); }, tensor);
}

// The same elements, and nothing written beside them?
bool same(const Tensor& a, const Tensor& b) {
  return std::visit(
      [&]<class T>(const Field<T>& field) {
        return same_bits(field.values(), std::get<Field<T>>(b).values()) && field.rest_is_untouched();
      },
      a);
}

void expect_as_alone(const Positions& positions, const std::vector<Tensor>& tensors) {
  for (const Convention& convention : {test::half_pairs, test::adjacent_pairs}) {
    const RotaryRows rows(convention, line_width - 2);
    std::vector<Tensor> alone = tensors;
    for (Tensor& tensor : alone) rows.rotate(positions, Rotated{view_of(tensor), TokenAxis::before_columns});
    for (const Executor& executor : {serial, test::reversed, test::two_threads}) {
      std::vector<Tensor> together = tensors;
      std::vector<Rotated> views;
      for (Tensor& tensor : together) views.emplace_back(view_of(tensor), TokenAxis::before_columns);
      rows.rotate(positions, views, Direction::forward, executor);
      for (std::size_t i = 0; i < tensors.size(); ++i) EXPECT_TRUE(same(together[i], alone[i])) << "tensor " << i;
    }
  }
}

// Padded axes cannot be merged: two runs a tensor, so that four are full after two tensors of a type, and once more
// within three.
TEST(LineBatch, OfMoreRunsThanItHoldsTurnsEveryLineOnce) {
  const std::vector<std::int64_t> heads = {2, 3};
  expect_as_alone(Positions::range(40, sequence_length),
                  {tensor<float>(heads, Memory::padded, 1), tensor<float>(heads, Memory::padded, 2),
                   tensor<bfloat16>(heads, Memory::padded, 3), tensor<float>(heads, Memory::padded, 4),
                   tensor<half>(heads, Memory::padded, 5), tensor<half>(heads, Memory::padded, 6),
                   tensor<float>(heads, Memory::padded, 7), tensor<float>(heads, Memory::padded, 8),
                   tensor<float>(heads, Memory::padded, 9)});
}

TEST(LineBatch, BecomesFullWithinATensor) {
  expect_as_alone(Positions::range(40, sequence_length),
                  {tensor<half>({4}, Memory::padded, 1), tensor<half>({2, 3}, Memory::padded, 2),
                   tensor<half>({3, 2}, Memory::padded, 3), tensor<half>({}, Memory::padded, 4)});
}

TEST(LineBatch, OfSequencesWithTheirOwnPositionsTurnsEveryLineOnce) {
  const std::vector<std::int64_t> positions = {1, 2, 3, 4, 5, -70, 9, 9, 0, 1000}, heads = {2, 2, 3};
  expect_as_alone(Positions::list(view(positions.data(), {2, sequence_length})),
                  {tensor<float>(heads, Memory::padded, 1), tensor<float>(heads, Memory::padded, 2),
                   tensor<float>(heads, Memory::padded, 3), tensor<half>(heads, Memory::padded, 4)});
}

// They are turned at once, while lines before and after them wait.
TEST(LineBatch, KeepsWhatWaitsWhereColumnsLieApart) {
  for (const Memory apart : {Memory::spread, Memory::backwards, Memory::column_major}) {
    expect_as_alone(
        Positions::range(40, sequence_length),
        {tensor<float>({3}, Memory::padded, 1), tensor<float>({2, 3}, apart, 2), tensor<float>({2}, Memory::dense, 3),
         tensor<float>({2, 3}, apart, 4), tensor<float>({2, 3}, Memory::padded, 5), tensor<float>({7}, apart, 6)});
  }
}

// Blocks of 128 lines begin at lines 118 and 246 of the longest tensor, the last of them ends in the tensor after it.
TEST(LineBatch, OfALaterBlockBeginsWithinATensor) {
  for (const Memory memory : {Memory::padded, Memory::spread}) {
    expect_as_alone(Positions::range(40, sequence_length),
                    {tensor<float>({10}, Memory::padded, 1), tensor<float>({0}, Memory::dense, 2),
                     tensor<float>({300}, memory, 3), tensor<float>({3}, Memory::padded, 4)});
    expect_as_alone(Positions::range(40, sequence_length),
                    {tensor<half>({10}, Memory::padded, 1), tensor<bfloat16>({300}, memory, 2),
                     tensor<bfloat16>({2, 0}, Memory::dense, 3), tensor<float>({3}, Memory::padded, 4)});
  }
}

}  // namespace
}  // namespace posenc
