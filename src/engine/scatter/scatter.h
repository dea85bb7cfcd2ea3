// SPDX-License-Identifier: Apache-2.0
// The rows of a gradient summed by id: each output row is written once, by whoever owns it.
#pragma once

#include <posenc/core.h>

#include "src/base/elements.h"
#include "src/base/stores.h"
#include "src/engine/random/mask.h"
#include "src/engine/scatter/radix_sort.h"

namespace posenc::engine {

/// More tokens of one id than these are summed in chunks of as many, apart from the rest.
inline constexpr std::uint32_t chunk_tokens = 1024;

/// A gradient [B, length, width]; token (b, t) is number b length + t. With a mask, which is that of token (0, 0), a
/// term is RN(gradient x (0 or keep)).
template <class T>
struct Terms {
  const ById* tokens;
  const T* gradient;
  std::int64_t sequence_stride, token_stride, column_stride, length, width;
  const RowMask* mask;
};

/// sum[c] = the terms at places [begin, end) of the sorted tokens, in their order: ((0 + x_0) + x_1) + ...
template <class T>
using SumTokens = void(const Terms<T>& terms, std::size_t begin, std::size_t end, Computing<T>* sum);

/// An id with more than chunk_tokens tokens, and its sum.
template <class T>
struct Frequent {
  std::size_t id;  // its place among the ids
  const Computing<T>* sum;
};

/// Rows of the output; a sum becomes one as RN(scale x sum).
template <class T>
struct SummedRows {
  T* out;
  std::int64_t row_stride, column_stride;
  Computing<T> scale;
  Stores stores;
};

/// Rows [first, last) of the output, and what is summed in them: the ids at the places [begin, end).
struct SumRange {
  std::int64_t first, last;
  std::size_t begin, end;
};

/// Writes these rows: row ids[i] the sum of its tokens, the others zeros. Where there are as many ids as rows, the rows
/// are theirs in this order, whatever their numbers. Streamed stores are in memory on return.
template <class T>
using WriteSums = void(const Terms<T>& terms, std::span<const Frequent<T>> frequent, const SummedRows<T>& rows,
                       const SumRange& range);

struct ScatterKernels {
  ByType<WriteSums> write;
  ByType<SumTokens> sum;
};
/// Those of the instruction set in use.
const ScatterKernels& scatter_kernels();

template <class T>
void write_sums(const Terms<T>& terms, std::span<const Frequent<T>> frequent, const SummedRows<T>& rows,
                const SumRange& range) {
  scatter_kernels().write.of<T>()(terms, frequent, rows, range);
}
template <class T>
void sum_tokens(const Terms<T>& terms, std::size_t begin, std::size_t end, Computing<T>* sum) {
  scatter_kernels().sum.of<T>()(terms, begin, end, sum);
}

}  // namespace posenc::engine
