// SPDX-License-Identifier: Apache-2.0
// Lines of progress and heatmaps of the terminal, as text.
#include "apps/posenc/terminal/progress.h"

#include <gtest/gtest.h>

#include <cmath>

#include "apps/posenc/terminal/show.h"

namespace posenc::tool {
namespace {

TEST(Progress, TellsBarPercentUnitsRateAndTimeLeft) {
  EXPECT_EQ(progress_line({"encode", "tokens", 1500000, 0.25, 2}, 100),
            "encode [######------------------]  25 %  1.50 M tokens  750 k tokens/s  0:06 left");
}

TEST(Progress, WithoutAKnownWholeTellsUnitsAndRate) {
  EXPECT_EQ(progress_line({"encode", "tokens", 950, std::nullopt, 2}, 100), "encode  950 tokens  475 tokens/s");
}

TEST(Progress, LeavesOutWhatDoesNotFit) {
  const ProgressState state = {"encode", "tokens", 1500000, 0.25, 2};
  const std::string whole = progress_line(state, 200);
  std::size_t last = whole.size();
  for (std::size_t columns = whole.size() + 1; columns-- > 0;) {
    const std::string line = progress_line(state, columns);
    EXPECT_LE(line.size(), columns);
    EXPECT_LE(line.size(), last) << columns;
    last = line.size();
  }
  EXPECT_EQ(progress_line(state, 24), "encode  25 %  0:06 left");
  EXPECT_EQ(progress_line(state, 0), "");
}

TEST(Progress, StaysWithinTheWhole) {
  EXPECT_NE(progress_line({"x", "rows", 1, 1.7, 1}, 80).find("[########################] 100 %"), std::string::npos);
  EXPECT_NE(progress_line({"x", "rows", 1, -0.5, 1}, 80).find("[------------------------]   0 %"), std::string::npos);
  EXPECT_EQ(progress_line({"x", "rows", 0, 0.0, 0}, 80).find("left"), std::string::npos);
}

TEST(Progress, OfATextCountsAgainstWhatWillBeRead) {
  EXPECT_EQ(share_of_text(100, 1000, 30, std::nullopt), 0.1);
  EXPECT_EQ(share_of_text(100, 1000, 30, 60), 0.5);    // cut after 60 tokens
  EXPECT_EQ(share_of_text(100, 1000, 30, 6000), 0.1);  // ends before
  EXPECT_EQ(share_of_text(100, std::nullopt, 30, 60), std::nullopt);
}

TEST(Progress, ShortNumbersHaveThreeDigits) {
  const std::pair<double, std::string_view> cases[] = {
      {0, "0"},          {7, "7"},          {999, "999"},        {999.6, "1.00 k"},
      {1000, "1.00 k"},  {12345, "12.3 k"}, {99949, "99.9 k"},   {99960, "100 k"},
      {999499, "999 k"}, {1e6, "1.00 M"},   {9.996e6, "10.0 M"}, {2.5e9, "2.50 G"}};
  for (const auto& [number, words] : cases) EXPECT_EQ(short_number(number), words) << number;
}

TEST(Progress, TimesAreRoundedUp) {
  const std::pair<double, std::string_view> cases[] = {{0, "0:00"},    {0.1, "0:01"},      {59.5, "1:00"},
                                                       {754, "12:34"}, {3600, "1:00:00"},  {12069, "3:21:09"},
                                                       {4e5, "days"},  {INFINITY, "days"}, {NAN, "days"}};
  for (const auto& [seconds, words] : cases) EXPECT_EQ(clock_words(seconds), words) << seconds;
}

TEST(Show, PlainSignsTellSignAndSize) {
  const std::vector<std::string> names = {"9", "10"};
  const std::vector<std::vector<double>> rows = {{-2, -1, 0, 1, 2}, {0.4, -0.4, 0.6, -0.6, 0}};
  EXPECT_EQ(heat_lines(names, rows, Ink::plain), " 9 =- +#\n10   +- \n   =- +# -2 to 2\n");
}

TEST(Show, ColoursAreSymmetricAboutWhite) {
  const std::vector<std::string> names = {"0"};
  const std::vector<std::vector<double>> rows = {{-1, 0, 1}};
  EXPECT_TRUE(
      heat_lines(names, rows, Ink::coloured).starts_with("0 \x1b[48;5;25m \x1b[48;5;231m \x1b[48;5;166m \x1b[0m\n"));
}

TEST(Show, TakesZerosNaNAndNothing) {
  const std::vector<std::string> names = {"0"};
  const std::vector<std::vector<double>> zeros = {{0, -0.0}}, wild = {{NAN, INFINITY, 1}};
  EXPECT_TRUE(heat_lines(names, zeros, Ink::plain).starts_with("0   \n"));
  EXPECT_TRUE(heat_lines(names, wild, Ink::plain).starts_with("0   #\n"));
  EXPECT_EQ(heat_lines({}, {}, Ink::plain), "       0 to 0\n");
}

}  // namespace
}  // namespace posenc::tool
