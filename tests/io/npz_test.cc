// SPDX-License-Identifier: Apache-2.0
// .npz archives: what NumPy writes is read, whole and by rows, and single members on demand.
#include <gtest/gtest.h>
#include <posenc/io/npz.h>
#include <posenc/io/tensor_files.h>

#include <cstring>

#include "tests/io/goldens.h"
#include "tests/io/scratch.h"
#include "tests/io/zip_files.h"

namespace posenc::io {
namespace {

/// An .npy file of those f32 numbers.
std::string npy_of(const std::vector<float>& values, std::string_view shape, std::string_view fortran_order = "False") {
  const std::string data(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  return npy_file(npy_dictionary("'<f4'", fortran_order, shape), data);
}

template <class T>
T loaded(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

std::string message_of(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Npz, ReadsMembersStoredAndDeflated) {
  const std::string a = npy_of({1, 2, 3, 4, 5, 6}, "(3, 2)"), b = npy_of({1, 2, 3, 4, 5, 6}, "(3, 2)", "True");
  const std::string file = zip_archive({zip_stored("a.npy", a), zip_deflated("layer/b.npy", b)});
  const std::vector<NamedArray> arrays = parse_npz(bytes_of(file));
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_EQ(arrays[0].name, "a");
  EXPECT_EQ(arrays[1].name, "layer/b");
  EXPECT_EQ(arrays[0].array.data, parse_npy(bytes_of(a)).data);
  EXPECT_EQ(arrays[1].array.data, parse_npy(bytes_of(b)).data);
  EXPECT_EQ(arrays[1].array.shape, (std::vector<std::int64_t>{3, 2}));
  EXPECT_FALSE(check_npz(bytes_of(file)).has_value());
}

TEST(Npz, ListsItsMembersBeforeTheirElements) {
  const Scratch folder;
  put(folder / "x",
      zip_archive({zip_deflated("b.npy", npy_of({1, 2}, "(2,)")), zip_stored("a.npy", npy_of({}, "(0, 5)"))}));
  const Npz file(folder / "x");
  ASSERT_EQ(file.members().size(), 2u);
  EXPECT_EQ(file.members()[0].name, "b");
  EXPECT_EQ(file.members()[1].type, "<f4");
  EXPECT_EQ(file.member("a").shape, (std::vector<std::int64_t>{0, 5}));
  EXPECT_EQ(&file.member("b.npy"), &file.members()[0]);
  EXPECT_NE(message_of([&] { file.member("bb"); }).find("one of the file's 2, such as 'b', got 'bb' of '"),
            std::string::npos);  // N102
}

// Names beside tables, as np.savez(pe=.., name="..") writes them.
TEST(Npz, ReadsWhatStandsBesideArraysOfOtherTypes) {
  const std::string text = npy_file(npy_dictionary("'<U2'", "False", "()"), std::string(8, '\0'));
  const Scratch folder;
  put(folder / "x", zip_archive({zip_stored("name.npy", text), zip_stored("pe.npy", npy_of({1, 2}, "(2,)"))}));
  const Npz file(folder / "x");
  ASSERT_EQ(file.members().size(), 2u);
  EXPECT_EQ(file.members()[0].dtype, DType{});
  EXPECT_EQ(file.read("pe").shape, (std::vector<std::int64_t>{2}));
  EXPECT_NE(message_of([&] { file.read("name"); }).find("text is not read, got '<U2'"), std::string::npos);
  EXPECT_NE(message_of([&] { file.map("name"); }).find("text is not read"), std::string::npos);
}

TEST(Npz, ReadsRowsOfEveryKindOfMember) {
  const std::vector<float> values = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const Scratch folder;
  put(folder / "x",
      zip_archive({zip_stored("a.npy", npy_of(values, "(4, 3)")), zip_stored("b.npy", npy_of(values, "(4, 3)", "True")),
                   zip_deflated("c.npy", npy_of(values, "(4, 3)")),
                   zip_deflated("d.npy", npy_of(values, "(4, 3)", "True"))}));
  Npz file(folder / "x");
  const std::vector<float> rows = {3, 4, 5, 6, 7, 8}, of_columns = {1, 5, 9, 2, 6, 10};
  for (const std::string name : {"a", "b", "c", "d", "c", "a"}) {
    std::vector<float> out(6);
    file.read_rows(name, 1, view(out.data(), {2, 3}));
    EXPECT_EQ(out, name == "a" || name == "c" ? rows : of_columns) << name;
    file.read_rows(name, 4, view(out.data(), {0, 3}));
    EXPECT_NE(message_of([&] { file.read_rows(name, 3, view(out.data(), {2, 3})); }).find("within the tensor's 4"),
              std::string::npos);
  }
}

TEST(Npz, ReadsMembersLongerThanItsSteps) {
  // Beyond 64 KiB of input, 1 MiB of output and the room for a header.
  std::vector<float> values(700'001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 9973);
  const std::string npy = npy_of(values, "(700001,)");
  const std::string file = zip_archive({zip_stored("s.npy", npy), zip_deflated("d.npy", npy)});
  for (const NamedArray& each : parse_npz(bytes_of(file))) {
    EXPECT_EQ(each.array.data, parse_npy(bytes_of(npy)).data) << each.name;
  }
  const Scratch folder;
  put(folder / "x", file);
  const TensorFiles files(folder / "x");
  std::vector<float> out(3);
  for (const std::string name : {"s", "d"}) {
    files.read_rows(name, 699'998, view(out.data(), {3}));
    EXPECT_EQ(out, std::vector<float>(values.end() - 3, values.end()));
  }
}

TEST(Npz, TellsAWrongCheckSumBeforeItGivesRows) {
  ZipPart part = zip_stored("a.npy", npy_of({1, 2, 3, 4}, "(4,)"));
  part.crc = zip_crc("other");
  const Scratch folder;
  put(folder / "x", zip_archive({part}));
  Npz file(folder / "x");
  std::vector<float> out = {9};
  for (int again = 0; again < 2; ++again) {
    EXPECT_NE(message_of([&] { file.read_rows("a", 0, view(out.data(), {1})); }).find("the CRC-32 of a member must be"),
              std::string::npos);
  }
  EXPECT_EQ(out[0], 9);
  EXPECT_NE(message_of([&] { file.read("a"); }).find("the CRC-32 of a member must be"), std::string::npos);
}

TEST(Npz, ReadsHeadersOfZip64AndDescriptors) {
  const std::string npy = npy_of({1, 2}, "(2,)");
  // As numpy.savez writes: ZIP64's field before every member, none in the directory.
  ZipPart wide = zip_stored("a.npy", npy);
  wide.stored.local = wide.size.local = 0xFFFFFFFF;
  wide.local_extra = zip64_extra({npy.size(), npy.size()});
  // As into a pipe: what is not known beforehand stands behind the member.
  ZipPart later = zip_deflated("b.npy", npy);
  later.flags = 8;
  later.crc.local = later.stored.local = later.size.local = 0;
  const std::string crc = little_endian(later.crc.directory, 4);
  const auto sizes = [&](int width) {
    return little_endian(later.stored.directory, width) + little_endian(later.size.directory, width);
  };
  // And in the directory too.
  ZipPart wider = zip_stored("c.npy", npy);
  wider.stored = wider.size = 0xFFFFFFFF;
  wider.local_extra = little_endian(0x5455, 2) + little_endian(1, 2) + "t" + zip64_extra({npy.size(), npy.size()});
  wider.directory_extra = zip64_extra({npy.size(), npy.size()});
  for (const std::string& behind :
       {crc + sizes(4), "PK\x07\x08" + crc + sizes(4), crc + sizes(8), "PK\x07\x08" + crc + sizes(8)}) {
    later.behind = behind;
    for (const bool zip64 : {false, true}) {
      const auto arrays = parse_npz(bytes_of(zip_archive({wide, later, wider}, {.zip64 = zip64})));
      ASSERT_EQ(arrays.size(), 3u);
      for (const NamedArray& each : arrays) EXPECT_EQ(each.array.data, parse_npy(bytes_of(npy)).data) << each.name;
    }
  }
}

TEST(Npz, ReadsWhatNumPyWrote) {
  // Element i of an array, in row-major order, as tools/goldens/npy.py fills it.
  const auto filled = [](std::size_t i) {
    constexpr double values[] = {0, 1, -2, 3, 100, -64, 7};
    return values[i % 7];
  };
  const auto number = [](const Array& array, std::size_t i) {
    const std::byte* at = array.data.data() + i * size_of(array.dtype);
    if (array.dtype == DType::f16) return static_cast<double>(static_cast<float>(loaded<half>(at)));
    if (array.dtype == DType::f32) return static_cast<double>(loaded<float>(at));
    return loaded<double>(at);
  };
  for (const std::string file : {"stored.npz", "deflated.npz"}) {
    const std::string bytes = golden(file);
    std::string listed;
    for (const NamedArray& each : parse_npz(std::as_bytes(std::span(bytes)))) {
      listed += each.name + " ";
      for (std::int64_t i = 0; i < each.array.view().count(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        EXPECT_EQ(number(each.array, at), filled(at)) << each.name << " " << i;
      }
    }
    EXPECT_EQ(listed, "f2 f4 f8 be_f4 i8 scalar columns layer/weight \u4f4d\u7f6e ");
    const TensorFiles files(kGoldens + file);
    EXPECT_EQ(files.format(), TensorFormat::npz);
    EXPECT_EQ(files.tensor("be_f4").type, ">f4");
    EXPECT_EQ(files.tensor("columns").shape, (std::vector<std::int64_t>{3, 4}));
    std::vector<float> row(4);
    files.read_rows("columns", 2, view(row.data(), {1, 4}));
    EXPECT_EQ(row, (std::vector<float>{1, -2, 3, 100}));
  }
  EXPECT_EQ(TensorFiles(kGoldens + "one.npz").only().name, "arr_0");
  // 1 MiB of zeros in 1 KiB: as much as deflate can.
  const Array zeros = Npz(kGoldens + "zeros_deflated.npz").read("zeros");
  EXPECT_EQ(zeros.data, std::vector<std::byte>(std::size_t{1} << 20));
}

TEST(Npz, RefusesAFileThatChangesMeanwhile) {
  const Scratch folder;
  put(folder / "x", zip_archive({zip_stored("a.npy", npy_of({1, 2}, "(2,)"))}));
  const Npz file(folder / "x");
  put(folder / "x", "");
  EXPECT_NE(message_of([&] { file.read("a"); }).find("must not change while it is read"), std::string::npos);
}

TEST(Npz, RefusesEveryProperPrefix) {
  const std::string file =
      zip_archive({zip_stored("a.npy", npy_of({1, 2}, "(2,)")), zip_deflated("b.npy", npy_of({}, "(0,)"))});
  for (std::size_t size = 0; size < file.size(); ++size) {
    const auto problem = check_npz(bytes_of(file).first(size));
    ASSERT_TRUE(problem.has_value()) << size;
    EXPECT_LE(problem->message().size(), 300u);
  }
}

TEST(Npz, StandsAnyChangeOfOneByte) {
  // A change is refused, or touches what decides nothing: versions, times, attributes, the flags of effort.
  const std::string npy = npy_of({1, 2}, "(2,)");
  const std::string file = zip_archive({zip_stored("a.npy", npy), zip_deflated("b.npy", npy)});
  int refused = 0, read = 0;
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = file;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      if (check_npz(bytes_of(changed)).has_value()) {
        ++refused;
        continue;
      }
      ++read;
      for (const NamedArray& each : parse_npz(bytes_of(changed))) {
        EXPECT_EQ(each.array.data, parse_npy(bytes_of(npy)).data) << at << " " << bit;
      }
    }
  }
  EXPECT_GT(refused, 10 * 100);
  EXPECT_GT(read, 100);
}

}  // namespace
}  // namespace posenc::io
