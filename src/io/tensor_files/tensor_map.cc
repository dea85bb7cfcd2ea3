// SPDX-License-Identifier: Apache-2.0
// Elements that are mapped, or owned.
#include <posenc/io/tensor_map.h>

#include "src/io/files/file_mapping.h"

namespace posenc::io {

TensorMap::TensorMap(Array array) : array_(std::move(array)), view_(array_.view()) {}
TensorMap::TensorMap(std::unique_ptr<FileMapping> mapping, ConstView view) : mapping_(std::move(mapping)), view_(view) {
  view_.data = mapping_->data();
}
TensorMap::~TensorMap() = default;
TensorMap::TensorMap(TensorMap&&) noexcept = default;

void TensorMap::give_back() const {
  if (mapping_) mapping_->give_back();
}
void TensorMap::require_unchanged() const {
  if (mapping_) mapping_->require_unchanged();
}

Executor ReadingExecutor::executor() {
  return {[](void* self, std::int64_t count, void (*job)(void*, std::int64_t), void* context) {
            const ReadingExecutor& reading = *static_cast<const ReadingExecutor*>(self);
            const Executor& threads = reading.threads_.run == nullptr ? serial : reading.threads_;
            threads.run(threads.self, count, job, context);
            reading.tensor_.give_back();
          },
          this};
}

}  // namespace posenc::io
