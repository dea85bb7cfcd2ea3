// SPDX-License-Identifier: Apache-2.0
// Stored answers. Values: sines and cosines to 60 digits, rounded once (tests/tool/doctor_test.py makes them again).
// Hashes: of tables that tests/proof and tests/encodings hold against MPFR.
#include "apps/posenc/doctor/self_test.h"

#include <fmt/format.h>
#include <posenc/preset.h>
#include <posenc/sinusoid.h>

#include <vector>

namespace posenc::tool {
namespace {

// An entry of preset transformer at width 512.
struct StoredValue {
  std::int64_t position, column;
  double in_f64;
  float in_f32;
};
constexpr StoredValue stored_values[] = {
    {12345, 0, -0x1.fccfa2cc8a02bp-1, -0x1.fccfa20000000p-1f},
    {12345, 100, 0x1.7c0dc0aa62db5p-1, 0x1.7c0dc00000000p-1f},
    {12345, 255, -0x1.586a43a578f06p-1, -0x1.586a440000000p-1f},
    {12345, 511, 0x1.25de25778cc94p-2, 0x1.25de260000000p-2f},
    {300000000, 0, -0x1.c219eed2e54c4p-2, -0x1.c219ee0000000p-2f},
    {300000000, 100, -0x1.8caf608cf13ddp-1, -0x1.8caf600000000p-1f},
    {300000000, 255, 0x1.6cea6fcc31161p-4, 0x1.6cea700000000p-4f},
    {300000000, 511, -0x1.dec923dd25cacp-1, -0x1.dec9240000000p-1f},
    {9007199254740992, 0, -0x1.b2a66c8f35586p-1, -0x1.b2a66c0000000p-1f},
    {9007199254740992, 100, 0x1.fd650e5296072p-1, 0x1.fd650e0000000p-1f},
    {9007199254740992, 255, 0x1.c406c76474465p-1, 0x1.c406c80000000p-1f},
    {9007199254740992, 511, 0x1.2aeae006d69c2p-1, 0x1.2aeae00000000p-1f},
    {-7, 0, -0x1.50608c26d0a08p-1, -0x1.50608c0000000p-1f},
    {-7, 100, -0x1.d511d7d7c2fbep-1, -0x1.d511d80000000p-1f},
    {-7, 255, 0x1.fea711030c39bp-1, 0x1.fea7120000000p-1f},
    {-7, 511, 0x1.fffff72a738ffp-1, 0x1.fffff80000000p-1f},
    {INT64_MAX, 0, 0x1.0f881aa0a9a21p-1, 0x1.0f881a0000000p-1f},
    {INT64_MAX, 100, -0x1.4ab2410e539dfp-3, -0x1.4ab2420000000p-3f},
    {INT64_MAX, 255, -0x1.e38488327a172p-2, -0x1.e384880000000p-2f},
    {INT64_MAX, 511, -0x1.97ebfd163d7d9p-1, -0x1.97ebfe0000000p-1f},
};

struct StoredTable {
  std::string_view preset;
  std::int64_t dim, first, rows;
  DType dtype;
  std::uint64_t hash;  // FNV-1a of the elements, little-endian
};
constexpr StoredTable stored_tables[] = {
    {"transformer", 512, 0, 256, DType::f32, 0x82f90b9c6edda63c},
    {"transformer", 512, 300000000, 128, DType::f64, 0xec82ac623f9c7c11},
    {"whisper", 384, 0, 256, DType::bf16, 0x874b3ba8f821b501},
    {"tensor2tensor", 512, 100, 256, DType::f16, 0x9cb4ad24fa36408d},
    {"transformer", 510, -100, 64, DType::f64, 0x189dec6704d067dc},
};

std::uint64_t fnv_1a(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte each : bytes) hash = (hash ^ static_cast<std::uint64_t>(each)) * 0x100000001b3;
  return hash;
}

void differ(SelfTest& test, std::string where) {
  if (test.wrong++ == 0) test.first = std::move(where);
}

void check_values(const Executor& executor, SelfTest& test) {
  constexpr std::int64_t width = 512;
  const Rows rows(preset("transformer").convention, width);
  for (const StoredValue& stored : stored_values) {
    std::vector<double> f64(width);
    std::vector<float> f32(width);
    const Positions at = Positions::at(stored.position);
    rows.write(at, view(f64.data(), {1, width}), executor);
    rows.write(at, view(f32.data(), {1, width}), executor);
    const auto column = static_cast<std::size_t>(stored.column);
    test.values += 2;
    if (f64[column] != stored.in_f64 || f32[column] != stored.in_f32) {
      differ(test, fmt::format("transformer, width 512, position {}, column {}", stored.position, stored.column));
    }
  }
}

void check_table(const StoredTable& stored, const Executor& executor, SelfTest& test) {
  const std::int64_t count = stored.rows * stored.dim;
  std::vector<std::byte> bytes(static_cast<std::size_t>(count) * size_of(stored.dtype));
  const View out = {bytes.data(), stored.dtype, 2, {stored.rows, stored.dim}, {stored.dim, 1}};
  Rows(preset(stored.preset).convention, stored.dim).write(Positions::range(stored.first, stored.rows), out, executor);
  ++test.tables;
  test.entries += count;
  if (fnv_1a(bytes) != stored.hash) {
    differ(test, fmt::format("{}, width {}, positions {}:{}, {}", stored.preset, stored.dim, stored.first,
                             stored.first + stored.rows, to_string(stored.dtype)));
  }
}

}  // namespace

SelfTest self_test(const Executor& executor, std::chrono::duration<double> time) {
  const auto end = std::chrono::steady_clock::now() + time;
  SelfTest test;
  check_values(executor, test);
  do {
    for (const StoredTable& stored : stored_tables) check_table(stored, executor, test);
  } while (std::chrono::steady_clock::now() < end);
  return test;
}

}  // namespace posenc::tool
