// SPDX-License-Identifier: Apache-2.0
// Attention against PyTorch's scaled_dot_product_attention on 200 random shapes and masks (docs/goldens.md).
#include <posenc/transformer/attention.h>

#include "tests/golden_files.h"
#include "tests/transformer/attention_truth.h"

namespace posenc {
namespace {

// The arguments of a case, as tools/goldens/attention.py makes them.
struct GoldenAttention {
  std::map<std::string, std::int64_t> fields;
  plain::Heads heads;
  std::vector<float> mask, slopes;
  std::vector<std::int64_t> lengths;
  AttentionOptions options = {};

  GoldenAttention(const test::GoldenFile& file, std::uint32_t index) : fields(file.row(index)), heads(inputs(index)) {
    options.score = fields["scaled"] != 0 ? Score::scaled_dot : Score::dot;
    options.sight = fields["past"] != 0 ? Sight::past : Sight::all;
    options.first = fields["first"];
    if (fields["mask"] != 0) options.mask = masked(10 * index + 4);
    for (std::int64_t h = 0; h < heads.heads && fields["slopes"] != 0; ++h) {
      slopes.push_back(std::ldexp(1.0f, -static_cast<int>(h) - 1));
    }
    options.slopes = slopes;
    for (std::int64_t b = 0; b < heads.batch; ++b) lengths.push_back(1 + (7 * b + index) % heads.columns);
    if (fields["lengths"] != 0) options.lengths = view(lengths.data(), {heads.batch});
  }

  plain::Heads inputs(std::uint32_t index) {
    plain::Heads made = {fields["B"], fields["H"], fields["G"], fields["L"], fields["S"], fields["d"], fields["e"]};
    made.q = plain::recurrence(static_cast<std::int64_t>(made.q.size()), 10 * index + 1);
    made.k = plain::recurrence(static_cast<std::int64_t>(made.k.size()), 10 * index + 2);
    made.v = plain::recurrence(static_cast<std::int64_t>(made.v.size()), 10 * index + 3);
    for (float& x : made.q) x = std::ldexp(x, static_cast<int>(fields["power"]));
    return made;
  }

  // [1, 1, L, S], [B, 1, 1, S] or [B, H, L, S], repeated along the other axes.
  ConstView masked(std::uint32_t seed) {
    const std::int64_t form = fields["mask"], rows = heads.rows, columns = heads.columns;
    ConstView view = {nullptr, DType::f32, 4, {heads.batch, heads.heads, rows, columns}, {0, 0, columns, 1}};
    if (form == 2) view.strides = {columns, 0, 0, 1};
    if (form == 3) view.strides = {heads.heads * rows * columns, rows * columns, columns, 1};
    const std::int64_t count = form == 1 ? rows * columns : form == 2 ? heads.batch * columns : view.count();
    mask = plain::recurrence(count, seed);
    const float below = static_cast<float>(fields["hidden"]) / 32 - 1;
    for (float& x : mask) x = x < below ? -std::numeric_limits<float>::infinity() : 2 * x;
    view.data = mask.data();
    return view;
  }
};

TEST(AttentionGoldens, AreAsCloseToTheRealNumbersAsTheirBoundOn200ShapesAndMasksAndSoArePyTorchs) {
  const test::GoldenFile file("attention");
  const std::span<const float> theirs = file["outputs"].values<float>();
  ASSERT_EQ(file["cases"].shape[0], 200);
  plain::Worst our_worst, their_worst;
  std::size_t at = 0, empty = 0;
  for (std::uint32_t number = 0; number < 200; ++number) {
    SCOPED_TRACE(testing::PrintToString(file.row(number)));
    GoldenAttention of(file, number);
    plain::Heads& heads = of.heads;
    heads.attend(of.options);
    for (std::int64_t r = 0; r < heads.batch * heads.heads * heads.rows; ++r) {
      const auto row_with = [&](const plain::Arithmetic& arithmetic) {
        return plain::row_of(heads.queries(), heads.keys(), heads.values(), of.options, r / (heads.heads * heads.rows),
                             r / heads.rows % heads.heads, r % heads.rows, arithmetic);
      };
      const plain::Attended our_row = row_with(plain::ours), their_row = row_with(plain::pytorch);
      const bool sees = std::any_of(our_row.weights.begin(), our_row.weights.end(), [](double w) { return w > 0; });
      empty += sees ? 0 : 1;
      for (std::size_t c = 0; c < static_cast<std::size_t>(heads.value_width); ++c, ++at) {
        const auto our = static_cast<double>(heads.o[static_cast<std::size_t>(r * heads.value_width) + c]);
        our_worst.see(our, our_row.out[c], our_row.out_bounds[c]);
        if (!sees) continue;
        const auto their = static_cast<double>(theirs[at]);
        their_worst.see(their, their_row.out[c], their_row.out_bounds[c]);
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
