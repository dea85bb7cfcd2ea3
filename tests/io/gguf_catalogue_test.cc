// SPDX-License-Identifier: Apache-2.0
// GGUF files that parse_gguf and rope_of must refuse: an id, the bytes, and words of the message.
//
// Ids without a row of their own, and why:
// G55, G67, G78 to G83, G98   what a table of weights or a vocabulary must look like is the caller's rule; here any
//                             shape and any vocabulary is read
// G65                         a file that stands, from which a tensor is wanted: gguf_test.cc
#include <gtest/gtest.h>
#include <posenc/io/gguf.h>

#include "tests/io/gguf_files.h"
#include "tests/io/refused_files.h"
#include "tests/io/scratch.h"

namespace posenc::io {
namespace {

constexpr std::uint64_t kMost = ~std::uint64_t{0};
constexpr std::uint32_t kF32 = 0;

const std::string kData(32, '\0');
/// A tensor of 8 f32.
const std::string kTensor = gguf_tensor("w", {4, 2}, kF32, 0);
const std::string kGoodGguf = gguf_file({gguf_text("general.architecture", "llama")}, {kTensor}, kData);

std::string with_key(const std::string& key) { return gguf_file({key}); }
std::string cut_key(const std::string& key) { return gguf_start(0, 1) + key; }
std::string with_tensor(const std::string& tensor, std::size_t bytes = 32) {
  return gguf_file({}, {tensor}, std::string(bytes, '\0'));
}
std::string with_sizes(const std::vector<std::uint64_t>& sizes, std::uint32_t type = kF32) {
  return with_tensor(gguf_tensor("w", sizes, type, 0));
}
std::string with_alignment(std::uint64_t alignment) { return with_key(gguf_u32("general.alignment", alignment)); }
/// Two tensors of 8 f32 each at those offsets.
std::string two(std::uint64_t a, std::uint64_t b, std::size_t bytes = 64) {
  return gguf_file({}, {gguf_tensor("a", {8}, kF32, a), gguf_tensor("b", {8}, kF32, b)}, std::string(bytes, '\0'));
}

std::vector<RefusedFile> broken_frames() {
  const auto after = [](std::size_t bytes) { return gguf_start(1, 1).substr(0, bytes); };
  return {
      {"G01", "", "the file is cut off: the magic needs 4 bytes, got 0"},
      {"G02", "GGU", "the file is cut off: the magic needs 4 bytes, got 3"},
      {"G03", "GGML" + std::string(60, '\0'), "this is an older format of ggml"},
      {"G03b", "tjgg" + std::string(60, '\0'), "this is an older format of ggml"},
      {"G04", "gguf" + std::string(60, '\0'), "must start with GGUF, got 'gguf'"},
      {"G05", "FUGG" + std::string(60, '\0'), "must start with GGUF; this file is big-endian"},
      {"G06", "GGUF", "the file is cut off: the version needs 4 bytes, got 0"},
      {"G07", gguf_start(0, 0, 0), "the version must be 2 or 3, got 0 at offset 4"},
      {"G08", gguf_start(0, 0, 1), "the version must be 2 or 3, got 1"},
      {"G09", gguf_start(0, 0, 4), "the version must be 2 or 3, got 4"},
      {"G10", gguf_start(0, 0, 0x03000000), "the version must be 2 or 3; this file is big-endian"},
      {"G11", after(8), "cut off: the number of tensors needs 8 bytes, got 0 at offset 8"},
      {"G12", gguf_start(kMost, 0), "at most 65536 tensors, got 18446744073709551615"},
      {"G13", gguf_start(std::uint64_t{1} << 63, 0), "at most 65536 tensors"},
      {"G14", gguf_start(65'537, 0), "at most 65536 tensors, got 65537 at offset 8"},
      {"G15", gguf_start(1, 0), "cut off: the length of the name of a tensor needs 8 bytes, got 0"},
      {"G15b", gguf_start(65'536, 0), "cut off: the length of the name of a tensor"},
      {"no key count", after(16), "cut off: the number of keys needs 8 bytes"},
      {"G16", gguf_start(0, kMost), "at most 65536 keys, got 18446744073709551615"},
      {"G17", gguf_start(0, std::uint64_t{1} << 40), "at most 65536 keys, got 1099511627776"},
      {"G18", gguf_start(0, 1), "cut off: the length of a key needs 8 bytes, got 0 at offset 24"},
  };
}

std::vector<RefusedFile> broken_metadata() {
  const std::string a = gguf_u32("a", 1);
  return {
      {"G19", with_key(gguf_u32("", 1)), "a key must not be empty"},
      {"G20", with_key(gguf_u32(std::string(65'536, 'k'), 1)), "a key must have at most 65535 bytes, got 65536"},
      {"G21", cut_key(little_endian(kMost, 8)), "a key must have at most 65535 bytes, got 18446744073709551615"},
      {"G22", cut_key(little_endian(100, 8) + "abc"), "cut off: a key needs 100 bytes, got 3"},
      {"G23", with_key(gguf_u32(std::string("a\0b", 3), 1)), "a key must be printable ASCII, got 'a\\x00b'"},
      {"G24", with_key(gguf_u32("a\xC3\xA9", 1)), "a key must be printable ASCII"},
      {"G24b", with_key(gguf_u32("a\xE9", 1)), "a key must be UTF-8, got '\\xE9' at offset 33"},
      {"G25", gguf_file({a, gguf_u32("b", 2), a}), "a key must stand only once, got key 'a'"},
      {"G26", with_key(gguf_key("a", 13, "1234")), "the type of a value must be a number below 13, got 13 in key 'a'"},
      {"G27", with_key(gguf_key("a", 0xFFFFFFFF, "1234")), "must be a number below 13, got 4294967295"},
      {"G28", with_key(gguf_key("a", 7, "\2")), "a boolean must be 0 or 1, got 2 in key 'a'"},
      {"G29", with_key(gguf_key("a", 8, little_endian(kMost, 8))),
       "a string must have at most 16777216 bytes, got 18446744073709551615"},
      {"G30", with_key(gguf_text("a", std::string((1 << 24) + 1, 'x'))),
       "a string must have at most 16777216 bytes, got 16777217"},
      {"G31", cut_key(gguf_key("a", 8, little_endian(1000, 8) + "xyz")),
       "cut off: a string needs 1000 bytes, got 3 in key 'a'"},
      {"G32", with_key(gguf_text("a", "x\xFFy")), "a string must be UTF-8, got '\\xFF' in key 'a' at offset 46"},
      {"G33", with_key(gguf_array("a", 13, 0, "")), "the type of the items must be a number below 13"},
      {"G34", with_key(gguf_array("a", 9, 1, little_endian(4, 4) + little_endian(0, 8))),
       "an array must have no arrays in it"},
      {"G35", with_key(gguf_array("a", 10, std::uint64_t{1} << 61, "")),
       "at most 16777216 items, got 2305843009213693952"},
      {"G36", with_key(gguf_array("a", 0, (1 << 24) + 1, "")), "at most 16777216 items, got 16777217"},
      {"G37", cut_key(gguf_array("a", 4, 3, std::string(11, '\0'))),
       "cut off: a value needs 4 bytes, got 3 in key 'a'"},
      {"G37b", cut_key(gguf_array("a", 10, 1 << 24, "")), "cut off: a value needs 8 bytes, got 0"},
      {"G38", cut_key(gguf_array("a", 8, 3, gguf_string("x") + gguf_string("y") + little_endian(9, 8) + "z")),
       "cut off: a string needs 9 bytes, got 1 in key 'a'"},
      {"G39", with_key(gguf_array("a", 7, 2, "\1\7")), "a boolean must be 0 or 1, got 7"},
      {"G40", cut_key(gguf_key("a", 4, "12")), "cut off: a value needs 4 bytes, got 2"},
      {"G41", cut_key(gguf_key("a", 9, little_endian(4, 4) + "1234")),
       "cut off: the number of items needs 8 bytes, got 4"},
      {"G42", with_alignment(0), "general.alignment must be a power of two from 8 on, got 0"},
      {"G43", with_alignment(13), "must be a power of two from 8 on, got 13"},
      {"G44", with_alignment(4), "must be a power of two from 8 on, got 4"},
      {"G45", with_alignment(std::uint64_t{1} << 31), "general.alignment must be at most 1048576, got 2147483648"},
      {"G46", with_key(gguf_text("general.alignment", "32")), "general.alignment must be of type u32, got string"},
      {"G47", with_key(gguf_f32("general.alignment", 32)), "general.alignment must be of type u32, got f32"},
      {"alignment an array", with_key(gguf_array("general.alignment", 4, 1, little_endian(32, 4))),
       "of type u32, got array"},
      {"G48", gguf_file({gguf_u32("general.alignment", 32), gguf_u32("general.alignment", 32)}),
       "a key must stand only once"},
      {"G96", gguf_file({gguf_u16("split.no", 0), gguf_u16("split.count", 2)}),
       "made by llama-gguf-split --merge, got part 1 of 2"},
      {"G97", gguf_file({gguf_u16("split.no", 2), gguf_u16("split.count", 2)}),
       "split.no must be below split.count, got 2 of 2"},
      {"split.count of another type", with_key(gguf_u32("split.count", 2)), "split.count must be of type u16, got u32"},
  };
}

std::vector<RefusedFile> broken_tensors() {
  return {
      {"G49", with_tensor(gguf_tensor("", {8}, kF32, 0)), "a tensor must have a name"},
      {"G50", with_tensor(gguf_tensor(std::string(65, 'n'), {8}, kF32, 0)),
       "the name of a tensor must have at most 64 bytes, got 65"},
      {"G51", gguf_start(1, 0) + little_endian(kMost, 8),
       "the name of a tensor must have at most 64 bytes, got 18446744073709551615"},
      {"G52", gguf_file({}, {kTensor, gguf_tensor("w", {8}, kF32, 32)}, kData + kData),
       "a tensor must stand only once, got 'w'"},
      {"G53", with_tensor(gguf_tensor(std::string("w\0v", 3), {8}, kF32, 0)),
       "the name of a tensor must have no NUL, got 'w\\x00v'"},
      {"G54", with_tensor(gguf_tensor("w\xE9", {8}, kF32, 0)), "the name of a tensor must be UTF-8"},
      {"G56", with_sizes({2, 2, 2, 1, 1}), "a tensor must have at most 4 axes, got 5 in tensor 'w'"},
      {"G57", gguf_start(1, 0) + gguf_string("w") + little_endian(0xFFFFFFFF, 4), "at most 4 axes, got 4294967295"},
      {"G58", with_sizes({8, 0}), "a size must be from 1 to 2^48, got 0"},
      {"G59", with_sizes({kMost}), "a size must be from 1 to 2^48, got 18446744073709551615"},
      {"G60", with_sizes({std::uint64_t{1} << 32, std::uint64_t{1} << 32}),
       "the product of the sizes overflows, got '(4294967296, 4294967296)'"},
      {"wraps to 0", with_sizes({std::uint64_t{1} << 48, std::uint64_t{1} << 16}),
       "the product of the sizes overflows"},
      {"G61", with_sizes({std::uint64_t{1} << 62}), "a size must be from 1 to 2^48"},
      {"G61b", with_sizes({std::uint64_t{1} << 31, std::uint64_t{1} << 31}), "at most 2^53 elements"},
      {"size at its limit", with_sizes({std::uint64_t{1} << 48}),
       "cut off: a tensor needs 1125899906842624 bytes, got 32"},
      {"size above it", with_sizes({(std::uint64_t{1} << 48) + 1}), "a size must be from 1 to 2^48"},
      {"G62", with_sizes({9}), "cut off: a tensor needs 36 bytes, got 32 in tensor 'w'"},
      {"G63", with_sizes({8}, 9999), "the type of a tensor must be one of ggml's, got 9999"},
      {"G64", with_sizes({32}, 4), "this one was removed from ggml, got 4"},
      {"G64b", with_sizes({32}, 5), "this one was removed from ggml, got 5"},
      {"removed later", with_sizes({32}, 31), "this one was removed from ggml, got 31"},
      {"G66", with_sizes({33}, 8), "rows of Q8_0 must be a multiple of 32 long, got '(33,)'"},
      {"G66b", with_sizes({2, 32}, 8), "rows of Q8_0 must be a multiple of 32 long, got '(32, 2)'"},
      {"a quantised scalar", with_sizes({}, 8), "rows of Q8_0 must be a multiple of 32 long, got '()'"},
      {"cut in a size", gguf_start(1, 0) + gguf_string("w") + little_endian(2, 4) + little_endian(4, 8),
       "cut off: a size needs 8 bytes, got 0"},
      {"cut in a type", gguf_start(1, 0) + gguf_string("w") + little_endian(0, 4),
       "cut off: the type of a tensor needs 4 bytes"},
      {"cut in an offset", gguf_start(1, 0) + gguf_string("w") + little_endian(0, 8) + "123",
       "cut off: the offset of a tensor needs 8 bytes, got 3"},
  };
}

std::vector<RefusedFile> broken_places() {
  const std::string good = two(0, 32);
  std::string padded = gguf_file({}, {gguf_tensor("a", {1}, kF32, 0), gguf_tensor("b", {8}, kF32, 32)}, kData + kData);
  padded[padded.size() - 64 + 4] = 1;
  std::string last = gguf_file({}, {gguf_tensor("a", {1}, kF32, 0)}, kData);
  last.back() = 1;
  std::string before = gguf_file({}, {gguf_tensor("abc", {8}, kF32, 0)}, kData);
  before[before.size() - 33] = 1;
  return {
      {"G68", two(0, 36), "must be a multiple of the alignment, 32, got 36 in tensor 'b'"},
      {"G69", two(0, 4096), "without overlap or hole: the next byte is 32, got 4096"},
      {"G70", two(0, 0), "without overlap or hole: the next byte is 32, got 0 in tensor 'b'"},
      {"G71", two(0, 64, 96), "without overlap or hole: the next byte is 32, got 64"},
      {"G71b", two(32, 64, 96), "without overlap or hole: the next byte is 0, got 32 in tensor 'a'"},
      {"G72", two(32, 0), "without overlap or hole: the next byte is 0, got 32"},
      {"an offset that wraps", two(0, kMost - 31), "the next byte is 32, got 18446744073709551584"},
      {"G73",
       gguf_file({},
                 {gguf_tensor("a", {(std::uint64_t{1} << 61) - 16}, kF32, 0),
                  gguf_tensor("b", {(std::uint64_t{1} << 61) - 16}, kF32, (std::uint64_t{1} << 63) - 64)},
                 kData),
       "a size must be from 1 to 2^48"},
      {"G73b",
       gguf_file({}, {gguf_tensor("a", {std::uint64_t{1} << 48, 16}, kF32, 0), gguf_tensor("b", {8}, kF32, 1 << 20)},
                 kData),
       "cut off: a tensor needs 18014398509481984 bytes, got 32"},
      {"G74", padded, "bytes between tensors must be zero, got '\\x01'"},
      {"G74b", last, "bytes between tensors must be zero"},
      {"G74c", before, "bytes between tensors must be zero"},
      {"G75", good + kData, "no bytes may follow the tensors, which need 64 bytes, got 96"},
      {"G75b", good + "x", "no bytes may follow the tensors"},
      {"G76", good.substr(0, good.size() - 1), "cut off: a tensor needs 32 bytes, got 31 in tensor 'b'"},
      {"no data", gguf_file({}, {kTensor}), "cut off: a tensor needs 32 bytes, got 0"},
      {"zeros missing", gguf_start(1, 0) + kTensor, "cut off: zeros up to the alignment need "},
      {"bytes without tensors", gguf_file({}) + kData, "no bytes may follow the tensors, which need 0 bytes, got 32"},
  };
}

void expect_gguf_refused(const std::vector<RefusedFile>& cases) {
  const Scratch folder;
  for (const RefusedFile& each : cases) {
    SCOPED_TRACE(each.id);
    const std::string message = refusal_by(parse_gguf, each.bytes, "w.gguf");
    EXPECT_NE(message.find(each.words), std::string::npos) << message;
    EXPECT_TRUE(message.starts_with("[read_gguf] ")) << message;
    EXPECT_NE(message.find(" at offset "), std::string::npos) << message;
    EXPECT_TRUE(message.ends_with(" of 'w.gguf'")) << message;
    EXPECT_EQ(message.find_first_of("\n\x1b"), std::string::npos);
    const auto problem = check_gguf(bytes_of(each.bytes), "w.gguf");
    ASSERT_TRUE(problem.has_value());
    EXPECT_EQ(problem->message(), message);
    EXPECT_LE(refusal_by(parse_gguf, each.bytes, std::string(1000, '\x01')).size(), 300u);
    if (each.bytes.size() > (1 << 20)) continue;  // the same again would only take time
    put(folder / "f", each.bytes);
    const auto opening = [&] { const Gguf file(folder / "f"); };
    EXPECT_EQ(outcome_of(each.words, opening), Outcome::refused);
  }
}

TEST(GgufCatalogue, RefusesBrokenFrames) { expect_gguf_refused(broken_frames()); }
TEST(GgufCatalogue, RefusesBrokenMetadata) { expect_gguf_refused(broken_metadata()); }
TEST(GgufCatalogue, RefusesBrokenTensors) { expect_gguf_refused(broken_tensors()); }
TEST(GgufCatalogue, RefusesBrokenPlaces) { expect_gguf_refused(broken_places()); }

TEST(GgufCatalogue, AcceptsTheFilesThatTheCasesStartFrom) {
  EXPECT_EQ(refusal_by(parse_gguf, kGoodGguf, "w"), "accepted");
  EXPECT_EQ(refusal_by(parse_gguf, two(0, 32), "w"), "accepted");
  EXPECT_EQ(refusal_by(parse_gguf, gguf_start(0, 0, 2), "w"), "accepted");
  EXPECT_EQ(refusal_by(parse_gguf, gguf_file({}), "w"), "accepted");
  EXPECT_EQ(refusal_by(parse_gguf, with_alignment(8), "w"), "accepted");
  EXPECT_EQ(refusal_by(parse_gguf, with_tensor(gguf_tensor(std::string(64, 'n'), {8}, kF32, 0)), "w"), "accepted");
  EXPECT_EQ(refusal_by(parse_gguf, with_key(gguf_u32(std::string(65'535, 'k'), 1)), "w"), "accepted");
  EXPECT_EQ(refusal_by(parse_gguf, with_key(gguf_text("a", std::string(1 << 24, 'x'))), "w"), "accepted");
  EXPECT_EQ(refusal_by(parse_gguf, gguf_file({gguf_u16("split.no", 0), gguf_u16("split.count", 1)}), "w"), "accepted");
  // The last tensor need not be filled up.
  EXPECT_EQ(refusal_by(parse_gguf, with_tensor(gguf_tensor("w", {1}, kF32, 0), 4), "w"), "accepted");
  EXPECT_EQ(refusal_by(parse_gguf, with_tensor(gguf_tensor("w", {}, kF32, 0), 32), "w"), "accepted");
}

TEST(GgufCatalogue, RefusesEveryProperPrefix) {  // G77
  const std::string file = gguf_file(
      {gguf_text("general.architecture", "llama"), gguf_array("a", 8, 2, gguf_string("x") + gguf_string("y"))},
      {kTensor, gguf_tensor("v", {32, 2}, 8, 32)}, std::string(32 + 68, '\0'));
  EXPECT_EQ(refusal_by(parse_gguf, file, "w"), "accepted");
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_NE(refusal_by(parse_gguf, file.substr(0, size), "w").find("cut off"), std::string::npos) << size;
  }
}

TEST(GgufCatalogue, RefusesMetadataThatSayNoPositions) {
  const std::string architecture = gguf_text("general.architecture", "llama");
  const auto with = [&](const std::string& key) { return gguf_file({architecture, key}); };
  const std::string dimensions = "llama.rope.dimension_count";
  const std::vector<RefusedFile> cases = {
      {"G84", with(gguf_f32("llama.rope.freq_base", 0)), "'llama.rope.freq_base' must be positive and finite, got 0"},
      {"negative", with(gguf_f32("llama.rope.freq_base", -1)), "must be positive and finite, got -1"},
      {"G85", with(gguf_f32("llama.rope.freq_base", std::bit_cast<float>(0x7FC00000u))),
       "must be positive and finite, got nan"},
      {"a whole base", with(gguf_u32("llama.rope.freq_base", 10000)), "must be of type f32 or f64, got u32"},
      {"G86", with(gguf_u32(dimensions, 63)), "'llama.rope.dimension_count' must be even, got 63"},
      {"no dimension", with(gguf_u32(dimensions, 0)), "must be at least 1, got 0"},
      {"G87", gguf_file({architecture, gguf_u32(dimensions, 66), gguf_u32("llama.attention.key_length", 64)}),
       "must be at most the 64 columns of a head, got 66"},
      {"G87b",
       gguf_file({architecture, gguf_u32(dimensions, 66), gguf_u32("llama.embedding_length", 128),
                  gguf_u32("llama.attention.head_count", 2)}),
       "must be at most the 64 columns of a head, got 66"},
      {"G88", with(gguf_text("llama.rope.scaling.type", "foo")), "must be none, linear, yarn or longrope, got 'foo'"},
      {"a number as type", with(gguf_u32("llama.rope.scaling.type", 1)),
       "'llama.rope.scaling.type' must be a string, got u32"},
      {"G89", with(gguf_f32("llama.rope.scaling.factor", 0)),
       "'llama.rope.scaling.factor' must be positive and finite"},
      {"G90", with(gguf_f32("llama.rope.scaling.factor", std::bit_cast<float>(0x7F800000u))),
       "must be positive and finite, got inf"},
      {"G91", with(gguf_u32("llama.context_length", 0)), "'llama.context_length' must be at least 1, got 0"},
      {"G92", with(gguf_text("llama.embedding_length", "64")),
       "'llama.embedding_length' must be a whole number, got string"},
      {"G93", with(gguf_key("llama.embedding_length", 10, little_endian(std::uint64_t{1} << 63, 8))),
       "must be at most 2^31 - 1 and not negative, got 9223372036854775808"},
      {"a negative length", with(gguf_key("llama.context_length", 5, little_endian(kMost, 4))), "not negative, got -1"},
      {"G94", gguf_file({}), "'general.architecture' must be there and not empty, got none"},
      {"G95", with_key(gguf_u32("general.architecture", 1)), "'general.architecture' must be a string, got u32"},
      {"sections", with(gguf_u32("llama.rope.dimension_sections", 1)),
       "'llama.rope.dimension_sections' must be an array, got u32"},
      {"sections of text", with(gguf_array("llama.rope.dimension_sections", 8, 1, gguf_string("x"))),
       "must be a whole number, got string"},
  };
  for (const RefusedFile& each : cases) {
    SCOPED_TRACE(each.id);
    const GgufHeader header = parse_gguf(bytes_of(each.bytes));
    const auto problem = check_rope_of(header, "w.gguf");
    ASSERT_TRUE(problem.has_value());
    const std::string message = problem->message();
    EXPECT_NE(message.find(each.words), std::string::npos) << message;
    EXPECT_TRUE(message.starts_with("[read_gguf] '")) << message;
    EXPECT_TRUE(message.ends_with(" of 'w.gguf'")) << message;
    EXPECT_THROW(rope_of(header), Error);
    const auto longest = check_rope_of(header, std::string(1000, '\x01'));
    EXPECT_LE(longest->message().size(), 300u);
  }
}

}  // namespace
}  // namespace posenc::io
