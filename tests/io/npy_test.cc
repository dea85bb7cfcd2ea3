// SPDX-License-Identifier: Apache-2.0
// Files that numpy.save wrote, in and out to the byte; files cut short; every byte of a header replaced.
#include <gtest/gtest.h>
#include <posenc/io/file.h>
#include <posenc/io/npy.h>
#include <regex.h>

#include <algorithm>
#include <cstring>

#include "tests/io/goldens.h"
#include "tests/io/npy_files.h"

namespace posenc::io {
namespace {

template <class T>
std::vector<T> values_of(const Array& array) {
  std::vector<T> values(array.data.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), array.data.data(), array.data.size());
  return values;
}

/// Element i of the goldens, as tools/goldens/npy.py fills them.
double npy_value(std::size_t i) { return std::array<double, 7>{0, 1, -2, 3, 100, -64, 7}[i % 7]; }

template <class T>
void expect_filled(const std::string& name, DType dtype, const std::vector<std::int64_t>& shape) {
  SCOPED_TRACE(name);
  const Array array = read_npy(kGoldens + name);
  EXPECT_EQ(array.dtype, dtype);
  EXPECT_EQ(array.shape, shape);
  EXPECT_FALSE(check_npy(bytes_of(golden(name))));
  const std::vector<T> values = values_of<T>(array);
  ASSERT_EQ(values.size(), static_cast<std::size_t>(array.view().count()));
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(static_cast<double>(values[i]), npy_value(i)) << i;
}

TEST(Npy, ReadsWhatNumpyWrites) {
  expect_filled<float>("f4_3x4.npy", DType::f32, {3, 4});
  expect_filled<double>("f8_scalar.npy", DType::f64, {});
  expect_filled<std::int32_t>("i4_2x3x1.npy", DType::i32, {2, 3, 1});
  expect_filled<std::int64_t>("i8_0x3.npy", DType::i64, {0, 3});
  expect_filled<float>("f4_8_axes.npy", DType::f32, {1, 2, 1, 1, 3, 1, 1, 1});
  const std::vector<std::uint16_t> halves = {0x0000, 0x3C00, 0xC000, 0x4200, 0x5640};
  EXPECT_EQ(values_of<std::uint16_t>(read_npy(kGoldens + "f2_5.npy")), halves);
}

TEST(Npy, ReadsEveryVersionByteOrderAndAxisOrder) {
  expect_filled<float>("f4_2_v2.npy", DType::f32, {2});
  expect_filled<float>("f4_2_v3.npy", DType::f32, {2});
  expect_filled<float>("be_f4_fortran_3x4.npy", DType::f32, {3, 4});
  expect_filled<double>("f8_fortran_2x3x2.npy", DType::f64, {2, 3, 2});
  expect_filled<std::int32_t>("be_i2_3.npy", DType::i32, {3});
}

TEST(Npy, WidensSmallAndUnsignedIntegers) {
  expect_filled<std::int32_t>("i1_3.npy", DType::i32, {3});
  EXPECT_EQ(values_of<std::int32_t>(read_npy(kGoldens + "u1_7.npy")),
            (std::vector<std::int32_t>{249, 250, 251, 252, 253, 254, 255}));
  EXPECT_EQ(values_of<std::int32_t>(read_npy(kGoldens + "u2_2.npy")), (std::vector<std::int32_t>{1, 65535}));
  EXPECT_EQ(values_of<std::int64_t>(read_npy(kGoldens + "u4_2.npy")), (std::vector<std::int64_t>{1, 4294967295}));
  EXPECT_EQ(values_of<std::int64_t>(read_npy(kGoldens + "u8_2.npy")),
            (std::vector<std::int64_t>{1, 9223372036854775807}));
}

TEST(Npy, NamesTheIndexOfAnUnsignedNumberBeyondInt64) {
  std::string data(6 * 8, '\0');
  data[4 * 8 + 7] = '\x80';  // the fifth number of the file is 2^63
  const auto file = [&](const char* fortran) { return npy_file(npy_dictionary("'<u8'", fortran, "(2, 3)"), data); };
  const auto rows = check_npy(bytes_of(file("False")), "w.npy");
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->index, (std::vector<std::int64_t>{1, 1}));
  EXPECT_NE(rows->value.find("9223372036854775808 at offset 102 "), std::string::npos) << rows->value;
  const auto columns = check_npy(bytes_of(file("True")), "w.npy");
  ASSERT_TRUE(columns);
  EXPECT_EQ(columns->index, (std::vector<std::int64_t>{0, 2}));
  EXPECT_NE(columns->value.find("9223372036854775808 at offset 101 "), std::string::npos) << columns->value;
  EXPECT_THROW(parse_npy(bytes_of(file("False"))), Error);
}

TEST(Npy, WritesTheBytesThatNumpyWrites) {
  for (const char* name : {"f4_3x4.npy", "f8_scalar.npy", "f2_5.npy", "i4_2x3x1.npy", "i8_0x3.npy", "f4_8_axes.npy"}) {
    SCOPED_TRACE(name);
    const std::string expected = golden(name);
    const Array array = parse_npy(bytes_of(expected));
    const std::vector<std::byte> bytes = npy_bytes(array.view());
    EXPECT_TRUE(std::ranges::equal(bytes, bytes_of(expected)));
    const std::string path = testing::TempDir() + "posenc_npy_" + name;
    write_npy(path, array.view());
    EXPECT_EQ(read_file(path, 1 << 16), expected);
    std::remove(path.c_str());
  }
}

TEST(Npy, AddsALineOfSpacesAfterAFullLineAsNumpyDoes) {
  const std::array<std::int64_t, 8> shape = {0, 1000, 1000, 1000, 1000, 1000, 1000, 100};
  EXPECT_EQ(npy_header(DType::f32, shape), golden("full_line.header"));
}

TEST(Npy, KeepsTheBitsOfEveryHalf) {
  std::string data;
  for (unsigned bits = 0; bits < 65536; ++bits) data += little_endian(bits, 2);
  const Array array = parse_npy(bytes_of(npy_file(npy_dictionary("'<f2'", "False", "(65536,)"), data)));
  EXPECT_EQ(std::memcmp(array.data.data(), data.data(), data.size()), 0);
  const std::vector<std::byte> bytes = npy_bytes(array.view());
  EXPECT_TRUE(std::ranges::equal(std::span(bytes).last(data.size()), bytes_of(data)));
}

TEST(Npy, RefusesEveryProperPrefix) {
  for (const char* name : {"f4_3x4.npy", "f8_scalar.npy", "i8_0x3.npy", "f4_2_v2.npy", "f4_2_v3.npy", "u8_2.npy",
                           "be_f4_fortran_3x4.npy", "i1_3.npy"}) {
    const std::string file = golden(name);
    for (std::size_t size = 0; size < file.size(); ++size) {
      const auto problem = check_npy(bytes_of(std::string_view(file).substr(0, size)));
      ASSERT_TRUE(problem) << name << " of " << size << " bytes";
      EXPECT_NE(problem->rule.find("cut off"), std::string::npos) << problem->rule;
    }
  }
}

struct Matched {
  std::string order;
  std::string code;
  std::vector<std::int64_t> shape;
};

/// The rule of a header that numpy.save wrote and one byte of which was changed, as a regular expression.
std::optional<Matched> reference_match(const std::string& header) {
  static constexpr const char* form =
      "^\\{ *'descr' *: *'([<>][fiu][248]|[<>|][iu]1)' *, *'fortran_order' *: *(True|False) *, *'shape' *: *"
      "\\( *(0|[1-9][0-9]*) *, *((0|[1-9][0-9]*) *,? *)?\\) *,? *\\} *\n$";
  static const regex_t compiled = [] {
    regex_t expression;
    if (regcomp(&expression, form, REG_EXTENDED) != 0) throw std::logic_error("no regular expression");
    return expression;
  }();
  std::array<regmatch_t, 6> groups = {};
  const bool text = header.find('\0') == header.npos;
  const bool found = text && regexec(&compiled, header.c_str(), groups.size(), groups.data(), 0) == 0;
  if (!found) return std::nullopt;
  const auto group = [&](std::size_t i) {
    if (groups[i].rm_so < 0) return std::string();
    return header.substr(static_cast<std::size_t>(groups[i].rm_so),
                         static_cast<std::size_t>(groups[i].rm_eo - groups[i].rm_so));
  };
  Matched matched = {group(1).substr(0, 1), group(1).substr(1), {std::stoll(group(3))}};
  if (!group(5).empty()) matched.shape.push_back(std::stoll(group(5)));
  return matched;
}

/// The array that a file in row-major order holds by that rule, or nothing.
std::optional<Array> reference_array(const std::string& header, std::string_view data) {
  const auto match = reference_match(header);
  if (!match) return std::nullopt;
  const auto& [order, code, shape] = *match;
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  const int bytes = code[1] - '0';
  if (count * bytes != static_cast<std::int64_t>(data.size())) return std::nullopt;

  const bool wide = code == "u4" || code[1] == '8';
  const DType dtype = code == "f2"   ? DType::f16
                      : code == "f4" ? DType::f32
                      : code == "f8" ? DType::f64
                      : wide         ? DType::i64
                                     : DType::i32;
  std::string stored;
  for (std::size_t at = 0; at < data.size(); at += static_cast<std::size_t>(bytes)) {
    std::string element(data.substr(at, static_cast<std::size_t>(bytes)));
    if (order == ">") std::ranges::reverse(element);
    const bool negative = code[0] == 'i' && (element.back() & 0x80) != 0;
    element.resize(size_of(dtype), negative ? '\xFF' : '\0');
    stored += element;
  }
  const auto view = bytes_of(stored);
  return Array{dtype, shape, {view.begin(), view.end()}};
}

void sweep(const std::string& name, std::size_t header_size) {
  const std::string seed = golden(name);
  std::size_t accepted = 0;
  for (std::size_t at = 0; at < header_size; ++at) {
    std::string file = seed;
    for (int value = 0; value < 256; ++value) {
      file[at] = static_cast<char>(value);
      const bool preamble = file.substr(0, 10) == seed.substr(0, 10);
      const auto expected =
          preamble ? reference_array(file.substr(10, header_size - 10), std::string_view(file).substr(header_size))
                   : std::nullopt;
      ASSERT_EQ(check_npy(bytes_of(file)).has_value(), !expected) << name << " byte " << at << " is " << value;
      if (!expected) continue;
      const Array array = parse_npy(bytes_of(file));
      ASSERT_EQ(array.dtype, expected->dtype) << at << " is " << value;
      ASSERT_EQ(array.shape, expected->shape) << at << " is " << value;
      ASSERT_EQ(array.data, expected->data) << at << " is " << value;
      ++accepted;
    }
  }
  EXPECT_GE(accepted, header_size);  // every byte as it was, at least
}

TEST(Npy, ReadsAChangedHeaderByTheRuleOrRefusesIt) {
  sweep("f4_3x4.npy", 128);
  sweep("be_i2_3.npy", 128);
  sweep("u1_7.npy", 128);
}

TEST(Npy, RefusesToWriteBfloat16AndSaysWhatWorks) {
  const std::array<bfloat16, 2> values = {};
  const auto problem = check_npy_bytes(view(values.data(), {2}));
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->message(),
            "[write_npy] the type must be f16, f32, f64, i32 or i64 (.npy has no bfloat16), got bf16");
  const std::string path = testing::TempDir() + "posenc_npy_bf16.npy";
  EXPECT_THROW(write_npy(path, view(values.data(), {2})), Error);
  EXPECT_THROW(read_file(path, 1), Error);  // nothing was created
  EXPECT_THROW(npy_bytes(view(values.data(), {2})), Error);
  EXPECT_THROW(npy_header(DType::bf16, {}), Error);
}

TEST(Npy, RefusesViewsAndShapesThatBreakTheirRules) {
  const std::array<float, 2> values = {};
  ConstView broken = view(values.data(), {2});
  broken.shape[0] = -1;
  EXPECT_TRUE(check_npy_bytes(broken));
  broken = view(values.data(), {2});
  broken.data = nullptr;
  EXPECT_THROW(npy_bytes(broken), Error);
  const std::array<std::int64_t, 9> nine = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_THROW(npy_header(DType::f32, nine), Error);
  const std::array<std::int64_t, 1> negative = {-1};
  EXPECT_THROW(npy_header(DType::f32, negative), Error);
}

TEST(Npy, WritesAnEmptyArrayWhenItReadsOneOfThatShape) {
  constexpr std::int64_t most = npy_dimension_limit;
  const std::pair<std::vector<std::int64_t>, bool> shapes[] = {{{0, most}, true},
                                                               {{most, 0}, true},
                                                               {{0, 1 << 26, 1 << 27}, true},
                                                               {{most, 0, 32}, true},
                                                               {{0, most + 1}, false},
                                                               {{most, 33, 0}, false},
                                                               {{1 << 30, 0, 1 << 30}, false},
                                                               {{0, most, most}, false},
                                                               {{INT64_MAX, 0}, false},
                                                               {{0, INT64_MAX, INT64_MAX}, false}};
  for (const auto& [shape, sound] : shapes) {
    SCOPED_TRACE(testing::PrintToString(shape));
    const std::string header = npy_header(DType::f64, shape);
    EXPECT_EQ(!check_npy(std::as_bytes(std::span(header))), sound);
    const void* nothing = nullptr;
    EXPECT_EQ(!check_npy_bytes(detail::row_major<const void*>(nothing, DType::f64, shape)), sound);
  }
}

TEST(Npy, ReadsNoFileBeyondItsLimit) {
  EXPECT_EQ(read_npy(kGoldens + "f4_3x4.npy", 176).shape.size(), 2u);
  EXPECT_THROW(read_npy(kGoldens + "f4_3x4.npy", 175), Error);
}

TEST(Npy, WritesMoreThanOnePiece) {
  std::vector<std::int32_t> values(600'001);  // 2.4 MB: pieces of 1 MiB and a rest
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i);
  const auto count = static_cast<std::int64_t>(values.size());
  EXPECT_EQ(values_of<std::int32_t>(parse_npy(npy_bytes(view(std::as_const(values).data(), {count})))), values);
  ConstView backwards = view(std::as_const(values).data(), {count});
  backwards.data = &values.back();
  backwards.strides[0] = -1;
  const std::vector<std::int32_t> reversed(values.rbegin(), values.rend());
  EXPECT_EQ(values_of<std::int32_t>(parse_npy(npy_bytes(backwards))), reversed);
}

}  // namespace
}  // namespace posenc::io
