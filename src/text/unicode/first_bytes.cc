// SPDX-License-Identifier: Apache-2.0
// Signatures of file formats.
#include "src/text/unicode/first_bytes.h"

#include <algorithm>

namespace posenc::io {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view bytes;
  std::string_view name;
};

// A longer signature stands before its own beginning: UTF-32 before UTF-16.
constexpr Signature signatures[] = {
    {"\xFF\xFE\0\0"sv, "UTF-32"},
    {"\0\0\xFE\xFF"sv, "UTF-32"},
    {"\xFF\xFE"sv, "UTF-16"},
    {"\xFE\xFF"sv, "UTF-16"},
    {"\x1F\x8B"sv, "gzip"},
    {"PK\x03\x04"sv, "zip"},
    {"\xFD"
     "7zXZ"sv,
     "xz"},
    {"\x28\xB5\x2F\xFD"sv, "zstd"},
    {"\x93NUMPY"sv, "npy"},
    {"\x89PNG"sv, "PNG"},
    {"\xFF\xD8\xFF"sv, "JPEG"},
    {"%PDF-"sv, "PDF"},
    {"\x7F"
     "ELF"sv,
     "an executable"},
    {"\x80\x02"sv, "a pickle"},
    {"\x80\x03"sv, "a pickle"},
    {"\x80\x04"sv, "a pickle"},
    {"\x80\x05"sv, "a pickle"},
};

// Characters of `width` bytes whose byte `at` is ASCII and whose others are 0.
bool is_wide_ascii(std::string_view start, std::size_t width, std::size_t at) {
  const std::size_t size = start.size() / width * width;
  if (size < 2 * width) return false;
  for (std::size_t i = 0; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(start[i]);
    if (i % width == at ? byte == 0 || byte > 0x7F : byte != 0) return false;
  }
  return true;
}

bool starts_like(std::string_view start, std::string_view lower_case) {
  return start.size() >= lower_case.size() &&
         std::ranges::equal(start.substr(0, lower_case.size()), lower_case, [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
         });
}

}  // namespace

std::string_view format_of(std::string_view start) {
  start = start.substr(0, first_byte_count);
  for (const Signature& signature : signatures) {
    if (start.starts_with(signature.bytes)) return signature.name;
  }
  if (is_wide_ascii(start, 2, 0) || is_wide_ascii(start, 2, 1)) return "UTF-16";
  if (is_wide_ascii(start, 4, 0) || is_wide_ascii(start, 4, 3)) return "UTF-32";
  return {};
}

std::string_view format_of_list(std::string_view start) {
  for (const std::string_view tag : {"<!doctype html", "<html>", "<html "}) {
    if (starts_like(start, tag)) return "HTML";
  }
  return format_of(start);
}

}  // namespace posenc::io
