// SPDX-License-Identifier: Apache-2.0
// Files written as the safetensors package writes them, byte by byte, and what is refused before a file is touched.
#include <gtest/gtest.h>
#include <posenc/io/safetensors.h>

#include "tests/io/goldens.h"
#include "tests/io/safetensors_files.h"
#include "tests/io/scratch.h"

namespace posenc::io {
namespace {

/// 0, 1, -2, 3, 100, -64, 7 over and over, in that type: what the script fills tensors with.
template <class T>
Array filled(std::vector<std::int64_t> shape) {
  Array array = {dtype_of<T>, std::move(shape), {}};
  const std::int64_t count = array.view().count();
  constexpr int values[] = {0, 1, -2, 3, 100, -64, 7};
  for (std::int64_t i = 0; i < count; ++i) {
    const T value = static_cast<T>(static_cast<float>(values[i % 7]));
    const auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
    array.data.insert(array.data.end(), bytes.begin(), bytes.end());
  }
  return array;
}

TEST(SafetensorsWrite, WritesTheFilesOfThePackage) {
  const Array f32 = filled<float>({2, 3}), f64 = filled<double>({2}), f16 = filled<half>({3});
  const Array bf16 = filled<bfloat16>({3}), i32 = filled<std::int32_t>({2, 1}), i64 = filled<std::int64_t>({2});
  EXPECT_EQ(text_of(safetensors_bytes({{{"bf16", bf16.view()},
                                        {"f16", f16.view()},
                                        {"f32", f32.view()},
                                        {"f64", f64.view()},
                                        {"i32", i32.view()},
                                        {"i64", i64.view()}}},
                                      {{"format", "pt"}})),
            golden("types.safetensors"));
  const Array a = filled<half>({3}), b = filled<double>({1}), c = filled<std::int32_t>({1, 1}),
              d = filled<bfloat16>({5});
  EXPECT_EQ(text_of(safetensors_bytes({{{"a", a.view()}, {"b", b.view()}, {"c", c.view()}, {"d", d.view()}}})),
            golden("odd_sizes.safetensors"));
  const Array none = filled<float>({0, 3}), no = filled<std::int64_t>({2, 0}), two = filled<half>({2});
  const Array nil = filled<bfloat16>({0});
  EXPECT_EQ(text_of(safetensors_bytes(
                {{{"none", none.view()}, {"no", no.view()}, {"two", two.view()}, {"nil", nil.view()}}})),
            golden("empty_tensors.safetensors"));
  EXPECT_EQ(text_of(safetensors_bytes({})), golden("no_tensors.safetensors"));
  EXPECT_EQ(text_of(safetensors_bytes({{{"s", filled<float>({}).view()}}})), golden("scalar.safetensors"));
  EXPECT_EQ(text_of(safetensors_bytes({{{"w", filled<double>({1, 2, 1, 1, 3, 1, 1, 1}).view()}}})),
            golden("axes_8.safetensors"));
}

TEST(SafetensorsWrite, WritesNamesInTheOrderOfTheirBytes) {
  const Array one = filled<float>({1});
  std::vector<NamedView> tensors;
  for (const char* name :
       {"b", "a", "B", "a.b", "a b", "é", "我爱你", "😀", "\xEF\xBF\xBF", "quote\"slash\\", "tab\tline\nescape\x1b"}) {
    tensors.push_back({name, one.view()});
  }
  EXPECT_EQ(text_of(safetensors_bytes(tensors, {{"key \"é\"\n", "value \\ \xE2\x80\xA8"}})),
            golden("names.safetensors"));
  std::ranges::reverse(tensors);
  EXPECT_EQ(text_of(safetensors_bytes(tensors, {{"key \"é\"\n", "value \\ \xE2\x80\xA8"}})),
            golden("names.safetensors"));
}

TEST(SafetensorsWrite, SortsMetadata) {
  const Metadata metadata = {{"b", "2"}, {"a", "1"}};
  EXPECT_EQ(text_of(safetensors_bytes({}, metadata)), st_file(R"({"__metadata__":{"a":"1","b":"2"}}      )"));
}

TEST(SafetensorsWrite, WritesAnyStridesAsRows) {
  const std::vector<float> memory = {0, 1, 2, 3, 4, 5};
  const ConstView columns = view(memory.data(), {3, 2}).transposed(0, 1);  // [2, 3]
  const std::vector<float> rows = {0, 2, 4, 1, 3, 5};
  EXPECT_EQ(safetensors_bytes({{{"w", columns}}}), safetensors_bytes({{{"w", view(rows.data(), {2, 3})}}}));
  const std::vector<float> twice = {7, 7};
  EXPECT_EQ(safetensors_bytes({{{"w", view(twice.data(), {}).repeated(2)}}}),
            safetensors_bytes({{{"w", view(twice.data(), {2})}}}));
}

TEST(SafetensorsWrite, WritesTheSameBytesToAFile) {
  const Scratch folder;
  const Array large = filled<float>({700'001});  // more than one piece
  const Array ids = filled<std::int32_t>({3});
  const std::vector<NamedView> tensors = {{"encoded", large.view()}, {"ids", ids.view()}};
  write_safetensors(folder / "f", tensors, {{"a", "b"}});
  EXPECT_EQ(read_file(folder / "f", 1 << 24), text_of(safetensors_bytes(tensors, {{"a", "b"}})));
  write_safetensors(folder / "g", tensors, {}, {.sync = Sync::none});
  EXPECT_EQ(Safetensors(folder / "g").read("encoded").data, large.data);
}

TEST(SafetensorsWrite, RefusesBeforeAFileIsTouched) {
  const Scratch folder;
  put(folder / "f", "old");
  const Array one = filled<float>({1});
  const ConstView w = one.view();
  const auto refused = [&](const std::string& words, const std::vector<NamedView>& tensors, const Metadata& metadata) {
    const auto problem = check_safetensors_bytes(tensors, metadata);
    EXPECT_TRUE(problem && problem->message().find(words) != std::string::npos) << words;
    EXPECT_EQ(outcome_of(words, [&] { safetensors_bytes(tensors, metadata); }), Outcome::refused);
    return outcome_of(words, [&] { write_safetensors(folder / "f", tensors, metadata); });
  };
  EXPECT_EQ(refused("must have a name, got an empty one", {{"", w}}, {}), Outcome::refused);
  EXPECT_EQ(refused("a name of its own, got '__metadata__'", {{"__metadata__", w}}, {}), Outcome::refused);
  EXPECT_EQ(refused("must stand only once, got 'w'", {{"w", w}, {"x", w}, {"w", w}}, {}), Outcome::refused);
  EXPECT_EQ(refused("a name must be UTF-8, got 'a\\xFF'", {{"a\xFF", w}}, {}), Outcome::refused);
  EXPECT_EQ(refused("at most 65536 bytes, got 65537", {{std::string_view(std::string(65537, 'n')), w}}, {}),
            Outcome::refused);
  EXPECT_EQ(refused("metadata must be UTF-8, got 'k'", {}, {{"k", "\xFF"}}), Outcome::refused);
  EXPECT_EQ(refused("metadata must be UTF-8, got '\\xFF'", {}, {{"\xFF", ""}}), Outcome::refused);
  EXPECT_EQ(refused("header must have at most 16777216 bytes", {}, {{"k", std::string(1 << 24, 'x')}}),
            Outcome::refused);
  EXPECT_EQ(refused("'w'", {{"w", ConstView{}}}, {}), Outcome::refused);
  EXPECT_EQ(refused("at most 2^53 elements", {{"w", view(static_cast<float*>(nullptr), {1 << 30, 0, 1 << 30})}}, {}),
            Outcome::refused);
  std::vector<std::string> names;
  for (int i = 0; i <= 65'536; ++i) names.push_back(std::to_string(i));
  std::vector<NamedView> many;
  for (const std::string& name : names) many.push_back({name, w});
  EXPECT_EQ(refused("at most 65536 tensors, got 65537", many, {}), Outcome::refused);
  many.pop_back();
  EXPECT_EQ(check_safetensors_bytes(many), std::nullopt);
  EXPECT_EQ(read_file(folder / "f", 10), "old");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"f"});
}

}  // namespace
}  // namespace posenc::io
