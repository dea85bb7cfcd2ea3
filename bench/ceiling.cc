// SPDX-License-Identifier: Apache-2.0
// Loops that do nothing but store, copy or update, for every instruction set; Highway chooses at run time.
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

// One pass over a part of the bytes.
void Pass(Ceiling ceiling, const float* in, std::size_t in_count, float* out, std::size_t count) {
  switch (ceiling) {
    case Ceiling::none: break;
    case Ceiling::store: Store(out, count); break;
    case Ceiling::stream: Stream(out, count); break;
    case Ceiling::copy: Copy(in, out, count); break;
    case Ceiling::update: Update(out, count); break;
    case Ceiling::read_then_stream:
      Read(in, in_count);
      Stream(out, count);
      break;
  }
}

}  // namespace posenc::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::bench {

HWY_EXPORT(Pass);

namespace {

template <class T>
std::span<T> part_of(std::span<T> bytes, std::size_t part, std::size_t parts) {
  const std::size_t size = bytes.size() / parts / 64 * 64;
  return bytes.subspan(part * size, size);
}

void pass(Ceiling ceiling, const Work& work, std::size_t part, std::size_t parts) {
  const std::span<std::byte> out = part_of(work.out, part, parts);
  const std::span<const std::byte> in = part_of(work.in, part, parts);
  HWY_DYNAMIC_DISPATCH(Pass)
  (ceiling, reinterpret_cast<const float*>(in.data()), in.size() / sizeof(float), reinterpret_cast<float*>(out.data()),
   out.size() / sizeof(float));
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
