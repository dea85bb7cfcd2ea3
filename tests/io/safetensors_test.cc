// SPDX-License-Identifier: Apache-2.0
// Tensors read from files that the safetensors package wrote, and from files that are in the way.
#include <gtest/gtest.h>
#include <posenc/io/safetensors.h>

#include <cstring>
#include <numeric>

#include "tests/io/goldens.h"
#include "tests/io/safetensors_files.h"
#include "tests/io/scratch.h"

namespace posenc::io {
namespace {

std::string golden_path(const std::string& name) { return kGoldens + name + ".safetensors"; }

template <class T>
std::vector<T> values(const Array& array) {
  std::vector<T> out(array.data.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), array.data.data(), array.data.size());
  return out;
}

template <class T>
std::vector<float> widened(const Array& array) {
  std::vector<float> out;
  for (const T value : values<T>(array)) out.push_back(static_cast<float>(value));
  return out;
}

using Shape = std::vector<std::int64_t>;

// The script fills tensors with 0, 1, -2, 3, 100, -64, 7 over and over.
TEST(Safetensors, ReadsEveryTypeOfOurs) {
  const Safetensors file(golden_path("types"));
  EXPECT_EQ(values<float>(file.read("f32")), (std::vector<float>{0, 1, -2, 3, 100, -64}));
  EXPECT_EQ(file.read("f32").shape, (Shape{2, 3}));
  EXPECT_EQ(file.read("f32").dtype, DType::f32);
  EXPECT_EQ(values<double>(file.read("f64")), (std::vector<double>{0, 1}));
  EXPECT_EQ(widened<half>(file.read("f16")), (std::vector<float>{0, 1, -2}));
  EXPECT_EQ(file.read("f16").dtype, DType::f16);
  EXPECT_EQ(widened<bfloat16>(file.read("bf16")), (std::vector<float>{0, 1, -2}));
  EXPECT_EQ(file.read("bf16").dtype, DType::bf16);
  EXPECT_EQ(values<std::int32_t>(file.read("i32")), (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(file.read("i32").shape, (Shape{2, 1}));
  EXPECT_EQ(values<std::int64_t>(file.read("i64")), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(file.header().metadata, (Metadata{{"format", "pt"}}));
}

TEST(Safetensors, GivesTheBytesOfTheFileAsTheyAre) {
  const std::string path = golden_path("types"), whole = read_file(path, 1 << 20);
  const Safetensors file(path);
  std::string all(whole.size(), 'x'), some(5, 'x'), none;
  const auto into = [](std::string& text) { return std::as_writable_bytes(std::span(text)); };
  file.read_raw(0, into(all));
  EXPECT_EQ(all, whole);
  file.read_raw(whole.size() - 5, into(some));
  EXPECT_EQ(some, whole.substr(whole.size() - 5));
  file.read_raw(whole.size(), into(none));
  for (const std::uint64_t offset : {whole.size() - 4, whole.size() + 1, ~std::size_t{0}}) {
    EXPECT_THROW(file.read_raw(offset, into(some)), Error) << offset;
  }
}

TEST(Safetensors, ReadsScalarsEmptyTensorsAndEightAxes) {
  const Array scalar = Safetensors(golden_path("scalar")).read("s");
  EXPECT_EQ(scalar.shape, Shape{});
  EXPECT_EQ(values<float>(scalar), std::vector<float>{0});
  const Safetensors empty(golden_path("empty_tensors"));
  EXPECT_EQ(empty.read("none").shape, (Shape{0, 3}));
  EXPECT_TRUE(empty.read("no").data.empty());
  EXPECT_EQ(widened<half>(empty.read("two")), (std::vector<float>{0, 1}));
  EXPECT_EQ(Safetensors(golden_path("axes_8")).read("w").shape, (Shape{1, 2, 1, 1, 3, 1, 1, 1}));
  EXPECT_TRUE(Safetensors(golden_path("no_tensors")).header().tensors.empty());
}

TEST(Safetensors, ReadsNamesAndMetadataInAnyScript) {
  const Safetensors file(golden_path("names"));
  for (const char* name :
       {"b", "a", "B", "a.b", "a b", "é", "我爱你", "😀", "\xEF\xBF\xBF", "quote\"slash\\", "tab\tline\nescape\x1b"}) {
    EXPECT_EQ(values<float>(file.read(name)), std::vector<float>{0}) << name;
  }
  EXPECT_EQ(file.header().metadata, (Metadata{{"key \"é\"\n", "value \\ \xE2\x80\xA8"}}));
}

TEST(Safetensors, ReadsOurTypesBesideOthers) {
  const Safetensors file(golden_path("other_types"));
  EXPECT_EQ(file.header().tensors.size(), 5u);
  EXPECT_EQ(values<float>(file.read("f32")), (std::vector<float>{0, 1}));
  for (const auto& [name, type] : {std::pair("bool", "BOOL"), {"u8", "U8"}, {"f8", "F8_E4M3"}, {"i16", "I16"}}) {
    EXPECT_EQ(file.tensor(name).type, type);
    EXPECT_EQ(file.tensor(name).dtype, DType{});
    EXPECT_EQ(outcome_of(std::string("got ") + type, [&, wanted = name] { file.read(wanted); }), Outcome::refused);
  }
}

TEST(Safetensors, ReadsFilesOfOldWritersInTheOrderOfTheirNames) {
  const std::string header = "{" + st_entry("a", st_tensor(R"("F16")", "[1]", "[0,2]")) + "," +
                             st_entry("b", st_tensor(R"("F32")", "[1]", "[2,6]")) + "}";  // 2 bytes: unaligned
  const Scratch folder;
  put(folder / "f", st_file(header, std::string("\x00\x3C\x00\x00\x80\x3F", 6)));
  const Safetensors file(folder / "f");
  EXPECT_EQ(widened<half>(file.read("a")), std::vector<float>{1});
  EXPECT_EQ(values<float>(file.read("b")), std::vector<float>{1});
}

// ---- rows ---------------------------------------------------------------------------------------

/// A table of 7 x 3 whose element i is i.
void put_table(const std::string& path) {
  std::vector<float> table(21);
  std::iota(table.begin(), table.end(), 0.0f);
  const std::string data(reinterpret_cast<const char*>(table.data()), 84);
  put(path, st_file("{" + st_entry("w", st_tensor(R"("F32")", "[7,3]", "[0,84]")) + "}", data));
}

TEST(Safetensors, ReadsRowsInBlocks) {
  const Scratch folder;
  put_table(folder / "f");
  const Safetensors file(folder / "f");
  for (const std::int64_t block : {1, 2, 3, 7}) {
    std::vector<float> read;
    for (std::int64_t first = 0; first < 7; first += block) {
      const std::int64_t count = std::min<std::int64_t>(block, 7 - first);
      std::vector<float> rows(static_cast<std::size_t>(count * 3), -1.0f);
      file.read_rows("w", first, view(rows.data(), {count, 3}));
      read.insert(read.end(), rows.begin(), rows.end());
    }
    EXPECT_EQ(read, values<float>(file.read("w"))) << block;
  }
  file.read_rows("w", 7, view(static_cast<float*>(nullptr), {0, 3}));
}

TEST(Safetensors, RefusesRowsThatAreNotTheTensors) {
  const Scratch folder;
  put_table(folder / "f");
  const Safetensors file(folder / "f");
  std::vector<float> rows(24, -1.0f);
  std::vector<double> wide(24);
  const auto refused = [&](const std::string& words, std::int64_t first, const View& out) {
    return outcome_of(words, [&] { file.read_rows("w", first, out); }) == Outcome::refused;
  };
  EXPECT_TRUE(refused("rows of the tensor, f32 (7, 3), got f64 '(2, 3)'", 0, view(wide.data(), {2, 3})));
  EXPECT_TRUE(refused("got f32 '(2, 4)'", 0, view(rows.data(), {2, 4})));
  EXPECT_TRUE(refused("got f32 '(3,)'", 0, view(rows.data(), {3})));
  EXPECT_TRUE(refused("within the tensor's 7, got 2 from -1", -1, view(rows.data(), {2, 3})));
  EXPECT_TRUE(refused("got 2 from 6", 6, view(rows.data(), {2, 3})));
  EXPECT_TRUE(refused("got 8 from 0", 0, view(rows.data(), {8, 3})));
  EXPECT_TRUE(
      refused("got 1 from 9223372036854775807", std::numeric_limits<std::int64_t>::max(), view(rows.data(), {1, 3})));
  EXPECT_TRUE(refused("row-major without gaps", 0, view(rows.data(), {3, 2}).transposed(0, 1)));
  View gaps = view(rows.data(), {2, 3});
  gaps.strides[0] = 4;
  EXPECT_TRUE(refused("row-major without gaps", 0, gaps));
  EXPECT_EQ(rows, std::vector<float>(24, -1.0f));
  const Safetensors scalar(golden_path("scalar"));
  EXPECT_EQ(outcome_of("rows of the tensor", [&] { scalar.read_rows("s", 0, view(rows.data(), {})); }),
            Outcome::refused);
}

// ---- names --------------------------------------------------------------------------------------

std::string file_of_names(const std::vector<std::string>& names) {
  std::string header = "{";
  for (const std::string& name : names) {
    header += (header.size() > 1 ? "," : "") + st_entry(name, st_tensor(R"("F32")", "[0]", "[0,0]"));
  }
  return st_file(header + "}");
}

std::string lookup(const std::vector<std::string>& names, std::string_view wanted) {
  const Scratch folder;
  put(folder / "f", file_of_names(names));
  const Safetensors file(folder / "f");
  try {
    file.tensor(wanted);
  } catch (const Error& error) {
    EXPECT_LE(std::string_view(error.what()).size(), 300u);
    return error.problem().rule;
  }
  return "found";
}

TEST(Safetensors, ListsTheNearestNames) {
  const std::vector<std::string> names = {"h.0.attn.weight", "wte.weight", "wpe.weight", "ln_f.bias", "lm_head"};
  const std::string all = "the tensor must be one of the file's 5, such as ";
  EXPECT_EQ(lookup(names, "wte.weight"), "found");
  EXPECT_EQ(lookup(names, "wte"), all + "'wte.weight'");                             // within a name
  EXPECT_EQ(lookup(names, "model.wpe.weight"), all + "'wpe.weight', 'wte.weight'");  // a name within it
  EXPECT_EQ(lookup(names, "wta.weight"), all + "'wte.weight', 'wpe.weight', 'h.0.attn.weight'");
  EXPECT_EQ(lookup(names, "wteweight"), all + "'wte.weight', 'wpe.weight', 'h.0.attn.weight'");
  EXPECT_EQ(lookup(names, "lm_haeds"), all + "'lm_head'");
  EXPECT_EQ(lookup(names, "model.wtee.wieght"), all + "'wte.weight'");  // 3 letters, and a name within it
  EXPECT_EQ(lookup(names, "zzzzzzzz"), all + "'h.0.attn.weight', 'wte.weight', 'wpe.weight', 'ln_f.bias'");
  EXPECT_EQ(lookup(names, ""), all + "'h.0.attn.weight', 'wte.weight', 'wpe.weight', 'ln_f.bias'");
  EXPECT_EQ(lookup({}, "w"), "the file holds no tensors");
}

TEST(Safetensors, KeepsMessagesOfLongNamesShort) {
  const std::string a(200, 'a'), b(120, 'b');
  EXPECT_NE(lookup({a, b, b + "c", b + "d"}, b.substr(1)).find("'bbbb"), std::string::npos);
  EXPECT_NE(lookup({a, b}, std::string(100'000, 'x')).find("'aaaa"), std::string::npos);
  EXPECT_NE(lookup({"w"}, std::string(300, '\x1b')).find("'w'"), std::string::npos);
}

TEST(Safetensors, FindsANameAmongManyAtOnce) {
  std::vector<std::string> names;
  for (int i = 0; i < 16'384; ++i) names.push_back("layer." + std::to_string(i) + ".weight");
  EXPECT_EQ(lookup(names, "layer.16383.weight"), "found");
  EXPECT_NE(lookup(names, "layer.16384.wieght").find("of the file's 16384, such as 'layer."), std::string::npos);
}

// ---- files in the way ---------------------------------------------------------------------------

TEST(Safetensors, RefusesWhatIsNoRegularFile) {
  const Scratch folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const auto outcome = [](const std::string& words, const std::string& path) {
    return outcome_of(words, [&] { const Safetensors file(path); });
  };
  EXPECT_EQ(outcome("(a folder)", folder.path()), Outcome::refused);
  EXPECT_EQ(outcome("(a pipe)", folder / "pipe"), Outcome::refused);  // at once, without a writer
  EXPECT_EQ(outcome("(a device)", "/dev/zero"), Outcome::refused);
  EXPECT_EQ(outcome("(No such file or directory)", folder / "none"), Outcome::refused);
  EXPECT_EQ(outcome("must not be empty", ""), Outcome::refused);
}

TEST(Safetensors, RefusesAFileThatChangesAfterItWasOpened) {
  const Scratch folder;
  const auto read_after = [&](auto change) {
    put_table(folder / "f");
    const Safetensors file(folder / "f");
    change();
    std::vector<float> row(3);
    const auto rows = outcome_of("which changed", [&] { file.read_rows("w", 0, view(row.data(), {1, 3})); });
    EXPECT_EQ(outcome_of("which changed", [&] { file.read("w"); }), rows);
    return rows;
  };
  EXPECT_EQ(read_after([] {}), Outcome::done);
  EXPECT_EQ(read_after([&] { EXPECT_EQ(::truncate((folder / "f").c_str(), 100), 0); }), Outcome::refused);
  EXPECT_EQ(read_after([&] { EXPECT_EQ(::truncate((folder / "f").c_str(), 1000), 0); }), Outcome::refused);
  const timespec later[2] = {{0, UTIME_OMIT}, {4'000'000'000, 0}};
  EXPECT_EQ(read_after([&] { EXPECT_EQ(::utimensat(AT_FDCWD, (folder / "f").c_str(), later, 0), 0); }),
            Outcome::refused);
  // Another file under the same name is not the open one.
  EXPECT_EQ(read_after([&] { std::filesystem::remove(folder / "f"); }), Outcome::done);
}

}  // namespace
}  // namespace posenc::io
