// SPDX-License-Identifier: Apache-2.0
// Whole models against PyTorch's nn.Transformer with the same weights (tests/layers/goldens/transformer.json,
// docs/goldens.md).
//
// Both compute in f32, in orders of their own. What that costs is measured: the error of each against plain loops in
// f64. PyTorch's may be at most 2^-18 of the largest value, ours at most four times PyTorch's or 2^-22 of that value.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/golden_files.h"
#include "tests/layers/small_model.h"

namespace posenc {
namespace {

using nlohmann::json;

// The cases of the goldens, one after another.
struct Goldens {
  json cases;
  test::GoldenArray array;
  std::size_t next = 0;

  Goldens() {
    const json entry = test::golden_index("layers", "transformer.json").at("files").at(0);
    cases = entry.at("cases");
    array = test::read_golden("layers", entry);
  }
  std::span<const float> take(std::size_t count) {
    next += count;
    return array.values<float>().subspan(next - count, count);
  }
  bool all_taken() const { return next == array.values<float>().size(); }
};

std::int64_t number(const json& of, const char* field) { return of.at(field).get<std::int64_t>(); }

std::vector<std::int64_t> lengths_of(const json& of) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t b = 0; b < number(of, "batch"); ++b) {
    lengths.push_back(std::max<std::int64_t>(1, number(of, "source") - number(of, "padded") * b));
  }
  return lengths;
}

// What is compared: the real numbers, ours, PyTorch's.
struct Compared {
  std::vector<double> exact, ours, theirs;

  void add(const ConstView& out, std::int64_t b, const plain::Rows& expected, std::span<const float> golden) {
    for (std::size_t i = 0; i < golden.size(); ++i) {
      const auto width = static_cast<std::size_t>(out.size(2));
      const auto row = static_cast<std::int64_t>(i / width), column = static_cast<std::int64_t>(i % width);
      exact.push_back(expected[i / width][i % width]);
      ours.push_back(plain::at(out, {b, row, column}));
      theirs.push_back(static_cast<double>(golden[i]));
    }
  }
  static double apart(const std::vector<double>& a, const std::vector<double>& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      most = std::max(most, std::isnan(a[i]) ? HUGE_VAL : std::abs(a[i] - b[i]));
    return most;
  }
  // Returns our error as a multiple of PyTorch's.
  double expect_close() const {
    double largest = 0;
    for (const double x : exact) largest = std::max(largest, std::abs(x));
    const double our_error = apart(ours, exact), their_error = apart(theirs, exact);
    EXPECT_LT(their_error, 0x1p-18 * largest);
    EXPECT_LE(our_error, std::max(4 * their_error, 0x1p-22 * largest));
    return our_error / their_error;
  }
};

plain::ModelShape shape_of(const json& of) {
  return {{number(of, "width"), number(of, "inner"), number(of, "heads"), number(of, "heads")},
          number(of, "encoder_layers"),
          number(of, "decoder_layers"),
          19,
          23,
          16,
          {number(of, "before") == 1 ? NormPlace::before : NormPlace::after,
           of.at("activation") == "relu" ? Activation::relu : Activation::gelu, Score::scaled_dot}};
}

// One configuration: the encoder's rows, then the logits.
Compared model_case(const json& of, std::uint64_t stream, Goldens& goldens) {
  plain::Model model(shape_of(of), stream);
  Transformer& net = model.transformer;
  if (number(of, "final_norms") == 0) net.encoder.final_norm = net.decoder->final_norm = std::nullopt;
  const std::int64_t batch = number(of, "batch"), source = number(of, "source"), target = number(of, "target");
  const std::int64_t width = number(of, "width");
  const std::vector<std::int64_t> ids = model.tensors.ids(batch * source, 19),
                                  made = model.tensors.ids(batch * target, 23);
  const std::vector<std::int64_t> lengths = lengths_of(of);
  const ConstView seen = view(lengths.data(), {batch});
  const View memory = model.tensors.make({batch, source, width}, 1), out = model.tensors.make({batch, target, 23}, 1);
  encode_source(net, view(ids.data(), {batch, source}), seen, memory);
  logits(net, memory, seen, view(made.data(), {batch, target}), out);

  Compared compared;
  std::vector<plain::Rows> rows;
  const auto part = [](const std::vector<std::int64_t>& all, std::int64_t b, std::int64_t count) {
    return std::span(all).subspan(static_cast<std::size_t>(b * count), static_cast<std::size_t>(count));
  };
  for (std::int64_t b = 0; b < batch; ++b) {
    const std::int64_t length = lengths[static_cast<std::size_t>(b)];
    rows.push_back(plain::encode(net.encoder, model.source_rows(part(ids, b, source)), length));
    compared.add(memory, b, rows.back(), goldens.take(static_cast<std::size_t>(length * width)));
  }
  for (std::int64_t b = 0; b < batch; ++b) {
    const plain::Rows decoded = plain::decode(*net.decoder, model.target_rows(part(made, b, target)),
                                              rows[static_cast<std::size_t>(b)], lengths[static_cast<std::size_t>(b)]);
    const plain::Rows expected =
        plain::each(decoded, [&](const plain::Row& row) { return plain::linear(*net.output, row); });
    compared.add(out, b, expected, goldens.take(static_cast<std::size_t>(target * 23)));
  }
  return compared;
}

TEST(TransformerGolden, TwentyModelsAreAsCloseToTheRealNumbersAsPyTorchs) {
  Goldens goldens;
  ASSERT_EQ(goldens.cases.size(), 20u);
  std::string ratios;
  for (std::size_t i = 0; i < goldens.cases.size(); ++i) {
    SCOPED_TRACE(goldens.cases[i].dump());
    ratios += " " + std::to_string(model_case(goldens.cases[i], 1 + 1000 * i, goldens).expect_close()).substr(0, 4);
  }
  EXPECT_TRUE(goldens.all_taken());
  std::printf("our error over PyTorch's:%s\n", ratios.c_str());
}

}  // namespace
}  // namespace posenc
