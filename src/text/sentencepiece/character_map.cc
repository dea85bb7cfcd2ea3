// SPDX-License-Identifier: Apache-2.0
// The check of a SentencePiece normalizer's character map: a walk over all that any text could make the library read.
#include "src/text/sentencepiece/sentence_piece_model.h"

#include <algorithm>

namespace posenc::io {
namespace {

constexpr std::size_t label_count = 256;
constexpr std::size_t unit_limit = std::size_t{1} << 20;  // real maps have some 60,000
constexpr int value_limit = 32;                           // the library's array of results
constexpr std::size_t string_limit = 1024;

// A unit of the array: bits 0 to 7 and 31 are the label, bit 8 tells of a value, bits 9 to 31 are the offset by which
// its children stand away, shifted by 8 when bit 9 is set. A value is a unit with bit 31 set.
struct ArrayUnit {
  std::uint32_t bits;
  bool has_label(std::size_t label) const { return (bits & 0x800000FFu) == label; }
  bool has_value() const { return ((bits >> 8) & 1) != 0; }
  std::size_t offset() const { return std::size_t{bits >> 10} << ((bits & 0x200u) != 0 ? 8 : 0); }
  std::size_t value() const { return bits & 0x7FFFFFFFu; }
};

class Walk {
 public:
  Walk(std::string_view array, std::string_view strings)
      : array_(array), strings_(strings), values_(array.size() / 4, unseen) {}

  // The rule that is broken, or nothing.
  std::string_view run() {
    if (!enter(0)) return rule_;
    while (!path_.empty()) {
      Step& step = path_.back();
      if (step.label == label_count) {
        leave();
        continue;
      }
      const std::size_t child = step.base ^ step.label;
      if (!unit(child).has_label(step.label++)) continue;
      if (values_[child] == open) return "the character map must have no cycles";
      if (values_[child] != unseen) {
        step.most = std::max(step.most, values_[child]);
      } else if (!enter(child)) {
        return rule_;
      }
    }
    return values_[0] > value_limit ? "no text may match more than 32 entries of the character map" : "";
  }

 private:
  struct Step {
    std::size_t unit;
    std::size_t base;       // where the child with label 0 would stand
    std::size_t label = 0;  // the next one to look at
    int most = 0;           // values on a path through the children seen so far
  };
  static constexpr int unseen = -1, open = -2;

  ArrayUnit unit(std::size_t at) const { return {number_at(array_, 4 * at)}; }

  bool enter(std::size_t at) {
    const ArrayUnit here = unit(at);
    const std::size_t base = at ^ here.offset();
    if ((base | (label_count - 1)) >= values_.size()) {
      rule_ = "the character map must point within itself";
      return false;
    }
    if (here.has_value() && !is_string(unit(base).value())) {
      rule_ = "the character map must point at strings of at most 1024 bytes";
      return false;
    }
    values_[at] = open;
    path_.push_back({at, base});
    return true;
  }

  void leave() {
    const Step done = path_.back();
    path_.pop_back();
    const int most = done.most + (unit(done.unit).has_value() ? 1 : 0);
    values_[done.unit] = most;
    if (!path_.empty()) path_.back().most = std::max(path_.back().most, most);
  }

  bool is_string(std::size_t at) const {
    return at < strings_.size() && strings_.substr(at, string_limit + 1).find('\0') != strings_.npos;
  }

  std::string_view array_;
  std::string_view strings_;
  std::vector<int> values_;  // by unit: the most values on a path from it on
  std::vector<Step> path_ = {};
  std::string_view rule_ = {};
};

}  // namespace

std::string_view check_character_map(std::string_view bytes) {
  if (bytes.empty()) return {};
  constexpr std::string_view sizes = "the character map must hold whole blocks of its array, and strings behind them";
  if (bytes.size() < 4) return sizes;
  const std::size_t size = number_at(bytes, 0);
  const std::string_view rest = bytes.substr(4);
  if (size >= rest.size() || size == 0 || size % (4 * label_count) != 0 || size / 4 > unit_limit) return sizes;
  return Walk(rest.substr(0, size), rest.substr(size)).run();
}

}  // namespace posenc::io
