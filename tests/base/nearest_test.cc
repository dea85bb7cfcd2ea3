// SPDX-License-Identifier: Apache-2.0
// Names near to a word: by edits, in order, of any word.
#include "src/base/nearest.h"

#include <gtest/gtest.h>

namespace posenc {
namespace {

using Names = std::vector<std::string_view>;

TEST(Nearest, NamesAreThoseOfFewestEdits) {
  const Names names = {"alibi", "whisper", "whisper-published", "ddpm"};
  EXPECT_EQ(nearest("wisper", names, 1), Names({"whisper"})) << "one insertion";
  EXPECT_EQ(nearest("whisperr", names, 1), Names({"whisper"})) << "one deletion";
  EXPECT_EQ(nearest("albii", names, 1), Names({"alibi"})) << "two replacements";
  EXPECT_EQ(nearest("ddpm", names, 1), Names({"ddpm"}));
}

TEST(Nearest, EqualDistancesKeepTheirOrder) {
  EXPECT_EQ(nearest("", {"bb", "aa", "c"}, 3), Names({"c", "bb", "aa"}));
  EXPECT_EQ(nearest("x", {"b", "a"}, 2), Names({"b", "a"}));
}

TEST(Nearest, ThereMayBeFewerNamesThanAreAsked) {
  EXPECT_EQ(nearest("x", {}, 3), Names());
  EXPECT_EQ(nearest("x", {"y"}, 3), Names({"y"}));
  EXPECT_EQ(nearest("x", {"y"}, 0), Names());
}

TEST(Nearest, ALongWordIsReadByItsHead) {
  EXPECT_EQ(nearest("ddpm" + std::string(1'000'000, 'x'), {std::string_view("ddpm"), "alibi"}, 1), Names({"ddpm"}));
}

}  // namespace
}  // namespace posenc
