// SPDX-License-Identifier: Apache-2.0
// Decoding steps of the input stage: every token of a sequence by itself, in any memory, is its row of the whole.
#include <posenc/input_stage.h>

#include "tests/input/plain.h"

namespace posenc {
namespace {

using plain::Tensor;

constexpr std::int64_t widths[] = {1, 2, 37};  // one column, less than a vector, vectors and a rest
constexpr Sinusoid sinusoid_of_any_width = {Geometric{10000, 1, Spacing::over_width}, Layout::interleaved,
                                            OddWidth::zero_column};

// ---- memory -------------------------------------------------------------------------------------

/// How a matrix lies in memory: elements from a column to the next, and elements left out between two rows.
struct Lie {
  std::int64_t column, gap;
};
constexpr Lie tight = {1, 0}, rows_apart = {1, 3}, columns_apart = {2, 5};
constexpr Lie lies[] = {tight, rows_apart, columns_apart};

template <class T>
Tensor<T> unwritten(std::int64_t rows, std::int64_t width, const Lie& lie) {
  const std::int64_t stride = width * lie.column + lie.gap;
  Tensor<T> matrix({rows * stride});
  matrix.view = {matrix.memory.data(), dtype_of<T>, 2, {rows, width}, {stride, lie.column}};
  return matrix;
}

template <class T>
Tensor<T> laid(Tensor<T>& values, const Lie& lie) {
  const std::int64_t rows = values.view.size(0), width = values.view.size(1);
  Tensor<T> matrix = unwritten<T>(rows, width, lie);
  for (std::int64_t i = 0; i < rows * width; ++i) matrix.at({i / width, i % width}) = values.at({i / width, i % width});
  return matrix;
}

/// Row t of a matrix as the output of one token: [1, d] for rank 2, [1, 1, d] for rank 3.
View row_of(const View& matrix, std::int64_t t, int rank) {
  const std::int64_t stride = matrix.stride(0), column = matrix.stride(1), width = matrix.size(1);
  void* data = static_cast<char*>(matrix.data) + t * stride * static_cast<std::int64_t>(size_of(matrix.dtype));
  if (rank == 2) return {data, matrix.dtype, 2, {1, width}, {stride, column}};
  return {data, matrix.dtype, 3, {1, 1, width}, {stride, stride, column}};
}

struct Memory {
  Lie rows = tight, table = tight, out = tight;
};

// ---- a sequence ---------------------------------------------------------------------------------

enum class Signal { convention, table };

/// A sequence of ids that come back, the padding id 4 among them, at positions that fall from `last` on.
template <class T, class Id>
struct Sequence {
  static constexpr std::int64_t vocabulary = 9, length = 12, positions = 50, last = 40;

  Signal signal;
  StageOptions options;
  Tensor<T> rows, table;
  std::vector<Id> ids;

  Sequence(std::int64_t width, Signal signal_, const StageOptions& options_)
      : signal(signal_), options(options_), rows({vocabulary, width}), table({positions, width}) {
    plain::fill(rows.memory, 12);
    plain::fill(table.memory, 13);
    for (std::int64_t t = 0; t < length; ++t) ids.push_back(static_cast<Id>((t * t + 3) % vocabulary));
  }

  InputStage stage(const ConstView& its_rows, const ConstView& its_table) const {
    if (signal == Signal::table) return InputStage(its_rows, its_table, options);
    return InputStage(its_rows, sinusoid_of_any_width, options);
  }

  /// All tokens by one call, everything side by side.
  Tensor<T> whole(const EncodeOptions& how) {
    Tensor<T> out({length, rows.view.size(1)});
    stage(rows.view, table.view)
        .encode(view(std::as_const(ids).data(), {length}), Positions::range(last, length, -1), out.view, how);
    return out;
  }

  /// Each token by a call of its own, of ids [1] or [1, 1].
  Tensor<T> steps(const EncodeOptions& how, const Memory& memory, int ids_rank) {
    const Tensor<T> own_rows = laid(rows, memory.rows), own_table = laid(table, memory.table);
    const InputStage own = stage(own_rows.view, own_table.view);
    Tensor<T> out = unwritten<T>(length, rows.view.size(1), memory.out);
    for (std::int64_t t = 0; t < length; ++t) {
      const Id* id = ids.data() + t;
      EncodeOptions at = how;
      at.first += static_cast<std::uint32_t>(t);
      own.encode(ids_rank == 1 ? view(id, {1}) : view(id, {1, 1}), Positions::range(last - t, 1, -1),
                 row_of(out.view, t, ids_rank + 1), at);
    }
    return out;
  }

  /// The bits of the rows, and no other element of the memory written.
  void expect_the_whole(const EncodeOptions& how, const Memory& memory = {}) {
    Tensor<T> all = whole(how);
    const Tensor<T> expected = laid(all, memory.out);
    for (const int ids_rank : {1, 2}) {
      EXPECT_EQ(plain::bytes(steps(how, memory, ids_rank).memory), plain::bytes(expected.memory))
          << "width " << rows.view.size(1) << ", ids of rank " << ids_rank << ", columns of rows " << memory.rows.column
          << " apart, of the table " << memory.table.column << ", of out " << memory.out.column
          << (signal == Signal::table ? ", a table" : ", a convention");
    }
  }
};

/// test(sequence) for every real type, both types of ids, every width and both signals.
template <class Test>
void for_each_sequence(const StageOptions& options, const Test& test) {
  plain::for_each_real([&]<class T>(T) {
    for (const std::int64_t width : widths) {
      for (const Signal signal : {Signal::convention, Signal::table}) {
        test(Sequence<T, std::int32_t>(width, signal, options));
        test(Sequence<T, std::int64_t>(width, signal, options));
      }
    }
  });
}

// ---- claims -------------------------------------------------------------------------------------

TEST(Step, IsItsRowOfTheWholeInAnyMemory) {
  for_each_sequence({.scale = Scale::sqrt_dim}, [](auto sequence) {
    for (const Lie& rows : lies) {
      for (const Lie& table : lies) {
        for (const Lie& out : lies) sequence.expect_the_whole({}, {rows, table, out});
      }
    }
  });
}

TEST(Step, IsItsRowOfTheWholeUnderEveryScale) {
  for (const Scale& scale : {Scale::none, Scale::sqrt_dim, Scale::of(-0.37), Scale::of(0)}) {
    for_each_sequence({.scale = scale}, [](auto sequence) { sequence.expect_the_whole({}); });
  }
}

TEST(Step, IsItsRowOfTheWholeWhereItsIdIsThePaddingId) {
  for_each_sequence({.scale = Scale::of(-2), .padding_id = 4}, [](auto sequence) {
    EXPECT_NE(std::find(sequence.ids.begin(), sequence.ids.end(), 4), sequence.ids.end());
    for (const Lie& lie : lies) sequence.expect_the_whole({}, {lie, lie, lie});
  });
}

TEST(Step, IsItsRowOfTheWholeWhenItIsRead) {
  for_each_sequence({.scale = Scale::sqrt_dim}, [](auto sequence) {
    for (const Reading reading : {Reading::by_size, Reading::soon, Reading::later}) {
      for (const Lie& lie : lies) sequence.expect_the_whole({.reading = reading}, {lie, lie, lie});
    }
  });
}

// The mask of a step goes on where that of the step before ends; that of an evaluation keeps everything.
TEST(Step, IsItsRowOfTheWholeUnderDropout) {
  for_each_sequence({.scale = Scale::sqrt_dim, .dropout = 0.5, .seed = 5, .padding_id = 4}, [](auto sequence) {
    const EncodeOptions train = {.mode = StageMode::train, .call = 8};
    EXPECT_NE(plain::bytes(sequence.whole(train).memory), plain::bytes(sequence.whole({}).memory));
    for (const Lie& lie : lies) {
      for (const std::uint32_t first : {0u, 30u}) {
        sequence.expect_the_whole({.mode = StageMode::train, .call = 8, .first = first}, {lie, lie, lie});
      }
      sequence.expect_the_whole({.call = 8}, {lie, lie, lie});
    }
  });
}

TEST(Step, IsItsRowOfTheWholeHoweverItsPositionIsGiven) {
  for_each_sequence({.scale = Scale::sqrt_dim}, [](auto sequence) {
    Tensor all = sequence.whole({});
    const InputStage stage = sequence.stage(sequence.rows.view, sequence.table.view);
    for (std::int64_t t = 0; t < sequence.length; ++t) {
      const std::int64_t p = sequence.last - t;
      const auto real = static_cast<double>(p);
      for (const Positions& position : {Positions::at(p), Positions::at(real), Positions::list(view(&p, {1})),
                                        Positions::range(p, 1, 1000), Positions::list(view(&real, {1}))}) {
        Tensor out = unwritten<typename decltype(all.memory)::value_type>(1, all.view.size(1), tight);
        stage.encode(view(&std::as_const(sequence.ids)[static_cast<std::size_t>(t)], {1}), position, out.view);
        EXPECT_EQ(std::memcmp(out.memory.data(), &all.at({t, 0}), plain::bytes(out.memory).size()), 0) << p;
      }
    }
  });
}

}  // namespace
}  // namespace posenc
