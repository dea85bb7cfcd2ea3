// SPDX-License-Identifier: Apache-2.0
// Whole models against PyTorch's nn.Transformer with the same weights (tests/goldens/nn-transformer.safetensors,
// docs/goldens.md).
//
// Both compute in f32, in orders of their own. What that costs is measured: the error of each against plain loops in
// f64. PyTorch's may be at most 2^-18 of the largest value, ours at most four times PyTorch's or 2^-22 of that value.
#include <gtest/gtest.h>

#include "tests/golden_files.h"
#include "tests/transformer/small_model.h"

namespace posenc {
namespace {

using Fields = std::map<std::string, std::int64_t>;

// The outputs of one case, piece after piece.
struct Outputs {
  std::span<const float> left;

  std::span<const float> take(std::size_t count) {
    const std::span<const float> taken = left.first(count);
    left = left.subspan(count);
    return taken;
  }
};

std::int64_t number(const Fields& of, const char* field) { return of.at(field); }

std::vector<std::int64_t> lengths_of(const Fields& of) {
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

plain::ModelShape shape_of(const Fields& of) {
  return {{number(of, "width"), number(of, "inner"), number(of, "heads"), number(of, "heads")},
          number(of, "encoder_layers"),
          number(of, "decoder_layers"),
          19,
          23,
          16,
          {number(of, "before") == 1 ? NormPlace::before : NormPlace::after,
           number(of, "activation") == 0 ? Activation::relu : Activation::gelu, Score::scaled_dot}};
}

// One configuration: the encoder's rows, then the logits.
Compared model_case(const Fields& of, std::uint64_t stream, Outputs outputs) {
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
    compared.add(memory, b, rows.back(), outputs.take(static_cast<std::size_t>(length * width)));
  }
  for (std::int64_t b = 0; b < batch; ++b) {
    const plain::Rows decoded = plain::decode(*net.decoder, model.target_rows(part(made, b, target)),
                                              rows[static_cast<std::size_t>(b)], lengths[static_cast<std::size_t>(b)]);
    const plain::Rows expected =
        plain::each(decoded, [&](const plain::Row& row) { return plain::linear(*net.output, row); });
    compared.add(out, b, expected, outputs.take(static_cast<std::size_t>(target * 23)));
  }
  EXPECT_TRUE(outputs.left.empty());
  return compared;
}

TEST(TransformerGolden, TwentyModelsAreAsCloseToTheRealNumbersAsPyTorchs) {
  const test::GoldenFile file("nn-transformer");
  ASSERT_EQ(file["cases"].shape[0], 20);
  std::string ratios;
  for (std::size_t i = 0; i < 20; ++i) {
    const Fields fields = file.row(i);
    SCOPED_TRACE(testing::PrintToString(fields));
    const std::string name = {static_cast<char>('0' + i / 10), static_cast<char>('0' + i % 10)};
    const Outputs outputs = {file[name].values<float>()};
    ratios += " " + std::to_string(model_case(fields, 1 + 1000 * i, outputs).expect_close()).substr(0, 4);
  }
  std::printf("our error over PyTorch's:%s\n", ratios.c_str());
}

}  // namespace
}  // namespace posenc
