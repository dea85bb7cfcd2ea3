// SPDX-License-Identifier: Apache-2.0
// Elements where they stand: those of every format and order, at any address; what is in memory instead; files that
// change.
#include <gtest/gtest.h>
#include <posenc/io/tensor_files.h>

#include <cstring>
#include <numeric>

#include "tests/io/gguf_files.h"
#include "tests/io/goldens.h"
#include "tests/io/safetensors_files.h"
#include "tests/io/scratch.h"
#include "tests/io/zip_files.h"

namespace posenc::io {
namespace {

/// The elements of a view of f32, row by row, read byte by byte: they may stand at any address.
std::vector<float> elements_of(const ConstView& view) {
  EXPECT_EQ(view.dtype, DType::f32);
  std::vector<float> all;
  for (std::int64_t i = 0; i < view.count(); ++i) {
    std::int64_t rest = i, offset = 0;
    for (int axis = view.rank - 1; axis >= 0; rest /= view.size(axis--)) {
      offset += rest % view.size(axis) * view.stride(axis);
    }
    float value;
    std::memcpy(&value, static_cast<const std::byte*>(view.data) + 4 * offset, 4);
    all.push_back(value);
  }
  return all;
}

/// 1, 2, ..
std::vector<float> first_numbers(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}
std::string six_numbers() {
  const std::vector<float> values = first_numbers(6);
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}
const std::string six = six_numbers();

std::string npy_of_six(std::string_view descr = "'<f4'", std::string_view fortran = "False") {
  return npy_file(npy_dictionary(descr, fortran, "(3, 2)"), six);
}
std::string safetensors_of_six(std::size_t spaces) {
  return st_file("{" + st_entry("w", st_tensor(R"("F32")", "[3,2]", "[0,24]")) + "}" + std::string(spaces, ' '), six);
}

TEST(TensorMap, HoldsTheElementsOfEveryFormatWhereTheyStand) {
  const Scratch folder;
  const std::vector<std::string> files = {npy_of_six(), zip_archive({zip_stored("w.npy", npy_of_six())}),
                                          safetensors_of_six(0),
                                          gguf_file({}, {gguf_tensor("w", {2, 3}, 0, 0)}, gguf_padded(six))};
  for (std::size_t i = 0; i < files.size(); ++i) {
    SCOPED_TRACE(i);
    put(folder / "f", files[i]);
    const TensorFiles opened(folder / "f");
    const TensorMap map = opened.map(opened.only().name);
    EXPECT_TRUE(map.mapped());
    EXPECT_EQ(std::vector(map.view().shape.begin(), map.view().shape.begin() + map.view().rank),
              (std::vector<std::int64_t>{3, 2}));
    EXPECT_EQ(elements_of(map.view()), first_numbers(6));
    map.give_back();
    EXPECT_EQ(elements_of(map.view()), first_numbers(6)) << "they come back";
    map.require_unchanged();
  }
}

TEST(TensorMap, StandsAtAnyAddress) {
  const Scratch folder;
  std::vector<std::uintptr_t> seen;
  for (std::size_t spaces = 0; spaces < 4; ++spaces) {
    put(folder / "f", safetensors_of_six(spaces));
    const TensorFiles opened(folder / "f");
    const TensorMap map = opened.map("w");
    EXPECT_EQ(elements_of(map.view()), first_numbers(6));
    seen.push_back(reinterpret_cast<std::uintptr_t>(map.view().data) % 4);
  }
  std::ranges::sort(seen);
  EXPECT_EQ(seen, (std::vector<std::uintptr_t>{0, 1, 2, 3}));
}

TEST(TensorMap, StepsThroughColumnsThatStandOneAfterAnother) {
  const Scratch folder;
  put(folder / "f", npy_of_six("'<f4'", "True"));
  const TensorMap map = TensorFiles(folder / "f").map("");
  EXPECT_TRUE(map.mapped());
  EXPECT_EQ(elements_of(map.view()), (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST(TensorMap, HasTheBitsOfEveryArrayOfNumPy) {
  int mapped = 0, owned = 0;
  for (const auto& each : std::filesystem::directory_iterator(kGoldens)) {
    if (each.path().extension() != ".npy") continue;
    SCOPED_TRACE(each.path().filename());
    const TensorMap map = TensorFiles(each.path()).map("");
    const Array all = read_npy(each.path());
    ASSERT_EQ(map.view().count(), all.view().count());
    EXPECT_EQ(map.view().dtype, all.dtype);
    (map.mapped() ? mapped : owned) += 1;
    if (all.dtype == DType::f32) {
      EXPECT_EQ(elements_of(map.view()), elements_of(all.view()));
    }
  }
  EXPECT_GE(mapped, 5);
  EXPECT_GE(owned, 5) << "the other order of bytes, types that are widened, no elements at all";
}

TEST(TensorMap, IsInMemoryWhereElementsDoNotStandInTheFile) {
  const Scratch folder;
  const std::vector<std::string> files = {zip_archive({zip_deflated("w.npy", npy_of_six())}), npy_of_six("'>f4'"),
                                          npy_file(npy_dictionary("'<f4'", "False", "(0, 2)"), "")};
  for (std::size_t i = 0; i < files.size(); ++i) {
    SCOPED_TRACE(i);
    put(folder / "f", files[i]);
    const TensorFiles opened(folder / "f");
    const TensorMap map = opened.map(opened.only().name);
    EXPECT_FALSE(map.mapped());
    EXPECT_EQ(elements_of(map.view()), elements_of(opened.read(opened.only().name).view()));
    map.give_back();
    map.require_unchanged();
  }
}

TEST(TensorMap, OutlivesTheFilesAndMoves) {
  const Scratch folder;
  put(folder / "f", npy_of_six());
  TensorMap map = TensorFiles(folder / "f").map("");
  ::unlink((folder / "f").c_str());
  const TensorMap moved = std::move(map);
  EXPECT_EQ(elements_of(moved.view()), first_numbers(6));
  const TensorMap owned = TensorMap(Array{DType::f32, {2}, std::vector<std::byte>(8)});
  EXPECT_EQ(elements_of(owned.view()), (std::vector<float>{0, 0}));
}

TEST(TensorMap, TellsAFileThatHasChanged) {
  const Scratch folder;
  put(folder / "f", npy_of_six());
  const TensorMap map = TensorFiles(folder / "f").map("");
  map.require_unchanged();
  put(folder / "f", npy_of_six() + "more");
  const auto asking = [&] { map.require_unchanged(); };
  EXPECT_EQ(outcome_of("must not change while it is read", asking), Outcome::refused);
}

TEST(TensorMap, RefusesWhatReadingRefuses) {
  const Scratch folder;
  put(folder / "f", st_file("{" + st_entry("w", st_tensor(R"("U8")", "[3]", "[0,3]")) + "}", "abc"));
  const TensorFiles files(folder / "f");
  EXPECT_EQ(outcome_of("to be read, got U8", [&] { files.map("w"); }), Outcome::refused);
  EXPECT_EQ(outcome_of("the tensor must be one of 1", [&] { files.map("v"); }), Outcome::refused);
  ZipPart wrong = zip_stored("w.npy", npy_of_six());
  wrong.crc = 1;
  put(folder / "z", zip_archive({wrong}));
  EXPECT_EQ(outcome_of("the CRC-32 of a member must be the 1", [&] { TensorFiles(folder / "z").map("w"); }),
            Outcome::refused);
}

}  // namespace
}  // namespace posenc::io
