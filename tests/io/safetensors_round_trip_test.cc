// SPDX-License-Identifier: Apache-2.0
// Safetensors files cut short, changed byte by byte, and random tensors written and read again.
#include <gtest/gtest.h>
#include <posenc/io/safetensors.h>

#include <rapidcheck/gtest.h>
#include <sstream>

#include "tests/io/goldens.h"
#include "tests/io/safetensors_description.h"
#include "tests/io/safetensors_files.h"
#include "tests/io/scratch.h"

namespace posenc::io {
namespace {

TEST(SafetensorsRoundTrip, RefusesEveryProperPrefix) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kGoldens)) {
    if (entry.path().extension() != ".safetensors") continue;
    ++files;
    const std::string file = golden(entry.path().filename());
    EXPECT_FALSE(check_safetensors(bytes_of(file))) << entry;
    for (std::size_t size = 0; size < file.size(); ++size) {
      const auto problem = check_safetensors(bytes_of(file.substr(0, size)));
      ASSERT_TRUE(problem) << entry << " up to " << size;
      EXPECT_TRUE(problem->rule.find("cut off") != std::string::npos ||
                  problem->rule.find("must not be empty") != std::string::npos)
          << problem->message();
    }
  }
  EXPECT_EQ(files, 9);
}

/// What a line of the script says the package reads, by offset and byte; the others it refuses.
struct Sweep {
  std::string changes;
  std::map<std::pair<std::size_t, int>, std::string> readings;
};

Sweep sweep() {
  std::istringstream lines(golden("safetensors_sweep.txt"));
  Sweep sweep;
  std::string line;
  std::getline(lines, line);
  std::getline(lines, line);
  for (std::size_t at = 2; at + 1 < line.size(); at += 2) {
    sweep.changes += static_cast<char>(std::stoi(line.substr(at, 2), nullptr, 16));
  }
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::pair<std::size_t, int> change;
    words >> change.first >> change.second;
    std::getline(words >> std::ws, sweep.readings[change]);
  }
  return sweep;
}

TEST(SafetensorsRoundTrip, ReadsAChangedHeaderAsThePackageDoesOrRefusesIt) {
  const std::string good = golden("pair.safetensors");
  const Sweep expected = sweep();
  ASSERT_GE(expected.changes.size(), 20u);
  ASSERT_GT(expected.readings.size(), 40u);
  std::size_t read = 0, refused = 0;
  for (std::size_t at = 0; at < good.size() - 12; ++at) {  // 12 bytes of data
    for (const char value : expected.changes) {
      if (value == good[at]) continue;
      std::string file = good;
      file[at] = value;
      const int byte = static_cast<unsigned char>(value);
      SCOPED_TRACE("byte " + std::to_string(at) + " set to " + std::to_string(byte));
      if (const auto problem = check_safetensors(bytes_of(file))) {
        ++refused;
        EXPECT_LE(problem->message().size(), 300u);
        continue;
      }
      ++read;
      const auto theirs = expected.readings.find({at, byte});
      ASSERT_NE(theirs, expected.readings.end()) << "the package refuses this";
      EXPECT_EQ(description(file), theirs->second);
    }
  }
  EXPECT_GT(read, 40u);  // names and types of the same width
  EXPECT_GT(refused, 2000u);
}

// ---- random tensors -----------------------------------------------------------------------------

constexpr DType kTensorTypes[] = {DType::f16, DType::bf16, DType::f32, DType::f64, DType::i32, DType::i64};

struct Tensor {
  std::string name;
  Array array;
};

std::vector<Tensor> random_tensors() {
  const auto names = *rc::gen::unique<std::vector<std::string>>(
      rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127))));
  std::vector<Tensor> tensors;
  std::uint32_t state = *rc::gen::arbitrary<std::uint32_t>();
  for (const std::string& name : names) {
    Tensor tensor = {name, {kTensorTypes[*rc::gen::inRange(0, 6)], {}, {}}};
    const int rank = *rc::gen::inRange(0, max_rank + 1);
    for (int axis = 0; axis < rank; ++axis) {
      tensor.array.shape.push_back(*rc::gen::weightedElement<std::int64_t>({{1, 0}, {6, 1}, {8, 2}, {4, 3}}));
    }
    tensor.array.data.resize(static_cast<std::size_t>(tensor.array.view().count()) * size_of(tensor.array.dtype));
    for (std::byte& byte : tensor.array.data)
      byte = static_cast<std::byte>((state = state * 1664525u + 1013904223u) >> 24);
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

std::vector<NamedView> views_of(const std::vector<Tensor>& tensors) {
  std::vector<NamedView> views;
  for (const Tensor& tensor : tensors) views.push_back({tensor.name, tensor.array.view()});
  return views;
}

RC_GTEST_PROP(SafetensorsRoundTrip, TensorsAreReadAsTheyWereWritten, ()) {
  const std::vector<Tensor> tensors = random_tensors();
  const Scratch folder;
  write_safetensors(folder / "f", views_of(tensors), {}, {.sync = Sync::none});
  const Safetensors file(folder / "f");
  RC_ASSERT(file.header().tensors.size() == tensors.size());
  for (const Tensor& tensor : tensors) {
    const Array read = file.read(tensor.name);
    RC_ASSERT(read.dtype == tensor.array.dtype);
    RC_ASSERT(read.shape == tensor.array.shape);
    RC_ASSERT(read.data == tensor.array.data);
  }
}

RC_GTEST_PROP(SafetensorsRoundTrip, TheOrderOfTheViewsChangesNothing, ()) {
  const std::vector<Tensor> tensors = random_tensors();
  std::vector<NamedView> views = views_of(tensors);
  const std::vector<std::byte> bytes = safetensors_bytes(views);
  std::ranges::rotate(views, views.begin() + static_cast<std::ptrdiff_t>(views.size() / 2));
  RC_ASSERT(safetensors_bytes(views) == bytes);
}

RC_GTEST_PROP(SafetensorsRoundTrip, BytesAtRandomAreReadWholeOrRefused, ()) {
  std::string file = text_of(safetensors_bytes(views_of(random_tensors()), {{"k", "v"}}));
  const int changes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < changes; ++i) {
    file[*rc::gen::inRange<std::size_t>(0, file.size())] = static_cast<char>(*rc::gen::inRange(0, 256));
  }
  if (check_safetensors(bytes_of(file))) return;
  const SafetensorsHeader header = parse_safetensors(bytes_of(file));
  std::uint64_t at = 0;  // whatever is accepted covers the file, without gaps
  for (const StoredTensor& tensor : header.tensors) {
    RC_ASSERT(tensor.begin == at);
    RC_ASSERT(tensor.end >= tensor.begin);
    at = tensor.end;
  }
  RC_ASSERT(header.data + at == file.size());
}

}  // namespace
}  // namespace posenc::io
