// SPDX-License-Identifier: Apache-2.0
// Heads against PyTorch's nn.MultiheadAttention with the same weights, on 200 random shapes and masks, each number
// within the bound of multi_head.h (docs/goldens.md).
#include "tests/golden_files.h"
#include "tests/transformer/attention_truth.h"
#include "tests/transformer/plain_model.h"

namespace posenc {
namespace {

using plain::half_ulp;

// ---- numbers in f64, and how far the computed ones may be -----------------------------------------

struct Near {
  plain::Row exact, bound;
};
using NearRows = std::vector<Near>;

// What the input's error makes of the output, and (n + 2) u of all that is added.
Near linear(const Linear& weights, const Near& in) {
  Near out = {plain::linear(weights, in.exact), plain::Row(static_cast<std::size_t>(weights.weight.size(0)))};
  for (std::size_t o = 0; o < out.bound.size(); ++o) {
    const auto row = static_cast<std::int64_t>(o);
    double carried = 0, size = weights.bias ? std::abs(plain::at(*weights.bias, {row})) : 0;
    for (std::size_t i = 0; i < in.exact.size(); ++i) {
      const double weight = std::abs(plain::at(weights.weight, {row, static_cast<std::int64_t>(i)}));
      carried += weight * in.bound[i];
      size += weight * (std::abs(in.exact[i]) + in.bound[i]);
    }
    out.bound[o] = carried + static_cast<double>(in.exact.size() + 2) * half_ulp * size;
  }
  return out;
}

NearRows projected(const Linear& weights, const plain::Rows& rows) {
  NearRows out;
  for (const plain::Row& row : rows) out.push_back(linear(weights, {row, plain::Row(row.size())}));
  return out;
}

// Columns [first, first + width) of a query and a key, both with errors, multiplied and scaled; `added` is exact.
plain::Scored score(const Near& query, const Near& key, std::size_t first, std::size_t width, double added) {
  double sum = 0, size = 0, carried = 0;
  for (std::size_t c = first; c < first + width; ++c) {
    const double q = std::abs(query.exact[c]), k = std::abs(key.exact[c]);
    sum += query.exact[c] * key.exact[c];
    size += (q + query.bound[c]) * (k + key.bound[c]);
    carried += q * key.bound[c] + k * query.bound[c] + query.bound[c] * key.bound[c];
  }
  const double scale = 1 / std::sqrt(static_cast<double>(width)), roundings = static_cast<double>(width + 5) * half_ulp;
  return {scale * sum + added, scale * carried + roundings * (scale * size + std::abs(added))};
}

// ---- a case as tools/goldens/multi_head.py makes it -----------------------------------------------

struct GoldenHeads {
  std::map<std::string, std::int64_t> fields;
  plain::Tensors tensors;
  MultiHead weights;
  View in, source, out;
  std::vector<std::int64_t> lengths;
  std::optional<ConstView> mask;

  GoldenHeads(const test::GoldenFile& file, std::size_t index)
      : fields(file.row(index)),
        tensors(200001 + 1000 * index),
        weights(plain::heads(tensors, field("width"), field("source"), field("heads"), field("heads"))),
        in(tensors.make({field("batch"), field("queries"), field("width")},
                        std::ldexp(1.0, static_cast<int>(field("power"))))) {
    const std::int64_t batch = field("batch"), queries = field("queries"), keys = field("keys");
    source = field("own") == 1 ? in : tensors.make({batch, keys, field("source")}, 1);
    if (field("bias") == 0) {
      weights.query.bias = weights.key.bias = weights.value.bias = weights.out.bias = std::nullopt;
    }
    for (std::int64_t b = 0; b < batch; ++b) {
      lengths.push_back(field("padded") == 1 ? 1 + (7 * b + static_cast<std::int64_t>(index)) % keys : keys);
    }
    if (field("hidden") >= 0) mask = masked(tensors.make({queries, keys}, 1));
    out = tensors.make({batch, queries, field("width")}, 1);
  }
  GoldenHeads(const GoldenHeads&) = delete;
  GoldenHeads& operator=(const GoldenHeads&) = delete;

  std::int64_t field(const char* name) const { return fields.at(name); }

  // [batch, heads, queries, keys], one for all sequences and heads.
  ConstView masked(const View& numbers) const {
    auto* data = static_cast<float*>(numbers.data);
    const float below = static_cast<float>(field("hidden")) / 32 - 1;
    for (std::int64_t i = 0; i < numbers.count(); ++i) data[i] = data[i] < below ? -HUGE_VALF : 2 * data[i];
    const std::int64_t queries = numbers.size(0), keys = numbers.size(1);
    return {data, DType::f32, 4, {field("batch"), field("heads"), queries, keys}, {0, 0, keys, 1}};
  }

  void attend() {
    KeyValues cache(weights, field("batch"), field("keys"));
    cache.append(weights, source);
    const Sight sight = field("past") == 1 ? Sight::past : Sight::all;
    const ConstView seen = view(lengths.data(), {field("batch")});
    multi_head(weights, in, cache, out, {.score = Score::scaled_dot, .sight = sight, .lengths = seen, .mask = mask});
  }
  // What is added to a score, -inf where the key is hidden.
  double added(std::int64_t b, std::int64_t i, std::int64_t j) const {
    if (j >= lengths[static_cast<std::size_t>(b)] || (field("past") == 1 && j > i)) return -plain::infinity;
    return mask ? plain::element(*mask, b, 0, i, j) : 0;
  }
  bool sees(std::int64_t b, std::int64_t i) const {
    for (std::int64_t j = 0; j < field("keys"); ++j) {
      if (added(b, i, j) > -plain::infinity) return true;
    }
    return false;
  }
};

// Sequence b, projected; each row is asked for by whose arithmetic its bound is.
struct Sequence {
  const GoldenHeads& of;
  std::int64_t b;
  NearRows queries = projected(of.weights.query, plain::rows_of(of.in, b));
  NearRows keys = projected(of.weights.key, plain::rows_of(of.source, b));
  NearRows values = projected(of.weights.value, plain::rows_of(of.source, b));

  Near row(std::int64_t i, const plain::Arithmetic& arithmetic) const {
    const Near& query = queries[static_cast<std::size_t>(i)];
    const auto heads = static_cast<std::size_t>(of.weights.heads);
    const std::size_t width = query.exact.size() / heads;
    Near attended;
    for (std::size_t h = 0; h < heads; ++h) {
      const Near head = head_row(i, query, h * width, width, arithmetic);
      attended.exact.insert(attended.exact.end(), head.exact.begin(), head.exact.end());
      attended.bound.insert(attended.bound.end(), head.bound.begin(), head.bound.end());
    }
    return linear(of.weights.out, attended);
  }

 private:
  // Attention's own bound, and the weighted mean of the values' errors.
  Near head_row(std::int64_t i, const Near& query, std::size_t first, std::size_t width,
                const plain::Arithmetic& arithmetic) const {
    std::vector<plain::Scored> scores(keys.size());
    for (std::size_t j = 0; j < keys.size(); ++j) {
      const double more = of.added(b, i, static_cast<std::int64_t>(j));
      if (more > -plain::infinity) scores[j] = score(query, keys[j], first, width, more);
    }
    const auto value = [&](std::int64_t j, std::int64_t c) {
      return values[static_cast<std::size_t>(j)].exact[first + static_cast<std::size_t>(c)];
    };
    const plain::Attended row = plain::row_of(scores, static_cast<std::int64_t>(width), value, arithmetic);
    Near out = {row.out, row.out_bounds};
    for (std::size_t j = 0; j < keys.size(); ++j) {
      for (std::size_t c = 0; c < width; ++c) out.bound[c] += 1.01 * row.weights[j] * values[j].bound[first + c];
    }
    return out;
  }
};

TEST(MultiHeadGoldens, AreWithinTheirBoundOn200ShapesAndMasksAndSoArePyTorchs) {
  const test::GoldenFile file("multi-head");
  const std::span<const float> theirs = file["outputs"].values<float>();
  ASSERT_EQ(file["cases"].shape[0], 200);
  plain::Worst our_worst, their_worst;
  std::size_t at = 0, empty = 0;
  for (std::size_t number = 0; number < 200; ++number) {
    SCOPED_TRACE(testing::PrintToString(file.row(number)));
    GoldenHeads of(file, number);
    of.attend();
    // Asked for its weights, PyTorch sums over all keys at once.
    const plain::Arithmetic pytorch = {plain::pytorch.exp_error, of.field("weights") == 1 ? 0 : plain::pytorch.tile};
    for (std::int64_t b = 0; b < of.out.size(0); ++b) {
      const Sequence sequence = {of, b};
      for (std::int64_t i = 0; i < of.out.size(1); ++i, at += static_cast<std::size_t>(of.out.size(2))) {
        const Near our_row = sequence.row(i, plain::ours), their_row = sequence.row(i, pytorch);
        const bool sees = of.sees(b, i);
        empty += sees ? 0 : 1;
        for (std::size_t c = 0; c < our_row.exact.size(); ++c) {
          our_worst.see(plain::at(of.out, {b, i, static_cast<std::int64_t>(c)}), our_row.exact[c], our_row.bound[c]);
          if (sees) their_worst.see(static_cast<double>(theirs[at + c]), their_row.exact[c], their_row.bound[c]);
        }
      }
    }
    ASSERT_LE(our_worst.share, 1);
    ASSERT_LE(their_worst.share, 1);
  }
  EXPECT_EQ(at, theirs.size());
  std::printf("%zu outputs; of its own bound: ours %.3f, PyTorch's %.3f; %zu rows see nothing\n", at, our_worst.share,
              their_worst.share, empty);
}

}  // namespace
}  // namespace posenc
