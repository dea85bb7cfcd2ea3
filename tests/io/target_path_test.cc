// SPDX-License-Identifier: Apache-2.0
// Two paths and one file: by links, other names, other ways to the folder, there or not yet.
#include <gtest/gtest.h>
#include <posenc/io/file.h>

#include "tests/io/scratch.h"

namespace posenc::io {
namespace {

TEST(SameFile, SeesOneFileUnderEveryNameOfIt) {
  const Scratch folder;
  std::filesystem::create_directory(folder / "sub");
  put(folder / "f", "x");
  std::filesystem::create_hard_link(folder / "f", folder / "hard");
  ASSERT_EQ(::symlink("f", (folder / "link").c_str()), 0);
  ASSERT_EQ(::symlink("../link", (folder / "sub/link").c_str()), 0);
  for (const char* name : {"f", "./f", "sub/../f", "hard", "link", "sub/link"}) {
    EXPECT_TRUE(same_file(folder / "f", folder / name)) << name;
    EXPECT_TRUE(same_file(folder / name, folder / "f")) << name;
  }
}

TEST(SameFile, SeesOneFileThatIsNotThereYet) {
  const Scratch folder;
  std::filesystem::create_directory(folder / "sub");
  ASSERT_EQ(::symlink("f", (folder / "link").c_str()), 0);
  ASSERT_EQ(::symlink("sub", (folder / "to_sub").c_str()), 0);
  EXPECT_TRUE(same_file(folder / "f", folder / "sub/../f"));
  EXPECT_TRUE(same_file(folder / "f", folder / "link"));
  EXPECT_TRUE(same_file(folder / "sub/f", folder / "to_sub/f"));
}

TEST(SameFile, KeepsApartWhatIsTwo) {
  const Scratch folder;
  std::filesystem::create_directory(folder / "sub");
  put(folder / "f", "x");
  put(folder / "same", "x");
  ASSERT_EQ(::symlink("loop", (folder / "loop").c_str()), 0);
  for (const char* name : {"same", "g", "sub/f", "sub", "none/f", "f/f", "loop"}) {
    EXPECT_FALSE(same_file(folder / "f", folder / name)) << name;
    EXPECT_FALSE(same_file(folder / "absent", folder / name)) << name;
  }
  EXPECT_FALSE(same_file(folder / "none/f", folder / "f"));
  EXPECT_FALSE(same_file(folder / std::string(5000, 'n'), folder / "f"));
}

TEST(SameFile, RefusesWhatIsNoPath) {
  EXPECT_EQ(outcome_of("[same_file]", [] { (void)same_file("", "f"); }), Outcome::refused);
  EXPECT_EQ(outcome_of("[same_file]", [] { (void)same_file("f", std::string("f\0", 2)); }), Outcome::refused);
}

}  // namespace
}  // namespace posenc::io
