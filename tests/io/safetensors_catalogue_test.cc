// SPDX-License-Identifier: Apache-2.0
// Safetensors files that must be refused: an id, the bytes, and words of the message.
//
// Ids without a row of their own, and why:
// S06, S43 to S45, S85     a file that stands, from which a tensor is wanted: the end of this file
// S82                      accepted: the end of this file
// S86 to S89               what a table of weights must look like is the tool's rule; here any shape is read
// S92 to S102              of a shard index: shard_index_test.cc, tensor_files_test.cc
#include <gtest/gtest.h>
#include <posenc/io/safetensors.h>

#include "tests/io/refused_files.h"
#include "tests/io/safetensors_files.h"
#include "tests/io/scratch.h"

namespace posenc::io {
namespace {

const std::string kGood = st_tensor(R"("F32")", "[4]", "[0,16]");

std::string with_dtype(std::string_view dtype) { return st_single(st_tensor(dtype, "[4]", "[0,16]")); }
std::string with_tensor_shape(std::string_view shape) { return st_single(st_tensor(R"("F32")", shape, "[0,16]")); }
std::string with_offsets(std::string_view offsets) { return st_single(st_tensor(R"("F32")", "[4]", offsets)); }
std::string with_header(std::string_view header) { return st_file(header, std::string(16, '\0')); }
std::string with_length(std::uint64_t length) { return little_endian(length, 8) + "{" + st_entry("w", kGood) + "}"; }

/// Two float tensors at those offsets.
std::string pair(std::string_view a, std::string_view b, std::size_t data) {
  return st_file(
      "{" + st_entry("a", st_tensor(R"("F32")", "[2]", a)) + "," + st_entry("b", st_tensor(R"("F32")", "[2]", b)) + "}",
      std::string(data, '\0'));
}

/// Empty tensors, as many as asked for.
std::string many(int count) {
  std::string header = "{";
  for (int i = 0; i < count; ++i) {
    header += (i ? "," : "") + st_entry(std::to_string(i), st_tensor(R"("F32")", "[0]", "[0,0]"));
  }
  return st_file(header + "}");
}

std::vector<RefusedFile> broken_starts() {
  const std::string good = st_single(kGood);
  std::string big_endian = good;
  std::reverse(big_endian.begin(), big_endian.begin() + 8);
  return {
      {"S01", "", "needs 8 bytes, got 0"},
      {"S02", good.substr(0, 7), "needs 8 bytes, got 7"},
      {"S03", little_endian(0, 8), "must not be empty"},
      {"S03b", little_endian(0, 8) + "{}", "must not be empty"},
      {"S04", st_file("{"), "must be JSON"},
      {"S05", st_file("{}", "1234"), "no bytes may follow the tensors, which need 0 bytes, got 4"},
      {"S07", with_length(8 + 70), "needs 78 bytes, got "},
      {"S08", with_length(~std::uint64_t{0}), "at most 16777216 bytes, got 18446744073709551615"},
      {"S09", with_length(std::uint64_t{1} << 63), "at most 16777216 bytes"},
      {"wraps to a small sum", with_length(~std::uint64_t{0} - 6), "at most 16777216 bytes"},
      {"S10", with_length(100'000'001), "at most 16777216 bytes"},
      {"S11", with_length((1 << 24) + 1), "at most 16777216 bytes, got 16777217"},
      {"S12", big_endian, "this length is big-endian"},
      {"S13", "{" + st_entry("w", kGood) + "}", "JSON without the 8-byte length"},
      {"S14", with_header(" {" + st_entry("w", kGood) + "}"), "must start with {, got ' ' at offset 8"},
      {"S18", with_header("\xEF\xBB\xBF{" + st_entry("w", kGood) + "}"),
       "must start with {; the header begins with a byte order mark, which must go, got '\\xEF'"},
      {"a mark before a header of 60 bytes, whose length is a <", with_header("\xEF\xBB\xBF{" + std::string(56, ' ')),
       "must start with {; the header begins with a byte order mark"},
      {"a mark before the length", "\xEF\xBB\xBF" + std::string(40, 'x'), "this begins with a byte order mark"},
      {"S76", good.substr(0, 30), "its header needs 55 bytes, got 22"},
      {"S90", "\x80\x04\x95" + std::string(40, '\0'), "a Python pickle"},
      {"S90b", std::string("\x80\x02}q", 4) + std::string(40, 'x'), "a Python pickle"},
      {"S91", "PK\x03\x04" + std::string(40, '\0'), "a zip archive"},
      {"npy", npy_file(npy_dictionary("'<f4'", "False", "(4,)"), std::string(16, '\0')), ".npy file"},
      {"GGUF", "GGUF" + little_endian(3, 4) + std::string(16, '\0'), "a GGUF file"},
      {"Git LFS", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", "a Git LFS pointer"},
      {"a web page", "<!DOCTYPE html><html></html>", "a web page"},
  };
}

std::vector<RefusedFile> broken_json() {
  const std::string entry = st_entry("w", kGood);
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += R"({"a":)";
  const std::string utf16 = std::string("{\0", 2) + std::string("\"\0", 2);
  return {
      {"S15", with_header("[]"), "must start with {, got '['"},
      {"S16", with_header("null"), "must start with {, got 'n'"},
      {"S17", with_header("{\"w\xFF\":" + kGood + "}"), "must be UTF-8, got '\\xFF' at offset 11"},
      {"S17b", with_header("{\"w\xED\xA0\x80\":" + kGood + "}"), "must be UTF-8"},
      {"S19", with_header("\xFF\xFE{\0"), "must start with {"},
      {"S19b", with_header(utf16), "no control bytes, got '\\x00' at offset 9"},
      {"S20", with_header("{" + entry + ",}"), "must be JSON"},
      {"S20b", with_header(R"({"w":{"dtype":"F32","shape":[4,],"data_offsets":[0,16]}})"), "must be JSON"},
      {"S21", with_header(R"({"w":NaN})"), "must be JSON"},
      {"S22", with_header(deep), "keys of a tensor must be dtype, shape and data_offsets, got 'a'"},
      {"deep arrays", with_tensor_shape(std::string(100'000, '[')), "a size must be a whole number, got an array"},
      {"S23", with_header("{" + entry + "}abc"), "only spaces may follow the header's object, got 'a'"},
      {"two objects", with_header("{" + entry + "}{}"), "only spaces may follow"},
      {"NUL after the object", with_header("{" + entry + "}" + std::string("\0", 1)), "no control bytes"},
      {"S24", with_header("{" + entry + "," + entry + "}"), "a tensor must stand only once, got 'w'"},
      {"S25", with_header("{" + entry + "," + st_entry("w", st_tensor(R"("I32")", "[4]", "[0,16]")) + "}"),
       "a tensor must stand only once"},
      {"spelled otherwise", with_header("{" + entry + "," + st_entry("\\u0077", kGood) + "}"),
       "a tensor must stand only once"},
      {"S26", st_single(R"({"dtype":"F32","dtype":"F32","shape":[4],"data_offsets":[0,16]})"),
       "a key must stand only once, got 'dtype' in tensor 'w'"},
      {"S27", st_single(R"({"dtype":"F32","data_offsets":[0,16],"shape":[4],"data_offsets":[0,16]})"),
       "a key must stand only once, got 'data_offsets'"},
      {"shape twice", st_single(R"({"shape":[4],"shape":[4]})"), "a key must stand only once, got 'shape'"},
      {"S28", with_header(R"({"__metadata__":{},"__metadata__":{}})"), "a key must stand only once"},
      {"metadata key twice", with_header(R"({"__metadata__":{"a":"","b":"","a":""}})"),
       "key of __metadata__ must stand only once, got 'a'"},
      {"S29", with_header(R"({"__metadata__":[]})"), "__metadata__ must be an object of strings, got an array"},
      {"S30", with_header(R"({"__metadata__":null})"), "__metadata__ must be an object of strings, got null"},
      {"metadata number", with_header(R"({"__metadata__":{"a":1}})"), "values of __metadata__ must be strings"},
      {"metadata float", with_header(R"({"__metadata__":{"a":-1.5}})"), "must be strings, got a number"},
      {"metadata object", with_header(R"({"__metadata__":{"a":{}}})"), "values of __metadata__ must be strings"},
      {"S31", st_file(R"({"__metadata__":{"a":")" + std::string(20 << 20, 'x') + R"("}})"), "at most 16777216 bytes"},
      {"lone surrogate", with_header(R"({"\ud800":)" + kGood + "}"), "must be JSON"},
      {"raw newline in a name", with_header("{\"w\n\":" + kGood + "}"), "must be JSON"},
      {"comment", with_header("{/**/" + entry + "}"), "must be JSON"},
      {"the end missing", with_header("{" + entry), "got its end at offset 62"},
      {"number out of range", with_offsets("[0,1e999]"), "whole, of decimal digits only"},
  };
}

std::vector<RefusedFile> broken_descriptions() {
  return {
      {"S32", st_single("5"), "a tensor must be an object with dtype, shape and data_offsets, got a number"},
      {"S32b", st_single("-5"), "a tensor must be an object"},
      {"S32c", st_single("5.5"), "a tensor must be an object"},
      {"S33", st_single("[]"), "a tensor must be an object with dtype, shape and data_offsets, got an array"},
      {"the list that serde reads", st_single(R"(["F32",[4],[0,16]])"), "got an array in tensor 'w'"},
      {"S34", st_single(R"({"shape":[4],"data_offsets":[0,16]})"), "must have the key dtype"},
      {"S35", st_single(R"({"dtype":"F32","data_offsets":[0,16]})"), "must have the key shape"},
      {"S36", st_single(R"({"dtype":"F32","shape":[4]})"), "must have the key data_offsets"},
      {"empty description", st_single("{}"), "must have the key dtype"},
      {"S37", st_single(R"({"dtype":"F32","shape":[4],"data_offsets":[0,16],"x":1})"), "got 'x' in tensor 'w'"},
      {"S38", with_dtype(R"("f32")"), "such as F32, in capitals, got 'f32'"},
      {"S39", with_dtype(R"("FLOAT")"), "must be a type of safetensors, such as F32, in capitals, got 'FLOAT'"},
      {"S40", with_dtype(R"("")"), "must be a type of safetensors, such as F32, in capitals, got ''"},
      {"S41", with_dtype("5"), "dtype must be a string, got a number"},
      {"S42", with_dtype("null"), "dtype must be a string, got null"},
      {"dtype true", with_dtype("true"), "dtype must be a string, got a boolean"},
      {"S46", st_single(st_tensor(R"("F4")", "[31]", "[0,16]")), "must fill whole bytes, got 31 of F4"},
      {"S46b", st_single(st_tensor(R"("F6_E2M3")", "[2]", "[0,16]")), "must fill whole bytes"},
      {"S47", with_tensor_shape("null"), "shape must be an array of whole numbers, got null"},
      {"S48", with_tensor_shape("4"), "shape must be an array of whole numbers, got a number"},
      {"S49", with_tensor_shape("[4.0]"), "whole, of decimal digits only, got '4.0'"},
      {"S50", with_tensor_shape("[1e3]"), "whole, of decimal digits only, got '1e3'"},
      {"S51", with_tensor_shape("[-1]"), "must not be negative, got '-1'"},
      {"minus zero", with_tensor_shape("[-0]"), "must not be negative, got '-0'"},
      {"S52", with_tensor_shape("[\"4\"]"), "a size must be a whole number, got a string"},
      {"S53", with_tensor_shape("[true]"), "a size must be a whole number, got a boolean"},
      {"S54", with_tensor_shape("[[4]]"), "a size must be a whole number, got an array"},
      {"null size", with_tensor_shape("[null]"), "a size must be a whole number, got null"},
      {"object size", with_tensor_shape("[{}]"), "a size must be a whole number, got an object"},
      // Above the limit of 4.4, so refused before the bytes are looked at; the number is exact.
      {"S55", with_tensor_shape("[9007199254740993]"), "a size must be at most 2^48, got 9007199254740993"},
      {"S56", with_tensor_shape("[18446744073709551616]"), "below 2^64, got '18446744073709551616'"},
      {"beyond a double", with_tensor_shape("[1" + std::string(400, '0') + "]"), "got '1000"},
      {"very negative", with_tensor_shape("[-99999999999999999999]"), "must not be negative"},
      {"S57", with_tensor_shape("[1,1,1,1,1,1,1,1,4]"), "at most 8 axes"},
      {"S58", st_file("{" + st_entry("w", st_tensor(R"("F32")", "[]", "[0,8]")) + "}", "12345678"),
       "must span the 4 bytes of dtype and shape, got 8"},
      {"S59", with_tensor_shape("[4294967296,4294967296]"), "the product of the sizes overflows"},
      {"overflow beside a zero", with_tensor_shape("[0,4294967296,4294967296]"), "the product of the sizes overflows"},
      {"S60", with_tensor_shape("[4611686018427387904]"), "at most 2^48, got 4611686018427387904"},
      {"S60b", with_tensor_shape("[16777216,16777216,64]"), "at most 2^53 elements"},
      {"S61", st_file("{" + st_entry("w", st_tensor(R"("F32")", "[3]", "[0,8]")) + "}", "12345678"),
       "must span the 12 bytes of dtype and shape, got 8"},
      {"dimension at its limit", with_tensor_shape("[281474976710656]"), "span the 1125899906842624 bytes"},
      {"dimension above it", with_tensor_shape("[281474976710657]"), "at most 2^48"},
  };
}

std::vector<RefusedFile> broken_offsets() {
  const std::string good = st_single(kGood);
  return {
      {"S62", with_offsets("[16]"), "data_offsets must be two numbers, got 1"},
      {"S62b", with_offsets("[]"), "data_offsets must be two numbers, got 0"},
      {"S63", with_offsets("[0,4,8]"), "data_offsets must be two numbers, got more"},
      {"S64", with_offsets("[16,0]"), "must not be reversed, got [16, 0]"},
      {"S65", with_offsets("[-4,12]"), "must not be negative, got '-4'"},
      {"S66", with_offsets("[0.0,16]"), "whole, of decimal digits only, got '0.0'"},
      {"S67", with_offsets(R"(["0","16"])"), "an offset must be a whole number, got a string"},
      {"not an array", with_offsets("16"), "data_offsets must be an array of two whole numbers, got a number"},
      {"an object", with_offsets("{}"), "data_offsets must be an array of two whole numbers, got an object"},
      {"S68", with_offsets("[0,18446744073709551616]"), "below 2^64"},
      {"S69", with_offsets("[0,9223372036854775808]"), "cut off: the tensors need 9223372036854775808 bytes, got 16"},
      {"largest offset", with_offsets("[0,18446744073709551615]"), "cut off"},
      {"S70", st_file("{" + st_entry("w", st_tensor(R"("F32")", "[4]", "[4,20]")) + "}", std::string(20, '\0')),
       "no hole: the next byte is 0, got a tensor from byte 4"},
      {"S71", pair("[0,8]", "[12,20]", 20), "no hole: the next byte is 8, got a tensor from byte 12 in tensor 'b'"},
      {"S71b", pair("[12,20]", "[0,8]", 20), "from byte 12 in tensor 'a'"},
      {"S72", pair("[0,8]", "[4,12]", 12), "must not overlap: the next byte is 8, got a tensor from byte 4"},
      {"S73", pair("[0,8]", "[0,8]", 8), "must not overlap"},
      {"empty inside another",
       st_file("{" + st_entry("a", kGood) + "," + st_entry("b", st_tensor(R"("F32")", "[0]", "[8,8]")) + "}",
               std::string(16, '\0')),
       "must not overlap: the next byte is 16, got a tensor from byte 8 in tensor 'b'"},
      {"empty beyond the end",
       st_file("{" + st_entry("a", kGood) + "," + st_entry("b", st_tensor(R"("F32")", "[0]", "[20,20]")) + "}",
               std::string(16, '\0')),
       "cut off: the tensors need 20 bytes, got 16 in tensor 'b'"},
      {"empty tensor of some bytes", with_tensor_shape("[0]"), "must span the 0 bytes"},
      {"S74", with_offsets("[0,32]"), "cut off: the tensors need 32 bytes, got 16"},
      {"S75", with_header("{" + st_entry("w", st_tensor(R"("F32")", "[3]", "[0,12]")) + "}"),
       "no bytes may follow the tensors, which need 12 bytes, got 16"},
      {"S77", good.substr(0, good.size() - 10), "cut off: the tensors need 16 bytes, got 6"},
      {"S78", good.substr(0, good.size() - 1), "cut off: the tensors need 16 bytes, got 15"},
      {"S79", good + "x", "no bytes may follow the tensors, which need 16 bytes, got 17"},
      {"S80", with_header("{" + st_entry("", kGood) + "}"), "must have a name"},
      {"S81", with_header("{" + st_entry(std::string(1 << 20, 'n'), kGood) + "}"), "at most 65536 bytes, got 1048576"},
      {"name above its limit", with_header("{" + st_entry(std::string(65537, 'n'), kGood) + "}"), "got 65537"},
      {"S83", many(65'537), "at most 65536 tensors"},
      {"S84", many(100'000), "at most 65536 tensors"},
  };
}

std::string safetensors_refusal(std::string_view bytes, std::string_view name) {
  return refusal_by(parse_safetensors, bytes, name);
}

void expect_safetensors_refused(const std::vector<RefusedFile>& cases) {
  const Scratch folder;
  for (const RefusedFile& each : cases) {
    SCOPED_TRACE(each.id);
    const std::string message = safetensors_refusal(each.bytes, "w.safetensors");
    EXPECT_NE(message.find(each.words), std::string::npos) << message;
    EXPECT_TRUE(message.starts_with("[read_safetensors] ")) << message;
    EXPECT_TRUE(message.ends_with(" of 'w.safetensors'")) << message;
    EXPECT_EQ(message.find_first_of("\n\x1b"), std::string::npos);

    const auto problem = check_safetensors(bytes_of(each.bytes), "w.safetensors");
    ASSERT_TRUE(problem.has_value());
    EXPECT_EQ(problem->message(), message);

    const std::string longest = safetensors_refusal(each.bytes, std::string(1000, '\x01'));
    EXPECT_LE(longest.size(), 300u) << longest;

    if (each.bytes.size() > (1 << 20)) continue;  // the same again would only take time
    put(folder / "f", each.bytes);
    const auto opening = [&] { const Safetensors file(folder / "f"); };
    EXPECT_EQ(outcome_of(each.words, opening), Outcome::refused);
  }
}

TEST(SafetensorsCatalogue, RefusesBrokenStarts) { expect_safetensors_refused(broken_starts()); }
TEST(SafetensorsCatalogue, RefusesBrokenJson) { expect_safetensors_refused(broken_json()); }
TEST(SafetensorsCatalogue, RefusesBrokenDescriptions) { expect_safetensors_refused(broken_descriptions()); }
TEST(SafetensorsCatalogue, RefusesBrokenOffsets) { expect_safetensors_refused(broken_offsets()); }

TEST(SafetensorsCatalogue, AcceptsTheFilesThatTheCasesStartFrom) {
  EXPECT_EQ(safetensors_refusal(st_single(kGood), "w"), "accepted");
  EXPECT_EQ(safetensors_refusal(with_header("{" + st_entry("w", kGood) + "} \t\r\n"), "w"), "accepted");
  EXPECT_EQ(safetensors_refusal(pair("[0,8]", "[8,16]", 16), "w"), "accepted");
  EXPECT_EQ(safetensors_refusal(pair("[8,16]", "[0,8]", 16), "w"), "accepted");
  EXPECT_EQ(safetensors_refusal(many(65'536), "w"), "accepted");
  EXPECT_EQ(safetensors_refusal(with_header("{" + st_entry(std::string(65536, 'n'), kGood) + "}"), "w"), "accepted");
  EXPECT_EQ(safetensors_refusal(st_single(st_tensor(R"("F4")", "[32]", "[0,16]")), "w"), "accepted");
  EXPECT_EQ(safetensors_refusal(st_single(st_tensor(R"("F32")", "[1,1,1,1,1,1,1,4]", "[0,16]")), "w"), "accepted");
  EXPECT_EQ(safetensors_refusal(
                st_file("{" + st_entry("w", st_tensor(R"("F32")", "[0,281474976710656]", "[0,0]")) + "}"), "w"),
            "accepted");
  EXPECT_EQ(safetensors_refusal(st_file("{}"), "w"), "accepted");
}

TEST(SafetensorsCatalogue, TakesHeadersUpToItsLimit) {
  const auto padded = [](std::size_t length) {
    std::string header = "{" + st_entry("w", kGood) + "}";
    header.resize(length, ' ');
    return with_header(header);
  };
  EXPECT_EQ(safetensors_refusal(padded(safetensors_header_limit), "w"), "accepted");
  EXPECT_NE(safetensors_refusal(padded(safetensors_header_limit + 1), "w").find("at most 16777216 bytes"),
            std::string::npos);
}

/// What reading `wanted` from a file of those bytes says.
std::string reading(std::string_view bytes, std::string_view wanted) {
  const Scratch folder;
  put(folder / "f", bytes);
  const Safetensors file(folder / "f");
  try {
    file.read(wanted);
  } catch (const Error& error) {
    EXPECT_EQ(error.problem().cause, Cause::input);
    EXPECT_LE(std::string_view(error.what()).size(), 300u);
    return error.what();
  }
  return "read";
}

TEST(SafetensorsCatalogue, ReadsWhatIsThereAndNamesWhatIsNot) {
  EXPECT_NE(reading(st_file("{}"), "w").find("the file holds no tensors, got 'w'"), std::string::npos);  // S06
  const std::string lists = "the type must be F32, F16, BF16, F64, I32 or I64 to be read, got ";
  EXPECT_NE(reading(st_single(st_tensor(R"("F8_E4M3")", "[16]", "[0,16]")), "w").find(lists + "F8_E4M3"),
            std::string::npos);  // S43
  EXPECT_NE(reading(st_single(st_tensor(R"("BOOL")", "[16]", "[0,16]")), "w").find(lists + "BOOL"),
            std::string::npos);                                                        // S44
  EXPECT_EQ(reading(st_single(st_tensor(R"("I64")", "[2]", "[0,16]")), "w"), "read");  // S45: the layers refuse it
  EXPECT_NE(reading(st_single(kGood), "wte").find("one of the file's 1, such as 'w', got 'wte'"),
            std::string::npos);                                                             // S85
  const std::string escapes = with_header("{" + st_entry("a\\n\\u001b[31m", kGood) + "}");  // S82
  EXPECT_EQ(reading(escapes, "a\n\x1b[31m"), "read");
  EXPECT_NE(reading(escapes, "b").find(R"(such as 'a\x0A\x1B[31m', got 'b')"), std::string::npos);
}

}  // namespace
}  // namespace posenc::io
