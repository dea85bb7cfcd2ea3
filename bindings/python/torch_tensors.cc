// SPDX-License-Identifier: Apache-2.0
// Tensors of PyTorch.
#include "bindings/python/torch_tensors.h"

#include <atomic>

namespace posenc::python {
namespace {

// DLPack 1.3, DLPackExchangeAPI: what comes before the entry that is used, and it.
struct ExchangeTable {
  std::uint32_t major, minor;
  const void* previous;
  void *allocator, *from_object, *to_object;
  int (*view_of_object)(void* object, nb::dlpack::dltensor* view);
};

// What is asked of PyTorch once it was imported. Objects that live as long as the interpreter.
struct Torch {
  nb::handle tensor, parameter, is_grad_enabled, empty_like;
  nb::handle is_neg, requires_grad, is_cpu;  // names
  const ExchangeTable* table;
};

nb::handle name(const char* text) { return PyUnicode_InternFromString(text); }

const ExchangeTable* table_of(nb::handle type) {
  const nb::object capsule = nb::getattr(type, "__dlpack_c_exchange_api__", nb::none());
  if (!PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api")) return nullptr;
  const void* found = PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api");
  const auto* table = static_cast<const ExchangeTable*>(found);
  return table->major == 1 ? table : nullptr;
}

// Null before PyTorch was imported to its end.
const Torch* make_torch() {
  const nb::handle module = PyDict_GetItemString(PyImport_GetModuleDict(), "torch");
  if (!module.is_valid() || !nb::hasattr(module, "nn") || !nb::hasattr(module.attr("nn"), "Parameter")) return nullptr;
  const auto kept = [](nb::object object) { return object.release(); };
  auto* made = new Torch{.tensor = kept(module.attr("Tensor")),
                         .parameter = kept(module.attr("nn").attr("Parameter")),
                         .is_grad_enabled = kept(module.attr("is_grad_enabled")),
                         .empty_like = kept(module.attr("empty_like")),
                         .is_neg = name("is_neg"),
                         .requires_grad = name("requires_grad"),
                         .is_cpu = name("is_cpu"),
                         .table = nullptr};
  made->table = table_of(made->tensor);
  return made;
}

const Torch* torch() {
  static std::atomic<const Torch*> made = nullptr;
  const Torch* found = made.load(std::memory_order_acquire);
  if (found != nullptr) return found;
  found = make_torch();  // twice at the same moment: one of them is left
  if (found != nullptr) made.store(found, std::memory_order_release);
  return found;
}

bool said_true(nb::object object) {
  if (!object.is_valid()) throw nb::python_error();
  return object.ptr() == Py_True;
}
bool has(nb::handle object, nb::handle attribute) {
  return said_true(nb::steal(PyObject_GetAttr(object.ptr(), attribute.ptr())));
}

}  // namespace

bool is_torch(nb::handle object) {
  const Torch* known = torch();
  if (known == nullptr) return false;
  const nb::handle type = object.type();
  return type.is(known->tensor) || type.is(known->parameter);
}

bool is_plain(nb::handle object) { return is_torch(object) && has(object, torch()->is_cpu); }

std::optional<TorchTensor> torch_tensor(nb::handle object) {
  const Torch* known = torch();
  if (!is_torch(object) || known->table == nullptr) return std::nullopt;
  // Of calls with one argument, these are in the stable ABI.
  PyObject* const self = object.ptr();
  if (said_true(nb::steal(PyObject_VectorcallMethod(known->is_neg.ptr(), &self, 1, nullptr)))) return std::nullopt;
  TorchTensor tensor;
  if (known->table->view_of_object(object.ptr(), &tensor.read_) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  if (tensor.read_.device.device_type != nb::device::cpu::value) return std::nullopt;
  return tensor;
}

bool records_gradient(nb::handle tensor) {
  const Torch* known = torch();
  if (known == nullptr || !has(tensor, known->requires_grad)) return false;
  return said_true(nb::steal(PyObject_CallNoArgs(known->is_grad_enabled.ptr())));
}

TorchTensor of_fresh(nb::handle tensor) {
  TorchTensor fresh;
  if (torch()->table->view_of_object(tensor.ptr(), &fresh.read_) != 0) throw nb::python_error();
  return fresh;
}

nb::object empty_like(nb::handle tensor) {
  PyObject* const like = tensor.ptr();
  const nb::object made = nb::steal(PyObject_Vectorcall(torch()->empty_like.ptr(), &like, 1, nullptr));
  if (!made.is_valid()) throw nb::python_error();
  return made;
}

}  // namespace posenc::python
