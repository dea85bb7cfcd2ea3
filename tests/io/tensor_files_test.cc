// SPDX-License-Identifier: Apache-2.0
// Tensors by name out of any file: what is found, what is read, and what is refused in which words.
#include <gtest/gtest.h>
#include <posenc/io/safetensors.h>
#include <posenc/io/tensor_files.h>

#include <numeric>

#include "tests/io/goldens.h"
#include "tests/io/npy_files.h"
#include "tests/io/safetensors_files.h"
#include "tests/io/scratch.h"

namespace posenc::io {
namespace {

/// What opening a path, and reading a tensor there, says.
std::string refusal_of(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem().cause, Cause::input);
    const std::string message = error.what();
    EXPECT_LE(message.size(), 300u) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
    return message;
  }
  return "accepted";
}
std::string opening(const std::string& path) {
  return refusal_of([&] { const TensorFiles files(path); });
}
void expect_refused(const std::string& message, std::string_view words) {
  EXPECT_NE(message.find(words), std::string::npos) << message;
}

std::vector<float> counting(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}
std::string text_of_values(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

/// A safetensors file of f32 vectors of two elements, by name.
std::string vectors(const std::vector<std::string>& names) {
  std::string header;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string offsets = "[" + std::to_string(8 * i) + "," + std::to_string(8 * i + 8) + "]";
    header += (i ? "," : "{") + st_entry(names[i], st_tensor(R"("F32")", "[2]", offsets));
  }
  return st_file(header + "}", text_of_values(counting(2 * names.size())));
}

/// Every block of rows equals that part of the whole.
void expect_rows_of_the_whole(const TensorFiles& files, std::string_view name) {
  const Array all = files.read(name);
  const auto& shape = files.tensor(name).shape;
  ASSERT_EQ(all.shape, shape);
  ASSERT_FALSE(shape.empty());
  const std::size_t row = all.data.size() / static_cast<std::size_t>(std::max<std::int64_t>(shape[0], 1));
  for (std::int64_t first = 0; first <= shape[0]; ++first) {
    for (std::int64_t count = 0; count <= shape[0] - first; ++count) {
      std::vector<std::int64_t> sizes = shape;
      sizes[0] = count;
      Array part = {all.dtype, sizes, std::vector<std::byte>(static_cast<std::size_t>(count) * row, std::byte{0xAA})};
      View out = detail::row_major<void*>(static_cast<void*>(part.data.data()), part.dtype, part.shape);
      files.read_rows(name, first, out);
      const auto begin = all.data.begin() + first * static_cast<std::int64_t>(row);
      EXPECT_TRUE(std::equal(part.data.begin(), part.data.end(), begin)) << first << " " << count;
    }
  }
}

// ---- .npy ---------------------------------------------------------------------------------------

TEST(TensorFiles, GivesTheArrayOfAnNpyFileWithoutAName) {
  const Scratch folder;
  put(folder / "x", npy_file(npy_dictionary("'<f4'", "False", "(3, 2)"), text_of_values(counting(6))));
  const TensorFiles files(folder / "x");
  EXPECT_EQ(files.format(), TensorFormat::npy);
  EXPECT_EQ(to_string(files.format()), "npy");
  const TensorEntry& entry = files.only();
  EXPECT_EQ(entry.name, "");
  EXPECT_EQ(entry.type, "<f4");
  EXPECT_EQ(entry.dtype, DType::f32);
  EXPECT_EQ(entry.shape, (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(entry.file, folder / "x");
  EXPECT_EQ(files.config(), "");
  expect_rows_of_the_whole(files, "");
  expect_refused(refusal_of([&] { files.read("table"); }), "the array of an .npy file has no name, got 'table' of '");
}

TEST(TensorFiles, ReadsEveryNpyFileOfNumPyLikeTheReaderOfWholeFiles) {
  int compared = 0;
  for (const auto& each : std::filesystem::directory_iterator(kGoldens)) {
    if (each.path().extension() != ".npy") continue;
    SCOPED_TRACE(each.path().filename());
    const TensorFiles files(each.path());
    const Array expected = read_npy(each.path());
    const Array array = files.read("");
    EXPECT_EQ(array.dtype, expected.dtype);
    EXPECT_EQ(array.shape, expected.shape);
    EXPECT_EQ(array.data, expected.data);
    if (!array.shape.empty()) expect_rows_of_the_whole(files, "");
    ++compared;
  }
  EXPECT_GE(compared, 15);
}

TEST(TensorFiles, NamesTheTypeOfAnNpyFileAsNumPyDoes) {
  EXPECT_EQ(TensorFiles(kGoldens + "be_f4_fortran_3x4.npy").only().type, ">f4");
  EXPECT_EQ(TensorFiles(kGoldens + "i1_3.npy").only().type, "|i1");
  EXPECT_EQ(TensorFiles(kGoldens + "i1_3.npy").only().dtype, DType::i32);
}

TEST(TensorFiles, ReadsRowsOfColumnsInSeveralAxes) {
  // Element [i, j, k] of [3, 4, 2] is 100 i + 10 j + k; in the file i varies fastest, then j.
  std::vector<float> values;
  for (int k = 0; k < 2; ++k) {
    for (int j = 0; j < 4; ++j) {
      for (int i = 0; i < 3; ++i) values.push_back(static_cast<float>(100 * i + 10 * j + k));
    }
  }
  const Scratch folder;
  put(folder / "x", npy_file(npy_dictionary("'<f4'", "True", "(3, 4, 2)"), text_of_values(values)));
  std::vector<float> rows(16);
  TensorFiles(folder / "x").read_rows("", 1, view(rows.data(), {2, 4, 2}));
  EXPECT_EQ(rows, (std::vector<float>{100, 101, 110, 111, 120, 121, 130, 131, 200, 201, 210, 211, 220, 221, 230, 231}));
}

TEST(TensorFiles, NamesTheNumberOfAnNpyFileThatInt64CannotHold) {
  const Scratch folder;
  const std::string numbers = little_endian(1, 8) + little_endian(2, 8) + little_endian(~std::uint64_t{0}, 8) +
                              little_endian(3, 8) + little_endian(4, 8) + little_endian(5, 8);
  for (const std::string order : {"False", "True"}) {
    put(folder / "x", npy_file(npy_dictionary("'<u8'", order, "(2, 3)"), numbers));
    const TensorFiles files(folder / "x");
    std::vector<std::int64_t> out(6);
    const std::string index = order == "True" ? " at [0, 1]" : " at [0, 2]";
    const std::string message = refusal_of([&] { files.read_rows("", 0, view(out.data(), {2, 3})); });
    expect_refused(message, "an unsigned number must be below 2^63, got 18446744073709551615 at offset ");
    EXPECT_TRUE(message.ends_with(index)) << message;
    EXPECT_EQ(refusal_of([&] { files.read(""); }), message);
  }
}

TEST(TensorFiles, RefusesRowsThatAreNotThere) {
  const Scratch folder;
  put(folder / "x", npy_file(npy_dictionary("'<f4'", "False", "(3, 2)"), text_of_values(counting(6))));
  const TensorFiles files(folder / "x");
  std::vector<float> out(8, 7.0f);
  const auto rows = [&](std::int64_t first, const View& to) {
    return refusal_of([&] { files.read_rows("", first, to); });
  };
  expect_refused(rows(-1, view(out.data(), {1, 2})), "the rows must be within the tensor's 3, got 1 from -1");
  expect_refused(rows(2, view(out.data(), {2, 2})), "the rows must be within the tensor's 3, got 2 from 2");
  expect_refused(rows(std::numeric_limits<std::int64_t>::max(), view(out.data(), {1, 2})), "must be within");
  expect_refused(rows(0, view(out.data(), {2, 4})), "out must be rows of the tensor, f32 (3, 2), got f32 '(2, 4)'");
  expect_refused(rows(0, view(out.data(), {2})), "out must be rows of the tensor");
  expect_refused(rows(0, view(reinterpret_cast<std::int32_t*>(out.data()), {2, 2})), "got i32 '(2, 2)'");
  expect_refused(rows(0, view(out.data(), {2, 2}).transposed(0, 1)), "out must be row-major without gaps");
  EXPECT_EQ(out, std::vector<float>(8, 7.0f));
}

TEST(TensorFiles, RefusesAnNpyFileThatChangesMeanwhile) {
  const Scratch folder;
  put(folder / "x", npy_file(npy_dictionary("'<f4'", "False", "(3, 2)"), text_of_values(counting(6))));
  const TensorFiles files(folder / "x");
  put(folder / "x", "short");
  expect_refused(refusal_of([&] { files.read(""); }), "must not change while it is read");
}

// ---- safetensors --------------------------------------------------------------------------------

TEST(TensorFiles, ListsTheTensorsOfASafetensorsFileWithItsNamesOfTypes) {
  const TensorFiles files(kGoldens + "other_types.safetensors");
  EXPECT_EQ(files.format(), TensorFormat::safetensors);
  EXPECT_EQ(files.tensors().size(), 5u);
  EXPECT_EQ(files.tensor("f8").type, "F8_E4M3");
  EXPECT_EQ(files.tensor("f8").dtype, DType{});
  expect_refused(refusal_of([&] { files.read("f8"); }),
                 "must be F32, F16, BF16, F64, I32 or I64 to be read, got F8_E4M3");
  expect_rows_of_the_whole(files, "f32");
}

TEST(TensorFiles, NamesTheNearestTensors) {
  const Scratch folder;
  put(folder / "f", vectors({"model.embed_tokens.weight", "model.norm.weight", "lm_head.weight"}));
  const TensorFiles files(folder / "f");
  expect_refused(refusal_of([&] { files.tensor("embed_token.weight"); }),
                 "the tensor must be one of 3, such as 'model.embed_tokens.weight', got 'embed_token.weight' of '");
  expect_refused(refusal_of([&] { files.only(); }), "a tensor must be named where there is not just one, such as '");
  put(folder / "none", st_file("{}"));
  expect_refused(refusal_of([&] { TensorFiles(folder / "none").tensor("a"); }), "there are no tensors, got 'a'");
  expect_refused(refusal_of([&] { TensorFiles(folder / "none").only(); }), "got 0 of '");
}

TEST(TensorFiles, TellsAFileByItsFirstBytesWhateverItsName) {
  const Scratch folder;
  put(folder / "x.npy", vectors({"a"}));
  EXPECT_EQ(TensorFiles(folder / "x.npy").format(), TensorFormat::safetensors);
  put(folder / "x.bin", npy_file(npy_dictionary("'<f4'", "False", "(2,)"), text_of_values(counting(2))));
  EXPECT_EQ(TensorFiles(folder / "x.bin").format(), TensorFormat::npy);
  // Headers whose length reads like the first bytes of a pickle, or of a document of JSON.
  for (const std::size_t length : {std::size_t{0x0280}, std::size_t{0x7B}}) {
    std::string header = "{" + st_entry("w", st_tensor(R"("F32")", "[4]", "[0,16]")) + "}";
    header.resize(length, ' ');
    put(folder / "y", st_file(header, std::string(16, '\0')));
    EXPECT_EQ(TensorFiles(folder / "y").format(), TensorFormat::safetensors) << length;
  }
}

// ---- models in several files --------------------------------------------------------------------

const std::string kIndex = "model.safetensors.index.json";

std::string index_of_two() { return R"({"weight_map":{"a":"1.safetensors","b":"2.safetensors","c":"2.safetensors"}})"; }

TEST(TensorFiles, JoinsTheFilesOfAnIndex) {
  const Scratch folder;
  put(folder / kIndex, index_of_two());
  put(folder / "1.safetensors", vectors({"a"}));
  put(folder / "2.safetensors", vectors({"c", "b"}));
  put(folder / "config.json", "{}");
  for (const std::string& path : {folder / kIndex, folder.path(), folder.path() + "/"}) {
    SCOPED_TRACE(path);
    const TensorFiles files(path);
    EXPECT_EQ(files.path(), path);
    EXPECT_EQ(files.format(), TensorFormat::safetensors);
    std::string names;
    for (const TensorEntry& entry : files.tensors()) names += entry.name;
    EXPECT_EQ(names, "acb");
    EXPECT_TRUE(files.tensor("c").file.ends_with("/2.safetensors"));
    EXPECT_EQ(files.read("b").data.size(), 8u);
    expect_rows_of_the_whole(files, "b");
    EXPECT_EQ(files.config().ends_with("/config.json"), path != folder / kIndex);
  }
  TensorFiles files(folder.path());
  const TensorFiles moved(std::move(files));
  EXPECT_EQ(moved.tensor("a").type, "F32");
}

TEST(TensorFiles, FollowsTheLinksOfACacheOfModels) {
  const Scratch folder;
  std::filesystem::create_directories(folder / "snapshot");
  put(folder / "blob1", vectors({"a"}));
  put(folder / "blob2", vectors({"b", "c"}));
  put(folder / "blob3", index_of_two());
  std::filesystem::create_symlink("../blob1", folder / "snapshot/1.safetensors");
  std::filesystem::create_symlink("../blob2", folder / "snapshot/2.safetensors");
  std::filesystem::create_symlink("../blob3", folder / ("snapshot/" + kIndex));
  EXPECT_EQ(TensorFiles(folder / "snapshot").tensors().size(), 3u);
}

TEST(TensorFiles, RefusesAnIndexThatItsFilesContradict) {
  const Scratch folder;
  put(folder / kIndex, index_of_two());
  put(folder / "1.safetensors", vectors({"a"}));
  expect_refused(opening(folder.path()), "must exist and be readable, got '");  // S94
  expect_refused(opening(folder.path()), "/2.safetensors' (No such file or directory)");

  put(folder / "2.safetensors", vectors({"b"}));
  expect_refused(
      opening(folder.path()),
      "the files must hold every tensor of the index, got 'c', which is not in '2.safetensors' of '");  // S100
  put(folder / "2.safetensors", vectors({"b", "c", "d"}));
  expect_refused(opening(folder.path()), "the index must name every tensor of its files, got 'd' in '2.safetensors'");
  put(folder / "2.safetensors", vectors({"a", "b", "c"}));
  expect_refused(opening(folder.path()), "the index must name every tensor of its files, got 'a' in '2.safetensors'");

  std::filesystem::remove(folder / "2.safetensors");
  std::filesystem::create_directory(folder / "2.safetensors");
  expect_refused(opening(folder.path()), "must be a regular file, got '");  // S97
  expect_refused(opening(folder.path()), "(a folder)");
  std::filesystem::remove(folder / "2.safetensors");
  ASSERT_EQ(::mkfifo((folder / "2.safetensors").c_str(), 0600), 0);
  expect_refused(opening(folder.path()), "(a pipe)");  // S98

  put(folder / kIndex, R"({"weight_map":{"a":")" + kIndex + "\"}}");
  expect_refused(opening(folder.path()), "JSON without the 8-byte length");  // S102
  put(folder / kIndex, R"({"weight_map":{"a":"../1.safetensors"}})");
  expect_refused(opening(folder.path()), "[read_shard_index] a file must stand beside the index");  // S95
}

TEST(TensorFiles, ChoosesTheModelOfAFolder) {
  const Scratch folder;
  expect_refused(opening(folder.path()), "a folder must hold .safetensors files, their index or a .gguf file, got '");
  put(folder / "pytorch_model.bin", "\x80\x02");
  expect_refused(opening(folder.path()), "safetensors.torch.save_file(state_dict, \"model.safetensors\")");
  expect_refused(opening(folder.path()), "/pytorch_model.bin'");
  put(folder / "x.safetensors", vectors({"x"}));
  EXPECT_EQ(TensorFiles(folder.path()).only().name, "x");
  put(folder / "y.safetensors", vectors({"y"}));
  expect_refused(opening(folder.path()), "needs the name of one file, got '");
  expect_refused(opening(folder.path()), " with 'x.safetensors', 'y.safetensors' and others");
  put(folder / "model.safetensors", vectors({"m"}));
  EXPECT_EQ(TensorFiles(folder.path()).only().name, "m");
  put(folder / kIndex, R"({"weight_map":{"x":"x.safetensors"}})");
  EXPECT_EQ(TensorFiles(folder.path()).only().name, "x");
}

// ---- other files --------------------------------------------------------------------------------

TEST(TensorFiles, RefusesPicklesWithTheLineThatSavesSafetensors) {
  const Scratch folder;
  const std::string line = "safetensors.torch.save_file(state_dict, \"model.safetensors\"), got '";
  for (const std::string& bytes : {std::string("\x80\x02}q", 4), std::string("\x80\x04\x95", 3), std::string("\x80")}) {
    put(folder / "x", bytes + std::string(40, 'x'));
    expect_refused(opening(folder / "x"), "[read_tensors] a pickle runs code to load, so none is read: ");
    expect_refused(opening(folder / "x"), line);
  }
  for (const std::string name : {"x.pt", "x.pth", "x.bin", "x.ckpt", "x.pkl"}) {
    put(folder / name, "(dp0\n");  // protocol 0, which only its name tells
    expect_refused(opening(folder / name), line);
  }
}

TEST(TensorFiles, RefusesWhatHoldsNoTensors) {
  const Scratch folder;
  put(folder / "empty", "");
  expect_refused(opening(folder / "empty"), "/empty', which is empty");
  put(folder / "hdf", "\x89HDF\r\n\x1a\n");
  expect_refused(opening(folder / "hdf"), "; this looks like an HDF5 file, got '");
  put(folder / "lfs", "version https://git-lfs.github.com/spec/v1\n");
  expect_refused(opening(folder / "lfs"), "a Git LFS pointer");
  put(folder / "text", "hello");
  expect_refused(opening(folder / "text"), "' with 'hello'");
  put(folder / "config.json", R"({"model_type":"llama"})");
  expect_refused(opening(folder / "config.json"), "the index must have the key weight_map");
  // Their readers say what is wrong with files that only a name tells.
  put(folder / "x.npy", "\x92NUMPY");
  expect_refused(opening(folder / "x.npy"), "[read_npy] must start with the magic bytes");
  put(folder / "x.safetensors", std::string(8, '\0'));
  expect_refused(opening(folder / "x.safetensors"), "[read_safetensors] the header must not be empty");

  expect_refused(opening(folder / "missing"), "must exist and be readable");
  expect_refused(opening(""), "a path must not be empty");
  expect_refused(opening(std::string("a\0b", 3)), "or contain NUL");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  expect_refused(opening(folder / "pipe"), "(a pipe)");
  expect_refused(opening("/dev/null"), "(a device)");
}

}  // namespace
}  // namespace posenc::io
