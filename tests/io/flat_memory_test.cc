// SPDX-License-Identifier: Apache-2.0
// Memory that does not grow with what a file claims, nor with a table whose rows are read block by block.
#include <gtest/gtest.h>
#include <posenc/io/shard_index.h>
#include <posenc/io/tensor_files.h>
#include <sys/resource.h>

#include "tests/io/gguf_files.h"
#include "tests/io/safetensors_files.h"
#include "tests/io/scratch.h"
#include "tests/io/zip_files.h"
#include "tests/sanitized.h"

namespace posenc::io {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

/// An address sanitizer keeps memory that was given back, and shadows what is there.
const bool kMeasures = !test::address_sanitized();

/// The most memory that this process had so far.
std::int64_t most_memory() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

/// How much more memory a process of its own takes for `call`: done, or failed above the limit.
Outcome within(std::int64_t limit, const auto& call) {
  return in_child([&] {
    const std::int64_t before = most_memory();
    try {
      call();
    } catch (const Error&) {
    }
    return most_memory() - before <= limit ? Outcome::done : Outcome::failed;
  });
}

TEST(FlatMemory, DoesNotGrowWithWhatAFileClaims) {
  if (!kMeasures) GTEST_SKIP() << "not under an address sanitizer";
  const std::string npy = npy_file(npy_dictionary("'<f4'", "False", "(4,)"), std::string(16, '\0'));
  const auto member = [&](std::uint64_t stored, std::uint64_t size) {
    ZipPart part = zip_deflated("w.npy", npy);
    part.stored = stored;
    part.size = size;
    return zip_archive({part});
  };
  ZipPart wide = zip_deflated("w.npy", npy);
  wide.size = 0xFFFFFFFF;
  wide.directory_extra = wide.local_extra = zip64_extra({std::uint64_t{1} << 36});
  const std::string f32 = R"("F32")";
  const std::vector<std::string> files = {
      npy_file(npy_dictionary("'<f4'", "False", "(1099511627776,)"), std::string(64, '\0')),
      npy_with_length(2, 0xFFFFFFFF, npy_dictionary("'<f4'", "False", "(4,)")),
      member(kMiB, 1024 * kMiB),
      member(100, 1024 * kMiB),
      zip_archive({wide}),
      zip_archive({zip_deflated("w.npy", npy)}, {.members = 65'535}),
      zip_archive({zip_deflated("w.npy", npy)}, {.size = 1 << 24, .zip64 = true}),
      st_single(st_tensor(f32, "[281474976710656]", "[0,1125899906842624]")),
      little_endian(1 << 24, 8) + "{",
      gguf_start(65'536, 65'536),
      gguf_start(0, 1) + gguf_key("a", 8, little_endian(1 << 24, 8)),
      gguf_start(0, 1) + gguf_array("a", 10, 1 << 24, ""),
      gguf_file({}, {gguf_tensor("w", {std::uint64_t{1} << 40}, 0, 0)}, std::string(32, '\0')),
  };
  const Scratch folder;
  for (std::size_t i = 0; i < files.size(); ++i) {
    put(folder / "f", files[i]);
    const auto opening = [&] {
      const TensorFiles opened(folder / "f");
      opened.read(opened.only().name);
    };
    EXPECT_EQ(within(8 * kMiB, opening), Outcome::done) << i;
  }
}

TEST(FlatMemory, OfALongArrayKeepsWhatItSays) {
  if (!kMeasures) GTEST_SKIP() << "not under an address sanitizer";
  // 2^23 strings of nothing: 64 MiB in the file.
  const std::string text = gguf_file({gguf_array("a", 8, 1 << 23, std::string(std::size_t{1} << 26, '\0'))});
  const auto parsing = [&] { parse_gguf(bytes_of(text)); };
  EXPECT_EQ(within(8 * kMiB, parsing), Outcome::done);
}

/// Every row of the only tensor, `count` rows at a time.
void read_in_blocks(const std::string& path, std::int64_t count) {
  const TensorFiles files(path);
  const TensorEntry& entry = files.only();
  std::vector<float> block(static_cast<std::size_t>(count * entry.shape[1]));
  for (std::int64_t first = 0; first < entry.shape[0]; first += count) {
    files.read_rows(entry.name, first, view(block.data(), {std::min(count, entry.shape[0] - first), entry.shape[1]}));
  }
}

TEST(FlatMemory, DoesNotGrowWithATableThatIsReadInBlocks) {
  if (!kMeasures) GTEST_SKIP() << "not under an address sanitizer";
  // 128 MiB of zeros, of which the disk holds none.
  constexpr std::int64_t bytes = 128 * kMiB;
  const std::string shape = "(524288, 64)";
  const std::vector<std::string> starts = {
      npy_file(npy_dictionary("'<f4'", "False", shape), ""),
      npy_file(npy_dictionary("'<f4'", "True", shape), ""),
      npy_file(npy_dictionary("'>f4'", "False", shape), ""),
      st_file("{" + st_entry("w", st_tensor(R"("F32")", "[524288,64]", "[0,134217728]")) + "}"),
      gguf_file({}, {gguf_tensor("w", {64, 524288}, 0, 0)}),
  };
  const Scratch folder;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    put(folder / "f", starts[i]);
    ASSERT_EQ(::truncate((folder / "f").c_str(), static_cast<off_t>(starts[i].size()) + bytes), 0);
    EXPECT_EQ(within(8 * kMiB, [&] { read_in_blocks(folder / "f", 4096); }), Outcome::done) << i;
    EXPECT_EQ(within(8 * kMiB,
                     [&] {
                       const TensorFiles files(folder / "f");
                       files.read(files.only().name);
                     }),
              Outcome::failed)
        << "the measure sees what is in memory";
  }
}

TEST(FlatMemory, DoesNotGrowWithAStoredMemberThatIsReadInBlocks) {
  if (!kMeasures) GTEST_SKIP() << "not under an address sanitizer";
  const std::string npy =
      npy_file(npy_dictionary("'<f4'", "False", "(65536, 64)"), std::string(static_cast<std::size_t>(16 * kMiB), '\0'));
  const Scratch folder;
  put(folder / "f", zip_archive({zip_stored("w.npy", npy)}));
  EXPECT_EQ(within(8 * kMiB, [&] { read_in_blocks(folder / "f", 4096); }), Outcome::done);
}

}  // namespace
}  // namespace posenc::io
