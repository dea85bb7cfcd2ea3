// SPDX-License-Identifier: Apache-2.0
// Tensors of PyTorch, read by the table of C functions that it offers beside its DLPack export, which costs 4 us a
// tensor: 0.1 us.
#pragma once

#include <nanobind/ndarray.h>

#include "bindings/python/errors.h"

namespace posenc::python {

/// A dense tensor on the CPU, as long as the Python object lives. What arrays.cc asks of an array.
class TorchTensor {
 public:
  std::size_t ndim() const { return static_cast<std::size_t>(read_.ndim); }
  std::int64_t shape(std::size_t axis) const { return read_.shape[axis]; }
  std::int64_t stride(std::size_t axis) const { return read_.strides[axis]; }
  void* data() const { return static_cast<char*>(read_.data) + read_.byte_offset; }
  nb::dlpack::dtype dtype() const { return read_.dtype; }

 private:
  friend std::optional<TorchTensor> torch_tensor(nb::handle object);
  friend TorchTensor of_fresh(nb::handle tensor);
  nb::dlpack::dltensor read_;
};

/// torch.Tensor or Parameter itself: a subclass may have its memory elsewhere.
bool is_torch(nb::handle object);
/// That, on the CPU.
bool is_plain(nb::handle object);

/// Nothing where it is none of these, or none that the table reads: sparse, negated lazily, without
/// storage.
std::optional<TorchTensor> torch_tensor(nb::handle object);

/// Whether PyTorch would record what is done with that tensor.
bool records_gradient(nb::handle tensor);

/// torch.empty_like, whose result records nothing.
nb::object empty_like(nb::handle tensor);
/// What was made by it, without the checks of a tensor of others.
TorchTensor of_fresh(nb::handle tensor);

}  // namespace posenc::python
