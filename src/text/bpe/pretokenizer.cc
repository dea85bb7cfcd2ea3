// SPDX-License-Identifier: Apache-2.0
// Scanners for the patterns, one scalar after another; none ever looks back.
#include "src/text/bpe/pretokenizer.h"

#include "src/text/unicode/segmentation.h"
#include "src/text/unicode/utf8.h"

#include <utf8proc.h>

namespace posenc::io {
namespace {

enum class Class : std::uint8_t { letter, number, newline, white_space, other, end };

constexpr Class ascii_class(std::uint8_t byte) {
  if ((byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z')) return Class::letter;
  if (byte >= '0' && byte <= '9') return Class::number;
  if (byte == '\n' || byte == '\r') return Class::newline;
  return byte == ' ' || byte == '\t' || byte == '\v' || byte == '\f' ? Class::white_space : Class::other;
}

constexpr std::array<Class, 128> ascii_classes = [] {
  std::array<Class, 128> classes = {};
  for (std::uint8_t byte = 0; byte < 128; ++byte) classes[byte] = ascii_class(byte);
  return classes;
}();

Class class_of(char32_t scalar) {
  if (scalar < ascii_classes.size()) return ascii_classes[scalar];
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(scalar))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO: return Class::letter;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return Class::number;
    default: return is_white_space(scalar) ? Class::white_space : Class::other;
  }
}

bool is_white(Class kind) { return kind == Class::white_space || kind == Class::newline; }

struct Look {
  Class kind;
  char32_t scalar;
  std::size_t end;  // where the next scalar begins
};

struct Scanner {
  std::string_view text;
  bool open = false;  // it has asked for what is behind the text

  Look look(std::size_t at) {
    if (at >= text.size()) {
      open = true;
      return {Class::end, 0, at};
    }
    const Scalar scalar = scalar_at(text, at);
    return {class_of(scalar.value), scalar.value, at + scalar.size};
  }
  // Where the run of scalars of one class that starts at `at` ends, after `most` scalars at the latest.
  std::size_t run_end(std::size_t at, Class kind, std::size_t most = std::string_view::npos) {
    for (; most > 0; --most) {
      const Look next = look(at);
      if (next.kind != kind) break;
      at = next.end;
    }
    return at;
  }
};

enum class Case : std::uint8_t { lower, any };

// The ASCII letter that a scalar stands for in a contraction, or 0. Of the others only U+017F folds to one of them.
char letter_of(char32_t scalar, Case matched) {
  if (scalar >= 'a' && scalar <= 'z') return static_cast<char>(scalar);
  if (matched == Case::lower) return 0;
  if (scalar == 0x17F) return 's';
  return scalar >= 'A' && scalar <= 'Z' ? static_cast<char>(scalar - 'A' + 'a') : '\0';
}

// 's 't 'm 'd 're 've 'll at the beginning of the text; 0 for none.
std::size_t contraction_size(Scanner& scanner, Case matched) {
  if (scanner.text.front() != '\'') return 0;
  const Look first = scanner.look(1);
  char second_needed = 0;
  switch (letter_of(first.scalar, matched)) {
    case 's':
    case 't':
    case 'm':
    case 'd': return first.end;
    case 'r':
    case 'v': second_needed = 'e'; break;
    case 'l': second_needed = 'l'; break;
    default: return 0;
  }
  const Look second = scanner.look(first.end);
  return letter_of(second.scalar, matched) == second_needed ? second.end : 0;
}

struct WhiteRun {
  std::size_t newline_end;  // behind the last newline, 0 for none
  std::size_t last;         // where the last scalar begins
  std::size_t end;
  bool ends_text;
};

WhiteRun white_run(Scanner& scanner) {
  WhiteRun run = {};
  for (;;) {
    const Look next = scanner.look(run.end);
    if (!is_white(next.kind)) {
      run.ends_text = next.kind == Class::end;
      return run;
    }
    run.last = run.end;
    run.end = next.end;
    if (next.kind == Class::newline) run.newline_end = next.end;
  }
}

// \s+(?!\S)|\s+: before something else the run leaves it its last scalar, unless that is the only one.
std::size_t white_space_size(const WhiteRun& run) { return run.last == 0 || run.ends_text ? run.end : run.last; }

std::size_t gpt2_size(Scanner& scanner) {
  if (const std::size_t size = contraction_size(scanner, Case::lower)) return size;
  const std::size_t start = scanner.text.front() == ' ' ? 1 : 0;
  const Look first = scanner.look(start);
  if (is_white(first.kind) || first.kind == Class::end) return white_space_size(white_run(scanner));
  return scanner.run_end(first.end, first.kind);
}

// Llama 3 and Qwen differ in how many numbers make a piece.
std::size_t later_size(Scanner& scanner, std::size_t most_numbers) {
  if (const std::size_t size = contraction_size(scanner, Case::any)) return size;
  const Look first = scanner.look(0);
  if (first.kind == Class::letter) return scanner.run_end(first.end, Class::letter);
  if (first.kind == Class::number) return scanner.run_end(first.end, Class::number, most_numbers - 1);
  if (first.kind != Class::newline) {
    const Look second = scanner.look(first.end);
    if (second.kind == Class::letter) return scanner.run_end(second.end, Class::letter);
    const bool spaced = first.scalar == ' ' && second.kind == Class::other;
    if (spaced || first.kind == Class::other) {
      return scanner.run_end(scanner.run_end(first.end, Class::other), Class::newline);
    }
  }
  const WhiteRun run = white_run(scanner);
  return run.newline_end != 0 ? run.newline_end : white_space_size(run);
}

}  // namespace

Piece first_piece(Pattern pattern, std::string_view text) {
  Scanner scanner = {text};
  std::size_t size = 0;
  switch (pattern) {
    case Pattern::gpt2: size = gpt2_size(scanner); break;
    case Pattern::llama3: size = later_size(scanner, 3); break;
    case Pattern::qwen: size = later_size(scanner, 1); break;
  }
  return {size, scanner.open};
}

std::size_t piece_size(Pattern pattern, std::string_view text) {
  return text.empty() ? 0 : first_piece(pattern, text).size;
}

}  // namespace posenc::io
