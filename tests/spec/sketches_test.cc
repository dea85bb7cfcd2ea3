// SPDX-License-Identifier: Apache-2.0
// Families that are to come: JSON takes their field tables as they are, both ways.
#include <gtest/gtest.h>

#include "src/conventions/compare.h"
#include "src/spec/json/read_fields.h"
#include "src/spec/write_fields.h"
#include "tests/conventions/sketches.h"

namespace posenc::io {
namespace {

constexpr JsonSource source = {"sketch"};

template <class S>
S read_back(const std::string& text) {
  const JsonTree tree = parse_json(text, source);
  return read<2, S>({tree, "", source});
}

template <class S>
void expect_kept(const S& sketch, std::string_view text) {
  EXPECT_EQ(written<2>(sketch), text);
  schema::differences(
      sketch, read_back<S>(std::string(text)), {},
      [](const schema::Path& at, const std::string&, const std::string&) { ADD_FAILURE() << at.text(); });
}

TEST(Sketches, AreWrittenAndReadBack) {
  expect_kept(
      opt, R"({"rows": 2050, "offset": 2, "past_end": "error", "axes": ["position"], "combine": "sum", "scale": 1})");
  expect_kept(t5, R"({"classes": {"kind": "log", "count": 32, "reach": 128, "sign": "key_minus_query"}, "scale": 1})");
  expect_kept(llama4, R"({"steps": {"kind": "log_steps", "gain": 0.1, "every": 8192, "origin": 1}})");
  expect_kept(LogCoordinates{8, {8, 8}}, R"({"gain": 8, "window": [8, 8]})");
}

TEST(Sketches, AreRefusedByPointer) {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      read_back<Buckets>(text);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal(R"({"scale": 1})"), "[sketch] /classes must be stated, got no such key");
  EXPECT_EQ(refusal(R"({"classes": {"kind": "window"}, "scale": 1})"),
            "[sketch] /classes/kind must be an object of kind log, an object of kind clip, got 'window'");
  EXPECT_EQ(refusal(R"({"classes": {"kind": "clip", "left": 1.5, "right": 8, "sign": "key_minus_query"}, "scale": 1})"),
            "[sketch] /classes/left must be an integer of 64 bits with its sign, got a number");
}

}  // namespace
}  // namespace posenc::io
