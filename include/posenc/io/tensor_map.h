// SPDX-License-Identifier: Apache-2.0
// The elements of a tensor where they stand in its file: memory does not grow with them.
//
// Thread safety: const use of one TensorMap is safe.
#pragma once

#include <posenc/io/npy.h>

#include <memory>

namespace posenc::io {

class FileMapping;

/// A tensor's elements, mapped read-only from its file, or in memory where they do not stand there as they are read:
/// those of deflated members, of other bytes' order, of types that are widened.
///
/// Mapped elements stand at any address: only calls that say so may have the view, as identify and diagnose do. A file
/// that is written to while it is mapped shows in require_unchanged; one that becomes shorter makes the system raise
/// SIGBUS where its lost elements are read, which programs that cannot rule it out must handle, or use read().
class TensorMap {
 public:
  POSENC_EXPORT explicit TensorMap(Array array);
  /// For readers of this library; the view's elements begin with the mapping.
  TensorMap(std::unique_ptr<FileMapping> mapping, ConstView view);
  POSENC_EXPORT ~TensorMap();
  POSENC_EXPORT TensorMap(TensorMap&&) noexcept;
  TensorMap& operator=(TensorMap&&) = delete;

  /// All elements; valid as long as this.
  const ConstView& view() const { return view_; }
  /// Whether they stand in the file.
  bool mapped() const { return mapping_ != nullptr; }
  /// Takes the pages that were read out of this process's memory; they are read again when they are asked for. Any
  /// thread may call it, and does no harm to others that read. Nothing for what is in memory.
  POSENC_EXPORT void give_back() const;
  /// Throws where the file has changed since it was opened: what was read may be of both. Nothing for what is in
  /// memory.
  POSENC_EXPORT void require_unchanged() const;

 private:
  Array array_;
  std::unique_ptr<FileMapping> mapping_;
  ConstView view_;
};

/// An executor that gives back a tensor's pages behind every call, which the library makes for some MiB at a time. What
/// runs the threads, and the tensor, outlive it.
class ReadingExecutor {
 public:
  ReadingExecutor(const Executor& threads, const TensorMap& tensor) : threads_(threads), tensor_(tensor) {}
  ReadingExecutor(const ReadingExecutor&) = delete;
  ReadingExecutor& operator=(const ReadingExecutor&) = delete;
  POSENC_EXPORT Executor executor();

 private:
  Executor threads_;
  const TensorMap& tensor_;
};

}  // namespace posenc::io
