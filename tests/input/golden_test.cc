// SPDX-License-Identifier: Apache-2.0
// The input stage, step by step, against PyTorch's results bit for bit (tests/goldens, docs/goldens.md).
#include <posenc/backward.h>
#include <posenc/input_stage.h>
#include <posenc/preset.h>

#include "tests/golden_files.h"
#include "tests/input/plain.h"

namespace posenc {
namespace {

using test::GoldenArray;
using test::GoldenFile;

// One case and type of a file.
struct StageCase {
  const GoldenFile& file;
  std::string name, type;
  test::GoldenFields about = file.fields(name);

  const GoldenArray& operator[](const std::string& holds) const {
    const bool is_of_case = holds == "ids" || holds == "mask";  // whatever the type
    return file[name + "/" + (is_of_case ? "" : type + "/") + holds];
  }
  bool sequence_first() const { return about.has("axes") && about.text("axes") == "sequence_first"; }
  // [B, L, ..] whatever the order of the axes in the file.
  ConstView batch_first(const std::string& holds) const {
    const ConstView view = (*this)[holds].view();
    return sequence_first() ? view.transposed(0, 1) : view;
  }
  std::uint32_t call() const { return static_cast<std::uint32_t>(about.integer("call")); }
  StageOptions options() const {
    const std::string& scale = about.text("scale");
    StageOptions options{.scale = scale == "none" ? Scale::none : Scale::sqrt_dim};
    if (scale == "sqrt-bf16") options.scale = options.scale.rounded_to(DType::bf16);
    options.dropout = about.real("dropout");
    options.seed = static_cast<std::uint64_t>(about.integer("seed"));
    if (about.has("padding_id")) options.padding_id = about.integer("padding_id");
    return options;
  }
};

template <class Check>
void for_each_case_of(const GoldenFile& file, const Check& check) {
  for (const std::string& name : file.cases()) {
    for (const char* type : {"f32", "f64", "f16", "bf16"}) {
      SCOPED_TRACE(name + " " + type);
      check(StageCase{file, name, type});
    }
  }
}

const GoldenFile& stages() {
  static const GoldenFile file("input-stage");
  return file;
}

template <class Check>
void for_each_case(const Check& check) {
  ASSERT_EQ(stages().cases().size(), 8u);
  for_each_case_of(stages(), check);
}

// A fresh tensor of the shape and type of a file, filled with what no result is.
struct Output {
  explicit Output(const GoldenArray& of) : array(of) {
    std::fill(array.bytes.begin(), array.bytes.end(), std::byte{0x5A});
  }
  View view(const StageCase& of) {
    View view = detail::row_major<void*>(static_cast<void*>(array.bytes.data()), array.dtype, array.shape);
    return of.sequence_first() ? view.transposed(0, 1) : view;
  }
  GoldenArray array;
};

std::vector<std::byte> encoded(const StageCase& of, const InputStage& stage, const Positions& positions,
                               StageMode mode) {
  Output out(of["summed"]);
  stage.encode(of.batch_first("ids"), positions, out.view(of), {.mode = mode, .call = of.call()});
  return out.array.bytes;
}

TEST(PyTorch, HasTheSameScaledRows) {
  for_each_case([](const StageCase& of) {
    // Minus zero is the number that adds nothing: it keeps the sign of a zero.
    GoldenArray nothing = of["table"];
    const std::size_t size = size_of(nothing.dtype);
    for (std::size_t i = 0; i < nothing.bytes.size(); ++i) {
      nothing.bytes[i] = i % size + 1 == size ? std::byte{0x80} : std::byte{0};
    }
    const InputStage stage(of["rows"].view(), nothing.view(), of.options());
    const auto positions = Positions::range(0, nothing.shape[0]);
    EXPECT_EQ(encoded(of, stage, positions, StageMode::evaluate), of["scaled"].bytes);
    if (of.about.has("factor")) {
      const double factor = std::strtod(of.about.text("factor").c_str(), nullptr);
      EXPECT_EQ(stage.factor(), of["rows"].dtype == DType::f64 ? factor : plain::rounded<float>(factor));
    }
  });
}

TEST(PyTorch, HasTheSameSumsGivenTheTable) {
  for_each_case([](const StageCase& of) {
    const InputStage stage(of["rows"].view(), of["table"].view(), of.options());
    EXPECT_EQ(encoded(of, stage, Positions::range(0, of["table"].shape[0]), StageMode::evaluate), of["summed"].bytes);
  });
}

TEST(PyTorch, HasTheSameSumsGivenTheConvention) {
  int compared = 0;
  for_each_case([&](const StageCase& of) {
    if (of.about.text("signal") != "transformer") return;
    const InputStage stage(of["rows"].view(), preset("transformer").convention, of.options());
    const auto positions = Positions::range(of.about.integer("first_position"), of["table"].shape[0]);
    EXPECT_EQ(encoded(of, stage, positions, StageMode::evaluate), of["summed"].bytes);
    EXPECT_EQ(encoded(of, stage, positions, StageMode::train), of["dropped"].bytes);
    ++compared;
  });
  EXPECT_EQ(compared, 28);  // one case has a learned table
}

TEST(PyTorch, HasTheSameDroppedElements) {
  for_each_case([](const StageCase& of) {
    const InputStage stage(of["rows"].view(), of["table"].view(), of.options());
    EXPECT_EQ(encoded(of, stage, Positions::range(0, of["table"].shape[0]), StageMode::train), of["dropped"].bytes);

    Output alone(of["summed"]);
    const StageOptions options = of.options();
    dropout(of.batch_first("summed"), alone.view(of), options.dropout, {.seed = options.seed, .call = of.call()});
    EXPECT_EQ(alone.array.bytes, of["dropped"].bytes);
  });
}

TEST(PyTorch, WasGivenTheMaskOfTheContract) {
  for_each_case([](const StageCase& of) {
    const ConstView mask = of.batch_first("mask");
    const StageOptions options = of.options();
    const plain::Mask ours{options.seed, of.call(), static_cast<std::uint32_t>(65536 * options.dropout + 0.5)};
    for (std::int64_t i = 0; i < mask.count(); ++i) {
      const std::int64_t c = i % mask.size(2), t = i / mask.size(2) % mask.size(1), b = i / mask.size(2) / mask.size(1);
      const std::int64_t offset = b * mask.stride(0) + t * mask.stride(1) + c * mask.stride(2);
      const bool kept = static_cast<const std::int32_t*>(mask.data)[offset] != 0;
      ASSERT_EQ(kept, !ours.drops(static_cast<std::uint64_t>(b), static_cast<std::uint64_t>(t),
                                  static_cast<std::uint64_t>(c)));
    }
  });
}

// The scales are powers of two, so it does not show that PyTorch multiplies every token and the contract their sum.
TEST(PyTorch, HasTheSameGradientOfRows) {
  const GoldenFile file("backward");
  ASSERT_EQ(file.cases().size(), 4u);
  for_each_case_of(file, [](const StageCase& of) {
    GoldenArray made = of["rows"];
    const ConstView like = of["rows"].view();  // neither rows nor table are read
    std::fill(made.bytes.begin(), made.bytes.end(), std::byte{0x5A});
    const View out = detail::row_major<void*>(static_cast<void*>(made.bytes.data()), made.dtype, made.shape);
    const Backward backward(InputStage(like, like, of.options()), of["ids"].view());
    backward.write(of["gradient"].view(), out, {.mode = StageMode::train, .call = of.call()});
    EXPECT_EQ(made.bytes, of["rows"].bytes);
  });
}

}  // namespace
}  // namespace posenc
