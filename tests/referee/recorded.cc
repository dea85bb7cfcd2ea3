// SPDX-License-Identifier: Apache-2.0
// Answers read once, compared field by field or recorded anew.
#include "tests/referee/recorded.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace posenc::test {
namespace {

using Json = nlohmann::json;

// A line a case: its name, a tab, its answer.
std::map<std::string, std::string> read_answers() {
  std::map<std::string, std::string> answers;
  const gzFile file = gzopen(POSENC_SOURCE_DIR "/tests/referee/answers.json.gz", "rb");
  if (file == nullptr) return answers;
  std::string text(std::size_t{1} << 20, '\0');
  std::size_t end = 0;
  for (int count = 0; (count = gzread(file, text.data() + end, static_cast<unsigned>(text.size() - end))) > 0;) {
    end += static_cast<std::size_t>(count);
    if (end == text.size()) text.resize(2 * end);
  }
  gzclose(file);
  text.resize(end);
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = text.find('\n', from), tab = text.find('\t', from);
    answers[text.substr(from, tab - from)] = text.substr(tab + 1, to - tab - 1);
    from = to + 1;
  }
  return answers;
}

bool is_recorded_now(const std::string& name, const std::string& answer) {
  const char* into = std::getenv("POSENC_RECORD");
  if (into == nullptr) return false;
  std::ofstream(std::string(into) + "/" + std::to_string(getpid()), std::ios::app) << name << '\t' << answer << '\n';
  return true;
}

bool are_equal(double a, double b) {
  constexpr double last_digits = 0x1p-20;
  return a == b || std::abs(a - b) <= last_digits * std::max(std::abs(a), std::abs(b));
}

// "base: 1280.5790920887976, not 10000" as its words and its numbers.
std::string words_of(const std::string& text, std::vector<double>& numbers) {
  std::string words;
  for (const char* at = text.c_str(); *at != '\0';) {
    char* end = nullptr;
    const bool is_digit = *at >= '0' && *at <= '9';
    const double number = is_digit ? std::strtod(at, &end) : 0;
    if (!is_digit) {
      words += *at++;
      continue;
    }
    words += '#', at = end;
    numbers.push_back(number);
  }
  return words;
}
bool are_equal(const std::string& a, const std::string& b) {
  std::vector<double> of_a, of_b;
  return words_of(a, of_a) == words_of(b, of_b) &&
         std::ranges::equal(of_a, of_b, [](double x, double y) { return are_equal(x, y); });
}

void add_differences(const std::string& path, const Json& is, const Json& was, std::string& text) {
  const bool whole = is.is_number_integer() && was.is_number_integer();
  if (!whole && is.is_number() && was.is_number() && are_equal(is.get<double>(), was.get<double>())) return;
  if (is.is_string() && was.is_string() && are_equal(is.get<std::string>(), was.get<std::string>())) return;
  if (is.is_array() && was.is_array() && is.size() == was.size()) {
    for (std::size_t i = 0; i < is.size(); ++i) add_differences(path + "/" + std::to_string(i), is[i], was[i], text);
    return;
  }
  if (is.is_object() && was.is_object()) {
    Json keys = was;
    keys.update(is);
    for (const auto& [key, value] : keys.items()) {
      add_differences(path + "/" + key, is.value(key, Json()), was.value(key, Json()), text);
    }
    return;
  }
  if (is != was) text += path + ": " + is.dump() + ", not " + was.dump() + "\n";
}

// FNV-1a of words, whole numbers and flags: numbers that were fitted, in texts too, end in other digits elsewhere.
std::uint64_t digest_of(const Json& answer) {
  std::uint64_t digest = 0xcbf29ce484222325;
  const auto add = [&](const std::string& text) {
    for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  };
  if (answer.is_structured()) {
    for (const auto& [key, value] : answer.items()) add(key + ":" + std::to_string(digest_of(value)) + ",");
  } else if (answer.is_string()) {
    std::vector<double> numbers;
    add(words_of(answer.get<std::string>(), numbers));
  } else if (answer.is_number_float()) {
    add("#");
  } else {
    add(answer.dump());
  }
  return digest;
}

}  // namespace

const std::string* recorded_answer(const std::string& name) {
  static const std::map<std::string, std::string> answers = read_answers();
  const auto at = answers.find(name);
  return at == answers.end() ? nullptr : &at->second;
}

std::string differences_of_json(const std::string& answer, const std::string& recorded) {
  std::string text;
  add_differences("", Json::parse(answer), Json::parse(recorded), text);
  return text;
}

std::string next_case() {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  static std::map<std::string, int> counts;
  const std::string suite = test.test_suite_name(), name = test.name();
  const int count = counts[suite + "." + name]++;
  return suite.substr(suite.find('/') + 1) + "." + name.substr(0, name.find('/')) + "/" + std::to_string(count);
}

void expect_recorded(const std::string& name, const std::string& answer) {
  if (is_recorded_now(name, answer)) return;
  const std::string* recorded = recorded_answer(name);
  if (recorded == nullptr) {
    ADD_FAILURE() << name << ": no answer is recorded; record it by ./dev answers";
  } else if (answer != *recorded) {
    EXPECT_EQ(differences_of_json(answer, *recorded), "") << name;
  }
}

void expect_recorded_digest(const std::string& name, const std::string& answer) {
  const std::string digest = std::to_string(digest_of(Json::parse(answer)));
  if (is_recorded_now(name, digest)) return;
  const std::string* recorded = recorded_answer(name);
  EXPECT_TRUE(recorded != nullptr && digest == *recorded) << "an answer that may not be looked at is another one";
}

}  // namespace posenc::test
