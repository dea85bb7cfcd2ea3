// SPDX-License-Identifier: Apache-2.0
// What no bit may depend on: threads, cuts of the work, addresses, row strides and kinds of stores; and the frames in
// which works go to standard output.
#pragma once

#include <posenc/embedding.h>
#include <posenc/positions.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <thread>

#include "tests/proof/environment.h"

namespace posenc::proof {

struct Surroundings {
  int threads = 1;
  std::int64_t cut = 0;    // rows of one call; 0: all
  std::size_t offset = 0;  // bytes from a line of 64 to the first element, rounded down to a multiple of its size
  std::int64_t pad = 0;    // columns between the rows
  Reading reading = Reading::by_size;
};

/// call(first, count) for consecutive runs of rows, as the surroundings cut them.
template <class Call>
void in_cuts(const Surroundings& how, std::int64_t rows, const Call& call) {
  const std::int64_t most = how.cut > 0 ? how.cut : rows;
  for (std::int64_t first = 0; first < rows; first += most) call(first, std::min(most, rows - first));
}

/// Threads that take jobs as they come, last one first.
class Threads {
 public:
  explicit Threads(int count) : count_(count) {}
  Executor executor() { return {run, this}; }

 private:
  static void run(void* self, std::int64_t count, void (*job)(void*, std::int64_t), void* context) {
    std::atomic<std::int64_t> left = count;
    const auto work = [&] {
      const CallersState before = CallersState::now();
      for (std::int64_t i; (i = left.fetch_sub(1)) > 0;) job(context, i - 1);
      expect_as_before(before);
    };
    std::vector<std::thread> threads;
    for (int t = 1; t < static_cast<Threads*>(self)->count_; ++t) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
  }

  int count_;
};

/// Positions [first, first + count) of `all`, a range or a list of one axis. Real ranges must begin exactly there.
inline Positions part(const Positions& all, std::int64_t first, std::int64_t count) {
  if (all.kind_ == Positions::Kind::integers) return Positions::range(all.start_ + first * all.step_, count, all.step_);
  if (all.kind_ == Positions::Kind::reals) {
    return Positions::range(all.real_start_ + static_cast<double>(first) * all.real_step_, count, all.real_step_);
  }
  ConstView some = all.list_;
  some.data = static_cast<const char*>(some.data) + first * static_cast<std::int64_t>(size_of(some.dtype));
  some.shape[0] = count;
  return Positions::list(some);
}

/// call(T{}) for every type of outputs.
template <class Call>
void for_types(const Call& call) {
  call(float{});
  call(bfloat16{});
  call(half{});
  call(double{});
}

// ---- frames ---------------------------------------------------------------------------------------

/// "NAME/TYPE BYTES" and a newline, before that many bytes. Frames of one name are one work, wherever they stand.
template <class T>
void begin_frame(const std::string& name, std::int64_t elements) {
  std::printf("%s/%s %zu\n", name.c_str(), std::string(to_string(dtype_of<T>)).c_str(),
              static_cast<std::size_t>(elements) * sizeof(T));
}

/// The bytes of values of a frame, the lowest of each first on every machine.
template <class T>
void write_values(const T* values, std::int64_t count) {
  const auto bytes = std::as_bytes(std::span(values, static_cast<std::size_t>(count)));
  std::vector<std::byte> lowest_first(bytes.begin(), bytes.end());
  if constexpr (std::endian::native == std::endian::big) {
    for (auto at = lowest_first.begin(); at != lowest_first.end(); at += sizeof(T)) std::reverse(at, at + sizeof(T));
  }
  std::fwrite(lowest_first.data(), 1, lowest_first.size(), stdout);
}

template <class T>
void put(const std::string& name, const std::vector<T>& values) {
  begin_frame<T>(name, std::ssize(values));
  write_values(values.data(), std::ssize(values));
}

// ---- memory ---------------------------------------------------------------------------------------

inline std::vector<float>& kept_normal_values() {
  static std::vector<float> kept;
  return kept;
}

/// Values of a normal distribution, for what is read: always the same ones, kept, since each takes 200 ns.
template <class T>
std::vector<T> seeded(std::int64_t rows, std::int64_t columns) {
  std::vector<float>& kept = kept_normal_values();
  const auto count = static_cast<std::size_t>(rows * columns);
  if (kept.size() < count) {
    kept.resize(count);
    seeded_rows(view(kept.data(), {1, rows * columns}), 5, 1, RowInit::normal);
  }
  std::vector<T> rounded;
  for (std::size_t i = 0; i < count; ++i) rounded.push_back(T(kept[i]));
  return rounded;
}

/// Rows of T in memory as the surroundings have it; what lies around them is checked when they are written out.
template <class T>
class RowMemory {
 public:
  RowMemory(const Surroundings& how, std::int64_t rows, std::int64_t columns)
      : rows_(rows),
        columns_(columns),
        stride_(columns + how.pad),
        bytes_(static_cast<std::size_t>(rows * stride_) * sizeof(T) + 256, guard) {
    const std::size_t past = reinterpret_cast<std::uintptr_t>(bytes_.data()) % 64;
    first_ = (64 - past) % 64 + how.offset / sizeof(T) * sizeof(T);
  }

  T* row(std::int64_t i) { return reinterpret_cast<T*>(bytes_.data() + first_) + i * stride_; }
  std::int64_t rows() const { return rows_; }

  /// Rows [first, first + count) as [1, count, columns].
  View view(std::int64_t first, std::int64_t count) {
    return {row(first), dtype_of<T>, 3, {1, count, columns_}, {rows_ * stride_, stride_, 1}};
  }
  /// All rows as [sequences, length, columns].
  View batch(std::int64_t sequences) {
    const std::int64_t length = rows_ / sequences;
    return {row(0), dtype_of<T>, 3, {sequences, length, columns_}, {length * stride_, stride_, 1}};
  }

  /// All rows as [rows, columns].
  View matrix() { return {row(0), dtype_of<T>, 2, {rows_, columns_}, {stride_, 1}}; }

  void fill(const std::vector<T>& values) {
    for (std::int64_t i = 0; i < rows_; ++i) std::copy_n(values.begin() + i * columns_, columns_, row(i));
  }

  /// The rows one after the other as a frame. Ends the program if anything else was touched.
  void put(const std::string& name) {
    begin_frame<T>(name, rows_ * columns_);
    for (std::int64_t i = 0; i < rows_; ++i) {
      write_values(row(i), columns_);
      std::fill(reinterpret_cast<unsigned char*>(row(i)), reinterpret_cast<unsigned char*>(row(i) + columns_), guard);
    }
    for (const unsigned char byte : bytes_) {
      if (byte != guard) {
        std::fprintf(stderr, "posenc_bits: a byte beside the rows was written\n");
        std::exit(1);
      }
    }
  }

 private:
  static constexpr unsigned char guard = 0xA5;
  std::int64_t rows_, columns_, stride_;
  std::vector<unsigned char> bytes_;
  std::size_t first_ = 0;
};

}  // namespace posenc::proof
