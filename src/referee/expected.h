// SPDX-License-Identifier: Apache-2.0
// What a convention of pairs of positions gives for every entry of a tensor: slopes, biases, classes, factors,
// coordinates; and lists of frequencies. And how many entries are that.
#pragma once

#include <posenc/referee/diagnose.h>

#include "src/referee/bound.h"
#include "src/referee/pair_places.h"

namespace posenc::referee {

bool asks(ConventionUse use, const Convention& convention);
/// Whether a convention has a ladder, whose frequencies may stand in a list.
bool has_ladder(const Convention& convention);
/// May be frequencies: what others call inv_freq.
bool is_list(const ConstView& tensor);

inline constexpr std::string_view slopes_form = "slopes";  ///< of a candidate

/// The ways in which a tensor may be what is asked; none where its shape is another.
struct Expected {
  std::string_view form;                 ///< as a candidate's
  std::vector<Assumed> assumed;          ///< what was taken that the call does not say
  std::vector<double> all;               ///< row-major
  std::optional<PairPlaces> pairs = {};  ///< of biases and classes: where queries and keys stand
  std::vector<double> over = {};         ///< of a list: its entries divide these, frequencies are the quotients
  std::string_view note = {};            ///< of a tensor that is right in this form
};
std::vector<Expected> all_expected(const ConstView& tensor, const Convention& convention,
                                   const DiagnoseOptions& options);

struct Entries {
  std::vector<double> all;  ///< row-major
  std::vector<std::int64_t> shape;
  DType storage;
  EntryKind kind;

  bool are_frequencies() const { return kind == EntryKind::frequencies || kind == EntryKind::quotients; }
  /// Tolerance of an entry that is predicted as `right`.
  double off(double right) const { return bound_of(kind, storage, right).at(right); }
  std::vector<std::int64_t> index(std::size_t i) const;
};
Entries entries_of(const ConstView& tensor, const Convention& convention);
/// The frequencies that a list in another form stands for; other entries as they are.
Entries read_as(const Expected& expected, const Entries& got);

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
