// SPDX-License-Identifier: Apache-2.0
// Texts of problems: one copy of each step, optimised for size, since nobody waits for them. In every check these steps
// take a compiler longer than what the check is.
namespace posenc {
namespace cpp20 {

[[gnu::cold, gnu::noinline]] inline std::string to_string(std::int64_t value) {
  std::array<char, 24> digits;
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

}  // namespace cpp20

// A function goes before the templates of the standard library that do the same.
[[gnu::cold, gnu::noinline]] inline std::string operator+(std::string&& a, const char* b) {
  return std::move(a.append(b));
}
[[gnu::cold, gnu::noinline]] inline std::string operator+(std::string&& a, const std::string& b) {
  return std::move(a.append(b));
}
inline std::string operator+(std::string&& a, std::string&& b) { return std::move(a) + b; }
[[gnu::cold, gnu::noinline]] inline std::string operator+(const std::string& a, const char* b) {
  return std::string(a).append(b);
}
[[gnu::cold, gnu::noinline]] inline std::string operator+(const std::string& a, const std::string& b) {
  return std::string(a).append(b);
}
inline std::string operator+(const std::string& a, std::string&& b) { return a + b; }
[[gnu::cold, gnu::noinline]] inline std::string operator+(const char* a, const std::string& b) {
  return std::string(a).append(b);
}
inline std::string operator+(const char* a, std::string&& b) { return a + b; }

/// The problem of an operation, by the members of Problem.
[[gnu::cold, gnu::noinline]] inline std::optional<Problem> problem_of(std::string_view operation, std::string_view rule,
                                                                      std::string_view value,
                                                                      std::vector<std::int64_t> index = {}) {
  return Problem{std::string(operation), std::string(rule), std::string(value), std::move(index)};
}

}  // namespace posenc
