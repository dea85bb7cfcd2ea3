// SPDX-License-Identifier: Apache-2.0
// Byte-level BPE: GPT-2's pieces, and the merges within a piece.
#include <posenc/bpe.h>

#include "src/text/utf8.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include <utf8proc.h>

namespace posenc::io {
namespace {

// ---- pieces -------------------------------------------------------------------------------------

enum class Class : std::uint8_t { letter, number, white_space, other, end };

// White_Space is the separators and these controls: TAB, LF, VT, FF, CR, NEL (Unicode 15.0, PropList.txt).
bool is_white_control(char32_t scalar) { return (scalar >= 0x09 && scalar <= 0x0D) || scalar == 0x85; }

Class class_of(char32_t scalar) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(scalar))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO: return Class::letter;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return Class::number;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP: return Class::white_space;
    default: return is_white_control(scalar) ? Class::white_space : Class::other;
  }
}

Class class_at(std::string_view text, std::size_t at) {
  return at == text.size() ? Class::end : class_of(scalar_at(text, at).value);
}

// Where the run of scalars of one class that starts at `at` ends.
std::size_t run_end(std::string_view text, std::size_t at, Class kind) {
  while (at < text.size()) {
    const Scalar scalar = scalar_at(text, at);
    if (class_of(scalar.value) != kind) break;
    at += scalar.size;
  }
  return at;
}

std::size_t contraction_size(std::string_view text) {
  for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (text.starts_with(ending)) return ending.size();
  }
  return 0;
}

// White space before something else leaves it the last scalar, unless that is the only one.
std::size_t white_space_size(std::string_view text) {
  const std::size_t end = run_end(text, 0, Class::white_space);
  if (end == text.size()) return end;
  std::size_t last = end - 1;
  while ((static_cast<std::uint8_t>(text[last]) & 0xC0) == 0x80) --last;
  return last == 0 ? end : last;
}

// ---- checks -------------------------------------------------------------------------------------

using TokenIds = std::unordered_map<std::string_view, std::int32_t>;

TokenIds ids_of(const std::vector<std::string>& tokens) {
  TokenIds ids;
  ids.reserve(tokens.size());
  for (std::size_t id = 0; id < tokens.size(); ++id) ids.emplace(tokens[id], static_cast<std::int32_t>(id));
  return ids;
}

std::uint64_t key_of(std::int32_t left, std::int32_t right) {
  return (std::uint64_t{static_cast<std::uint32_t>(left)} << 32) | static_cast<std::uint32_t>(right);
}

bool within(std::int32_t id, const std::vector<std::string>& tokens) {
  return id >= 0 && static_cast<std::size_t>(id) < tokens.size();
}

std::string with_number(std::string_view text, std::size_t number) {
  return std::string(text).append(std::to_string(number));
}

Problem unknown_id(std::string_view operation, std::int32_t id, const std::vector<std::string>& tokens,
                   std::vector<std::int64_t> index) {
  return {std::string(operation), with_number("a token id must be one of 0 to ", tokens.size() - 1), std::to_string(id),
          std::move(index)};
}

std::optional<Problem> check_tokens(const std::vector<std::string>& tokens, const TokenIds& ids) {
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    const std::vector<std::int64_t> index = {static_cast<std::int64_t>(id)};
    if (tokens[id].empty()) return Problem{"bpe", "a token must have at least one byte", "none", index};
    const auto first = static_cast<std::size_t>(ids.at(tokens[id]));
    if (first != id) return Problem{"bpe", "tokens must differ", with_number("the bytes of token ", first), index};
  }
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const char text = static_cast<char>(byte);
    if (!ids.contains(std::string_view(&text, 1))) {
      return Problem{"bpe", "each of the 256 bytes must be a token", with_number("none for byte ", byte)};
    }
  }
  return std::nullopt;
}

std::optional<Problem> check_merges(const std::vector<std::string>& tokens, const std::vector<Bpe::Merge>& merges,
                                    const TokenIds& ids) {
  std::unordered_set<std::uint64_t> seen;
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const auto [left, right] = merges[rank];
    const auto problem = [&, left = left, right = right](std::string rule) {
      return Problem{"bpe",
                     std::move(rule),
                     std::to_string(left) + " and " + std::to_string(right),
                     {static_cast<std::int64_t>(rank)}};
    };
    if (!within(left, tokens) || !within(right, tokens)) {
      return problem(with_number("a merge must join ids of 0 to ", tokens.size() - 1));
    }
    if (!ids.contains(tokens[static_cast<std::size_t>(left)] + tokens[static_cast<std::size_t>(right)])) {
      return problem("the bytes of a merge in a row must be a token");
    }
    if (!seen.insert(key_of(left, right)).second) return problem("merges must differ");
  }
  return std::nullopt;
}

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
constexpr std::int32_t unranked = std::numeric_limits<std::int32_t>::max();

}  // namespace

std::size_t gpt2_piece(std::string_view text) {
  if (text.empty()) return 0;
  if (const std::size_t size = contraction_size(text)) return size;
  const std::size_t start = text.front() == ' ' ? 1 : 0;
  const Class kind = class_at(text, start);
  if (kind == Class::white_space || kind == Class::end) return white_space_size(text);
  return run_end(text, start, kind);
}

// ---- merges -------------------------------------------------------------------------------------

// Joins the pairs of one piece. Symbols are a linked list in an array; the heap holds every pair that is or was a
// merge, and an entry counts only while the symbol there still begins a pair of that rank. Each join adds at most two
// entries, hence O(n log n).
struct Bpe::Joiner {
  struct Symbol {
    std::int32_t id;
    Joined pair;  ///< what it and its right neighbour join to
    std::size_t previous, next;
  };
  struct Candidate {
    std::int32_t rank;
    std::size_t at;
  };
  static bool later(const Candidate& a, const Candidate& b) { return a.rank != b.rank ? a.rank > b.rank : a.at > b.at; }

  const Bpe& bpe;
  std::vector<Symbol> symbols = {};
  std::vector<Candidate> heap = {};

  void spell(std::string_view piece) {
    symbols.clear();
    heap.clear();
    for (std::size_t i = 0; i < piece.size(); ++i) {
      const std::int32_t id = bpe.byte_ids_[static_cast<std::uint8_t>(piece[i])];
      symbols.push_back({id, {}, i == 0 ? nowhere : i - 1, i + 1 == piece.size() ? nowhere : i + 1});
    }
    for (std::size_t i = 0; i < piece.size(); ++i) look(i);
    std::make_heap(heap.begin(), heap.end(), later);
  }

  // Finds what the pair that begins at `at` joins to; whether there is anything.
  bool look(std::size_t at) {
    Symbol& symbol = symbols[at];
    symbol.pair.rank = unranked;
    if (symbol.next == nowhere) return false;
    const auto found = bpe.joined_.find(key_of(symbol.id, symbols[symbol.next].id));
    if (found == bpe.joined_.end()) return false;
    symbol.pair = found->second;
    heap.push_back({symbol.pair.rank, at});
    return true;
  }
  void offer(std::size_t at) {
    if (at != nowhere && look(at)) std::push_heap(heap.begin(), heap.end(), later);
  }

  void join(std::size_t at) {
    Symbol& left = symbols[at];
    Symbol& right = symbols[left.next];
    right.pair.rank = unranked;
    left.id = left.pair.id;
    left.next = right.next;
    if (left.next != nowhere) symbols[left.next].previous = at;
    offer(left.previous);
    offer(at);
  }

  void append_ids(std::string_view piece, std::vector<std::int32_t>& ids) {
    spell(piece);
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end(), later);
      const Candidate best = heap.back();
      heap.pop_back();
      if (symbols[best.at].pair.rank == best.rank) join(best.at);
    }
    for (std::size_t at = 0; at != nowhere; at = symbols[at].next) ids.push_back(symbols[at].id);
  }
};

Bpe::Bpe(Checked, std::vector<std::string>&& tokens, std::vector<Merge>&& merges)
    : tokens_(std::move(tokens)), merges_(std::move(merges)) {
  const TokenIds ids = ids_of(tokens_);
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const char text = static_cast<char>(byte);
    byte_ids_[byte] = ids.at(std::string_view(&text, 1));
  }
  joined_.reserve(merges_.size());
  for (std::size_t rank = 0; rank < merges_.size(); ++rank) {
    const auto [left, right] = merges_[rank];
    const std::string bytes = tokens_[static_cast<std::size_t>(left)] + tokens_[static_cast<std::size_t>(right)];
    joined_.emplace(key_of(left, right), Joined{static_cast<std::int32_t>(rank), ids.at(bytes)});
  }
}

std::optional<Problem> Bpe::check(const std::vector<std::string>& tokens, const std::vector<Merge>& merges) {
  if (tokens.size() >= static_cast<std::size_t>(unranked) || merges.size() >= static_cast<std::size_t>(unranked)) {
    return Problem{"bpe", "tokens and merges must number less than 2^31 - 1",
                   std::to_string(std::max(tokens.size(), merges.size()))};
  }
  const TokenIds ids = ids_of(tokens);
  if (std::optional<Problem> problem = check_tokens(tokens, ids)) return problem;
  return check_merges(tokens, merges, ids);
}

std::optional<Problem> Bpe::check_encode(std::string_view text) const { return check_utf8("bpe_encode", text); }

std::vector<std::int32_t> Bpe::encode_checked(std::string_view text) const {
  std::vector<std::int32_t> ids;
  Joiner joiner{*this};
  while (!text.empty()) {
    const std::size_t size = gpt2_piece(text);
    joiner.append_ids(text.substr(0, size), ids);
    text.remove_prefix(size);
  }
  return ids;
}

std::optional<Problem> Bpe::check_decode(std::span<const std::int32_t> ids) const {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!within(ids[i], tokens_)) return unknown_id("bpe_decode", ids[i], tokens_, {static_cast<std::int64_t>(i)});
  }
  return std::nullopt;
}

std::string Bpe::decode_checked(std::span<const std::int32_t> ids) const {
  std::string text;
  for (const std::int32_t id : ids) text += tokens_[static_cast<std::size_t>(id)];
  return text;
}

std::optional<Problem> Bpe::check_token(std::int32_t id) const {
  if (within(id, tokens_)) return std::nullopt;
  return unknown_id("bpe_token", id, tokens_, {});
}

}  // namespace posenc::io
