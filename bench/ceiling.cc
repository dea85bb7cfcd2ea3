// SPDX-License-Identifier: Apache-2.0
// Loops that do nothing but store, copy, update or gather, for every instruction set; Highway chooses at run time.
#include "bench/ceiling.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/ceiling.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <atomic>
#include <thread>

#include "bench/affinity.h"
#include "bench/clock.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;

// Bytes are taken 256 at a time: 4 lines. What is left is less than a thousandth of any row that has a ceiling.
constexpr std::size_t step = 256 / sizeof(float);

hn::Vec<F32> Pattern() { return hn::Add(hn::Iota(F32(), 1.0f), hn::Set(F32(), 0.25f)); }

void Store(float* out, std::size_t count) {
  const auto value = Pattern();
  for (std::size_t i = 0; i + step <= count; i += step) {
    for (std::size_t j = 0; j < step; j += hn::Lanes(F32())) hn::Store(value, F32(), out + i + j);
  }
}

void Stream(float* out, std::size_t count) {
  const auto value = Pattern();
  for (std::size_t i = 0; i + step <= count; i += step) {
    for (std::size_t j = 0; j < step; j += hn::Lanes(F32())) hn::Stream(value, F32(), out + i + j);
  }
  hwy::FlushStream();
}

// 4 KiB ahead is far enough for the slowest memory seen; without, this reaches two thirds of it.
void Copy(const float* in, float* out, std::size_t count) {
  constexpr std::size_t ahead = 4096 / sizeof(float), line = 64 / sizeof(float);
  for (std::size_t i = 0; i + step <= count; i += step) {
    for (std::size_t j = 0; j < step; j += line) hwy::Prefetch(in + std::min(i + j + ahead, count));
    for (std::size_t j = 0; j < step; j += hn::Lanes(F32())) {
      hn::Stream(hn::Load(F32(), in + i + j), F32(), out + i + j);
    }
  }
  hwy::FlushStream();
}

// Times -1: any number of passes leaves the values in range.
void Update(float* out, std::size_t count) {
  const auto factor = hn::Set(F32(), -1.0f);
  for (std::size_t i = 0; i + step <= count; i += step) {
    for (std::size_t j = 0; j < step; j += hn::Lanes(F32())) {
      hn::Store(hn::Mul(hn::Load(F32(), out + i + j), factor), F32(), out + i + j);
    }
  }
}

void Read(const float* in, std::size_t count) {
  auto a = hn::Zero(F32()), b = a, c = a, d = a;  // four sums: one would wait for its own additions
  const std::size_t lanes = hn::Lanes(F32());
  for (std::size_t i = 0; i + step <= count; i += step) {
    for (std::size_t j = 0; j < step; j += 4 * lanes) {
      a = hn::Add(a, hn::Load(F32(), in + i + j));
      b = hn::Add(b, hn::Load(F32(), in + i + j + lanes));
      c = hn::Add(c, hn::Load(F32(), in + i + j + 2 * lanes));
      d = hn::Add(d, hn::Load(F32(), in + i + j + 3 * lanes));
    }
  }
  volatile float sum = hn::GetLane(hn::Add(hn::Add(a, b), hn::Add(c, d)));
  static_cast<void>(sum);
}

// The columns of the rows that ids name, piece by piece; after the last row, that one again.
struct Place {
  const float* in;
  std::span<const std::int32_t> ids;
  std::size_t width, piece, row = 0, column = 0;

  const float* data() const {
    return in + static_cast<std::size_t>(ids[std::min(row, ids.size() - 1)]) * width + column;
  }
  void next() {
    column += piece;
    if (column < width) return;
    column = 0;
    ++row;
  }
  Place ahead(int pieces) const {
    Place later = *this;
    for (; pieces > 0; --pieces) later.next();
    return later;
  }
};

// Rows are whole pieces, of 2 KiB or less. With each line that is written, those of the pieces 6 and 3 further on are
// asked for, past the second-level cache: the best of the ways that docs/performance.md tells.
void Gather(const float* in, std::span<const std::int32_t> ids, float* out, std::size_t count) {
  constexpr std::size_t line = 64 / sizeof(float), most = 2048 / sizeof(float);
  alignas(64) float added[most];
  std::fill(added, added + most, 0.25f);
  const std::size_t width = count / ids.size(), piece = std::min(width, most);
  const auto factor = hn::Set(F32(), 1.5f);
  Place now = {in, ids, width, piece}, soon = now.ahead(3), later = now.ahead(6);
  for (; now.row < ids.size(); now.next(), soon.next(), later.next(), out += piece) {
    const float *const from = now.data(), *const near = soon.data(), *const far = later.data();
    for (std::size_t c = 0; c < piece; c += line) {
      __builtin_prefetch(far + c, 0, 0);
      __builtin_prefetch(near + c, 0, 0);
      for (std::size_t k = c; k < c + line; k += hn::Lanes(F32())) {
        const auto scaled = hn::Mul(hn::Load(F32(), from + k), factor);
        hn::Stream(hn::Add(scaled, hn::Load(F32(), added + k)), F32(), out + k);
      }
    }
  }
  hwy::FlushStream();
}

// One pass over a part of the bytes.
void Pass(Ceiling ceiling, std::span<const float> in, std::span<const std::int32_t> ids, std::span<float> out) {
  switch (ceiling) {
    case Ceiling::none: break;
    case Ceiling::store: Store(out.data(), out.size()); break;
    case Ceiling::stream: Stream(out.data(), out.size()); break;
    case Ceiling::copy: Copy(in.data(), out.data(), out.size()); break;
    case Ceiling::update: Update(out.data(), out.size()); break;
    case Ceiling::read_then_stream:
      Read(in.data(), in.size());
      Stream(out.data(), out.size());
      break;
    case Ceiling::gather: Gather(in.data(), ids, out.data(), out.size()); break;
  }
}

}  // namespace posenc::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::bench {

HWY_EXPORT(Pass);

namespace {

std::span<const float> floats(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
}
std::span<float> floats(std::span<std::byte> bytes) {
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}

template <class T>
std::span<T> part_of(std::span<T> all, std::size_t part, std::size_t parts, std::size_t multiple) {
  const std::size_t size = all.size() / parts / multiple * multiple;
  return all.subspan(part * size, size);
}

// Any thread's ids may name any row.
void pass(Ceiling ceiling, const Work& work, std::size_t part, std::size_t parts) {
  const std::span<const std::int32_t> ids = part_of(work.ids, part, parts, 1);
  const std::span<const float> in = floats(work.in);
  const std::size_t row = work.ids.empty() ? 64 : work.out.size() / work.ids.size();
  HWY_DYNAMIC_DISPATCH(Pass)
  (ceiling, ids.empty() ? part_of(in, part, parts, 16) : in, ids, floats(part_of(work.out, part, parts, row)));
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

}  // namespace

std::string_view to_string(Ceiling ceiling) {
  switch (ceiling) {
    case Ceiling::none: return "none";
    case Ceiling::store: return "store";
    case Ceiling::stream: return "stream";
    case Ceiling::copy: return "copy";
    case Ceiling::update: return "update";
    case Ceiling::read_then_stream: return "read, stream";
    case Ceiling::gather: return "gather";
  }
  return "none";
}

double ceiling_seconds(Ceiling ceiling, const Work& work, int threads, int passes) {
  const std::vector<int> cpus = allowed_cpus();
  std::atomic<int> ready = 0, finished = 0;
  const auto run = [&](int part) {
    const Pinned pinned(cpus[static_cast<std::size_t>(part)]);
    for (++ready; ready < threads;) {  // on a CPU of its own
    }
    const double start = work_seconds(threads);
    for (int i = 0; i < passes; ++i) {
      pass(ceiling, work, static_cast<std::size_t>(part), static_cast<std::size_t>(threads));
    }
    for (++finished; finished < threads;) {
    }
    return (work_seconds(threads) - start) / passes;
  };
  std::vector<std::thread> others;
  for (int part = 1; part < threads; ++part) others.emplace_back(run, part);
  const double seconds = run(0);
  for (std::thread& other : others) other.join();
  return seconds;
}

}  // namespace posenc::bench
#endif
