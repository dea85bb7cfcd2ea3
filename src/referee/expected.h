// SPDX-License-Identifier: Apache-2.0
// What a convention of pairs of positions gives for every entry of a tensor: slopes, biases, classes, factors,
// coordinates; and lists of frequencies. And how many entries are that.
#pragma once

#include <posenc/diagnose.h>

namespace posenc::referee {

bool asks(Use use, const Convention& convention);
/// A key that a mask hides: minus infinity, or the least number of a type.
bool hidden(double x);
/// Frequencies of a rotation: what others call inv_freq.
bool is_list(const ConstView& tensor);

inline constexpr std::string_view slopes_form = "slopes";  ///< of a candidate

/// The ways in which a tensor may be what is asked; none where its shape is another.
struct Expected {
  std::string_view form;    ///< as a candidate's
  std::string how;          ///< what was taken that the call does not say: "queries from 28 on"
  std::vector<double> all;  ///< row-major
};
std::vector<Expected> all_expected(const ConstView& tensor, const Convention& convention,
                                   const DiagnoseOptions& options);

/// The frequencies of all pairs of a rotation of this width, in f64; none where the convention has no such width.
std::vector<double> frequencies_of(const Convention& rotary, std::int64_t width, const Context& context);

enum class EntryKind : std::uint8_t { entries = 1, classes, frequencies };

struct Entries {
  std::vector<double> all;  ///< row-major
  std::vector<std::int64_t> shape;
  DType storage;
  EntryKind kind;

  /// How far an entry may be off that is `right`. verdict.h has the bound of a frequency.
  double off(double right) const;
  std::vector<std::int64_t> index(std::size_t i) const;
};
Entries entries_of(const ConstView& tensor, const Convention& convention);

struct Tallied {
  std::int64_t entries = 0, wrong = 0;
  std::vector<std::int64_t> first;
  double share() const {
    return entries == 0 ? 0 : static_cast<double>(entries - wrong) / static_cast<double>(entries);
  }
};
/// `factor`: of every entry that is expected.
Tallied tallied(const Entries& got, const std::vector<double>& expected, double factor);
/// The factor by which all entries are others; nothing where there is none but 1, and of classes.
std::optional<double> factor_of(const Entries& got, const std::vector<double>& expected);

}  // namespace posenc::referee
