// SPDX-License-Identifier: Apache-2.0
// The input stage, step by step, against PyTorch's results bit for bit (tests/layers/goldens, docs/goldens.md).
#include <posenc/backward.h>
#include <posenc/input_stage.h>
#include <posenc/preset.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/golden_files.h"
#include "tests/layers/plain.h"

namespace posenc {
namespace {

using nlohmann::json;
using test::GoldenArray;

// What belongs to one case and type: the files by what they hold, and any one entry of the index.
struct Case {
  std::map<std::string, GoldenArray> files;
  json about;

  const GoldenArray& operator[](const std::string& holds) const { return files.at(holds); }
  bool sequence_first() const { return about.at("axes") == "sequence_first"; }
  // [B, L, ..] whatever the order of the axes in the file.
  ConstView batch_first(const std::string& holds) const {
    const ConstView view = files.at(holds).view();
    return sequence_first() ? view.transposed(0, 1) : view;
  }
  StageOptions options() const {
    const std::string scale = about.at("scale");
    StageOptions options{.scale = scale == "none" ? Scale::none : Scale::sqrt_dim};
    if (scale == "sqrt-bf16") options.scale = options.scale.rounded_to(DType::bf16);
    options.dropout = about.at("dropout");
    options.seed = about.at("seed");
    if (!about.at("padding_id").is_null()) options.padding_id = about.at("padding_id").get<std::int64_t>();
    return options;
  }
};

// Every case of the index in every type, and one check of it.
template <class Check>
void for_each_case(const Check& check) {
  std::map<std::pair<std::string, std::string>, Case> cases;
  std::map<std::string, std::map<std::string, GoldenArray>> untyped;  // ids and mask
  const json index = test::golden_index("layers");
  for (const json& entry : index.at("files")) {
    const std::string name = entry.at("case"), holds = entry.at("holds");
    if (!entry.contains("type")) {
      untyped[name][holds] = test::read_golden("layers", entry);
      continue;
    }
    Case& of = cases[{name, entry.at("type")}];
    of.files[holds] = test::read_golden("layers", entry);
    of.about = entry;
  }
  ASSERT_EQ(cases.size(), 32u);  // 8 cases, 4 types
  for (auto& [key, of] : cases) {
    SCOPED_TRACE(key.first + " " + key.second);
    of.files.merge(untyped.at(key.first));
    untyped.at(key.first) = {{"ids", of["ids"]}, {"mask", of["mask"]}};
    check(of);
  }
}

// A fresh tensor of the shape and type of a file, filled with what no result is.
struct Output {
  explicit Output(const GoldenArray& of) : array(of) {
    std::fill(array.bytes.begin(), array.bytes.end(), std::byte{0x5A});
  }
  View view(const Case& of) {
    View view = detail::row_major<void*>(static_cast<void*>(array.bytes.data()), array.dtype, array.shape);
    return of.sequence_first() ? view.transposed(0, 1) : view;
  }
  GoldenArray array;
};

std::vector<std::byte> encoded(const Case& of, const InputStage& stage, const Positions& positions, Mode mode) {
  Output out(of["summed"]);
  stage.encode(of.batch_first("ids"), positions, out.view(of), {.mode = mode, .call = of.about.at("call")});
  return out.array.bytes;
}

TEST(PyTorch, HasTheSameScaledRows) {
  for_each_case([](const Case& of) {
    // Minus zero is the number that adds nothing: it keeps the sign of a zero.
    GoldenArray nothing = of["table"];
    const std::size_t size = size_of(nothing.dtype);
    for (std::size_t i = 0; i < nothing.bytes.size(); ++i) {
      nothing.bytes[i] = i % size + 1 == size ? std::byte{0x80} : std::byte{0};
    }
    const InputStage stage(of["rows"].view(), nothing.view(), of.options());
    const auto positions = Positions::range(0, nothing.shape[0]);
    EXPECT_EQ(encoded(of, stage, positions, Mode::evaluate), of["scaled"].bytes);
    if (!of.about.at("factor").is_null()) {
      const double factor = std::strtod(of.about.at("factor").get<std::string>().c_str(), nullptr);
      EXPECT_EQ(stage.factor(), of["rows"].dtype == DType::f64 ? factor : plain::rounded<float>(factor));
    }
  });
}

TEST(PyTorch, HasTheSameSumsGivenTheTable) {
  for_each_case([](const Case& of) {
    const InputStage stage(of["rows"].view(), of["table"].view(), of.options());
    EXPECT_EQ(encoded(of, stage, Positions::range(0, of["table"].shape[0]), Mode::evaluate), of["summed"].bytes);
  });
}

TEST(PyTorch, HasTheSameSumsGivenTheConvention) {
  int compared = 0;
  for_each_case([&](const Case& of) {
    if (of.about.at("signal") != "transformer") return;
    const InputStage stage(of["rows"].view(), preset("transformer").convention, of.options());
    const auto positions = Positions::range(of.about.at("first_position").get<std::int64_t>(), of["table"].shape[0]);
    EXPECT_EQ(encoded(of, stage, positions, Mode::evaluate), of["summed"].bytes);
    EXPECT_EQ(encoded(of, stage, positions, Mode::train), of["dropped"].bytes);
    ++compared;
  });
  EXPECT_EQ(compared, 28);  // one case has a learned table
}

TEST(PyTorch, HasTheSameDroppedElements) {
  for_each_case([](const Case& of) {
    const InputStage stage(of["rows"].view(), of["table"].view(), of.options());
    EXPECT_EQ(encoded(of, stage, Positions::range(0, of["table"].shape[0]), Mode::train), of["dropped"].bytes);

    Output alone(of["summed"]);
    const StageOptions options = of.options();
    dropout(of.batch_first("summed"), alone.view(of), options.dropout,
            {.seed = options.seed, .call = of.about.at("call")});
    EXPECT_EQ(alone.array.bytes, of["dropped"].bytes);
  });
}

TEST(PyTorch, WasGivenTheMaskOfTheContract) {
  for_each_case([](const Case& of) {
    const ConstView mask = of.batch_first("mask");
    const StageOptions options = of.options();
    const plain::Mask ours{options.seed, of.about.at("call"),
                           static_cast<std::uint32_t>(65536 * options.dropout + 0.5)};
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
  std::map<std::pair<std::string, std::string>, Case> cases;
  std::map<std::string, GoldenArray> ids;
  const json index = test::golden_index("layers", "backward.json");
  for (const json& entry : index.at("files")) {
    if (!entry.contains("type")) {
      ids[entry.at("case")] = test::read_golden("layers", entry);
      continue;
    }
    Case& of = cases[{entry.at("case"), entry.at("type")}];
    of.files[entry.at("holds")] = test::read_golden("layers", entry);
    of.about = entry;
  }
  ASSERT_EQ(cases.size(), 16u);  // 4 cases, 4 types
  for (const auto& [key, of] : cases) {
    SCOPED_TRACE(key.first + " " + key.second);
    GoldenArray made = of["rows"];
    const ConstView like = of["rows"].view();  // neither rows nor table are read
    std::fill(made.bytes.begin(), made.bytes.end(), std::byte{0x5A});
    const View out = detail::row_major<void*>(static_cast<void*>(made.bytes.data()), made.dtype, made.shape);
    const Backward backward(InputStage(like, like, of.options()), ids.at(key.first).view());
    backward.write(of["gradient"].view(), out, {.mode = Mode::train, .call = of.about.at("call")});
    EXPECT_EQ(made.bytes, of["rows"].bytes);
  }
}

}  // namespace
}  // namespace posenc
