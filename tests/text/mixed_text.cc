// SPDX-License-Identifier: Apache-2.0
// The generator of mixed text: change it only together with tools/goldens/bpe.py.
#include "tests/text/mixed_text.h"

#include <array>
#include <span>
#include <string_view>

namespace posenc::test {
namespace {

struct Span {
  char32_t first, last;
};
using Words = std::span<const std::string_view>;
using Spans = std::span<const Span>;

constexpr std::string_view words[] = {"the",  "of",       "and",      "Attention",   "is",       "all",  "you",
                                      "need", "position", "love",     "Transformer", "x",        "I",    "model",
                                      "HTTP", "naïve",    "don",      "encoding",    "sequence", "Über", "question",
                                      "sine", "a",        "thousand", "tokenisation"};
constexpr std::string_view phrases[] = {"我爱你", "你爱我",        "注意力", "位置编码",  "今天天气很好",
                                        "的",     "中文和English", "一二三", "人工智能。"};
constexpr std::string_view endings[] = {"'s",  "'t", "'re", "'ve",     "'m",  "'ll", "'d", "'S",
                                        "'LL", "'",  "''s", "'\u017F", " 's", "'r",  "'v"};
constexpr Span letters[] = {{0x61, 0x7A},       {0x41, 0x5A},       {0xC0, 0xD6},       {0x100, 0x17F},
                            {0x3B1, 0x3C9},     {0x430, 0x44F},     {0x5D0, 0x5EA},     {0x620, 0x64A},
                            {0x905, 0x939},     {0xE01, 0xE30},     {0x10D0, 0x10FA},   {0x3041, 0x3096},
                            {0x30A1, 0x30FA},   {0xAC00, 0xD7A3},   {0x4E00, 0x9FFF},   {0x20000, 0x2A6DF},
                            {0x31350, 0x323AF}, {0x1D400, 0x1D454}, {0x10400, 0x1044F}, {0x1E900, 0x1E943},
                            {0x2B0, 0x2C1},     {0xAA, 0xAA},       {0x1C5, 0x1C5}};
constexpr Span numbers[] = {{0x30, 0x39},     {0x30, 0x39},       {0x660, 0x669},     {0x6F0, 0x6F9},
                            {0x966, 0x96F},   {0xE50, 0xE59},     {0xFF10, 0xFF19},   {0x1D7CE, 0x1D7FF},
                            {0x2160, 0x2188}, {0xB2, 0xB3},       {0xBC, 0xBE},       {0x2460, 0x249B},
                            {0x3021, 0x3029}, {0x1F100, 0x1F10C}, {0x11F50, 0x11F59}, {0x1E4F0, 0x1E4F9}};
constexpr Span marks[] = {{0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},   {0x64B, 0x65F},     {0x93A, 0x93C},
                          {0x20D0, 0x20F0}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0x1F3FB, 0x1F3FF}, {0x200C, 0x200D}};
constexpr Span signs[] = {{0x21, 0x2F},     {0x3A, 0x40},     {0x5B, 0x60},      {0x7B, 0x7E},     {0xA1, 0xA9},
                          {0x2010, 0x2027}, {0x2030, 0x205E}, {0x20A0, 0x20C0},  {0x2190, 0x23FF}, {0x3001, 0x3003},
                          {0x3008, 0x3020}, {0xFF01, 0xFF0F}, {0x1F000, 0x1F02B}};
constexpr Span emoji[] = {{0x1F600, 0x1F64F}, {0x1F300, 0x1F5FF}, {0x1F680, 0x1F6D7}, {0x1F900, 0x1F9FF},
                          {0x2600, 0x26FF},   {0x1FA75, 0x1FA77}, {0x1F1E6, 0x1F1FF}};
constexpr Span white[] = {{0x20, 0x20},     {0x20, 0x20},     {0x9, 0xD},       {0xA, 0xA},
                          {0x85, 0x85},     {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
                          {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}};
constexpr Span odd[] = {{0x0, 0x8},       {0xE, 0x1F},        {0x7F, 0x84},         {0x86, 0x9F},      {0x180E, 0x180E},
                        {0x200B, 0x200F}, {0x202A, 0x202E},   {0x2060, 0x2064},     {0xFEFF, 0xFEFF},  {0xFFF9, 0xFFFD},
                        {0xE000, 0xE0FF}, {0xF0000, 0xF00FF}, {0x10FF00, 0x10FFFD}, {0xE0020, 0xE007F}};
constexpr std::string_view joints[] = {"", "\u200D", "\uFE0F"};

struct Picker {
  std::uint64_t state;  // modulo 2^64; Knuth's multiplier

  std::uint64_t below(std::uint64_t count) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % count;
  }
  template <class T>
  const T& one(std::span<const T> choices) {
    return choices[below(choices.size())];
  }
  std::string word_of(Words choices) { return std::string(one(choices)); }
  std::string scalar(Span span) {
    return utf8_of(span.first + static_cast<char32_t>(below(span.last - span.first + 1)));
  }
  std::string some(Spans spans, std::uint64_t most) {  // 1 to `most` scalars, each of any of the spans
    std::string text;
    for (std::uint64_t left = 1 + below(most); left > 0; --left) text += scalar(one(spans));
    return text;
  }
  std::string word(Spans spans, std::uint64_t most) {  // 1 to `most` scalars, all of one of the spans
    const Span span = one(spans);
    std::string text;
    for (std::uint64_t left = 1 + below(most); left > 0; --left) text += scalar(span);
    return text;
  }
};

std::string run_of_one(Picker& pick) {
  constexpr std::array<Spans, 4> any = {letters, numbers, signs, white};
  const std::string scalar = pick.scalar(pick.one(pick.one(std::span<const Spans>(any))));
  const std::uint64_t most = pick.below(16) == 0 ? 400 : 20;
  std::string text;
  for (std::uint64_t left = 1 + pick.below(most); left > 0; --left) text += scalar;
  return text;
}

std::string emoji_and_more(Picker& pick) {  // sequenced, as the order of draws counts
  std::string text = pick.some(emoji, 2);
  text += pick.word_of(joints);
  return text += pick.some(emoji, 1);
}

std::string marked(Picker& pick) {
  std::string text = pick.word(letters, 2);
  return text += pick.some(marks, 3);
}

std::string oddity(Picker& pick) {
  switch (pick.below(13)) {
    case 0: return pick.word_of(words);
    case 1: return pick.word(letters, 10);
    case 2: return std::string(" ").append(pick.word(letters, 10));
    case 3: return pick.word_of(phrases);
    case 4: return pick.word(numbers, 7);
    case 5: return pick.word_of(endings);
    case 6: return pick.some(white, 5);
    case 7: return pick.some(signs, 4);
    case 8: return emoji_and_more(pick);
    case 9: return marked(pick);
    case 10: return run_of_one(pick);
    case 11: return pick.some(odd, 3);
    default: return " ";
  }
}

char byte_of(char32_t value) { return static_cast<char>(static_cast<unsigned char>(value)); }

}  // namespace

std::string utf8_of(char32_t scalar) {
  if (scalar < 0x80) return {byte_of(scalar)};
  const char last = byte_of(0x80 | (scalar & 0x3F));
  if (scalar < 0x800) return {byte_of(0xC0 | (scalar >> 6)), last};
  const char third = byte_of(0x80 | ((scalar >> 6) & 0x3F));
  if (scalar < 0x10000) return {byte_of(0xE0 | (scalar >> 12)), third, last};
  return {byte_of(0xF0 | (scalar >> 18)), byte_of(0x80 | ((scalar >> 12) & 0x3F)), third, last};
}

std::string mixed_text(std::uint64_t seed, std::size_t size) {
  Picker pick{seed};
  std::string text;
  while (text.size() < size) {  // every other piece is a word
    if (pick.below(2) != 0) {
      text.append(" ").append(pick.one(Words(words)));
    } else {
      text += oddity(pick);
    }
  }
  return text;
}

}  // namespace posenc::test
