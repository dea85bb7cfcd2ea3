// SPDX-License-Identifier: Apache-2.0
// Files of NumPy and of the safetensors package, cut anywhere and with any byte of their headers changed.
//
// That what is still read is what those packages read: tools/goldens/tensor_files.py --exchange.
#include <gtest/gtest.h>
#include <posenc/io/npy.h>
#include <posenc/io/safetensors.h>

#include <algorithm>
#include <filesystem>

namespace posenc::io {
namespace {

struct File {
  std::string name;
  std::string bytes;
  std::size_t header;  // its size, with what stands before it
};

/// A little-endian number of so many bytes.
std::size_t number_at(const std::string& bytes, std::size_t at, std::size_t size) {
  std::size_t number = 0;
  for (std::size_t i = size; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

bool is_npy(const File& file) { return file.name.ends_with(".npy"); }

std::vector<File> valid_files() {
  std::vector<File> files;
  for (const auto& entry : std::filesystem::directory_iterator(POSENC_SOURCE_DIR "/tests/io/goldens")) {
    File file = {entry.path().filename(), read_file(entry.path(), 1 << 16), 0};
    const bool safetensors = file.name.ends_with(".safetensors");
    if (!safetensors && !is_npy(file)) continue;
    const std::size_t digits = safetensors ? 8 : file.bytes[6] == 1 ? 2 : 4;
    const std::size_t at = safetensors ? 0 : 8;
    file.header = at + digits + number_at(file.bytes, at, digits);
    files.push_back(file);
  }
  std::ranges::sort(files, {}, &File::name);
  return files;
}

std::optional<Problem> check(const File& file, std::string_view bytes) {
  const auto given = std::as_bytes(std::span(bytes));
  return is_npy(file) ? check_npy(given, file.name) : check_safetensors(given, file.name);
}

/// One line that fits a screen and says where.
bool is_clear(const std::string& message, const std::string& name) {
  const bool printable =
      std::ranges::all_of(message, [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7F; });
  return printable && message.size() <= 300 && message.starts_with("[") && message.find(name) != message.npos;
}

TEST(DamagedFiles, EveryProperPrefixIsRefused) {
  std::size_t prefixes = 0;
  const std::vector<File> files = valid_files();
  EXPECT_GE(files.size(), 30u);
  for (const File& file : files) {
    EXPECT_FALSE(check(file, file.bytes)) << file.name;
    for (std::size_t size = 0; size < file.bytes.size(); ++size, ++prefixes) {
      const auto problem = check(file, std::string_view(file.bytes).substr(0, size));
      ASSERT_TRUE(problem) << file.name << " up to " << size;
      EXPECT_TRUE(is_clear(problem->message(), file.name)) << problem->message();
    }
  }
  std::printf("  %zu prefixes of %zu files refused\n", prefixes, files.size());
}

TEST(DamagedFiles, EveryChangedByteOfAHeaderIsReadOrClearlyRefused) {
  // Bounds, structure, digits, letters of types, and what is not ASCII.
  constexpr std::string_view values("\x00\x01\t\n \",-.0159:AF[]\\e{}\x7f\x80\xc3\xff", 26);
  std::size_t refused = 0, read = 0;
  for (const File& file : valid_files()) {
    for (std::size_t at = 0; at < file.header; ++at) {
      for (const char value : values) {
        if (value == file.bytes[at]) continue;
        std::string bytes = file.bytes;
        bytes[at] = value;
        const auto problem = check(file, bytes);
        ++(problem ? refused : read);
        if (!problem) continue;
        ASSERT_TRUE(is_clear(problem->message(), file.name)) << problem->message();
      }
    }
  }
  std::printf("  %zu changes refused, %zu read\n", refused, read);
  EXPECT_GT(refused, 50000u);
  EXPECT_GT(read, 500u);
}

}  // namespace
}  // namespace posenc::io
