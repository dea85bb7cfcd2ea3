// SPDX-License-Identifier: Apache-2.0
// Files that parse_npy must refuse: an id, the bytes, and words of the message.
#include <gtest/gtest.h>
#include <posenc/io/npy.h>

#include "tests/io/npy_files.h"
#include "tests/io/refused_files.h"

namespace posenc::io {
namespace {

const std::string kFloats(16, '\0');  // 4 float32 or 2 float64

std::string with(std::string_view descr, std::string_view fortran_order = "False", std::string_view shape = "(4,)") {
  return npy_file(npy_dictionary(descr, fortran_order, shape), kFloats);
}
std::string with_shape(std::string_view shape) { return with("'<f4'", "False", shape); }
std::string with_dictionary(std::string_view dictionary, int major = 1) { return npy_file(dictionary, kFloats, major); }

std::vector<RefusedFile> broken_preambles() {
  const std::string good = with_shape("(4,)");
  const std::string dictionary = npy_dictionary("'<f4'", "False", "(4,)");
  const auto version = [&](char major, char minor) {
    std::string bytes = good;
    bytes[6] = major;
    bytes[7] = minor;
    return bytes;
  };
  return {
      {"N01", "", "cut off"},
      {"N02", good.substr(0, 5), "cut off"},
      {"N03", "\x92" + good.substr(1), "magic bytes"},
      {"N04", "\x93numpy" + good.substr(6), "magic bytes"},
      {"N05", good.substr(0, 6), "cut off"},
      {"N06", good.substr(0, 8), "length of the header up to byte 10, got 8 bytes"},
      {"N07", good.substr(0, 9), "cut off"},
      {"N08", version(0, 0), "1.0, 2.0 or 3.0, got 0.0 at offset 6"},
      {"N09", version(4, 0), "got 4.0"},
      {"N10", version(1, 1), "got 1.1"},
      {"N11", version('\xFF', '\xFF'), "got 255.255"},
      {"N12", npy_with_length(1, 0, kFloats), "end with a newline"},
      {"N13", npy_with_length(1, 65535, "{'descr': "), "up to byte 65545, got 20 bytes"},
      {"N14", npy_with_length(2, 0xFFFFFFFF, dictionary), "at most 65536 bytes, got 4294967295"},
      {"N15", npy_with_length(2, 65537, std::string(65536, ' ') + "\n"), "at most 65536 bytes, got 65537"},
      {"N16", npy_with_length(1, dictionary.size(), dictionary + kFloats), "end with a newline"},
      {"N33", with_dictionary(std::string("{'descr': '<f4'\0, }", 19)), "printable ASCII, got '\\x00'"},
      {"N34", with_dictionary("{'descr\xE9': '<f4'}"), "printable ASCII, got '\\xE9' at offset 17"},
      {"N35", with_dictionary("{'descr\xE9': '<f4'}", 3), "UTF-8, got '\\xE9'"},
      {"UTF-8 in version 3", with_dictionary("{'d\xC3\xA9scr': '<f4'}", 3), "printable ASCII"},
      {"newline inside", with_dictionary("{'descr': '<f4',\n'x': 1}"), "printable ASCII, got '\\x0A'"},
  };
}

std::vector<RefusedFile> broken_dictionaries() {
  const std::string dictionary = npy_dictionary("'<f4'", "False", "(4,)");
  return {
      {"N17", with_dictionary("{}"), "key descr"},
      {"N18", with_dictionary("{'descr': '<f4', 'fortran_order': False}"), "key shape"},
      {"N19", with_dictionary("{'descr': '<f4', 'shape': (4,)}"), "key fortran_order"},
      {"N20", with_dictionary("{'descr': '<f4', 'fortran_order': False, 'shape': (4,), 'x': 1}"),
       "keys must be descr, fortran_order and shape, got 'x'"},
      {"N21", with_dictionary("['<f4', False, (4,)]"), "must be a dictionary, got '['<f4''"},
      {"N22", with_dictionary("{'descr', 'shape'}"), "followed by a colon"},
      {"N23", with_dictionary("      "), "must be a dictionary"},
      {"N24", with_dictionary("{'descr': '<f4', # little\x20'x'}"), "single quotes, got '#'"},
      {"N25", with_dictionary("{'descr': open('x')}"), "text in single quotes"},
      {"N26", with("'<' 'f4'"), "must be one of"},
      {"N26b", with("'<f4' ''"), "comma or the closing brace"},
      {"N27", with_dictionary("{'\\x64escr': '<f4'}"), "no escapes"},
      {"N28", with("b'<f4'"), "text in single quotes"},
      {"N29", with("'''<f4'''"), "must be one of"},
      {"double quotes", with("\"<f4\""), "text in single quotes"},
      {"N30", with_dictionary("{'shape': " + std::string(10000, '(')), "plain decimal number, got '(((("},
      {"N31", with_dictionary(dictionary.substr(0, dictionary.size() - 1)), "got the end of the header"},
      {"N31b", with_dictionary("{'descr': '<f4', 'fortran_order': Fal"), "True or False, got 'Fal'"},
      {"open quote", with_dictionary("{'descr': '<f4"), "must be closed"},
      {"N32", with_dictionary(dictionary + " x"), "only spaces may follow"},
      {"twice", with_dictionary("{'descr': '<f4', 'descr': '<f4'}"), "stand only once, got 'descr'"},
      {"shape twice", with_dictionary("{'shape': (4,), 'shape': (4,)}"), "stand only once, got 'shape'"},
      {"order twice", with_dictionary("{'fortran_order': True, 'fortran_order': True}"), "stand only once"},
      {"bare comma", with_dictionary("{,}"), "single quotes, got ','"},
      {"leading space", with_dictionary(" " + dictionary), "must be a dictionary"},
  };
}

std::vector<RefusedFile> unread_types() {
  return {
      {"N36", with("'|O'"), "pickle"},
      {"N37", with("'<f3'"), "must be one of"},
      {"N38", with("'<f0'"), "must be one of"},
      {"N39", with("'<f16'"), "must be one of"},
      {"N40", with("'=f4'"), "must be one of"},
      {"N41", with("'f4'"), "after its byte order"},
      {"N42", with("'float32'"), "after its byte order"},
      {"N43", with("'<F4'"), "must be one of"},
      {"N44", with("'<f4 '"), "got '<f4 '"},
      {"N45", with("'<f04'"), "must be one of"},
      {"N46", with("'|f4'"), "byte order"},
      {"N47", with("'<f99999999999999999999'"), "must be one of"},
      {"N48", with("'<c8'"), "complex"},
      {"N49", with("'<M8[ns]'"), "dates and times"},
      {"timedelta", with("'<m8[s]'"), "dates and times"},
      {"N50", with("'|S0'"), "text is not read"},
      {"unicode", with("'<U4'"), "text is not read"},
      {"N51", with("'|V4'"), "raw bytes"},
      {"N52", with("'<V2'"), "bfloat16"},
      {"bool", with("'|b1'"), "booleans"},
      {"N53", with("[('a', '<f4')]"), "structured"},
      {"N54", with("('<f4', (2,))"), "sub-arrays"},
      {"N55", with("5"), "text in single quotes"},
      {"N56", with("None"), "text in single quotes"},
      {"empty", with("''"), "must be one of"},
      {"order only", with("'<'"), "must be one of"},
      {"N57", with("'<f4'", "1"), "True or False, got '1'"},
      {"N58", with("'<f4'", "'False'"), "True or False"},
      {"N59", with("'<f4'", "true"), "True or False, got 'true'"},
      {"N59b", with("'<f4'", "Falsey"), "True or False"},
  };
}

std::vector<RefusedFile> broken_shapes() {
  return {
      {"N60", with_shape("4"), "must be a tuple"},
      {"N60b", with_shape("(4)"), "one axis is written (3,)"},
      {"N61", with_shape("[2, 2]"), "must be a tuple"},
      {"N62", with_shape("(4.0,)"), "plain decimal"},
      {"N63", with_shape("(-1,)"), "not be negative, got '-1'"},
      {"N64", with_shape("(3, -4)"), "not be negative"},
      {"N65", with_shape("(4L,)"), "plain decimal number, got '4L'"},
      {"N66", with_shape("(1_0,)"), "plain decimal"},
      {"N67", with_shape("(0x4,)"), "plain decimal"},
      {"N68", with_shape("(04,)"), "plain decimal"},
      {"two zeros", with_shape("(00,)"), "plain decimal"},
      {"plus", with_shape("(+4,)"), "plain decimal"},
      {"N69", with_shape("(True, 4)"), "plain decimal"},
      {"N70", with_shape("(None, 4)"), "plain decimal"},
      {"N71", with_shape("('4',)"), "plain decimal"},
      {"N72", with_shape("(2 2)"), "must be a tuple"},
      {"N73", with_shape("(,)"), "must be a tuple"},
      {"two commas", with_shape("(4,,)"), "must be a tuple"},
      {"open", with_dictionary("{'shape': (4,"), "must be a tuple"},
      {"N74", with_shape("(1, 1, 1, 1, 1, 1, 1, 1, 4)"), "at most 8 axes"},
      {"N75", with_shape("(18446744073709551616,)"), "below 2^63"},
      {"N75b", with_shape("(9223372036854775808,)"), "below 2^63"},
      {"N76", with_shape("(9223372036854775807, 3)"), "overflows"},
      {"N77", with_shape("(4294967296, 4294967296)"), "overflows"},
      {"wraps to a small count", with_shape("(4294967297, 16, 1152921504606846977)"), "overflows"},
      {"N78", with_shape("(2305843009213693952, 8)"), "bytes must be below 2^63"},
      {"bytes alone overflow", with_shape("(2305843009213693952,)"), "bytes must be below 2^63"},
      {"overflow beside a zero", with_shape("(0, 4294967296, 4294967296)"), "overflows"},
      {"dimension limit", with_shape("(281474976710657,)"), "at most 2^48"},
      {"dimension at its limit", with_shape("(281474976710656,)"), "need 1125899906842624 bytes, got 16"},
      {"elements at their limit", with("'|i1'", "False", "(134217728, 67108864)"),
       "need 9007199254740992 bytes, got 16"},
      {"element limit", with("'|i1'", "False", "(94906267, 94906267)"), "at most 2^53 elements"},
      {"N79", with_shape("(1099511627776,)"), "need 4398046511104 bytes, got 16"},
      {"N80", npy_file(npy_dictionary("'<f4'", "False", "(4,)"), std::string(15, '\0')), "need 16 bytes, got 15"},
      {"N81", npy_file(npy_dictionary("'<f4'", "False", "(4,)"), std::string(17, '\0')), "no bytes may follow"},
      {"data of an empty array", with_shape("(0,)"), "no bytes may follow"},
      {"scalar without data", npy_file(npy_dictionary("'<f4'", "False", "()"), ""), "need 4 bytes, got 0"},
  };
}

std::string npy_refusal(std::string_view bytes, std::string_view name) { return refusal_by(parse_npy, bytes, name); }

void expect_npy_refused(const std::vector<RefusedFile>& cases) {
  for (const RefusedFile& each : cases) {
    SCOPED_TRACE(each.id);
    const std::string message = npy_refusal(each.bytes, "w.npy");
    EXPECT_NE(message.find(each.words), std::string::npos) << message;
    EXPECT_TRUE(message.starts_with("[read_npy] ")) << message;
    EXPECT_NE(message.find(" at offset "), std::string::npos) << message;
    EXPECT_TRUE(message.ends_with(" of 'w.npy'")) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);

    const auto problem = check_npy(bytes_of(each.bytes), "w.npy");
    ASSERT_TRUE(problem.has_value());
    EXPECT_EQ(problem->message(), message);

    const std::string longest = npy_refusal(each.bytes, std::string(1000, '\x01'));
    EXPECT_LE(longest.size(), 300u) << longest;
  }
}

TEST(NpyCatalogue, RefusesBrokenPreambles) { expect_npy_refused(broken_preambles()); }
TEST(NpyCatalogue, RefusesBrokenDictionaries) { expect_npy_refused(broken_dictionaries()); }
TEST(NpyCatalogue, RefusesTypesItDoesNotRead) { expect_npy_refused(unread_types()); }
TEST(NpyCatalogue, RefusesBrokenShapesAndSizes) { expect_npy_refused(broken_shapes()); }

TEST(NpyCatalogue, AcceptsTheFileThatTheCasesStartFrom) {
  EXPECT_EQ(npy_refusal(with_shape("(4,)"), "w.npy"), "accepted");
  EXPECT_EQ(npy_refusal(with_shape("(2, 2,)"), "w.npy"), "accepted");
  EXPECT_EQ(npy_refusal(with_shape("( 2 ,2 )"), "w.npy"), "accepted");
  EXPECT_EQ(npy_refusal(with("'|i1'", "True", "(4, 4)"), "w.npy"), "accepted");
  EXPECT_EQ(npy_refusal(with_dictionary("{'shape':(4,),'descr':'>f4','fortran_order':True}   "), "w.npy"), "accepted");
}

TEST(NpyCatalogue, TakesHeadersUpToItsLimit) {
  const std::string dictionary = npy_dictionary("'<f4'", "False", "(4,)");
  const auto padded = [&](std::size_t length) {
    const std::string spaces(length - 1 - dictionary.size(), ' ');
    return npy_file(dictionary + spaces, kFloats, 2);
  };
  EXPECT_EQ(npy_refusal(padded(npy_header_limit - 1), "w.npy"), "accepted");
  EXPECT_EQ(npy_refusal(padded(npy_header_limit), "w.npy"), "accepted");
  EXPECT_NE(npy_refusal(padded(npy_header_limit + 1), "w.npy").find("at most 65536 bytes"), std::string::npos);
}

}  // namespace
}  // namespace posenc::io
