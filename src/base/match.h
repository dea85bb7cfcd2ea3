// SPDX-License-Identifier: Apache-2.0
// What a call takes, stated once: its tensors with the names of their axes, and the rules of its numbers.
//
//   Match m("attention");
//   m.rows("queries", queries, "[B, H, L, d]");
//   m.rows("keys", keys, "[B, G, S, d]");  // [attention] keys must have shape [2, 4, 9, 64], got [2, 4, 9, 32]
//   m.must(m["S"] > 0, {"there must be a key"}, {"none"});
//   m.rows("out", out, "[B, H, L, d]");
//   return m.problem();
//
// A name stands for a size from where it first occurs. The first rule that is broken is the problem; what is stated
// after it is not looked at. No text is made before a rule is broken. A View is an output: its elements share no
// address with each other, nor with those of another tensor, which is asked last, by problem(). Conditions and values
// are evaluated even so: a quotient of sizes asks whether all is well, ok().
#pragma once

#include "src/base/overlap.h"
#include "src/base/scratch.h"
#include "src/base/to_text.h"

#include <algorithm>
#include <cmath>
#include <variant>

namespace posenc {

/// The name of an axis: a letter or a word.
struct AxisName {
  std::string_view text = {};
  std::uint64_t key = 0;

  constexpr AxisName() = default;
  consteval AxisName(std::string_view name) : text(name) {
    for (const char c : name) key = key * 257 + static_cast<unsigned char>(c);
  }
  consteval AxisName(const char* name) : AxisName(std::string_view(name)) {}
};

/// Axes as the documentation writes them: "[B, L, d]"; "[..., d]", where any axes may come first, the same in each
/// tensor; "[L, d] or [B, L, d]", where the first may be missing, in all tensors alike.
struct AxisNames {
  std::array<AxisName, 4> names = {};
  int count = 0;
  bool any_before = false, first_may_miss = false;

  consteval AxisNames(const char* from) {
    const std::string_view text = from, whole = text.substr(text.rfind('['));
    first_may_miss = whole != text;
    for (std::size_t at = 1; at < whole.size();) {
      const std::size_t end = whole.find_first_of(",]", at);
      const std::string_view name = whole.substr(at, end - at);
      any_before |= name == "...";
      if (name != "..." && !name.empty()) names[static_cast<std::size_t>(count++)] = AxisName(name);
      at = end + (whole[end] == ',' ? 2 : 1);
    }
  }
  constexpr bool fits(int rank) const {
    return any_before ? rank >= count : rank == count || (first_may_miss && rank == count - 1);
  }
};

/// 1 << type; 0 of a number that is no type.
constexpr unsigned type_bit(DType type) {
  const auto number = static_cast<unsigned>(type);
  return number < 32 ? 1u << number : 0;
}

/// Types of elements that a tensor may have, and how a message says so.
struct Types {
  unsigned bits;  // of type_bit
  std::string_view rule, tensor = {}, like = {};

  static const Types f32, real, integer;
  static constexpr Types of(std::string_view tensor, DType type) {
    return {type_bit(type), "have the type of ", tensor, to_string(type)};
  }
  constexpr bool has(DType type) const { return (bits & type_bit(type)) != 0; }
};
inline constexpr Types Types::f32 = {0b10, "be f32"};
inline constexpr Types Types::real = {0b11110, "be f32, f64, f16 or bf16"};
inline constexpr Types Types::integer = {0b1100000, "be i32 or i64"};

/// Where the elements of a row stand.
enum class Columns : std::uint8_t { anywhere = 1, adjacent, adjacent_or_repeated };

/// A piece of a message.
using Said = std::variant<std::string_view, std::int64_t, double, std::span<const std::int64_t>>;

inline std::span<const std::int64_t> sizes(const ConstView& view) {
  return std::span(view.shape).first(static_cast<std::size_t>(std::clamp(view.rank, 0, max_rank)));
}

class Match {
 public:
  /// `whole`, and its number if it is one of many, is how messages call what is stated; empty for the call itself.
  explicit Match(std::string_view operation, std::string_view whole = {}, std::int64_t number = -1)
      : operation_(operation), whole_(whole), number_(number) {}

  bool ok() const { return !problem_; }
  [[nodiscard]] std::optional<Problem> problem() {
    const Stated* const all = stated_.take(most_tensors);
    for (std::size_t i = 1; i < stated_count_; ++i) {
      for (std::size_t j = 0; j < i && !problem_; ++j) compare(all[j], all[i]);
    }
    return std::move(problem_);
  }

  /// The size of an axis: 1 where it is missing, 0 where nothing has bound the name.
  std::int64_t operator[](AxisName name) const {
    const Bound* bound = find(name);
    return bound == nullptr ? 0 : bound->size == missing ? 1 : bound->size;
  }
  void bind(AxisName name, std::int64_t size) { agrees(name, size); }
  /// Binds the axes of a tensor that fit, or compares them: whether they agree.
  bool bind(const AxisNames& axes, std::span<const std::int64_t> shape) {
    const std::size_t named = static_cast<std::size_t>(axes.count), rank = shape.size();
    const std::size_t gone = named > rank ? 1 : 0;
    bool agree = !axes.any_before || agrees_before(shape.first(rank - named));
    if (gone == 1) agree = agrees(axes.names[0], missing);
    for (std::size_t i = gone; i < named; ++i) agree &= agrees(axes.names[i], shape[rank - named + i]);
    return agree;
  }

  // ---- tensors ----------------------------------------------------------------------------------

  /// The rules of views or outputs, one of the types, these axes.
  template <class Pointer>
  [[gnu::noinline]] void tensor(std::string_view name, const BasicView<Pointer>& view, const Types& types,
                                const AxisNames& axes, Columns columns = Columns::anywhere) {
    if (problem_) return;
    if constexpr (std::is_const_v<std::remove_pointer_t<Pointer>>) {
      if (problem_ = check_view(operation_, name, view); problem_) return prefix();
    } else {
      if (problem_ = check_output(operation_, name, view); problem_) return prefix();
    }
    if (!types.has(view.dtype)) {
      const std::string_view comma = types.like.empty() ? "" : ", ";
      return tell({name, " must ", types.rule, types.tensor, comma, types.like}, {to_string(view.dtype)});
    }
    const bool fits = axes.fits(view.rank);
    const bool repeats = columns == Columns::adjacent_or_repeated;
    if (fits && columns != Columns::anywhere && view.size(-1) > 1 && view.stride(-1) != 1 &&
        !(repeats && view.stride(-1) == 0)) {
      return tell(
          {name, " must have columns next to each other", repeats ? " or repeated, stride 1 or 0" : ", stride 1"},
          {view.stride(-1)});
    }
    const auto shape = std::span(view.shape).first(static_cast<std::size_t>(view.rank));
    if (!fits || !bind(axes, shape)) return tell({name, " must have shape ", in_numbers(axes)}, {shape});
    lies_apart(name, view);
  }
  /// Where there is one.
  template <class V>
  void tensor(std::string_view name, const std::optional<V>& view, const Types& types, const AxisNames& axes,
              Columns columns = Columns::anywhere) {
    if (view) tensor(name, *view, types, axes, columns);
  }
  /// The input of that name may be an output, as the very same view.
  void in_place(std::string_view input) { in_place_ = input; }
  /// A tensor whose other rules were asked elsewhere: no output shares an element with it.
  template <class Pointer>
  void lies_apart(std::string_view name, const BasicView<Pointer>& view) {
    if (problem_) return;
    if (stated_count_ == most_tensors) __builtin_trap();
    constexpr bool written = !std::is_const_v<std::remove_pointer_t<Pointer>>;
    stated_.take(most_tensors)[stated_count_++] = {name, extent_of(view), view, written};
  }
  /// Rows of f32.
  template <class V>
  void rows(std::string_view name, const V& view, const AxisNames& axes, Columns columns = Columns::adjacent) {
    tensor(name, view, Types::f32, axes, columns);
  }

  // ---- parts ------------------------------------------------------------------------------------

  /// What a check finds, unless there is a problem already.
  template <class Check>
  void also(const Check& check) {
    if (problem_) return;
    if (problem_ = check(); problem_) prefix();
  }
  /// Weights with rules of their own, check_weights; messages call them by `name`.
  template <class Weights, class... Sizes>
  void part(std::string_view name, const Weights& weights, Sizes... sizes) {
    also([&] { return check_weights(operation_, name, weights, sizes...); });
  }
  template <class Weights, class... Sizes>
  void part(std::string_view name, const std::optional<Weights>& weights, Sizes... sizes) {
    if (weights) part(name, *weights, sizes...);
  }
  /// state(match, item) of each item, which messages call by `name` and its number.
  template <class Items, class State>
  void each(std::string_view name, const Items& items, const State& state) {
    for (std::size_t i = 0; ok() && i < items.size(); ++i) {
      Match one(operation_, name, static_cast<std::int64_t>(i));
      state(one, items[i]);
      also([&] { return one.problem(); });
    }
  }

  // ---- numbers ----------------------------------------------------------------------------------

  void must(bool keeps, std::initializer_list<Said> rule, std::initializer_list<Said> got,
            std::initializer_list<std::int64_t> index = {}) {
    if (!keeps && !problem_) tell(rule, got, index);
  }
  /// 0 <= number < limit.
  void below(std::string_view name, std::int64_t number, std::int64_t limit,
             std::initializer_list<std::int64_t> index = {}) {
    must(number >= 0 && number < limit, {name, " must be in [0, ", limit, ")"}, {number}, index);
  }
  void below(std::string_view name, std::span<const std::int64_t> numbers, std::int64_t limit) {
    for (std::size_t i = 0; ok() && i < numbers.size(); ++i) {
      below(name, numbers[i], limit, {static_cast<std::int64_t>(i)});
    }
  }
  void within(std::string_view name, std::int64_t number, std::int64_t least, std::int64_t most,
              std::initializer_list<std::int64_t> index = {}) {
    must(number >= least && number <= most, {name, " must be in [", least, ", ", most, "]"}, {number}, index);
  }
  void finite(std::string_view name, double number, std::initializer_list<std::int64_t> index = {}) {
    must(std::isfinite(number), {name, " must be finite"}, {number}, index);
  }
  void finite(std::string_view name, std::span<const float> numbers) {
    for (std::size_t i = 0; ok() && i < numbers.size(); ++i) finite(name, numbers[i], {static_cast<std::int64_t>(i)});
  }
  /// A choice without a default.
  template <class Choice>
  void stated(std::string_view name, Choice choice, std::initializer_list<Choice> choices) {
    must(std::find(choices.begin(), choices.end(), choice) != choices.end(), {name, " must be stated"}, {"none"});
  }

 private:
  struct Bound {
    std::uint64_t key;
    std::int64_t size;
  };
  struct Stated {
    std::string_view name;
    Extent extent;
    ConstView view;
    bool written;
  };
  static constexpr std::int64_t missing = -1;  // the size of an axis that may be, and is
  static constexpr std::size_t most_names = 16, most_tensors = 16;

  void compare(const Stated& before, const Stated& now) {
    if ((!before.written && !now.written) || apart(before.extent, now.extent)) return;
    now.written ? compare_closely(before, now) : compare_closely(now, before);
  }
  [[gnu::cold]] void compare_closely(const Stated& in, const Stated& out) {
    const Sharing sharing = !in.written && in.name == in_place_ ? Sharing::same_view : Sharing::none;
    also([&] { return check_overlap(operation_, in.name, in.view, out.name, out.view, sharing); });
  }

  const Bound* find(AxisName name) const {
    for (std::size_t i = 0; i < bound_count_; ++i) {
      if (bound_[i].key == name.key) return &bound_[i];
    }
    return nullptr;
  }
  bool agrees(AxisName name, std::int64_t size) {
    if (const Bound* bound = find(name)) return bound->size == size;
    if (bound_count_ == most_names) __builtin_trap();
    bound_[bound_count_++] = {name.key, size};
    return true;
  }
  bool agrees_before(std::span<const std::int64_t> shape) {
    if (before_count_ >= 0) return std::ranges::equal(before(), shape);
    before_count_ = static_cast<int>(shape.size());
    std::ranges::copy(shape, before_.begin());
    return true;
  }

  std::span<const std::int64_t> before() const {
    return std::span(before_).first(static_cast<std::size_t>(std::max(0, before_count_)));
  }

  // The axes from number `from` on, with sizes in place of the names that are bound.
  std::string in_numbers(const AxisNames& axes, std::size_t from) const {
    std::string made;
    const auto add = [&](std::string axis) { made += (made.empty() ? "" : ", ") + axis; };
    if (axes.any_before && before_count_ < 0) add("...");
    for (const std::int64_t size : axes.any_before ? before() : before().first(0)) add(std::to_string(size));
    for (std::size_t i = from; i < static_cast<std::size_t>(axes.count); ++i) {
      const Bound* bound = find(axes.names[i]);
      add(bound == nullptr ? std::string(axes.names[i].text) : std::to_string(bound->size));
    }
    return "[" + made + "]";
  }
  [[gnu::cold]] std::string in_numbers(const AxisNames& axes) const {
    const Bound* first = axes.first_may_miss ? find(axes.names[0]) : nullptr;
    if (axes.first_may_miss && first == nullptr) return in_numbers(axes, 1) + " or " + in_numbers(axes, 0);
    return in_numbers(axes, first != nullptr && first->size == missing ? 1 : 0);
  }

  static std::string joined(std::initializer_list<Said> pieces) {
    std::string text;
    for (const Said& piece : pieces) {
      if (const auto* words = std::get_if<std::string_view>(&piece)) text += *words;
      if (const auto* number = std::get_if<std::int64_t>(&piece)) text += std::to_string(*number);
      if (const auto* number = std::get_if<double>(&piece)) text += to_text(*number);
      if (const auto* shape = std::get_if<std::span<const std::int64_t>>(&piece)) text += to_text(*shape);
    }
    return text;
  }
  [[gnu::cold]] void tell(std::initializer_list<Said> rule, std::initializer_list<Said> got,
                          std::initializer_list<std::int64_t> index = {}) {
    problem_ = Problem{std::string(operation_), joined(rule), joined(got), index};
    prefix();
  }
  [[gnu::cold]] void prefix() {
    if (whole_.empty()) return;
    const std::string number = number_ < 0 ? " " : " " + std::to_string(number_) + " ";
    problem_->rule.insert(0, std::string(whole_) + number);
  }

  std::string_view operation_, whole_;
  std::int64_t number_;
  std::optional<Problem> problem_;
  std::array<Bound, most_names> bound_;
  std::array<std::int64_t, max_rank> before_;
  LocalScratch<Stated> stated_;
  std::size_t bound_count_ = 0, stated_count_ = 0;
  int before_count_ = -1;
  std::string_view in_place_ = {};
};

}  // namespace posenc
