// SPDX-License-Identifier: Apache-2.0
// Signals: what a convention puts into the columns of a tensor, in whatever form a program stores it. Rows of waves are
// one; tables of the cosines and sines of a rotation are others.
#pragma once

#include <posenc/preset.h>
#include <posenc/referee/identify.h>

#include <array>
#include <functional>
#include <memory>

#include "src/conventions/lower.h"
#include "src/plan/row_plan.h"

namespace posenc::referee {

/// How a tensor of waves follows from a convention.
struct Form {
  std::string_view name;  ///< "table"; of a rotation "cos [a | a]", "sin, cos", ..
  /// The columns of a rotation whose pairs have these angles.
  std::vector<plan::Column> (*columns)(const std::vector<plan::Angle>& pairs);
  std::int64_t per_pair;  ///< columns of a pair
};
std::span<const Form> rotation_forms();
inline constexpr std::string_view table_form = "table";
/// Of a list [n]: a column is a frequency, as the angle at coordinate 1.
inline constexpr std::string_view frequency_form = "frequencies";

/// A convention in a form, made ready to be held against a tensor of `plan->columns.size()` columns.
struct Signal {
  const Preset* preset;  ///< the row it is, or was made from
  std::string_view form;
  Convention convention;
  LoweredFor given;
  std::shared_ptr<const plan::RowPlan> plan;     // copies share it: a wide row of thousands of columns
  std::vector<std::vector<double>> frequencies;  ///< of each axis, in radians per coordinate; NaN: not made yet
  std::vector<double> phases;                    ///< of each frequency, or none
  double scale;

  std::int64_t width() const { return std::ssize(plan->columns); }
  std::size_t axes() const { return plan->axes.size(); }
  double phase(std::uint32_t frequency) const { return phases.empty() ? 0 : phases[frequency]; }
};

/// The signal of a convention in a form at a width of columns; nothing where it has none of that width.
std::optional<Signal> signal_of(const Preset& preset, const Convention& convention, const LoweredFor& given,
                                std::string_view form);
/// Tenths of the width of a head beside the part of it that turns, of the shares that people use.
inline constexpr std::int64_t head_tenths[] = {10, 20, 40, 30, 80, 50, 25};
/// The head of a rotation whose rotated columns are `rotated`: one of these, else up to 4 / 3 as wide, as one of 10 / 9
/// is, of which the rotated part is rounded down.
std::optional<std::int64_t> head_of(const Convention& convention, std::int64_t rotated);

/// Signals that are one: the rows of presets that have it, each with what it is given.
struct Named {
  struct Member {
    const Preset* preset;
    LoweredFor given;
  };
  Signal signal;
  std::vector<Member> members;
  std::vector<std::string> names() const;
};
/// Ladders that are powers of one number are made in no time; a real number of another one takes some 30 us.
enum class Ladders : std::uint8_t { all = 1, quick };
/// The signals that the rows of presets have at a width, each made when it is first asked for.
class Catalogue {
 public:
  explicit Catalogue(std::int64_t width, Ladders ladders = Ladders::all);
  /// Those whose columns `may_be` admits, in the order of presets.
  std::vector<Named> signals(const std::function<bool(const std::vector<plan::Column>&)>& may_be,
                             const Executor& executor = serial);

 private:
  // Pairs and frequencies that all forms of a rotation share; made on demand.
  struct Rotation {
    std::optional<plan::PairPlan> pairs = {};
    std::vector<std::vector<double>> frequencies = {};
  };
  struct Listed {
    const Preset* preset;
    LoweredFor given;
    const Form* form;                    // null: rows
    std::shared_ptr<Rotation> rotation;  // null: rows
  };
  struct Group {
    std::vector<plan::Column> columns;
    std::vector<Listed> listed;  // not made yet
    std::vector<Named> made;
  };
  static void lower_all(std::span<const Group* const> groups, const Executor& executor);
  void list(const std::vector<plan::Column>& columns, const Listed& listed);
  void list_rows(const Preset& preset, std::int64_t width);
  void list_rotations(const Preset& preset, std::int64_t width, std::int64_t per_pair);
  Ladders ladders_;
  std::vector<Group> groups_;
};
/// Every list of `count` frequencies that the rows of presets have; of several axes where they have one ladder each,
/// all alike.
std::vector<Named> preset_frequencies(std::int64_t count);
/// The widths of one axis of rows whose ladder may have `count` frequencies: sines and cosines of each, a raw
/// coordinate beside them, an odd column or two; or a column each.
inline std::array<std::int64_t, 4> widths_of_ladder(std::int64_t count) {
  return {2 * count, 2 * count + 1, 2 * count + 2, count};
}

/// Makes all frequencies; a catalogue leaves out most of those that take long.
void complete(Signal& signal);
/// What `like` is under a convention that differs in its scale or magnitude alone.
std::optional<Signal> scaled(const Signal& like, const Convention& convention, const LoweredFor& given);

/// The same columns of the same axes, in one form, at places that are counted alike.
bool same_places(const Signal& a, const Signal& b);
/// The same real numbers in every column, axis by axis, whatever the places.
bool same_signal(const Signal& a, const Signal& b);

/// Has it one ladder for lengths up to some number and one beyond? Dynamic NTK has one for every length.
bool has_two_ladders(const Convention& convention);
/// Has a longer sequence other frequencies?
bool depends_on_length(const Convention& convention);

}  // namespace posenc::referee
